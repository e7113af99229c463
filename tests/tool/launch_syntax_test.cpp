// SPDX-License-Identifier: Apache-2.0
// Launches are found where they are, and only there.
#include "launch_syntax.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <regex>
#include <string>

namespace ptox::tool {
namespace {

const std::string begin = "::ptox::detail::on_default_device([&](auto&... ptox_args) { ";
const std::string middle = "(ptox_args...); }, ";

/// What `kernel<<<operands>>>` becomes.
std::string launch(const std::string& kernel, const std::string& operands) {
  return begin + kernel + middle + operands + ")";
}

/// What the `<<<operands>>>` becomes of a launch whose kernel is not a name beside it.
std::string after_kernel(const std::string& operands) {
  return " ->* ::ptox::detail::launch_operands(" + operands + ")";
}

/// Without the names of the kernels, which a test of their own looks at.
std::string nameless(const std::string& text) {
  static const std::regex name(R"re((on_default_device|launch_operands)\(((#\w+|"(\\.|[^"\\])*") ?)+, )re");
  return std::regex_replace(text, name, "$1(");
}

std::string rewritten(const std::string& source) {
  const Rewritten r = rewrite_launches(source);
  EXPECT_FALSE(r.complaint) << r.complaint->line << ": " << r.complaint->sentence;
  return nameless(r.text);
}

void expect_same(const std::string& source) {
  const Rewritten r = rewrite_launches(source);
  EXPECT_EQ(r.launches, 0) << source;
  EXPECT_EQ(r.text, source);
  EXPECT_FALSE(r.complaint) << source << ": " << r.complaint->sentence;
}

void expect_complaint(const std::string& source, int line, const std::string& part) {
  const Rewritten r = rewrite_launches(source);
  ASSERT_TRUE(r.complaint) << source;
  EXPECT_EQ(r.complaint->line, line) << source;
  EXPECT_NE(r.complaint->sentence.find(part), std::string::npos) << r.complaint->sentence;
}

TEST(launch_syntax, a_launch_becomes_a_call_before_the_same_arguments) {
  EXPECT_EQ(rewritten("  k<<<n, bytes, stream>>>(a, b);"), "  " + launch("k", "n, bytes, stream") + "(a, b);");
  EXPECT_EQ(rewritten("k<<<1>>>();"), launch("k", "1") + "();");
  EXPECT_EQ(rewritten("k <<< 1 >>> ();"), begin + "k " + middle + " 1 ) ();");
}

TEST(launch_syntax, a_kernel_has_a_qualified_name_and_template_arguments) {
  for (const char* kernel : {"ns::k", "::ns::k", "ns::inner::k<int>", "k<float, 8>", "k<A<B<int>>>", "k<(a > b), 1>",
                             "k<1 << 3>", "k<sizeof(A<int>)>", "S<int>::k<8>", "T::template k<8>", "this->k",
                             "table.k<2>", "k<[] { return 1 < 2; }()>", "ns :: k", "k<A{1}>", "k<&S::f>"}) {
    const std::string source = std::string("return ") + kernel + "<<<1, 0, s>>>(x);";
    EXPECT_EQ(rewritten(source), "return " + launch(kernel, "1, 0, s") + "(x);") << kernel;
  }
}

TEST(launch_syntax, the_call_carries_the_kernels_name) {
  const std::pair<const char*, const char*> names[] = {{"k", "k"},
                                                       {"ns :: k", "ns::k"},
                                                       {"k<float,\n  8>", "k<float, 8>"},
                                                       {"k< /* rows */ unsigned int >", "k<unsigned int>"},
                                                       {"T::template k<8>", "T::template k<8>"},
                                                       {"k<'\"', '\\n'>", "k<'\\\"', '\\\\n'>"}};
  for (const auto& [kernel, name] : names)
    EXPECT_EQ(rewrite_launches(std::string(kernel) + "<<<1>>>(x);").text,
              "::ptox::detail::on_default_device(\"" + std::string(name) + "\", [&](auto&... ptox_args) { " + kernel +
                  middle + "1)(x);");
}

TEST(launch_syntax, what_stands_before_a_kernel_is_not_part_of_it) {
  for (const char* before : {"else ", "do ", "{", "; ", "if (x) ", "a ? ", "case 1: ", "x, ", "return ::", "(void)",
                             "&& ", "f<int>(); ", "a > b; ", "\"text\" ", "#endif\n"}) {
    const std::string source = std::string(before) + "ns::k<<<1>>>(x);";
    const bool global = std::string(before).ends_with("::");
    const std::string kept = global ? "return " : before;
    EXPECT_EQ(rewritten(source), kept + launch(global ? "::ns::k" : "ns::k", "1") + "(x);") << before;
  }
  EXPECT_EQ(rewritten("label:k<<<1>>>(x);"), "label: " + launch("k", "1") + "(x);") << "no :::";
}

TEST(launch_syntax, operands_may_be_expressions) {
  for (const char* operands :
       {"n < 4 ? 1 : 2, 0, s", "n > 4 ? 1 : 2, 0, s", "blocks<T>(), bytes<A<T>>(), s", "sizeof(A<B<C<int>>>), 0, s",
        "A<B<C<int>>>::n, 0, s", "n << 1, m >> 2, s", "f(1, 2), g[3], {}", "n >= 3, m <= 4, s", "n, 0, p->stream",
        "1 /* >>>( */, 0, s", "n, 0, \">>>(\"", "a<b && c<d, 0, s", "[&] { int x = 1; return x; }(), 0, s"}) {
    const std::string source = std::string("k<<<") + operands + ">>>(x);";
    EXPECT_EQ(rewritten(source), launch("k", operands) + "(x);") << operands;
  }
}

TEST(launch_syntax, the_last_three_of_a_run_close_the_launch) {
  EXPECT_EQ(rewritten("k<<<1, bytes<T>>>>(x);"), launch("k", "1, bytes<T>") + "(x);");
  EXPECT_EQ(rewritten("k<<<1, bytes<A<T>>>>>(x);"), launch("k", "1, bytes<A<T>>") + "(x);");
  EXPECT_EQ(rewritten("k<<<A<B<C<int>>>(3), 0, s>>>(x);"), launch("k", "A<B<C<int>>>(3), 0, s") + "(x);");
}

TEST(launch_syntax, lines_keep_their_numbers) {
  const std::string source = "// 1\nns::\n k<int,\n 8>\n<<<\n n, // <<<\n 0,\n s\n>>>\n(x,\n y);\nint z;\n";
  const Rewritten r = rewrite_launches(source);
  EXPECT_EQ(r.launches, 1);
  EXPECT_EQ(r.first_launch, 5);
  EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), std::count(source.begin(), source.end(), '\n'));
  EXPECT_EQ(nameless(r.text),
            "// 1\n" + begin + "ns::\n k<int,\n 8>\n" + middle + "\n n, // <<<\n 0,\n s\n)\n(x,\n y);\nint z;\n");
}

