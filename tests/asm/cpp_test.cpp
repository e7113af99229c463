// SPDX-License-Identifier: Apache-2.0
// The printed C++ compiles, gives the result of the file, and keeps every policy.
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "asm/cpp/print_cpp_names.hpp"
#include "asm/text/print.hpp"
#include "asm/verify/verify.hpp"
#include "shell.hpp"

namespace ptox::assembly {
namespace {

std::string printed(const std::string& text, Diagnostics& out, const std::string& file = "test.pto") {
  const auto module = read(text, file, TextForm::mlir, out);
  return module ? to_cpp(*module, out) : "";
}
/// The C++ of a text; fails the test if there is any diagnostic.
std::string cpp_of(const std::string& text, const std::string& file = "test.pto") {
  Diagnostics out;
  const std::string result = printed(text, out, file);
  for (const Diagnostic& d : out.all()) ADD_FAILURE() << d;
  return result;
}
std::string cpp_of_file(const std::string& path) {
  const std::string file = PTOX_SOURCE_DIR "/" + path;
  return cpp_of(contents(file), file);
}

/// Compiles (warnings are errors), links and runs a program.
Ended compile_and_run(const std::string& program) {
  const Folder folder;
  const std::string path = folder.path.string();
  std::ofstream(path + "/program.cpp") << program;
  const Ended compiled =
      shell("cd '" + path +
            "' && CXX='" PTOX_CXX "' '" PTOX_TOOL
            "' c++ program.cpp -o program -O0 -Wall -Wextra -Werror -Wno-unused-parameter " PTOX_FLAGS);
  return compiled.code == 0 ? shell(path + "/program") : compiled;
}
/// The start of a program that contains printed text in namespaces.
const std::string headers =
    "#include <bit>\n#include <cmath>\n#include <cstdint>\n#include <cstdio>\n#include <tuple>\n"
    "#include <type_traits>\n#include <pto/pto-inst.hpp>\n#include <ptox/ptox.hpp>\n"
    "static int wrong = 0;\n"
    "#define CHECK(holds) ((holds) ? void() : (++wrong, void(std::puts(#holds))))\n";

std::string in_namespace(const std::string& name, const std::string& text) {
  return "namespace " + name + " {\n" + text + "}\n";
}

constexpr const char* examples[] = {"embedding_lookup", "moe_dispatch", "moe_combine",
                                    "paged_kv",         "ping_pong",    "sparse_gradient"};

TEST(cpp, compiles_and_runs) {
  std::string program = headers;
  for (const char* name : {"instructions", "flow"})
    program += in_namespace(name, cpp_of_file("tests/lit/basic/cpp-" + std::string(name) + ".pto"));
  for (const std::string name : examples) program += in_namespace(name, cpp_of_file("examples/" + name + ".pto"));
  program += R"(
template <class... A>
using Kernel = void (*)(A...);
static_assert(std::is_same_v<decltype(&embedding_lookup::embedding_lookup), Kernel<half*, int32_t*, half*, int32_t>>);
static_assert(std::is_same_v<decltype(&moe_dispatch::dispatch), Kernel<float*, int32_t*, float*>>);
static_assert(std::is_same_v<decltype(&moe_combine::combine), Kernel<float*, float*, int32_t*>>);
static_assert(std::is_same_v<decltype(&paged_kv::paged_kv), Kernel<bfloat16_t*, int32_t*, bfloat16_t*, int32_t>>);
static_assert(std::is_same_v<decltype(&ping_pong::ping_pong), Kernel<float*, int32_t*, float*, int32_t>>);
static_assert(std::is_same_v<decltype(&sparse_gradient::sparse_gradient), Kernel<float*, float*, int32_t*, int32_t>>);

int main() {
  CHECK(flow::fibonacci(10) == 55);
  CHECK(flow::swaps(9, 1, 2) == 2);
  CHECK(flow::swaps(10, 1, 2) == 1);
  CHECK(flow::collatz(27) == 111);
  CHECK(flow::calls(21) == 47);
  CHECK(flow::class_(1, 2, 4, 8, 16, 32, 64) == 127);
  ptox::Device device(ptox::target::a5);
  auto tokens = device.alloc<float>(24 * 32), in = device.alloc<float>(64 * 32);
  auto slots = device.alloc<int32_t>(64);
  for (int i = 0; i < 24 * 32; ++i) tokens[i] = float(i);
  for (int i = 0; i < 64; ++i) slots[i] = i % 3 ? i % 24 : -1;
  const auto report = device.launch<moe_dispatch::dispatch>({.blocks = 4}, tokens.data(), slots.data(), in.data());
  CHECK(report.clean());
  for (int i = 0; i < 64 * 32; ++i)
    CHECK(in[i] == (i / 32 % 3 ? tokens[i / 32 % 24 * 32 + i % 32] : 0));
  return wrong != 0;
}
)";
  const Ended e = compile_and_run(program);
  EXPECT_EQ(e.code, 0) << e.output;
}

TEST(cpp, collectives_compile_and_run_on_ranks) {
  const std::string program = headers + "#include <ptox/ranks.hpp>\n" +
                              in_namespace("ranks", cpp_of_file("tests/lit/basic/cpp-ranks.pto")) + R"(
int main() {
  for (const ptox::Target* target : {&ptox::target::cpu, &ptox::target::a5})
    ptox::run_ranks(3, ptox::Engine::threads, [](ptox::Rank& r) {
      auto src = r.symmetric<float>(12 * 64), part = r.symmetric<float>(4 * 64), back = r.symmetric<float>(12 * 64),
           sum = r.symmetric<float>(4 * 64);
      for (int i = 0; i < 12 * 64; ++i) src[i] = float(1000 * r.id() + i);
      r.barrier();
      const auto report =
          r.device().launch<ranks::share>({}, src.data(), part.data(), back.data(), sum.data(), int64_t{12});
      CHECK(report.clean());
      r.barrier();
      for (int i = 0; i < 4 * 64; ++i) CHECK(part[i] == float(2000 + r.id() * 256 + i));
      for (int i = 0; i < 12 * 64; ++i) CHECK(back[i] == (r.id() == 2 ? float(2000 + i) : 0));
      for (int i = 0; i < 4 * 64; ++i) CHECK(sum[i] == float(3 * (2000 + i) + 3 * 256));
    }, {.target = *target});
  return wrong != 0;
}
)";
  const Ended e = compile_and_run(program);
  EXPECT_EQ(e.code, 0) << e.output;
}

