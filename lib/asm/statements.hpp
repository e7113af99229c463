// SPDX-License-Identifier: Apache-2.0
// Splits the bare statements of the manuals (the AS form) into words.
//
// One statement a line; it goes on where a bracket is open, after `,` `:` `=` `->`, and where the next line begins with
// `->`, `:`, `ins(` or `outs(`. `# ` and `//` begin comments. A statement is
//
//   [%r, ... =] opcode operands [{attributes}] [: types] [-> types]      types in parentheses or not
//   [%r =] opcode ins(%a, ... : types) outs(%b, ... : types) [{attributes}]
//   scf.for %i = %a to %b step %c [: type] {     scf.if %c {     section.vector {      up to a line with }  or  } else
//   {
//
// or one of these directives:
//
//   .target cpu|a2a3|a3|a5       the module's pto.target_arch
//   .func @name                  the function's name; @main without it
//   .attr name = value           an attribute of the function, `.attr pto.entry` for a unit one
//   .module_attr name = value    an attribute of the module
//   .arg %x : type [{attributes}]      an argument; those that are only used follow in the order of their first use
//   .const %x = 3 : type         arith.constant
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptox::assembly {

struct Token {
  /// `#pto.pipe<V>` is one token, and so are `!pto.tile<...>` and `pto.tile<...>`, brackets included.
  enum class Kind { end, newline, value, symbol, word, number, string, attribute, type, mark, bad };
  Kind kind = Kind::end;
  std::string_view text;

  bool is(std::string_view mark) const { return text == mark && kind != Kind::string; }
  bool is(Kind k) const { return kind == k; }
};

/// What is wrong, and the token that shows it.
struct Fault {
  std::string_view at;
  std::string message;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token; newlines are tokens, comments and blanks are not.
  Token next();
  std::size_t position() const { return at_; }
  void go_to(std::size_t position) { at_ = position; }

 private:
  void skip_blanks();
  Token take(Token::Kind kind, std::size_t end);
  Token bracketed(Token::Kind kind, std::size_t end);
  Token number();
  Token string(Token::Kind kind, std::size_t begin);
  std::size_t word_end(std::size_t begin) const;
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
};

struct Statement {
  std::string_view text;
  bool opens = false;   ///< ends in the { of a block
  bool faulty = false;  ///< does not read; there is a fault for it
};
/// The statements of a text, and a fault for each that is faulty. It stops early when there are as many as `most`.
std::vector<Statement> split_statements(std::string_view text, std::vector<Fault>& faults, std::size_t most);

/// A statement's tokens without newlines, with an end.
std::vector<Token> tokens_of(const Statement& statement);

/// An instruction as it is written. Types of operands that have none are missing from the end of the list.
struct Written {
  std::vector<Token> results, operands, types, result_types;
  Token opcode;
  std::vector<std::string_view> attributes;  ///< dictionaries with their braces
  std::string_view list;                     ///< `[...]` after the opcode
  std::vector<Token> words;                  ///< of `<A, B>` after it
  bool ins = false, outs = false;            ///< in groups of these names
  bool arrow = false;
  std::size_t inputs = 0, outputs = 0;  ///< how many in each group
  Fault fault;                          ///< a message that is not empty: the statement does not read
};
Written parse_written(const std::vector<Token>& tokens);

/// The token that says what a statement does, behind its results; `end` when there is none.
std::size_t opcode_index(const std::vector<Token>& tokens);
/// The names that a statement defines for those after it: results, `.const`, the variable of a loop.
std::vector<Token> defined_names(const std::vector<Token>& tokens);

}  // namespace ptox::assembly