TEST(launch_syntax, several_on_a_line_and_inside_each_others_arguments) {
  EXPECT_EQ(rewritten("a<<<1>>>(x), b<<<2>>>(y);"), launch("a", "1") + "(x), " + launch("b", "2") + "(y);");
  EXPECT_EQ(rewritten("a<<<1>>>([] { b<<<2>>>(y); });"), launch("a", "1") + "([] { " + launch("b", "2") + "(y); });");
}

TEST(launch_syntax, macros_may_hold_launches) {
  EXPECT_EQ(rewritten("CHECK(k<<<1, 0, s>>>(x, y));"), "CHECK(" + launch("k", "1, 0, s") + "(x, y));");
  EXPECT_EQ(rewritten("#define RUN(k, ...) \\\n  k<<<1, 0, s>>>(__VA_ARGS__)\n"),
            "#define RUN(k, ...) \\\n  " + launch("k", "1, 0, s") + "(__VA_ARGS__)\n");
  EXPECT_EQ(rewritten("#  define RUN k<<<1>>>(x)\r\nRUN;"), "#  define RUN " + launch("k", "1") + "(x)\r\nRUN;");
}

TEST(launch_syntax, macros_may_paste_the_name_of_a_kernel) {
  EXPECT_EQ(rewritten("#define RUN(NAME) \\\n  run##NAME<<<1, nullptr, s>>>(x)\n"),
            "#define RUN(NAME) \\\n  " + launch("run##NAME", "1, nullptr, s") + "(x)\n");
  EXPECT_EQ(rewritten("#define RUN(A, B) ns::k ## A ## _ ## B<float, 8><<<1>>>(x)"),
            "#define RUN(A, B) " + launch("ns::k ## A ## _ ## B<float, 8>", "1") + "(x)");
  EXPECT_EQ(rewritten("#define RUN(A) A##k<<<1>>>(x)"), "#define RUN(A) " + launch("A##k", "1") + "(x)");
  const std::pair<const char*, const char*> names[] = {
      {"#define R(NAME) run##NAME<<<1>>>(x)", "\"run\" #NAME"},
      {"#define R(A,B) k##A##_##B<<<1>>>(x)", "\"k\" #A \"_\" #B"},
      {"#define R(K) K<<<1>>>(x)", "#K"},
      {"#define R(T) k<T><<<1>>>(x)", "\"k<\" #T \">\""},
      {"#define R(T, ...) k<T, __VA_ARGS__><<<1>>>(x)", "\"k<\" #T \", \" #__VA_ARGS__ \">\""},
      {"#define R(NAMES...) NAMES<<<1>>>(x)", "#NAMES"},
      {"#define R (run##A<<<1>>>(x))", "\"runA\""},
  };
  for (const auto& [source, name] : names)
    EXPECT_NE(rewrite_launches(source).text.find("on_default_device(" + std::string(name) + ", "), std::string::npos)
        << rewrite_launches(source).text;
}