/// One operation on arguments %a, %b, %c; values and the expected result are written in C++.
struct Case {
  std::string operation, types, result, arguments, expected;
};

std::vector<Case> arithmetic() {
  std::vector<Case> all{
      // Integers wrap around at their own width.
      {"arith.addi %a, %b : i32", "i32 i32", "i32", "2147483647, 1", "INT32_MIN"},
      {"arith.addi %a, %b : i8", "i8 i8", "i8", "int8_t(127), int8_t(1)", "-128"},
      {"arith.subi %a, %b : i64", "i64 i64", "i64", "INT64_MIN, int64_t(1)", "INT64_MAX"},
      {"arith.muli %a, %b : i16", "i16 i16", "i16", "int16_t(-32768), int16_t(-1)", "-32768"},
      {"arith.muli %a, %b : index", "index index", "index", "INT64_MAX, int64_t(2)", "-2"},
      {"arith.divsi %a, %b : i32", "i32 i32", "i32", "-7, 2", "-3"},
      {"arith.remsi %a, %b : i32", "i32 i32", "i32", "-7, 2", "-1"},
      {"arith.divui %a, %b : i32", "i32 i32", "i32", "-2, 2", "2147483647"},
      {"arith.remui %a, %b : i8", "i8 i8", "i8", "int8_t(-1), int8_t(10)", "5"},
      {"arith.ceildivsi %a, %b : i32", "i32 i32", "i32", "7, 2", "4"},
      {"arith.ceildivsi %a, %b : i32", "i32 i32", "i32", "-7, 2", "-3"},
      {"arith.floordivsi %a, %b : i32", "i32 i32", "i32", "-7, 2", "-4"},
      {"arith.ceildivui %a, %b : i32", "i32 i32", "i32", "-1, 2", "INT32_MIN"},
      {"arith.minsi %a, %b : i32", "i32 i32", "i32", "-1, 1", "-1"},
      {"arith.minui %a, %b : i32", "i32 i32", "i32", "-1, 1", "1"},
      {"arith.maxsi %a, %b : i8", "i8 i8", "i8", "int8_t(-1), int8_t(1)", "1"},
      {"arith.maxui %a, %b : i8", "i8 i8", "i8", "int8_t(-1), int8_t(1)", "-1"},
      {"arith.andi %a, %b : i32", "i32 i32", "i32", "12, 10", "8"},
      {"arith.ori %a, %b : i8", "i8 i8", "i8", "int8_t(12), int8_t(-128)", "-116"},
      {"arith.xori %a, %b : i32", "i32 i32", "i32", "12, 10", "6"},
      {"arith.shli %a, %b : i32", "i32 i32", "i32", "3, 31", "INT32_MIN"},
      {"arith.shrsi %a, %b : i64", "i64 i64", "i64", "INT64_MIN, int64_t(63)", "-1"},
      {"arith.shrui %a, %b : i8", "i8 i8", "i8", "int8_t(-128), int8_t(7)", "1"},
      // i1 is a bool, and true is -1 as a signed number.
      {"arith.addi %a, %b : i1", "i1 i1", "i1", "true, true", "false"},
      {"arith.muli %a, %b : i1", "i1 i1", "i1", "true, false", "false"},
      {"arith.xori %a, %b : i1", "i1 i1", "i1", "true, false", "true"},
      {"arith.maxsi %a, %b : i1", "i1 i1", "i1", "true, false", "false"},
      {"arith.maxui %a, %b : i1", "i1 i1", "i1", "true, false", "true"},
      {"arith.cmpi slt, %a, %b : i1", "i1 i1", "i1", "true, false", "true"},
      {"arith.cmpi ult, %a, %b : i1", "i1 i1", "i1", "true, false", "false"},
      {"arith.extsi %a : i1 to i32", "i1", "i32", "true", "-1"},
      {"arith.extui %a : i1 to i32", "i1", "i32", "true", "1"},
      {"arith.sitofp %a : i1 to f32", "i1", "f32", "true", "-1"},
      {"arith.uitofp %a : i1 to f32", "i1", "f32", "true", "1"},
      {"arith.index_cast %a : i1 to index", "i1", "index", "true", "-1"},
      {"arith.select %a, %b, %c : i32", "i1 i32 i32", "i32", "false, 1, 2", "2"},
      // Conversions.
      {"arith.extsi %a : i8 to i64", "i8", "i64", "int8_t(-1)", "-1"},
      {"arith.extui %a : i8 to i64", "i8", "i64", "int8_t(-1)", "255"},
      {"arith.trunci %a : i64 to i8", "i64", "i8", "int64_t(0x1ff)", "-1"},
      {"arith.trunci %a : i32 to i1", "i32", "i1", "6", "false"},
      {"arith.index_cast %a : i32 to index", "i32", "index", "-5", "-5"},
      {"arith.index_castui %a : i32 to index", "i32", "index", "-5", "4294967291"},
      {"arith.index_cast %a : index to i32", "index", "i32", "int64_t(4294967291)", "-5"},
      {"arith.sitofp %a : i32 to f32", "i32", "f32", "-3", "-3"},
      {"arith.uitofp %a : i32 to f32", "i32", "f32", "-1", "4294967296.0f"},
      {"arith.fptosi %a : f64 to i32", "f64", "i32", "-2147483647.5", "-2147483647"},
      {"arith.fptoui %a : f32 to i32", "f32", "i32", "4294967040.0f", "-256"},
      {"arith.fptosi %a : f16 to i64", "f16", "i64", "half(-2.5f)", "-2"},
      {"arith.extf %a : f16 to f64", "f16", "f64", "half(0.5f)", "0.5"},
      {"arith.truncf %a : f64 to bf16", "f64", "bf16", "1.00390625001", "1.0078125f"},
      {"arith.bitcast %a : i32 to f32", "i32", "f32", "0x3fc00000", "1.5f"},
      {"arith.bitcast %a : f16 to i16", "f16", "i16", "half(-2.0f)", "-16384"},
      // Floats; half is rounded after each operation.
      {"arith.addf %a, %b : f16", "f16 f16", "f16", "half(2048), half(1)", "2048"},
      {"arith.divf %a, %b : f64", "f64 f64", "f64", "1.0, 4.0", "0.25"},
      {"arith.remf %a, %b : f32", "f32 f32", "f32", "-7.5f, 2.0f", "-1.5f"},
      {"arith.remf %a, %b : f16", "f16 f16", "f16", "half(7), half(4)", "3"},
      {"arith.negf %a : bf16", "bf16", "bf16", "bfloat16_t(3)", "-3"},
      {"arith.maxnumf %a, %b : f32", "f32 f32", "f32", "NAN, 1.0f", "1"},
      {"arith.minnumf %a, %b : f16", "f16 f16", "f16", "half(2), half(1)", "1"},
      // Constants.
      {"arith.constant -9223372036854775808 : i64", "", "i64", "", "INT64_MIN"},
      {"arith.constant 0x7F800000 : f32", "", "f32", "", "INFINITY"},
      {"arith.constant 1.1 : f32", "", "f32", "", "1.1f"},
      {"arith.constant -1.5 : f16", "", "f16", "", "-1.5f"},
      {"arith.constant true", "", "i1", "", "true"},
  };
  const auto compare = [&](const char* kind, const char* type, const char* arguments, auto... yes) {
    for (const std::string predicate : {yes...}) {
      const bool holds = predicate.front() != '!';
      all.push_back({"arith.cmp" + std::string(kind) + " " + predicate.substr(!holds) + ", %a, %b : " + type,
                     std::string(type) + " " + type, "i1", arguments, holds ? "true" : "false"});
    }
  };
  compare("i", "i32", "-1, 1", "!eq", "ne", "slt", "sle", "!sgt", "!sge", "!ult", "!ule", "ugt", "uge");
  compare("i", "i8", "int8_t(5), int8_t(5)", "eq", "!ne", "!slt", "sle", "!sgt", "sge", "!ult", "ule", "!ugt", "uge");
  compare("f", "f32", "1.0f, 2.0f", "!false", "!oeq", "!ogt", "!oge", "olt", "ole", "one", "ord");
  compare("f", "f32", "1.0f, 2.0f", "!ueq", "!ugt", "!uge", "ult", "ule", "une", "!uno", "true");
  compare("f", "f64", "1.0, double(NAN)", "!false", "!oeq", "!ogt", "!oge", "!olt", "!ole", "!one", "!ord");
  compare("f", "f64", "1.0, double(NAN)", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true");
  return all;
}

/// `func.func @f3(%a: i32, %b: i32) -> i32 { ... }`
std::string function(const std::string& name, const Case& c) {
  std::string arguments, type;
  std::istringstream types(c.types);
  for (char letter = 'a'; types >> type; ++letter)
    arguments += (arguments.empty() ? "%" : ", %") + std::string(1, letter) + ": " + type;
  return "func.func @" + name + "(" + arguments + ") -> " + c.result + " {\n  %r = " + c.operation +
         "\n  return %r : " + c.result + "\n}\n";
}

TEST(cpp, computes_as_the_file_says) {
  const std::vector<Case> cases = arithmetic();
  std::string module, checks;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string name = "f" + std::to_string(i);
    module += function(name, cases[i]);
    checks += "  CHECK(" + name + "(" + cases[i].arguments + ") == " + cases[i].expected + ");  // " +
              cases[i].operation + "\n";
  }
  for (const char* operation : {"maximumf", "minimumf"})
    module += function(operation, {"arith." + std::string(operation) + " %a, %b : f32", "f32 f32", "f32", "", ""});
  checks +=
      "  CHECK(std::isnan(maximumf(1.0f, NAN)) && std::isnan(minimumf(NAN, 1.0f)));\n"
      "  CHECK(!std::signbit(maximumf(-0.0f, 0.0f)) && std::signbit(minimumf(0.0f, -0.0f)));\n"
      "  CHECK(maximumf(1.0f, 2.0f) == 2 && minimumf(1.0f, 2.0f) == 1);\n";
  const Ended e = compile_and_run(cpp_of(module) + headers + "int main() {\n" + checks + "  return wrong != 0;\n}\n");
  EXPECT_EQ(e.code, 0) << e.output;
}

