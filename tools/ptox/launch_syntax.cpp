// SPDX-License-Identifier: Apache-2.0
#include "launch_syntax.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "tokens.hpp"

namespace ptox::tool {

namespace {

using Index = std::ptrdiff_t;

/// Keywords that may precede an expression and are therefore not part of the name of a kernel.
constexpr std::array<std::string_view, 12> keywords{"return",   "else", "do",  "throw", "case", "co_return",
                                                    "co_yield", "new",  "not", "and",   "or",   "co_await"};

class Rewriter {
 public:
  explicit Rewriter(std::string_view source) : source_(source), tokens_(tokens_of(source)) {}

  Rewritten run() {
    Rewritten out{std::string(source_)};
    for (Index i = 0; i < count() && !complaint_; ++i)
      if (is_launch(i)) {
        if (out.launches++ == 0) out.first_launch = tokens_[at(i)].line;
        launch(i);
      }
    out.complaint = complaint_;
    if (!complaint_) out.text = edited();
    return out;
  }

 private:
  struct Edit {
    std::size_t begin, size;
    std::string text;
  };

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
  Index count() const { return static_cast<Index>(tokens_.size()); }
  std::string_view text(Index i) const {
    return i < 0 || i >= count() ? std::string_view() : source_.substr(tokens_[at(i)].begin, tokens_[at(i)].size);
  }
  bool is(Index i, TokenKind kind) const { return i >= 0 && i < count() && tokens_[at(i)].kind == kind; }
  void complain(Index i, std::string sentence) {
    if (!complaint_) complaint_ = Complaint{tokens_[at(i)].line, std::move(sentence)};
  }
  std::string quoted(Index i) const {
    if (i < 0) return "nothing";
    return is(i, TokenKind::boundary) ? "the end of a #define" : "'" + std::string(text(i).substr(0, 40)) + "'";
  }

  /// The only other use of <<< in C++ is `operator<<<T>`.
  bool is_launch(Index i) const {
    return is(i, TokenKind::less) && tokens_[at(i)].size == 3 && text(i - 1) != "operator";
  }

  void launch(Index open) {
    const Index kernel = kernel_before(open);
    const Index close = close_after(open);
    if (complaint_) return;
    const Token &first = tokens_[at(kernel)], &left = tokens_[at(open)], &right = tokens_[at(close)];
    const char before = first.begin ? source_[first.begin - 1] : ' ';
    const std::string apart = before == ':' || before == '<' ? " " : "";
    edits_.push_back({first.begin, 0,
                      apart + "::ptox::detail::on_default_device(" + literal(name_of(kernel, open)) +
                          ", [&](auto&... ptox_args) { "});
    edits_.push_back({left.begin, 3, "(ptox_args...); }, "});
    edits_.push_back({right.begin + right.size - 3, 3, ")"});
  }

  /// The text of the kernel expression without comments and line breaks.
  std::string name_of(Index first, Index end) const {
    std::string out;
    for (Index i = first; i < end; ++i) {
      const bool apart = is(i, TokenKind::name) && is(i - 1, TokenKind::name);
      if (i > first && (apart || text(i - 1) == ",")) out += ' ';
      out += text(i);
    }
    return out;
  }