TEST(launch_syntax, a_directive_may_stand_between_a_kernel_and_its_operands) {
  for (const char* head : {"k", "ns::k<float, 8>", "k<int,\n  8>"}) {
    const std::string source =
        std::string(head) + "\n#ifndef __CPU_SIM\n    <<<1, nullptr, s>>>\n#endif\n    (x, y);\n";
    EXPECT_EQ(rewritten(source), std::string(head) + "\n#ifndef __CPU_SIM\n    " + after_kernel("1, nullptr, s") +
                                     "\n#endif\n    (x, y);\n");
  }
  EXPECT_EQ(rewritten("#ifdef A\nj\n#else\nk\n#endif\n<<<1>>>(x);"),
            "#ifdef A\nj\n#else\nk\n#endif\n" + after_kernel("1") + "(x);");
  EXPECT_EQ(rewritten("k<\n#ifdef A\nint\n#else\nfloat\n#endif\n><<<1>>>(x);"),
            "k<\n#ifdef A\nint\n#else\nfloat\n#endif\n>" + after_kernel("1") + "(x);");
  EXPECT_EQ(rewritten("#ifdef A\n  k<<<1>>>\n#else\n  k\n#endif\n  (x);"),
            "#ifdef A\n  " + launch("k", "1") + "\n#else\n  k\n#endif\n  (x);");
}

TEST(launch_syntax, a_kernel_may_be_an_expression) {
  for (const char* kernel : {"kernels[i]", "(*f)", "choose(a, b)", "ns::table.at(0)", "(x ? j : k)"})
    EXPECT_EQ(rewritten(std::string("  ") + kernel + "<<<1, 0, s>>>(x);"),
              std::string("  ") + kernel + after_kernel("1, 0, s") + "(x);");
}

TEST(launch_syntax, a_macro_may_hold_a_part_of_a_launch) {
  EXPECT_EQ(rewritten("#define ON_ONE <<<1, nullptr, s>>>\nk ON_ONE (x);"),
            "#define ON_ONE " + after_kernel("1, nullptr, s") + "\nk ON_ONE (x);");
  EXPECT_EQ(rewritten("#define ON(n) <<<n, nullptr, s>>>\n"), "#define ON(n) " + after_kernel("n, nullptr, s") + "\n");
  EXPECT_EQ(rewritten("#define START(k) k<<<1, nullptr, s>>>\nSTART(j)(x);"),
            "#define START(k) " + launch("k", "1, nullptr, s") + "\nSTART(j)(x);");
}

TEST(launch_syntax, comments_and_literals_are_left_alone) {
  for (const char* source : {"// k<<<1>>>(x)",
                             "/* k<<<1>>>(x)\n k<<<2>>>(y) */",
                             "// on \\\n k<<<1>>>(x)",
                             "// on \\\r\n k<<<1>>>(x)",
                             "\"k<<<1>>>(x)\"",
                             "\"\\\"k<<<1>>>(x)\"",
                             "\"\\\n k<<<1>>>(x)\"",
                             "u8\"k<<<1>>>(x)\"",
                             "R\"(\"k<<<1>>>(x)\")\"",
                             "R\"mark(\n)\" k<<<1>>>(x) )mark\"",
                             "LR\"(k<<<1>>>(x))\"",
                             "u8R\"(k<<<1>>>(x))\"",
                             "'\\'' + '<'",
                             "L'<'",
                             "/* <<<",
                             "R\"(k<<<1>>>(x)",
                             "\"k<<<1>>>(x)",
                             "#error don't k<<<1>>>(x)",
                             "#include <<<.hpp>",
                             "#if 0 /* two\nlines <<< */\n#endif",
                             "#pragma message(\"<<<\") <<<",
                             "// \xC3\xA4 <<<"})
    expect_same(source);
}