/// A kernel with one instruction on tensor %t, tile %d and an index tile of rows or elements.
std::string kernel(const std::string& instruction) {
  return "func.func @k(%t: !pto.memref<64x32xf32>, %d: !pto.tile_buf<vec, 8x32xf32>, %row: !pto.tile_buf<vec, "
         "1x8xi32>, %elem: !pto.tile_buf<vec, 8x32xi32>) {\n" +
         instruction + "\nreturn\n}\n";
}
std::string tile_text(const std::string& coalesce) {
  return coalesce == "row" ? "!pto.tile_buf<vec, 1x8xi32>" : "!pto.tile_buf<vec, 8x32xi32>";
}
std::string capital(std::string word) { return word[0] = static_cast<char>(std::toupper(word[0])), word; }

TEST(cpp, keeps_every_policy_of_a_gather) {
  int seen = 0;
  for (const std::string coalesce : {"row", "elem"})
    for (const std::string oob : {"undefined", "clamp", "wrap", "zero"}) {
      const std::string text =
          cpp_of(kernel("pto.mgather ins(%t, %" + coalesce + " : !pto.memref<64x32xf32>, " + tile_text(coalesce) +
                        ") outs(%d : !pto.tile_buf<vec, 8x32xf32>) {coalesce = #pto.coalesce<" + coalesce +
                        ">, gatherOob = #pto.gather_oob<" + oob + ">}"));
      const std::string call =
          "MGATHER<Coalesce::" + capital(coalesce) + ", GatherOOB::" + capital(oob) + ">(d, t_gm, " + coalesce + ");";
      EXPECT_NE(text.find(call), std::string::npos) << call << '\n' << text;
      ++seen;
    }
  EXPECT_EQ(seen, 8);
}

