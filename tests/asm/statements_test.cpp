// SPDX-License-Identifier: Apache-2.0
// Bare statements are read correctly, rejected if they are invalid, and printed without loss.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "asm/dialect/dialect.hpp"
#include "asm/text/module.hpp"
#include "asm/text/print.hpp"

namespace ptox::assembly {
namespace {

/// The diagnostics for a text in the AS form.
std::string complaints(const std::string& text) {
  Diagnostics out;
  const auto module = read(text, "f", TextForm::as, out);
  EXPECT_EQ(module != nullptr, !out.has_errors()) << text;
  return out.text();
}
std::string mlir_of(const std::string& text, TextForm form = TextForm::as) {
  Diagnostics out;
  const auto module = read(text, "f", form, out);
  EXPECT_EQ(out.text(), "") << text;
  return module ? to_mlir(*module) : "";
}
std::string statements_of(const std::string& text, TextForm form = TextForm::as) {
  Diagnostics out;
  const auto module = read(text, "f", form, out);
  const std::string printed = module ? to_statements(*module, out) : "";
  return out.has_errors() ? out.text() : printed;
}
/// Expects that printing a text and reading it again gives the same module.
void expect_survives(const std::string& text, TextForm form = TextForm::as) {
  const std::string first = mlir_of(text, form), printed = statements_of(text, form);
  EXPECT_NE(first, "") << text;
  EXPECT_EQ(mlir_of(printed), first) << printed;
  EXPECT_EQ(statements_of(printed), printed);
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const char* const program = R"(.target a5
.func @lookup
.attr pto.entry
.attr pto.kernel_kind = #pto.kernel_kind<vector>
.module_attr pto.note = "a # in a string, // too"
.arg %table : !pto.ptr<f32>
.arg %n : index {pto.hint = 3 : i32}
.arg %out : !pto.ptr<f32>
.arg %indices : !pto.ptr<i32>
.arg %open : !pto.ptr<...>
# constants
.const %c0 = 0 : index
.const %c1 = 1 : index
.const %half = 0.5 : f32
.const %yes = true
.const %addr = 4096 : i64
%block = get_block_idx
%blocks = pto.get_block_num : i64
%b = arith.index_cast %block : i64 to index
%v = make_tensor_view %table, shape = [64, 32], strides = [32, 1] : !pto.tensor_view<64x32xf32>
%dv = make_tensor_view %out, shape = [%n, 32], strides = [32, 1] : !pto.tensor_view<?x32xf32>
%iv = make_tensor_view %indices, shape = [1, 8], strides = [8, 1] : !pto.tensor_view<1x8xi32>
%p = partition_view %v, offsets = [%c0, 0], sizes = [64, 32] : !pto.partition_tensor_view<64x32xf32>
%idx = alloc_tile addr = %addr : !pto.tile_buf<vec, 1x8xi32>
%dst = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>
%dyn = alloc_tile valid_row = %n : !pto.tile_buf<vec, 8x32xf32, valid=?x32>
tassign %dst, @tile(0x1000)
tassign %dst, %addr
section.vector {
  scf.for %i = %c0 to %n step %c1 {
    tload ins(%iv : !pto.tensor_view<1x8xi32>)
      outs(%idx : !pto.tile_buf<vec, 1x8xi32>)
    set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
    wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    mgather.row.zero %dst, %p, %idx
    %odd = arith.cmpi eq, %i, %c1 : index
    scf.if %odd {
      texpands %dst, %half
      set_validshape %dyn, %c1, %c1
    } else {
      tmov ins(%dst : !pto.tile_buf<vec, 8x32xf32>) outs(%dyn : !pto.tile_buf<vec, 8x32xf32, valid=?x32>)
    }
    scf.if %yes {
    }
    %sum = arith.addi %i, %c1
    %sel = arith.select %odd, %i, %c1 : index
    barrier <PIPE_ALL>
    pipe_barrier <PIPE_V>
    record_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<VECTOR>, #pto.event<EVENT_ID0>]
    wait_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<VECTOR>, #pto.event<EVENT_ID0>]
    tstore %dv, %dst {atomicType = #pto.atomic_type<add>}
    mscatter.row.skip.atomic_add %p, %dst, %idx {scatterConflict = #pto.scatter_conflict<last>}
  }
  .const %k = 4 : i32
  scf.for %j = %k to %k step %k : i32 {
    %sum = arith.addi %j, %k : i32
  }
}
section.cube {
}
dcci %table, #pto.cache_line<ENTIRE_DATA_CACHE>
dsb #pto.mem_dsb<DSB_ALL>
tprefetch %dst, %p
%g = make_group %v, %v : (!pto.tensor_view<64x32xf32>, !pto.tensor_view<64x32xf32>) -> !pto.group<2>
tscatter %g, %v, %dst
tgather %g, %v
tgather %dst, %dst {maskPattern = #pto.mask_pattern<P0101>}
pto.tadd ins(%dst, %dst : !pto.tile_buf<vec, 8x32xf32>, !pto.tile_buf<vec, 8x32xf32>) outs(%dst : !pto.tile_buf<vec, 8x32xf32>)
%u = tfoo.bar %dst, %dst {a = 1 : i32}
%w, %x = pto.two[#pto.pipe<PIPE_V>, 3] %u -> (i32, index)
pto.three <A, B>
pto.three<A> %u
pto.four ins(%w : i32)
pto.four outs()
%q = make_tensor_view %open, shape = [64, 32], strides = [32, 1] : !pto.tensor_view<...>
)";

TEST(statements, a_program_with_loops_survives) {
  expect_survives(program);
  const std::string mlir = mlir_of(program);
  EXPECT_TRUE(contains(
      mlir,
      "func.func @lookup(%arg0: !pto.ptr<f32> {pto.name = \"table\"}, %arg1: index {pto.hint = 3 "
      ": i32, pto.name = \"n\"}, %arg2: !pto.ptr<f32> {pto.name = \"out\"}, %arg3: !pto.ptr<i32> "
      "{pto.name = \"indices\"}, %arg4: !pto.ptr<...> {pto.name = \"open\"}) attributes {pto.entry, pto.kernel_kind = "
      "#pto.kernel_kind<vector>}"))
      << mlir;
  EXPECT_TRUE(contains(mlir, "pto.target_arch = \"a5\""));
}

TEST(statements, say_the_same_as_mlir_text) {
  const std::string mlir = R"(module attributes {pto.target_arch = "a2a3"} {
  func.func @main(%table: !pto.ptr<f32>, %t: !pto.tile_buf<vec, 1x8xi32>) {
    %v = pto.make_tensor_view %table, shape = [64, 32], strides = [32, 1] : !pto.tensor_view<64x32xf32>
    %d = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>
    pto.mgather ins(%v, %t : !pto.tensor_view<64x32xf32>, !pto.tile_buf<vec, 1x8xi32>) outs(%d : !pto.tile_buf<vec, 8x32xf32>) {gatherOob = #pto.gather_oob<zero>}
    pto.other %d : (!pto.tile_buf<vec, 8x32xf32>)
    return
  }
})";
  const std::string statements = R"(
.target a2a3
%v = make_tensor_view %table, shape = [64, 32], strides = [32, 1] : !pto.tensor_view<64x32xf32>
%d = alloc_tile : !pto.tile_buf<vec, 8x32xf32>
mgather.zero %d, %v, %t : (!pto.tile_buf<vec, 8x32xf32>, !pto.tensor_view<64x32xf32>, !pto.tile_buf<vec, 1x8xi32>)
other %d
)";
  EXPECT_EQ(mlir_of(statements), mlir_of(mlir, TextForm::mlir));
  expect_survives(mlir, TextForm::mlir);
}

TEST(statements, every_policy_is_kept) {
  const std::string mlir = mlir_of(
      "mscatter.row.skip.atomic_add %table, %src, %idx {scatterConflict = #pto.scatter_conflict<last>} : "
      "(!pto.memref<64x32xf32>, !pto.tile<8x32xf32>, !pto.tile<1x8xi32>)");
  EXPECT_TRUE(contains(mlir,
                       "{coalesce = #pto.coalesce<row>, scatterAtomicOp = #pto.scatter_atomic_op<add>, "
                       "scatterConflict = #pto.scatter_conflict<last>, scatterOob = #pto.scatter_oob<skip>}"))
      << mlir;
}

TEST(statements, a_missing_coalesce_stays_missing) {
  EXPECT_FALSE(contains(
      mlir_of("mgather %d, %t, %i : (!pto.tile<8x32xf32>, !pto.memref<64x32xf32>, !pto.tile<1x8xi32>)"), "coalesce"));
}

TEST(statements, a_result_without_a_type_has_the_one_that_follows) {
  const std::string operands = " %table, %idx : !pto.memref<64x32xf32>, !pto.tile<1x8xi32>";
  EXPECT_TRUE(contains(mlir_of("%d = mgather.row" + operands), "-> !pto.tile<8x32xf32>"));
  EXPECT_TRUE(contains(mlir_of("%d = mgather.elem" + operands), "-> !pto.tile<1x8xf32>"));
  EXPECT_EQ(complaints("%d = mgather" + operands),
            "f:1:6: error: mgather leaves its result's type out, and its operands do not say it. Write -> "
            "!pto.tile<...>\n");
}

TEST(statements, locations_and_names_are_the_statements_own) {
  Diagnostics out;
  const auto module = read("\n  %dst = mgather %mem, %idx : !pto.memref<...>, !pto.tile<...> -> !pto.tile<...>", "f",
                           TextForm::as, out);
  ASSERT_TRUE(module);
  int seen = 0;
  module->op->walk([&](mlir::Operation* op) {
    if (base_name(op) != "mgather") return;
    ++seen;
    EXPECT_EQ(name_of(op->getResult(0)), "dst");
    EXPECT_EQ(place_of(op->getLoc()).line, 2);
    EXPECT_EQ(place_of(op->getLoc()).column, 10);
  });
  EXPECT_EQ(seen, 1);
}

TEST(statements, arguments_stand_in_the_order_of_arg_then_of_use) {
  const std::string printed = statements_of(
      "mgather.row %dst, %table, %idx : (!pto.tile<RxC>, !pto.memref<...>, !pto.tile<...>)\n.arg %idx : "
      "!pto.tile<...>");
  EXPECT_TRUE(printed.starts_with(".arg %idx : !pto.tile<...>\n.arg %dst : !pto.tile<RxC>\n.arg %table")) << printed;
}

TEST(statements, operands_in_another_order_than_the_types_are_a_warning) {
  const std::string args =
      ".arg %t : !pto.memref<64x32xf32>\n.arg %s : !pto.tile<8x32xf32>\n.arg %i : !pto.tile<1x8xi32>\n";
  EXPECT_EQ(
      complaints(args + "mscatter.row %s, %t, %i : (!pto.memref<64x32xf32>, !pto.tile<8x32xf32>, !pto.tile<1x8xi32>)"),
      "f:4:28: warning: mscatter signature: the types are in another order than the operands; written "
      "(!pto.memref<64x32xf32>, !pto.tile<8x32xf32>, !pto.tile<1x8xi32>), taken as (!pto.tile<8x32xf32>, "
      "!pto.memref<64x32xf32>, !pto.tile<1x8xi32>). Write them in the operands' order\n");
  EXPECT_EQ(
      complaints(args + "mscatter.row %t, %s, %i : (!pto.memref<64x32xf32>, !pto.tile<8x16xf32>, !pto.tile<1x8xi32>)"),
      "f:4:28: error: mscatter signature: the types are no permutation of the operands'; written "
      "(!pto.memref<64x32xf32>, !pto.tile<8x16xf32>, !pto.tile<1x8xi32>), the operands are %t: "
      "!pto.memref<64x32xf32>, %s: !pto.tile<8x32xf32>, %i: !pto.tile<1x8xi32>\n");
}

/// An invalid text. If `complaint` does not end with a newline, it is only the start of the diagnostics; `more` occurs
/// in the rest.
struct Wrong {
  const char *text, *complaint, *more = "";
};
class WrongStatement : public testing::TestWithParam<Wrong> {};
TEST_P(WrongStatement, is_refused_at_its_token) {
  const std::string all = complaints(GetParam().text), begin = GetParam().complaint;
  EXPECT_EQ(begin.ends_with('\n') ? all : all.substr(0, begin.size()), begin) << all;
  EXPECT_TRUE(contains(all, GetParam().more)) << all;
}

constexpr Wrong wrong[] = {
    {"mscatter.row.zero %t, %s, %i",
     "f:1:1: error: mscatter has no suffix '.zero'; it takes row, elem, undefined, skip, clamp, wrap, atomic_none, "
     "atomic_add, atomic_max, atomic_min\n"},
    {"mgather.row.elem %d, %t, %i", "f:1:1: error: mgather has two suffixes of one kind, .row and .elem\n"},
    {"mgather.row %d, %t, %i {coalesce = #pto.coalesce<row>}",
     "f:1:1: error: mgather: coalesce is given twice, as a suffix and as an attribute\n"},
    {"mgather.row %d, %t %i", "f:1:20: error: mgather: expected the end of the statement, found '%i'\n"},
    {"mgather.row %d, 3, %i", "f:1:17: error: mgather: expected a %name, found '3'\n"},
    {"mgather %d, %t, %i : (!pto.tile<...>, !pto.memref<...>)",
     "f:1:1: error: mgather: there are 3 operands and 2 types\n"},
    {"mgather %d : (!pto.tile<...>, !pto.memref<...>", "f:1:14: error: '(' is not closed\n"},
    {"mgather %d : !pto.tile<8x32", "f:1:23: error: '<' is not closed on its line\n"},
    {"mgather %d : !pto.tilde<8x32>",
     "f:1:14: error: there is no type '!pto.tilde'; there are ptr, tensor_view, partition_tensor_view, memref, tile, "
     "tile_buf, group, hif8\n"},
    {"mgather %d, %i : !pto.tile<8x32xf32>, !pto.tile<1x8xi32>",
     "f:1:1: error: mgather takes dst (tile), table (tensor), idx (tile)", "1x8xi32>"},
    {"mgather %d, %t, %i -> !pto.tile<...>", "f:1:1: error: mgather has 0 results on its left and 1 types for them\n"},
    {"%a, %b = mgather %t, %i", "f:1:10: error: mgather has 2 results; it has at most one\n"},
    {"mgather.row %d, %t, %i {coal", "f:1:24: error: '{' is not closed\n"},
    {"mgather.row %d, %t, %i {gatherOob = #pto.gather_oob<zro>}",
     "f:1:42: error: gather_oob is 'zro'; it must be one of undefined clamp wrap zero\n"},
    {"tassign %t, @place(3)", "f:1:1: error: ", "expected @tile(offset)"},
    {"  tassign %t, 3", "f:1:15: error: expected SSA operand\n"},
    {"%x = arith.addi %a, %b", "f:1:17: error: nothing says what type '%a' has. Write it, or `.arg %a : type` above\n"},
    {"%x = arith.addi %a, %b : f32",
     "f:1:6: error: 'arith.addi' op operand #0 must be signless-integer-like, but got 'f32'\n"},
    {"%x = arith.add %a, %b : f32", "f:1:6: error: ", "'arith.add'"},
    {".const %x = 3 : i32\n.const %x = 4 : i32", "f:2:8: error: '%x' is defined a second time; it stands in line 1\n"},
    {"barrier <PIPE_V> pto.barrier <PIPE_V>", "f:1:1: error: there is more than one operation on the line\n"},
    {"%y = arith.addi %x, %x : i32\n.const %x = 3 : i32",
     "f:1:17: error: '%x' is used before, or outside the block of, the statement that defines it\n"},
    {".arg %x : i32\n.const %x = 3 : i32", "f:1:6: error: '%x' is an argument, and a statement defines it as well\n"},
    {".arg x : i32", "f:1:6: error: .arg needs a %name and its type\n"},
    {".arg %x : i32 i64", "f:1:15: error: expected the end of the line\n"},
    {".target a7", "f:1:9: error: .target is 'a7'; it must be cpu, a2a3, a3 or a5\n"},
    {".stage 3",
     "f:1:1: error: there is no directive '.stage'; there are .target, .func, .attr, .module_attr, .arg, .const\n"},
    {".attr sym_name = \"x\"", "f:1:1: error: 'sym_name' is the function's own\n"},
    {"scf.for %i = %a to %b {",
     "f:1:1: error: scf.for is written scf.for %i = %first to %end step %by {\n"
     "f:1:1: error: 'scf.for' is not closed by a }\n"},
    {"scf.for %i = %a to %b step %c iter_args(%x = %y) -> (i32) {\n}",
     "f:1:31: error: scf.for has no iter_args and no results in the AS form. Use the MLIR form\n"},
    {"%r = scf.if %c -> i32 {\n}", "f:1:6: error: scf.if has no results in the AS form. Use the MLIR form\n"},
    {"scf.if %c { tassign %t, @tile(0) }", "f:1:1: error: scf.if ends its line with the { of its block\n"},
    {"scf.while %c", "f:1:1: error: the AS form has no 'scf.while'; of scf it has scf.for and scf.if\n"},
    {"scf.if %c {\n.const %x = 3 : i32\n}\n%y = arith.addi %x, %x : i32",
     "f:4:17: error: '%x' is used before, or outside the block of, the statement that defines it\n"},
    {"} else {", "f:1:1: error: '}' has no matching '{'\n"},
    {"section.vector {\n} else {\n}", "f:2:3: error: this `else` has no scf.if before it\n"},
    {"mgather.row %d, %t, %i {",
     "f:1:1: error: 'mgather.row' has no block\n"
     "f:1:1: error: 'mgather.row' is not closed by a }\n"},
    {"#comment", "f:1:1: error: this is no statement; a comment is '# ' with a blank\n"},
    {"tadd {name = 3}", "f:1:1: error: ptox does not have 'pto.tadd', and cannot keep its attribute name\n"},
    {"tadd %a; tsub %a", "f:1:8: error: ';' has no meaning here\n"},
    {"%a", "f:1:3: error: a statement begins with its opcode, as in `mgather.row %dst, %table, %idx`\n"},
};
INSTANTIATE_TEST_SUITE_P(statements, WrongStatement, testing::ValuesIn(wrong));

TEST(statements, each_wrong_one_is_said_and_what_hangs_on_it_is_not) {
  EXPECT_EQ(complaints("%a = mgather.row.zer %t, %i\ntmov %d, %a\n%b = mgather.row %d, 3\nscf.if %a {\n}\n.targe x\n"),
            "f:1:6: error: mgather has no suffix '.zer'; it takes row, elem, undefined, clamp, wrap, zero\n"
            "f:3:22: error: mgather: expected a %name, found '3'\n"
            "f:6:1: error: there is no directive '.targe'; there are .target, .func, .attr, .module_attr, .arg, "
            ".const\n");
}

TEST(statements, twenty_errors_are_enough) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += ".nothing\n";
  Diagnostics out;
  EXPECT_FALSE(read(text, "f", TextForm::as, out));
  EXPECT_EQ(std::count_if(out.all().begin(), out.all().end(),
                          [](const Diagnostic& d) { return d.severity == Severity::error; }),
            20);
}

TEST(statements, what_they_cannot_say_is_an_error_with_its_line) {
  EXPECT_EQ(statements_of(R"(func.func @one(%a: index, %b: i1) {
  %r = scf.if %b -> index { scf.yield %a : index } else { scf.yield %a : index }
  %s = scf.for %i = %a to %a step %a iter_args(%x = %a) -> index { scf.yield %x : index }
  func.call @one(%a, %b) : (index, i1) -> ()
  scf.execute_region { scf.yield }
  return
})",
                          TextForm::mlir),
            "f:2:8: error: the AS form cannot say the results of 'scf.if'. Use the MLIR form\n"
            "f:3:8: error: the AS form cannot say the iter_args of 'scf.for'. Use the MLIR form\n"
            "f:4:3: error: the AS form has no 'func.call'. Use the MLIR form\n"
            "f:5:3: error: the AS form has no 'scf.execute_region'. Use the MLIR form\n");
  EXPECT_EQ(
      statements_of("func.func @a() { return }\nfunc.func @b() { return }\nfunc.func private @c()", TextForm::mlir),
      "f:2:1: error: the AS form has one function; here is another, @b\n"
      "f:3:1: error: the AS form cannot say the missing body of 'func.func'. Use the MLIR form\n");
  EXPECT_EQ(statements_of("module {}", TextForm::mlir), "f:1:1: error: there is no function to print\n");
}

TEST(statements, names_are_made_unique) {
  const std::string printed = statements_of(R"(func.func @main(%a: index, %b: i1) {
  scf.if %b {
    %x = arith.addi %a, %a : index
  } else {
    %x = arith.muli %a, %a : index
  }
  %0 = arith.addi %a, %a : index
  return
})",
                                            TextForm::mlir);
  EXPECT_EQ(printed,
            ".arg %a : index\n.arg %b : i1\nscf.if %b {\n  %x = arith.addi %a, %a : index\n} else {\n"
            "  %x_1 = arith.muli %a, %a : index\n}\n%0 = arith.addi %a, %a : index\n");
}

}  // namespace
}  // namespace ptox::assembly
