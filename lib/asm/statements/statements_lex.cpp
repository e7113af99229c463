// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>

#include "asm/statements/statements.hpp"

namespace ptox::assembly {

using Kind = Token::Kind;

namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/// The position after the > that closes the < at `begin`. Brackets of all kinds must be balanced and on one line; npos
/// if they are not.
std::size_t close_angle(std::string_view text, std::size_t begin) {
  constexpr std::string_view open = "<([{", close = ">)]}";
  std::string wanted;
  for (std::size_t i = begin; i < text.size() && text[i] != '\n'; ++i) {
    if (text[i] == '"') i = text.find_first_of("\"\n", i + 1);
    if (i == text.npos || text[i] == '\n') return text.npos;
    if (const auto k = open.find(text[i]); k != open.npos) wanted += close[k];
    if (close.find(text[i]) == close.npos || (text[i] == '>' && text[i - 1] == '-')) continue;
    if (wanted.back() != text[i]) return text.npos;
    wanted.pop_back();
    if (wanted.empty()) return i + 1;
  }
  return text.npos;
}

}  // namespace

void Lexer::skip_blanks() {
  while (is_blank(peek())) ++at_;
  const bool hash = peek() == '#' && (is_blank(peek(1)) || peek(1) == '\n' || at_ + 1 >= text_.size());
  if (hash || (peek() == '/' && peek(1) == '/')) at_ = std::min(text_.find('\n', at_), text_.size());
}

Token Lexer::take(Kind kind, std::size_t end) {
  const Token token{kind, text_.substr(at_, end - at_)};
  at_ = end;
  return token;
}

std::size_t Lexer::word_end(std::size_t begin) const {
  while (begin < text_.size() && (is_letter(text_[begin]) || is_digit(text_[begin]))) ++begin;
  return begin;
}

/// A word and the <...> that follows it directly.
Token Lexer::bracketed(Kind kind, std::size_t end) {
  if (end >= text_.size() || text_[end] != '<') return take(kind, end);
  const std::size_t close = close_angle(text_, end);
  if (close != std::string_view::npos) return take(kind, close);
  at_ = end;
  return take(Kind::bad, end + 1);
}

Token Lexer::number() {
  std::size_t end = at_ + 1;
  const bool hex = text_.substr(at_).starts_with("0x");
  while (end < text_.size() &&
         (std::isalnum(static_cast<unsigned char>(text_[end])) || text_[end] == '.' ||
          (!hex && (text_[end] == '-' || text_[end] == '+') && std::tolower(text_[end - 1]) == 'e')))
    ++end;
  return take(Kind::number, end);
}

Token Lexer::string(Kind kind, std::size_t begin) {
  for (std::size_t i = begin + 1; i < text_.size() && text_[i] != '\n'; ++i) {
    if (text_[i] == '\\')
      ++i;
    else if (text_[i] == '"')
      return take(kind, i + 1);
  }
  return take(Kind::bad, begin + 1);
}

Token Lexer::next() {
  skip_blanks();
  if (at_ >= text_.size()) return {Kind::end, text_.substr(text_.size())};
  const char c = peek(), after = peek(1);
  if (c == '\n') return take(Kind::newline, at_ + 1);
  if (c == '%' && is_digit(after)) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return take(Kind::value, end);
  }
  if (c == '%' && (is_letter(after) || after == '-')) {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]) || text_[end] == '-')) ++end;
    return take(Kind::value, end);
  }
  if (c == '@' && after == '"') return string(Kind::symbol, at_ + 1);
  if (c == '@' && is_letter(after)) return take(Kind::symbol, word_end(at_ + 1));
  if (c == '!' && is_letter(after)) return bracketed(Kind::type, word_end(at_ + 1));
  if (c == '#' && is_letter(after)) return bracketed(Kind::attribute, word_end(at_ + 1));
  if (c == '"') return string(Kind::string, at_);
  if (c == '-' && after == '>') return take(Kind::mark, at_ + 2);
  if (is_digit(c) || (c == '-' && is_digit(after))) return number();
  if (is_letter(c)) return bracketed(Kind::word, word_end(at_ + 1));
  if (std::string_view(",:()[]{}=<>?*+-").find(c) != std::string_view::npos) return take(Kind::mark, at_ + 1);
  return take(Kind::bad, at_ + 1);
}

namespace {

constexpr int most_lines = 256;  ///< maximum length of a statement

/// Splits a text into statements.
class Splitter {
 public:
  Splitter(std::string_view text, std::vector<Fault>& faults) : text_(text), lexer_(text), faults_(faults) {}