TEST(cpp, keeps_every_policy_of_a_gather_to_l1) {
  const std::string mat = "!pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>";
  const std::string signature =
      "func.func @k(%t: !pto.memref<64x16xf16>, %row: !pto.memref<1x16xi32>, %elem: "
      "!pto.memref<16x16xi32>, %s: !pto.memref<16x16xf16>, %d: " +
      mat + ") {\n";
  int seen = 0;
  for (const std::string oob : {"undefined", "clamp", "wrap", "zero"})
    for (const std::string exec : {"", "scalar", "simt"})
      for (const bool row : {true, false}) {
        const std::string ins =
            row ? "%t, %row : !pto.memref<64x16xf16>, !pto.memref<1x16xi32>"
                : "%t, %elem, %s : !pto.memref<64x16xf16>, !pto.memref<16x16xi32>, !pto.memref<16x16xf16>";
        const std::string spelled = exec.empty() ? "" : ", gatherExec = #pto.gather_exec<" + exec + ">";
        const std::string text =
            cpp_of(signature + "pto.mgather ins(" + ins + ") outs(%d : " + mat + ") {coalesce = #pto.coalesce<" +
                   (row ? "row" : "elem") + ">, gatherOob = #pto.gather_oob<" + oob + ">" + spelled + "}\nreturn\n}\n");
        const std::string call = std::string("MGATHER<Coalesce::") + (row ? "Row" : "Elem") +
                                 ", GatherOOB::" + capital(oob) +
                                 (exec.empty() ? "" : ", GatherExec::" + capital(exec)) + ">(d, t_gm, " +
                                 (row ? "row_gm" : "elem_gm, s_gm") + ");";
        EXPECT_NE(text.find(call), std::string::npos) << call << '\n' << text;
        ++seen;
      }
  EXPECT_EQ(seen, 24);
}

