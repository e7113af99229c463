// SPDX-License-Identifier: Apache-2.0
// Lines of the manuals are read exactly as they are written, and are unchanged after printing.
#include <gtest/gtest.h>

#include <sstream>

#include "asm/dialect/dialect.hpp"
#include "asm/text/module.hpp"
#include "asm/text/print.hpp"

namespace ptox::assembly {
namespace {

/// The result of reading a text; also checks that printing and reading it again gives the same.
struct Line {
  explicit Line(const std::string& text, TextForm form = TextForm::detect) {
    const auto module = read(text, "f.pto", form, out);
    diagnostics = out.text();
    if (!module) return;
    EXPECT_EQ(module->form, TextForm::as);
    mlir = to_mlir(*module);
    Diagnostics again;
    printed = to_statements(*module, again);
    const auto second = read(printed, "printed.pto", TextForm::as, again);
    EXPECT_EQ(again.text(), "") << printed;
    EXPECT_EQ(second ? to_mlir(*second) : "", mlir) << printed;
  }
  bool has(const std::string& part) const { return mlir.find(part) != std::string::npos; }

  Diagnostics out;
  std::string diagnostics, mlir, printed;
};

TEST(literal_lines, l1_mscatter_row) {
  const Line l("mscatter.row %table, %src, %idx : (!pto.memref<...>, !pto.tile<NxMxT>, !pto.tile<Nx1xi32>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_EQ(l.printed,
            ".arg %table : !pto.memref<...>\n.arg %src : !pto.tile<NxMxT>\n.arg %idx : !pto.tile<Nx1xi32>\n"
            "mscatter.row %table, %src, %idx : (!pto.memref<...>, !pto.tile<NxMxT>, !pto.tile<Nx1xi32>)\n");
  EXPECT_TRUE(l.has("pto.mscatter %arg1, %arg2, %arg0 {coalesce = #pto.coalesce<row>}")) << l.mlir;
}
TEST(literal_lines, l2_mscatter_elem) {
  const Line l("mscatter.elem %table, %src, %idx : (!pto.memref<...>, !pto.tile<NxMxT>, !pto.tile<NxMxi32>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(l.has("pto.mscatter %arg1, %arg2, %arg0 {coalesce = #pto.coalesce<elem>}")) << l.mlir;
}
TEST(literal_lines, l3_mscatter_atomic_add) {
  const Line l("mscatter.row.atomic_add %table, %src, %idx : (!pto.memref<...>, !pto.tile<NxMxT>, !pto.tile<Nx1xi32>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(l.has("coalesce = #pto.coalesce<row>, scatterAtomicOp = #pto.scatter_atomic_op<add>")) << l.mlir;
}
TEST(literal_lines, l4_types_in_another_order_are_a_warning) {
  const Line l("mscatter %src, %mem, %idx : !pto.memref<...>, !pto.tile<...>, !pto.tile<...>");
  EXPECT_EQ(l.diagnostics,
            "f.pto:1:29: warning: mscatter signature: the types are in another order than the operands; written "
            "(!pto.memref<...>, !pto.tile<...>, !pto.tile<...>), taken as (!pto.tile<...>, !pto.memref<...>, "
            "!pto.tile<...>). Write them in the operands' order\n");
  EXPECT_EQ(l.printed,
            ".arg %src : !pto.tile<...>\n.arg %mem : !pto.memref<...>\n.arg %idx : !pto.tile<...>\n"
            "mscatter %mem, %src, %idx : (!pto.memref<...>, !pto.tile<...>, !pto.tile<...>)\n");
}
TEST(literal_lines, l5_mscatter_with_an_empty_result) {
  const Line l(
      "pto.mscatter %src, %idx, %mem : (!pto.tile<...>, !pto.tile<...>, !pto.partition_tensor_view<MxNxdtype>) -> ()");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(
      l.has("pto.mscatter %arg0, %arg1, %arg2 : (!pto.tile<...>, !pto.tile<...>, "
            "!pto.partition_tensor_view<MxNxdtype>) -> ()"))
      << l.mlir;
}
TEST(literal_lines, l6_mscatter_in_groups) {
  const Line l(
      "pto.mscatter ins(%src, %idx : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%mem : "
      "!pto.partition_tensor_view<MxNxdtype>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(
      l.has("pto.mscatter ins(%arg0, %arg1 : !pto.tile_buf<...>, !pto.tile_buf<...>) outs(%arg2 : "
            "!pto.partition_tensor_view<MxNxdtype>)"))
      << l.mlir;
}
TEST(literal_lines, l7_tassign_without_a_type) {
  const Line l("pto.tassign %arg0, @tile(0x1000)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_EQ(l.printed, ".arg %arg0 : !pto.tile<...>\ntassign %arg0, @tile(0x1000) : !pto.tile<...>\n");
}
TEST(literal_lines, l7_the_type_may_be_written_later) {
  const Line l(
      "pto.tassign %dst, @tile(0x1000)\nmgather.row %dst, %table, %idx : (!pto.tile<RxCxT>, !pto.memref<...>, "
      "!pto.tile<1xRxi32>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(l.has("pto.tassign %arg0, @tile(0x1000) : !pto.tile<RxCxT>")) << l.mlir;
}
TEST(literal_lines, l8_collective_tscatter) {
  const Line l("tscatter %group, %src : (!pto.group<...>, !pto.memref<...>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_EQ(l.printed,
            ".arg %group : !pto.group<...>\n.arg %src : !pto.memref<...>\n"
            "tscatter %group, %src : (!pto.group<...>, !pto.memref<...>)\n");
}
TEST(literal_lines, l9_mgather_with_a_result) {
  const Line l("%dst = mgather %mem, %idx : !pto.memref<...>, !pto.tile<...> -> !pto.tile<...>");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_EQ(l.printed,
            ".arg %mem : !pto.memref<...>\n.arg %idx : !pto.tile<...>\n"
            "%dst = mgather %mem, %idx : !pto.memref<...>, !pto.tile<...> -> !pto.tile<...>\n");
}
TEST(literal_lines, l10_mgather_row) {
  const Line l("mgather.row %dst, %table, %idx : (!pto.tile<RxCxT>, !pto.memref<...>, !pto.tile<1xRxi32>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_EQ(l.printed,
            ".arg %dst : !pto.tile<RxCxT>\n.arg %table : !pto.memref<...>\n.arg %idx : !pto.tile<1xRxi32>\n"
            "mgather.row %dst, %table, %idx : (!pto.tile<RxCxT>, !pto.memref<...>, !pto.tile<1xRxi32>)\n");
  EXPECT_TRUE(l.has("outs(%arg0 : !pto.tile<RxCxT>) {coalesce = #pto.coalesce<row>}")) << l.mlir;
}
TEST(literal_lines, l11_mgather_elem) {
  const Line l("mgather.elem %dst, %table, %idx : (!pto.tile<RxCxT>, !pto.memref<...>, !pto.tile<RxCxi32>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(l.has("outs(%arg0 : !pto.tile<RxCxT>) {coalesce = #pto.coalesce<elem>}")) << l.mlir;
}
TEST(literal_lines, l12_suffixes_of_every_policy) {
  const std::string gather = " %dst, %table, %idx : (!pto.tile<RxCxT>, !pto.memref<...>, !pto.tile<1xRxi32>)";
  const std::string scatter = " %table, %src, %idx : (!pto.memref<...>, !pto.tile<NxMxT>, !pto.tile<Nx1xi32>)";
  const std::pair<std::string, std::string> lines[] = {
      {"mgather.row.clamp" + gather, "gatherOob = #pto.gather_oob<clamp>"},
      {"mgather.elem.zero" + gather, "gatherOob = #pto.gather_oob<zero>"},
      {"mscatter.row.clamp.atomic_add" + scatter,
       "scatterAtomicOp = #pto.scatter_atomic_op<add>, scatterOob = #pto.scatter_oob<clamp>"},
      {"mscatter.elem.skip" + scatter, "scatterOob = #pto.scatter_oob<skip>"}};
  for (const auto& [text, attribute] : lines) {
    const Line l(text);
    EXPECT_EQ(l.diagnostics, "");
    EXPECT_TRUE(l.has(attribute)) << l.mlir;
    EXPECT_NE(l.printed.find(text.substr(0, text.find(' ')) + " "), std::string::npos) << l.printed;
  }
}
TEST(literal_lines, l13_the_result_on_the_next_line) {
  const Line l(
      "%dst = pto.mgather %mem, %idx : (!pto.partition_tensor_view<MxNxdtype>, pto.tile<...>)\n"
      "-> !pto.tile<loc, dtype, rows, cols, blayout, slayout, fractal, pad>");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(
      l.has("pto.mgather %arg0, %arg1 : (!pto.partition_tensor_view<MxNxdtype>, !pto.tile<...>) -> "
            "!pto.tile<loc, dtype, rows, cols, blayout, slayout, fractal, pad>"))
      << l.mlir;
}
TEST(literal_lines, l14_mgather_in_groups) {
  const Line l(
      "pto.mgather ins(%mem, %idx : !pto.partition_tensor_view<MxNxdtype>, !pto.tile_buf<...>) outs(%dst : "
      "!pto.tile_buf<...>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(
      l.has("pto.mgather ins(%arg0, %arg1 : !pto.partition_tensor_view<MxNxdtype>, !pto.tile_buf<...>) "
            "outs(%arg2 : !pto.tile_buf<...>)"))
      << l.mlir;
}
TEST(literal_lines, l15_a_result_without_a_type) {
  const Line l("%dst = pto.mgather %mem, %idx : (!pto.partition_tensor_view<MxNxdtype>, pto.tile<...>)");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_TRUE(l.has("-> !pto.tile<...>")) << l.mlir;
}
TEST(literal_lines, l16_lines_that_begin_with_a_hash_are_comments) {
  const Line l(
      "# AS Level 2 (DPS)\n# pto.tassign %arg0, @tile(0x1000)\n#\n  # indented {(<\n"
      "pto.tassign %arg1, @tile(0x2000) # behind a statement\n// and this");
  EXPECT_EQ(l.diagnostics, "");
  EXPECT_EQ(l.printed, ".arg %arg1 : !pto.tile<...>\ntassign %arg1, @tile(0x2000) : !pto.tile<...>\n");
}
TEST(literal_lines, the_manuals_block_as_a_whole) {
  const Line l(
      "# pto.tassign %arg1, @tile(0x2000)\n"
      "%dst = pto.mgather %mem, %idx : (!pto.partition_tensor_view<MxNxdtype>, pto.tile<...>)\n\n"
      "# AS Level 2 (DPS)\n"
      "pto.mgather ins(%mem, %idx2 : !pto.partition_tensor_view<MxNxdtype>, !pto.tile_buf<...>) outs(%dst2 : "
      "!pto.tile_buf<...>)\n");
  EXPECT_EQ(l.diagnostics, "");
}

}  // namespace
}  // namespace ptox::assembly