  bool next(Statement& out) {
    Token token = lexer_.next();
    while (token.is(Kind::newline)) token = lexer_.next();
    if (token.is(Kind::end)) return false;
    begin_ = end_ = static_cast<std::size_t>(token.text.data() - text_.data());
    open_.clear(), last_ = {}, lines_ = 0, joined_ = false, out = {};
    closes_block_ = token.is("}");
    for (; take(token, out); token = lexer_.next()) {
    }
    out.text = text_.substr(begin_, end_ - begin_);
    return true;
  }

 private:
  /// Adds a token to the statement; returns whether the statement continues after it.
  bool take(const Token& token, Statement& out) {
    if (token.is(Kind::end)) return open_.empty() ? false : fail(out, open_.back(), "is not closed");
    if (token.is(Kind::newline)) {
      if (++lines_ > most_lines && !open_.empty()) return fail(out, open_.back(), "is not closed within 256 lines");
      return !open_.empty() || joined_ || (joined_ = goes_on());
    }
    joined_ = false;
    end_ = static_cast<std::size_t>(token.text.data() + token.text.size() - text_.data());
    if (token.is(Kind::bad)) return fail(out, token.text, what_is_bad(token));
    last_ = token;
    if (token.is("{") && open_.empty() && at_line_end()) return !(out.opens = true);
    return brackets(token, out);
  }

  bool brackets(const Token& token, Statement& out) {
    if (token.is("(") || token.is("[") || token.is("{")) open_.push_back(token.text);
    if (!token.is(")") && !token.is("]") && !token.is("}")) return true;
    if (closes_block_ && token.text.data() == text_.data() + begin_) return true;
    const char match = token.is(")") ? '(' : token.is("]") ? '[' : '{';
    if (open_.empty()) return fail(out, token.text, "has no matching opening bracket");
    if (open_.back().front() != match)
      return fail(out, token.text, "stands where '" + std::string(open_.back()) + "' is to be closed");
    open_.pop_back();
    return true;
  }

  bool at_line_end() {
    const std::size_t here = lexer_.position();
    const Token token = lexer_.next();
    lexer_.go_to(here);
    return token.is(Kind::newline) || token.is(Kind::end);
  }
  /// At the end of a line: whether the statement continues on the next line.
  bool goes_on() {
    if (closes_block_) return false;
    if (last_.is(",") || last_.is(":") || last_.is("=") || last_.is("->")) return lines_ <= most_lines;
    const std::size_t here = lexer_.position();
    Token token = lexer_.next();
    while (token.is(Kind::newline)) token = lexer_.next();
    const bool group = (token.is("ins") || token.is("outs")) && lexer_.next().is("(");
    lexer_.go_to(here);
    return token.is("->") || token.is(":") || group;
  }

  static std::string what_is_bad(const Token& token) {
    if (token.text.back() == '<' || token.text.back() == '"') return "is not closed on its line";
    return "has no meaning here";
  }
  /// Records a fault and skips the rest of the line; if a bracket was left open on an earlier line, only the first line
  /// of the statement is skipped.
  bool fail(Statement& out, std::string_view at, const std::string& what) {
    const auto byte = static_cast<unsigned char>(at.back());
    const std::string shown = byte >= 0x80 || byte < 0x20 ? "this byte" : "'" + std::string(at) + "'";
    faults_.push_back({at, shown + " " + what});
    const std::size_t from = lines_ > 0 && !open_.empty() ? begin_ : end_;
    end_ = std::min(text_.find('\n', from), text_.size());
    lexer_.go_to(end_);
    std::string_view line = text_.substr(begin_, end_ - begin_);
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    out.opens = line.ends_with('{'), out.faulty = true;
    return false;
  }

  std::string_view text_;
  Lexer lexer_;
  std::vector<Fault>& faults_;
  std::size_t begin_ = 0, end_ = 0;
  std::vector<std::string_view> open_;
  Token last_;
  int lines_ = 0;
  bool closes_block_ = false, joined_ = false;  ///< the lines up to the next token belong to the statement
};

}  // namespace

std::vector<Statement> split_statements(std::string_view text, std::vector<Fault>& faults, std::size_t most) {
  std::vector<Statement> all;
  Splitter splitter(text, faults);
  for (Statement s; faults.size() < most && splitter.next(s);) all.push_back(s);
  return all;
}

std::vector<Token> tokens_of(const Statement& statement) {
  std::vector<Token> all;
  Lexer lexer(statement.text);
  for (Token t = lexer.next(); !t.is(Kind::end); t = lexer.next())
    if (!t.is(Kind::newline)) all.push_back(t);
  all.push_back({Kind::end, statement.text.substr(statement.text.size())});
  return all;
}

}  // namespace ptox::assembly