TEST(launch_syntax, other_angles_are_left_alone) {
  for (const char* source :
       {"A<B<C<int>>> x;", "a < b; c << d; e >>= 2; f <<= 3; g <=> h;", "operator<<<T>(out, x);", "x >>> y;",
        "std::vector<std::vector<std::vector<int>>> v(3);", "template <class T, class = A<B<C<T>>>> f(T);",
        "<<<<<<< HEAD\n=======\n>>>>>>> other\n", "a->b > c;", "1'000'000 < x'y"})
    expect_same(source);
}

TEST(launch_syntax, an_apostrophe_in_a_number_hides_nothing) {
  EXPECT_EQ(rewritten("int n = 1'000; k<<<1'0, 0x1'F, s>>>('<');"),
            "int n = 1'000; " + launch("k", "1'0, 0x1'F, s") + "('<');");
  EXPECT_EQ(rewritten("f(1e+5, 'a'); R\"(x)\"; k<<<1>>>(x);"), "f(1e+5, 'a'); R\"(x)\"; " + launch("k", "1") + "(x);");
}

TEST(launch_syntax, what_is_not_whole_is_a_sentence_with_its_line) {
  expect_complaint("\n k<<<1, 0, s>>(x);", 2, "no >>> that closes it");
  expect_complaint("k<<<1, 0, s", 1, "no >>> that closes it");
  expect_complaint("f(k<<<1, 0);\n", 1, "no >>> that closes it");
  expect_complaint("k<<<1, j<<<2>>>(x), 0>>>(y);", 1, "no >>> that closes it");
  expect_complaint("#define RUN k<<<1\n>>>(x)", 1, "no >>> that closes it");
  expect_complaint("\n\nk<<<1, 0,\n s>>>;", 4, "are in parentheses after >>>; there is ';'");
  expect_complaint("k<<<1>>>", 1, "there is nothing");
  expect_complaint("k<<<>>>(x);", 1, "numBlocks is missing");
  expect_complaint("return <<<1>>>(x);", 1, "before <<< is 'return'");
  expect_complaint("<<<1>>>(x);", 1, "before <<< is nothing");
  expect_complaint("><<<1>>>(x);", 1, "before <<< is '>'");
  expect_complaint("; a, b><<<1>>>(x);", 1, "before <<< is '>'");
}

/// Pieces that make trouble, in any order.
std::string random_source(std::mt19937& random) {
  static const char* const pieces[] = {
      "<",   "<<", "<<<", ">",  ">>",       ">>>",      "(",  ")",    "[",         "]",     "{",    "}",   ";",
      "\"",  "'",  "\\",  "\n", "/*",       "*/",       "//", "R\"",  "R\"(",      ")\"",   "k",    "::",  ",",
      "1'0", ".",  "->",  "#",  "#define ", "operator", " ",  "\r\n", "template ", "k<<<1", ">>>(", "\xFF"};
  std::string out;
  for (unsigned n = random() % 40; n > 0; --n)
    out += random() % 20 ? pieces[random() % std::size(pieces)] : std::string(1, static_cast<char>(random()));
  return out;
}

TEST(launch_syntax, any_bytes_are_taken_and_kept_where_nothing_is_launched) {
  std::mt19937 random(1);
  int launched = 0;
  for (int i = 0; i < 50'000; ++i) {
    const std::string source = random_source(random);
    const Rewritten r = rewrite_launches(source);
    EXPECT_EQ(std::count(r.text.begin(), r.text.end(), '\n'), std::count(source.begin(), source.end(), '\n')) << source;
    EXPECT_TRUE((r.launches > 0 && !r.complaint) || r.text == source) << source;
    EXPECT_TRUE(r.launches > 0 || !r.complaint) << source;
    launched += r.launches > 0 && !r.complaint;
  }
  EXPECT_GT(launched, 100) << "the pieces make launches too";
}

}  // namespace
}  // namespace ptox::tool
