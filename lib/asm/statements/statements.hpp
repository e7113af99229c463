// SPDX-License-Identifier: Apache-2.0
// Splits the bare statements of the manuals (the AS form) into tokens and statements.
//
// One statement per line. It continues on the next line while a bracket is open, after `,` `:` `=` `->`, and if the
// next line begins with `->`, `:`, `ins(` or `outs(`. `# ` and `//` start comments. A statement is
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
  /// `#pto.pipe<V>`, `!pto.tile<...>` and `pto.tile<...>` are single tokens, including the brackets.
  enum class Kind { end, newline, value, symbol, word, number, string, attribute, type, mark, bad };
  Kind kind = Kind::end;
  std::string_view text;

  bool is(std::string_view mark) const { return text == mark && kind != Kind::string; }
  bool is(Kind k) const { return kind == k; }
};

/// An error message and the token at which it is reported.
struct Fault {
  std::string_view at;
  std::string message;
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token. Newlines are tokens; comments and blanks are skipped.
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
  bool opens = false;   ///< ends with the { of a block
  bool faulty = false;  ///< cannot be parsed; `faults` has an entry for it
};
/// The statements of a text; `faults` gets an entry for each faulty one. Stops early after `most` faults.
std::vector<Statement> split_statements(std::string_view text, std::vector<Fault>& faults, std::size_t most);

/// The tokens of a statement without newlines, followed by an end token.
std::vector<Token> tokens_of(const Statement& statement);

/// A parsed instruction. If types are omitted, `types` is shorter than `operands`.
struct Written {
  std::vector<Token> results, operands, types, result_types;
  Token opcode;
  std::vector<std::string_view> attributes;  ///< dictionaries with their braces
  std::string_view list;                     ///< `[...]` after the opcode
  std::vector<Token> words;                  ///< the words of `<A, B>` after the opcode
  bool ins = false, outs = false;            ///< the operands are in ins(...), outs(...)
  bool arrow = false;
  std::size_t inputs = 0, outputs = 0;  ///< number of operands in each group
  Fault fault;                          ///< a non-empty message: the statement cannot be parsed
};
Written parse_written(const std::vector<Token>& tokens);

/// The index of the opcode, which follows the results; the index of the end token if there is none.
std::size_t opcode_index(const std::vector<Token>& tokens);
/// The names that a statement defines: results, the name of `.const`, the induction variable of a loop.
std::vector<Token> defined_names(const std::vector<Token>& tokens);

}  // namespace ptox::assembly
