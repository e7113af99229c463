// SPDX-License-Identifier: Apache-2.0
// A kernel has the same meaning with tiles as values (Level 1) and in buffers (Level 2).
#include "asm/level/level.hpp"

#include <gtest/gtest.h>

#include "sync_kernel.hpp"

namespace ptox::assembly {
namespace {

const std::string head = R"(func.func @k(%p: !pto.ptr<f32>, %q: !pto.ptr<i32>, %o: !pto.ptr<f32>, %n: index, %c: i1) {
  %t = pto.make_tensor_view %p, shape = [8, 32], strides = [32, 1] : !pto.tensor_view<8x32xf32>
  %u = pto.make_tensor_view %o, shape = [8, 32], strides = [32, 1] : !pto.tensor_view<8x32xf32>
  %v = pto.make_tensor_view %q, shape = [1, 8], strides = [8, 1] : !pto.tensor_view<1x8xi32>
  %i0 = arith.constant 0 : index
  %i1 = arith.constant 1 : index
  %i4 = arith.constant 4 : index
)";
const std::string i = "!pto.tile<vec, 1x8xi32>", d = "!pto.tile<vec, 8x32xf32>", w = "!pto.tensor_view<8x32xf32>";
const std::string idx = "  %idx = pto.tload %v : (!pto.tensor_view<1x8xi32>) -> " + i + "\n";

std::string made(const std::string& name, const std::string& op, const std::string& operands, const std::string& types,
                 const std::string& attributes = "") {
  return "  %" + name + " = pto." + op + " " + operands + attributes + " : (" + types + ") -> " + d + "\n";
}
const std::string dst = made("dst", "mgather", "%t, %idx", w + ", " + i,
                             " {coalesce = #pto.coalesce<row>, gatherOob = #pto.gather_oob<zero>}");
const std::string stored = "  pto.tstore %dst, %u : (" + d + ", " + w + ") -> ()\n";

std::unique_ptr<Module> read_kernel(const std::string& body) {
  Diagnostics said;
  auto module = read(head + body + "  return\n}\n", "k.pto", TextForm::mlir, said);
  EXPECT_TRUE(module) << text(said) << body;
  return module;
}

/// Converts a Level 1 kernel to Level 2 and checks that the conversion back gives the same text.
std::string there_and_back(const std::string& body) {
  const auto module = read_kernel(body);
  if (!module) return "";
  Diagnostics said;
  const std::string before = to_mlir(*module);
  EXPECT_TRUE(to_level2(*module, said)) << text(said) << before;
  const std::string lowered = to_mlir(*module);
  EXPECT_EQ(lowered.find("!pto.tile<"), std::string::npos) << lowered;
  EXPECT_TRUE(to_level1(*module, said)) << text(said) << lowered;
  EXPECT_EQ(to_mlir(*module), before) << lowered;
  return lowered;
}

/// The error of `to_level1` for a Level 2 kernel.
std::string refusal(const std::string& body) {
  const auto module = read_kernel(body);
  Diagnostics said;
  EXPECT_FALSE(module && to_level1(*module, said));
  return text(said);
}
bool has(const std::string& all, const std::string& part) { return all.find(part) != std::string::npos; }

TEST(levels, a_lookup_goes_there_and_back_with_its_policies) {
  const std::string two = there_and_back(idx + dst + stored);
  EXPECT_TRUE(has(two, "gatherOob = #pto.gather_oob<zero>")) << two;
  EXPECT_TRUE(has(two, "pto.mgather ins(")) << two;
}
TEST(levels, every_policy_survives) {
  const std::string scattered =
      "  pto.mscatter %dst, %idx, %u {coalesce = #pto.coalesce<row>, scatterAtomicOp = #pto.scatter_atomic_op<add>, "
      "scatterOob = #pto.scatter_oob<wrap>} : (" +
      d + ", " + i + ", " + w + ") -> ()\n";
  const std::string two = there_and_back(idx + dst + scattered);
  EXPECT_TRUE(has(two, "scatter_atomic_op<add>") && has(two, "scatter_oob<wrap>")) << two;
}
TEST(levels, a_module_at_level_2_stays_as_it_is) {
  const auto module = read_kernel("  %a = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>\n");
  const std::string before = to_mlir(*module);
  Diagnostics said;
  EXPECT_TRUE(to_level2(*module, said));
  EXPECT_EQ(to_mlir(*module), before);
}
TEST(levels, a_tile_that_is_written_in_place_becomes_a_value) {
  const auto module = read_kernel(idx + dst + "  pto.tload ins(%t : " + w + ") outs(%dst : " + d + ")\n" + stored);
  Diagnostics said;
  EXPECT_TRUE(to_level1(*module, said)) << text(said);
  EXPECT_FALSE(has(to_mlir(*module), "outs(")) << to_mlir(*module);
}
TEST(levels, a_branch_hands_on_either_buffer) {
  there_and_back(idx + "  %dst = scf.if %c -> (" + d + ") {\n" + made("x", "tload", "%t", w) + "  scf.yield %x : " + d +
                 "\n  } else {\n" + made("y", "mgather", "%t, %idx", w + ", " + i, " {coalesce = #pto.coalesce<row>}") +
                 "  scf.yield %y : " + d + "\n  }\n" + stored);
}
TEST(levels, a_carried_tile_lies_in_two_buffers_in_turn) {
  const std::string two =
      there_and_back(made("a", "tload", "%t", w) + "  %dst = scf.for %k = %i0 to %i4 step %i1 iter_args(%x = %a) -> (" +
                     d + ") {\n" + made("y", "tmov", "%x", d) + "  scf.yield %y : " + d + "\n  }\n" + stored);
  EXPECT_TRUE(has(two, "pto.spare = 2")) << two;
}
TEST(levels, a_carried_tile_of_a_branch_is_moved) {
  const std::string two = there_and_back(
      made("a", "tload", "%t", w) + "  %dst = scf.for %k = %i0 to %i4 step %i1 iter_args(%x = %a) -> (" + d + ") {\n" +
      "  %z = scf.if %c -> (" + d + ") {\n" + made("y", "tmov", "%x", d) + "  scf.yield %y : " + d +
      "\n  } else {\n  scf.yield %x : " + d + "\n  }\n  scf.yield %z : " + d + "\n  }\n" + stored);
  EXPECT_TRUE(has(two, "pto.carry")) << two;
}
TEST(levels, open_extents_come_from_the_view) {
  const std::string open = "!pto.tile<vec, 8x32xf32, valid=?x32>";
  const std::string two = there_and_back(
      "  %part = pto.partition_view %t, offsets = [0, 0], sizes = [%n, 32] : " + w +
      " -> !pto.partition_tensor_view<?x32xf32>\n  %x = pto.tload %part : (!pto.partition_tensor_view<?x32xf32>) -> " +
      open + "\n  pto.tstore %x, %u : (" + open + ", " + w + ") -> ()\n");
  EXPECT_TRUE(has(two, "valid_row = %arg3")) << two;
}
TEST(levels, open_extents_that_nothing_says_are_an_error) {
  const auto module = read_kernel(
      "  %f = arith.constant 1.0 : f32\n  %x = pto.texpands %f : (f32) -> "
      "!pto.tile<vec, 8x32xf32, valid=?x32>\n");
  Diagnostics said;
  EXPECT_FALSE(to_level2(*module, said));
  EXPECT_TRUE(has(text(said), "the valid rows of %x are open in its type")) << text(said);
}
TEST(levels, a_place_by_hand_is_kept) {
  const std::string b = "!pto.tile_buf<vec, 8x32xf32>";
  const auto module = read_kernel("  %at = arith.constant 4096 : i64\n  %a = pto.alloc_tile addr = %at : " + b +
                                  "\n  pto.tload ins(%t : " + w + ") outs(%a : " + b + ")\n  pto.tstore ins(%a : " + b +
                                  ") outs(%u : " + w + ")\n");
  const std::string before = to_mlir(*module);
  Diagnostics said;
  EXPECT_TRUE(to_level1(*module, said)) << text(said);
  EXPECT_TRUE(has(to_mlir(*module), "pto.addr = 4096")) << to_mlir(*module);
  EXPECT_TRUE(to_level2(*module, said)) << text(said);
  EXPECT_EQ(to_mlir(*module), before);
}

const std::string b = "!pto.tile_buf<vec, 8x32xf32>";
const std::string a = "  %a = pto.alloc_tile : " + b + "\n";
const std::string fill = "  pto.tload ins(%t : " + w + ") outs(%a : " + b + ")\n";
const std::string drain = "  pto.tstore ins(%a : " + b + ") outs(%u : " + w + ")\n";

TEST(levels, what_a_region_writes_is_not_read_outside) {
  EXPECT_TRUE(has(refusal(a + "  scf.if %c {\n" + fill + "  }\n" + drain),
                  "error: tstore: %a is written in the scf.if of line 9 and read outside it"))
      << refusal(a + "  scf.if %c {\n" + fill + "  }\n" + drain);
}
TEST(levels, what_an_iteration_leaves_is_not_read_by_the_next) {
  const std::string said = refusal(a + fill + "  scf.for %k = %i0 to %i4 step %i1 {\n" + drain + fill + "  }\n");
  EXPECT_TRUE(has(said, "error: tstore: %a is read before it is written in the scf.for of line 10")) << said;
}
TEST(levels, what_nothing_wrote_is_no_value) {
  EXPECT_TRUE(has(refusal(a + drain), "error: tstore: %a is read and nothing has written it")) << refusal(a + drain);
}
TEST(levels, a_buffer_that_is_written_again_is_a_new_value) {
  const auto module = read_kernel(a + fill + drain + fill + drain);
  Diagnostics said;
  EXPECT_TRUE(to_level1(*module, said)) << text(said);
  EXPECT_FALSE(has(to_mlir(*module), "alloc_tile")) << to_mlir(*module);
  EXPECT_TRUE(to_level2(*module, said) && place_tiles(*module, target::a5, said)) << text(said);
}

const std::string tile = "!pto.tile<vec, 8x32xf32>";
std::string put(const std::string& value, const std::string& to) {
  return "  pto.tstore " + value + ", " + to + " : (" + tile + ", !pto.partition_tensor_view<8x32xf32>) -> ()\n";
}
/// A loop that carries two tiles, x and y, and yields `next`.
std::string carrying(const std::string& work, const std::string& next) {
  const std::string load = " : (!pto.partition_tensor_view<8x32xf32>) -> " + tile + "\n";
  return "  %a = pto.tload %t0" + load + "  %b = pto.tload %t1" + load +
         "  %r:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%u = %a, %v = %b) -> (" + tile + ", " + tile + ") {\n" +
         work + "  scf.yield " + next + " : " + tile + ", " + tile + "\n  }\n";
}
const std::string swap =
    "  %y = pto.tmov %v : (" + tile + ") -> " + tile + "\n  %z = pto.tmov %u : (" + tile + ") -> " + tile + "\n";

TEST(levels, carried_tiles_run_as_their_values_say) {
  const std::string body =
      carrying(put("%u", "%o0") + swap, "%y, %z") + put("%r#0", "%o1") + put("%r#1", "%o2") + put("%a", "%t2");
  for (const Target* t : {&target::a2a3, &target::a5}) {
    Diagnostics said;
    const auto module = read(kernel(body), "k.pto", TextForm::mlir, said);
    ASSERT_TRUE(module && to_level2(*module, said)) << text(said);
    ASSERT_TRUE(place_tiles(*module, *t, said) && insert_sync(*module, *t, said)) << text(said);
    const Ran ran = run(*module->op, *t, 0, 0);
    EXPECT_TRUE(ran.report.clean()) << ran.report << to_mlir(*module);
    for (int k = 0; k < 256; ++k) {
      const auto n = static_cast<std::size_t>(k);
      const float first = static_cast<float>(k + 1), second = static_cast<float>(256 + k + 1);
      EXPECT_EQ(ran.out[n], second);       // in the last of four iterations the tiles are swapped
      EXPECT_EQ(ran.out[n + 256], first);  // and after the loop they are swapped back
      EXPECT_EQ(ran.out[n + 512], second);
      EXPECT_EQ(ran.table[n + 512], first);  // the initial tile is unchanged
    }
  }
}
TEST(levels, a_tile_is_carried_for_one_iteration) {
  Diagnostics said;
  const auto module = read(kernel(carrying(swap, "%v, %z")), "k.pto", TextForm::mlir, said);
  ASSERT_TRUE(module) << text(said);
  EXPECT_FALSE(to_level2(*module, said));
  EXPECT_TRUE(has(text(said), "scf.for hands %v on for more than one iteration")) << text(said);
}

}  // namespace
}  // namespace ptox::assembly
