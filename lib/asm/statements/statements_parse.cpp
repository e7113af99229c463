// SPDX-License-Identifier: Apache-2.0
// Parses a statement into results, opcode, operands, attributes and types.
#include "asm/statements/statements.hpp"

namespace ptox::assembly {

using Kind = Token::Kind;

std::size_t opcode_index(const std::vector<Token>& tokens) {
  std::size_t i = 0;
  if (!tokens[0].is(Kind::value)) return 0;
  while (tokens[i].is(Kind::value) && tokens[i + 1].is(",")) i += 2;
  return tokens[i].is(Kind::value) && tokens[i + 1].is("=") ? i + 2 : tokens.size() - 1;
}

std::vector<Token> defined_names(const std::vector<Token>& tokens) {
  std::vector<Token> names;
  const std::size_t opcode = opcode_index(tokens);
  if (tokens[opcode].is(".const") || tokens[opcode].is("scf.for"))
    if (tokens[opcode + 1].is(Kind::value)) names.push_back(tokens[opcode + 1]);
  if (opcode == 0) return names;
  for (const Token& t : tokens) {
    if (t.is("=") || (!t.is(Kind::value) && !t.is(","))) break;
    if (t.is(Kind::value)) names.push_back(t);
  }
  return names;
}

namespace {

class Parser {
 public:
  explicit Parser(const std::vector<Token>& tokens) : tokens_(tokens) {}

  Written run() {
    at_ = opcode_index(tokens_);
    w_.results = defined_names(tokens_);
    w_.opcode = tokens_[at_];
    if (!now().is(Kind::word)) return fail("an opcode, as in `%dst = mgather.row %table, %idx`"), w_;
    ++at_;
    if (now().is("[") && !span("[", "]", w_.list)) return w_;
    if (words() && attributes() && body() && attributes() && arrow() && attributes() && !now().is(Kind::end))
      fail("the end of the statement");
    return w_;
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  bool take(std::string_view mark) {
    if (!now().is(mark)) return false;
    ++at_;
    return true;
  }
  bool fail(const std::string& wanted) {
    const std::string found = now().is(Kind::end) ? "the end of the statement" : "'" + std::string(now().text) + "'";
    w_.fault = {now().text, "expected " + wanted + ", found " + found};
    return false;
  }

  /// The text from an opening bracket to the matching closing one. Precondition: there is one (checked by the
  /// splitter).
  bool span(std::string_view open, std::string_view close, std::string_view& out) {
    const char* begin = now().text.data();
    for (int depth = 0; !now().is(Kind::end); ++at_) {
      depth += now().is(open) ? 1 : now().is(close) ? -1 : 0;
      if (depth > 0) continue;
      out = {begin, static_cast<std::size_t>(now().text.data() + 1 - begin)};
      return ++at_, true;
    }
    return fail("'" + std::string(close) + "'");
  }
  bool attributes() {
    while (now().is("{")) {
      std::string_view dictionary;
      if (!span("{", "}", dictionary)) return false;
      w_.attributes.push_back(dictionary);
    }
    return true;
  }

  /// Parses `<A, B>` after the opcode, with or without a blank before it.
  bool words() {
    const std::size_t bracket = w_.opcode.text.find('<');
    if (bracket != std::string_view::npos) {
      Lexer inner(w_.opcode.text.substr(bracket));
      w_.opcode.text = w_.opcode.text.substr(0, bracket);
      for (Token t = inner.next(); !t.is(Kind::end); t = inner.next())
        if (t.is(Kind::word)) w_.words.push_back(t);
      return true;
    }
    if (!take("<")) return true;
    do {
      if (!now().is(Kind::word)) return fail("a word");
      w_.words.push_back(tokens_[at_++]);
    } while (take(","));
    return take(">") || fail("'>'");
  }

  bool body() {
    w_.ins = now().is("ins");
    if (!w_.ins && !now().is("outs")) return operands() && attributes() && signature();
    if (w_.ins && !group()) return false;
    w_.inputs = w_.operands.size();
    w_.outs = now().is("outs");
    if (w_.outs && !group()) return false;
    w_.outputs = w_.operands.size() - w_.inputs;
    return true;
  }
  /// Parses `ins(%a, %b : T, T)` or `outs(...)`.
  bool group() {
    ++at_;
    if (!take("(")) return fail("'('");
    const std::size_t types = w_.types.size(), before = w_.operands.size();
    if (take(")")) return true;
    if (!operands() || (take(":") && !type_list(w_.types))) return false;
    const std::size_t written = w_.types.size() - types, count = w_.operands.size() - before;
    if (written != 0 && written != count) return counts(count, written);
    if (written == 0 && !w_.types.empty()) return fail("the types of every group");
    return take(")") || fail("')'");
  }
  bool counts(std::size_t operands, std::size_t types) {
    w_.fault = {w_.opcode.text,
                "there are " + std::to_string(operands) + " operands and " + std::to_string(types) + " types"};
    return false;
  }

  bool operands() {
    if (!now().is(Kind::value)) {
      if (now().is(":") || now().is("->") || now().is("{") || now().is(Kind::end)) return true;
      return fail("a %name");
    }
    do {
      if (!now().is(Kind::value)) return fail("a %name");
      w_.operands.push_back(tokens_[at_++]);
    } while (take(","));
    return true;
  }
  bool signature() {
    if (!take(":")) return true;
    if (!bracketed_types(w_.types)) return false;
    if (w_.types.size() == w_.operands.size() || w_.operands.empty()) return true;
    return counts(w_.operands.size(), w_.types.size());
  }
  bool arrow() {
    if (!take("->")) return true;
    w_.arrow = true;
    return bracketed_types(w_.result_types);
  }
  bool bracketed_types(std::vector<Token>& out) {
    if (!take("(")) return type_list(out);
    if (take(")")) return true;
    return type_list(out) && (take(")") || fail("')'"));
  }
  bool type_list(std::vector<Token>& out) {
    do {
      if (!now().is(Kind::type) && !now().is(Kind::word)) return fail("a type");
      out.push_back(tokens_[at_++]);
    } while (take(","));
    return true;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  Written w_;
};

}  // namespace

Written parse_written(const std::vector<Token>& tokens) { return Parser(tokens).run(); }

}  // namespace ptox::assembly