  /// The name as a C++ string literal. It may contain quotation marks and any byte.
  static std::string literal(const std::string& name) {
    std::string out = "\"";
    for (const char c : name) {
      if (c == '"' || c == '\\') out += '\\';
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return out + "\"";
  }

  /// The first token of the kernel expression: name, ns::name, name<...>, object.name or pointer->name.
  Index kernel_before(Index open) {
    Index first = name_before(open);
    if (first < 0) {
      complain(open,
               "a launch is kernel<<<...>>>(...), where the kernel is name, ns::name or name<...>; before <<< is " +
                   quoted(open - 1));
      return open;
    }
    while (is_link(first - 1)) {
      const Index further = name_before(first - 1);
      if (further < 0) return text(first - 1) == "::" ? first - 1 : first;
      first = further;
    }
    return first;
  }

  bool is_link(Index i) const { return text(i) == "::" || text(i) == "->" || text(i) == "."; }

  /// The first token of a name, with or without template arguments, that ends before `end`; -1 if there is none.
  Index name_before(Index end) const {
    Index i = end - 1;
    if (is(i, TokenKind::greater)) i = angle_before(i) - 1;
    if (!is(i, TokenKind::name) || std::find(keywords.begin(), keywords.end(), text(i)) != keywords.end()) return -1;
    return text(i - 1) == "template" && is_link(i - 2) ? i - 1 : i;
  }

  /// The < that matches the last > of the token `close`; -1 if there is none.
  Index angle_before(Index close) const {
    std::size_t depth = 0;
    for (Index i = close; i >= 0; --i) {
      const std::string_view t = text(i);
      if (t == ")" || t == "]" || t == "}") i = bracket_before(i);
      if (i < 0 || t == ";" || t == "{" || is(i, TokenKind::boundary)) return -1;
      if (is(i, TokenKind::greater)) depth += t.size();
      if (is(i, TokenKind::less) && t.size() == 1 && --depth == 0) return i;
    }
    return -1;
  }

  Index bracket_before(Index close) const {
    int depth = 0;
    for (Index i = close; i >= 0; --i) {
      const std::string_view t = text(i);
      depth += t == ")" || t == "]" || t == "}";
      depth -= t == "(" || t == "[" || t == "{";
      if (depth == 0) return i;
    }
    return -1;
  }

  /// The > token whose last three characters close the launch.
  Index close_after(Index open) {
    std::size_t angles = 0;  // open < of templates; comparisons may be counted too
    int depth = 0;
    for (Index i = open + 1; i < count(); ++i) {
      const std::string_view t = text(i);
      if (depth == 0 && (t == ";" || is(i, TokenKind::boundary) || is_launch(i))) break;
      if (t == ")" || t == "]" || t == "}")
        if (--depth < 0) break;
      depth += t == "(" || t == "[" || t == "{";
      if (depth > 0) continue;
      if (is(i, TokenKind::less) && t.size() == 1 && is(i - 1, TokenKind::name)) ++angles;
      if (!is(i, TokenKind::greater)) continue;
      if (closes_launch(i, angles)) return closed(open, i);
      angles -= std::min(angles, t.size());
    }
    complain(open, "this <<< has no >>> that closes it; a launch is kernel<<<numBlocks, dynUBufSize, stream>>>(...)");
    return open;
  }

  /// Whether the token closes the launch: it has at least three > and at least three more than there are open <.
  /// Because comparisons may have been counted as open <, one more is enough if a parenthesis follows.
  bool closes_launch(Index i, std::size_t angles) const {
    const std::size_t n = tokens_[at(i)].size;
    return n >= 3 && (n >= angles + 3 || (n > angles && text(i + 1) == "("));
  }

  Index closed(Index open, Index close) {
    if (close == open + 1 && tokens_[at(close)].size == 3)
      complain(open, "numBlocks is missing; a launch is kernel<<<numBlocks, dynUBufSize, stream>>>(...)");
    if (text(close + 1) != "(")
      complain(close, "the arguments of a launch stand in parentheses after >>>; there is " +
                          (close + 1 < count() ? quoted(close + 1) : "nothing"));
    return close;
  }

  std::string edited() {
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
    std::string out;
    std::size_t done = 0;
    for (const Edit& e : edits_) {
      out.append(source_.substr(done, e.begin - done)).append(e.text);
      done = e.begin + e.size;
    }
    return out.append(source_.substr(done));
  }

  std::string_view source_;
  std::vector<Token> tokens_;
  std::vector<Edit> edits_;
  std::optional<Complaint> complaint_;
};

}  // namespace

Rewritten rewrite_launches(std::string_view source) { return Rewriter(source).run(); }

}  // namespace ptox::tool