TEST(cpp, keeps_every_policy_of_a_scatter) {
  int seen = 0;
  for (const std::string coalesce : {"row", "elem"})
    for (const std::string op : {"none", "add", "max", "min"})
      for (const std::string oob : {"undefined", "skip", "clamp", "wrap"})
        for (const std::string conflict : {"", "last", "default"}) {
          const std::string spelled =
              conflict.empty() ? "" : ", scatterConflict = #pto.scatter_conflict<" + conflict + ">";
          Diagnostics out;
          const std::string text =
              printed(kernel("pto.mscatter ins(%d, %" + coalesce + " : !pto.tile_buf<vec, 8x32xf32>, " +
                             tile_text(coalesce) + ") outs(%t : !pto.memref<64x32xf32>) {coalesce = #pto.coalesce<" +
                             coalesce + ">, scatterAtomicOp = #pto.scatter_atomic_op<" + op +
                             ">, scatterOob = #pto.scatter_oob<" + oob + ">" + spelled + "}"),
                      out);
          const std::string call = "MSCATTER<Coalesce::" + capital(coalesce) + ", ScatterAtomicOp::" + capital(op) +
                                   ", ScatterOOB::" + capital(oob) +
                                   (conflict.empty() ? "" : ", ScatterConflict::" + capital(conflict)) + ">(t_gm, d, " +
                                   coalesce + ");";
          EXPECT_NE(text.find(call), std::string::npos) << call << '\n'
                                                        << text << (out.all().empty() ? "" : out.all()[0].message);
          ++seen;
        }
  EXPECT_EQ(seen, 96);
}

