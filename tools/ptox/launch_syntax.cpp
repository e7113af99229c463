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
    return is(i, TokenKind::boundary) ? "a #define" : "'" + std::string(text(i).substr(0, 40)) + "'";
  }

  /// The only other use of <<< in C++ is `operator<<<T>`.
  bool is_launch(Index i) const {
    return is(i, TokenKind::less) && tokens_[at(i)].size == 3 && text(i - 1) != "operator";
  }

  /// Rewrites the launch whose <<< is the token `open`. Where the kernel is a name directly before it, the call is a
  /// lambda, which works for overloaded kernels and those with default arguments. Any other expression becomes an
  /// operand of ->*, for which only the text from <<< on is replaced.
  void launch(Index open) {
    const Index close = close_after(open);
    const Index kernel = named_kernel_before(open);
    if (kernel < 0) require_kernel_before(open);
    if (complaint_) return;
    const Token &left = tokens_[at(open)], &right = tokens_[at(close)];
    if (kernel < 0) {
      const std::string name = literal(name_of(expression_before(open), open));
      edits_.push_back({left.begin, 3, " ->* ::ptox::detail::launch_operands(" + name + ", "});
    } else {
      const Token& first = tokens_[at(kernel)];
      const char before = first.begin ? source_[first.begin - 1] : ' ';
      const std::string apart = before == ':' || before == '<' ? " " : "";
      edits_.push_back(
          {first.begin, 0,
           apart + "::ptox::detail::on_default_device(" + name_literal(kernel, open) + ", [&](auto&... ptox_args) { "});
      edits_.push_back({left.begin, 3, "(ptox_args...); }, "});
    }
    edits_.push_back({right.begin + right.size - 3, 3, ")"});
  }

  /// The text of the kernel expression without comments, line breaks and ##.
  std::string name_of(Index first, Index end) const {
    std::string out;
    for (Index i = first; i < end; ++i) {
      if (text(i) == "##") continue;
      const bool apart = is(i, TokenKind::name) && is(i - 1, TokenKind::name);
      if (i > first && (apart || text(i - 1) == ",")) out += ' ';
      out += text(i);
    }
    return out;
  }

  /// The name of a kernel as string literals. Parameters of the macro in which the launch stands are stringized.
  std::string name_literal(Index first, Index end) const {
    const std::vector<std::string_view> parameters = parameters_around(first);
    std::string out;
    Index begun = first;
    const auto add = [&](const std::string& part) { out += (out.empty() ? "" : " ") + part; };
    for (Index i = first; i < end; ++i) {
      if (std::find(parameters.begin(), parameters.end(), text(i)) == parameters.end()) continue;
      if (const std::string before = name_of(begun, i); !before.empty())
        add(literal(before + (text(i - 1) == "," ? " " : "")));
      add("#" + std::string(text(i)));
      begun = i + 1;
    }
    if (begun < end || out.empty()) add(literal(name_of(begun, end)));
    return out;
  }

  /// The parameters of the function-like macro in whose #define the token stands; empty elsewhere.
  std::vector<std::string_view> parameters_around(Index i) const {
    std::vector<std::string_view> out;
    if (const Index define = define_around(i); define >= 0 && is_function_like(define))
      for (Index p = define + 3; p < i && text(p) != ")"; ++p) {
        const bool variadic = text(p) == "." && !is(p - 1, TokenKind::name);
        if (is(p, TokenKind::name)) out.push_back(text(p));
        if (variadic && std::find(out.begin(), out.end(), "__VA_ARGS__") == out.end()) out.push_back("__VA_ARGS__");
      }
    return out;
  }

  /// The boundary at which the #define around the token begins; -1 outside a #define.
  Index define_around(Index i) const {
    bool inside = false;
    Index define = -1;
    for (Index b = 0; b < i; ++b)
      if (is(b, TokenKind::boundary)) inside = !inside, define = b;
    return inside ? define : -1;
  }

  /// Whether the macro has parameters: a parenthesis follows its name without a space.
  bool is_function_like(Index define) const {
    return text(define + 2) == "(" &&
           tokens_[at(define + 1)].begin + tokens_[at(define + 1)].size == tokens_[at(define + 2)].begin;
  }

  /// The first token of the replacement list of the #define around the token, or 0 outside a #define.
  Index body_around(Index i) const {
    const Index define = define_around(i);
    if (define < 0) return 0;
    Index first = define + 2;
    if (is_function_like(define)) {
      while (first < i && text(first) != ")") ++first;
      ++first;
    }
    return first;
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

  /// The first token of a kernel that is a name: name, ns::name, name<...>, object.name or pointer->name. -1 if another
  /// expression or a directive precedes the <<<.
  Index named_kernel_before(Index open) const {
    Index first = name_before(open);
    while (first >= 0 && is_link(first - 1)) {
      const Index further = name_before(first - 1);
      if (further < 0 && text(first - 1) != "::") return -1;  // the result of an expression, as in f().kernel
      if (further < 0) {
        --first;
        break;
      }
      first = further;
    }
    if (first < body_around(open)) return -1;
    for (Index i = first + 1; i <= open; ++i)
      if (tokens_[at(i)].after_directive) return -1;
    return first;
  }

  /// Where a kernel that is an expression begins, as far as its name is of interest.
  Index expression_before(Index open) const {
    const Index bracket = text(open - 1) == ")" || text(open - 1) == "]" ? bracket_before(open - 1) : open;
    const Index name = name_before(bracket);
    const Index first = std::max(name >= 0 ? name : bracket, body_around(open));
    for (Index i = open; i > first; --i)
      if (tokens_[at(i)].after_directive) return i;
    return first;
  }

  /// Complains if what precedes the <<< cannot be the end of an expression.
  void require_kernel_before(Index open) {
    const std::string_view before = text(open - 1);
    const bool begins_macro = open > 0 && open == body_around(open);
    const bool named = name_before(open) >= 0;
    if (begins_macro || named || before == ")" || before == "]") return;
    complain(open, "a launch is kernel<<<...>>>(...), where the kernel is a name or an expression; before <<< is " +
                       quoted(open - 1));
  }

  bool is_link(Index i) const { return text(i) == "::" || text(i) == "->" || text(i) == "."; }

  /// The first token of a name, with or without template arguments, that ends before `end`; -1 if there is none.
  Index name_before(Index end) const {
    Index i = end - 1;
    if (is(i, TokenKind::greater)) i = angle_before(i) - 1;
    if (!is(i, TokenKind::name) || std::find(keywords.begin(), keywords.end(), text(i)) != keywords.end()) return -1;
    while (text(i - 1) == "##" && is(i - 2, TokenKind::name)) i -= 2;
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
    const bool unknown =
        close + 1 < count() && (is(close + 1, TokenKind::boundary) || tokens_[at(close + 1)].after_directive);
    if (text(close + 1) != "(" && !unknown)
      complain(close, "the arguments of a launch are in parentheses after >>>; there is " +
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
