// SPDX-License-Identifier: Apache-2.0
#include "tokens.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace ptox::tool {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool in_name(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || (c & 0x80) != 0;
}
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }
bool is_raw_prefix(std::string_view s) { return s == "R" || s == "LR" || s == "uR" || s == "UR" || s == "u8R"; }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  std::vector<Token> run() {
    while (at_ < source_.size()) step();
    if (in_directive_) end_directive();
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }
  bool starts(std::string_view s) const { return source_.substr(at_).starts_with(s); }
  /// The length of a line continuation (a backslash and the line end after it) at this position, or 0.
  std::size_t splice() const { return starts("\\\n") ? 2 : starts("\\\r\n") ? 3 : 0; }
  void advance(std::size_t n) {
    n = std::min(n, source_.size() - at_);
    line_ += static_cast<int>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                                         source_.begin() + static_cast<std::ptrdiff_t>(at_ + n), '\n'));
    at_ += n;
  }

  void step() {
    const char c = peek();
    if (const std::size_t n = splice()) return advance(n);
    if (c == '\n') return end_line();
    if (is_blank(c)) return advance(1);
    if (starts("//")) return line_comment();
    if (starts("/*")) return advance(block_comment_size());
    if (c == '#' && fresh_line_) return begin_directive();
    fresh_line_ = false;
    token();
  }

  void token() {
    const char c = peek();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return add(TokenKind::literal, number_size());
    if (in_name(c)) return name();
    if (c == '"' || c == '\'') return add(TokenKind::literal, quoted_size(c));
    if (c == '<' || c == '>') return angles(c);
    add(TokenKind::punctuation, starts("::") || starts("->") || starts("##") ? 2 : 1);
  }

  void add(TokenKind kind, std::size_t size) {
    if (recording_) tokens_.push_back({kind, at_, size, line_, std::exchange(after_directive_, false)});
    advance(size);
  }

  void end_line() {
    if (in_directive_) end_directive();
    fresh_line_ = true;
    advance(1);
  }

  void begin_directive() {
    advance(1);
    while (is_blank(peek()) || splice()) advance(std::max<std::size_t>(1, splice()));
    in_directive_ = true;
    recording_ = starts("define") && !in_name(peek(6));
    fresh_line_ = false;
    if (!recording_) return;
    advance(6);
    add(TokenKind::boundary, 0);
  }

  void end_directive() {
    if (recording_) add(TokenKind::boundary, 0);
    in_directive_ = false;
    recording_ = true;
    after_directive_ = true;
  }

  void line_comment() {
    while (at_ < source_.size() && peek() != '\n') advance(std::max<std::size_t>(1, splice()));
  }

  std::size_t block_comment_size() const {
    const std::size_t end = source_.find("*/", at_ + 2);
    return end == source_.npos ? source_.size() - at_ : end + 2 - at_;
  }

  std::size_t number_size() const {
    std::size_t n = 1;
    for (;; ++n) {
      const char c = peek(n), before = peek(n - 1);
      const bool sign = (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      const bool separator = c == '\'' && in_name(peek(n + 1));
      if (!in_name(c) && c != '.' && !sign && !separator) return n;
    }
  }

  void name() {
    std::size_t n = 1;
    while (in_name(peek(n))) ++n;
    if (peek(n) == '"' && is_raw_prefix(source_.substr(at_, n)))
      if (const std::size_t raw = raw_string_size(n)) return add(TokenKind::literal, raw);
    add(TokenKind::name, n);
  }

  /// The size of R"mark(text)mark", where the prefix before the quotation mark has `prefix` characters; 0 if this is
  /// not a raw string.
  std::size_t raw_string_size(std::size_t prefix) const {
    const std::size_t mark = at_ + prefix + 1, length = source_.substr(mark, 17).find('(');
    if (length == source_.npos) return 0;
    const std::string_view delimiter = source_.substr(mark, length);
    if (delimiter.find_first_of(" \t\v\f\r\n\\)\"") != delimiter.npos) return 0;
    const std::size_t end = source_.find(")" + std::string(delimiter) + "\"", mark);
    return (end == source_.npos ? source_.size() : end + delimiter.size() + 2) - at_;
  }

  std::size_t quoted_size(char quote) const {
    for (std::size_t n = 1; at_ + n < source_.size(); ++n) {
      if (peek(n) == quote) return n + 1;
      if (peek(n) == '\n') return n;
      if (peek(n) == '\\') n += peek(n + 1) == '\r' && peek(n + 2) == '\n' ? 2 : 1;
    }
    return source_.size() - at_;
  }

  void angles(char c) {
    std::size_t n = 1;
    while (peek(n) == c) ++n;
    const bool comparison = n <= 2 && peek(n) == '=';
    add(comparison ? TokenKind::punctuation : c == '<' ? TokenKind::less : TokenKind::greater, n + comparison);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool fresh_line_ = true, in_directive_ = false, recording_ = true, after_directive_ = false;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> tokens_of(std::string_view source) { return Lexer(source).run(); }

}  // namespace ptox::tool