/// The calls of instructions and flags in a text, in order.
std::vector<std::string> calls(const std::string& text) {
  static const std::regex call(R"((set_flag|wait_flag|TLOAD|TSTORE|TASSIGN|MGATHER<[^>]*>|MSCATTER<[^>]*>)\([^()]*\))");
  std::vector<std::string> all;
  for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) all.push_back(at->str());
  return all;
}

TEST(cpp, examples_in_assembly_do_what_those_in_cpp_do) {
  for (const std::string name : {"embedding_lookup", "moe", "paged_kv", "ping_pong", "sparse_gradient"}) {
    const auto text = [&](const std::string& file) { return cpp_of_file("examples/" + file + ".pto"); };
    const auto expected = calls(contents(PTOX_SOURCE_DIR "/examples/" + name + ".cpp"));
    EXPECT_GT(expected.size(), 5u) << name;
    EXPECT_EQ(calls(name == "moe" ? text("moe_dispatch") + text("moe_combine") : text(name)), expected) << name;
  }
}

TEST(cpp, examples_keep_the_rules_of_every_target) {
  for (const std::string name : examples)
    for (const Target* t : target::on_host) {
      Diagnostics out;
      const std::string file = PTOX_SOURCE_DIR "/examples/" + name + ".pto";
      const auto module = read(contents(file), file, TextForm::detect, out);
      ASSERT_TRUE(module) << name;
      verify(*module, *t, out);
      for (const Diagnostic& d : out.all()) ADD_FAILURE() << t->name << ": " << d;
    }
}

TEST(cpp, what_has_no_cpp_is_one_error_and_no_text) {
  const std::pair<std::string, std::string> refused[] = {
      {kernel("%x = arith.constant dense<1> : vector<4xi32>\nfunc.call @k2(%x) : (vector<4xi32>) -> ()") +
           "func.func private @k2(vector<4xi32>)",
       "func.func cannot be printed as C++: it has no body"},
      {"func.func @f(%a: i4) -> i4 { return %a : i4 }", "there is no C++ type for i4"},
      {"func.func @f(%a: i1, %b: i1) -> i1 { %r = arith.divui %a, %b : i1\nreturn %r : i1 }",
       "arith.divui cannot be printed as C++: there is no C++ for it on i1"},
      {"func.func @f(%a: !pto.tile<...>) { return }", "is schematic"},
      {kernel(
           "%x = pto.mgather %t, %row : (!pto.memref<64x32xf32>, !pto.tile_buf<vec, 1x8xi32>) -> !pto.tile<8x32xf32>"),
       "pto.mgather cannot be printed as C++: it results in a tile, as Level 1 does"},
      {kernel("pto.tfancy ins(%d : !pto.tile_buf<vec, 8x32xf32>) outs(%d : !pto.tile_buf<vec, 8x32xf32>)"),
       "pto.tfancy cannot be printed as C++"},
      {kernel("pto.wait_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TMOV>, #pto.event<EVENT_ID0>]"),
       "nothing in this function records that event"},
      {kernel("%g = pto.make_group %t : (!pto.memref<64x32xf32>) -> !pto.group<1>\n"
              "pto.tscatter %g, %t : (!pto.group<1>, !pto.memref<64x32xf32>) -> ()"),
       "in C++ it takes staging tiles after the tensor"},
      {kernel(
           "%g = pto.make_group %t : (!pto.memref<64x32xf32>) -> !pto.group<1>\n"
           "pto.tscatter %g, %t, %elem : (!pto.group<1>, !pto.memref<64x32xf32>, !pto.tile_buf<vec, 8x32xi32>) -> ()"),
       "tscatter G1: the ranks' tensors, the root's own and the staging tiles have one element type"},
      {kernel("%x = pto.alloc_tile : !pto.tile_buf<vec, 8x3xf32>"), "takes a multiple of 32 bytes"},
      {kernel("pto.tgather ins(%d, %row : !pto.tile_buf<vec, 8x32xf32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : "
              "!pto.tile_buf<vec, 8x32xf32>)"),
       "tgather C"},
  };
  for (const auto& [text, message] : refused) {
    Diagnostics out;
    EXPECT_EQ(printed(text, out), "") << text;
    ASSERT_EQ(out.all().size(), 1u) << text;
    EXPECT_NE(out.all()[0].message.find(message), std::string::npos) << out.all()[0].message;
    EXPECT_GT(out.all()[0].place.line, 0) << text;
  }
}

TEST(cpp, names_are_identifiers_of_their_own) {
  cpp::Names names;
  const std::pair<std::string, std::string> expected[] = {
      {"dst", "dst"},     {"dst", "dst2"}, {"0", "v0"},           {"", "v"},         {"for", "for_"},
      {"a-b.c", "a_b_c"}, {"__x", "x"},    {"PIPE_V", "PIPE_V_"}, {"Tile", "Tile_"}, {"x\ny", "x_y"},
      {"N", "N"},         {"f32", "f32"},  {"f32", "f32_2"},      {"$", "v2"},       {"main", "main_"}};
  for (const auto& [wanted, name] : expected) EXPECT_EQ(names.take(wanted), name) << wanted;
}

}  // namespace
}  // namespace ptox::assembly
