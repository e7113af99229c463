// SPDX-License-Identifier: Apache-2.0
// Types, attributes and operations of the dialect keep their content.
#include "asm/dialect/dialect.hpp"

#include <gtest/gtest.h>

#include "asm/text/module.hpp"
#include "mlir/IR/Builders.h"
#include "pto/isa/all.hpp"

namespace ptox::assembly {

namespace {

PtoType type_of(mlir::MLIRContext& context, const char* text) { return PtoType::get(&context, *parse_type(text).type); }

/// The operation of that name in a file; there has to be only one.
mlir::Operation* find(const Module& module, llvm::StringRef base) {
  mlir::Operation* found = nullptr;
  module.op.get().walk([&](mlir::Operation* op) {
    if (base_name(op) == base) found = op;
  });
  return found;
}

std::unique_ptr<Module> module_of(const std::string& body) {
  Diagnostics out;
  auto module = read("func.func @f(%ptr: !pto.ptr<f32>, %n: index, %a: i64) {\n" + body + "\nreturn\n}\n", "test.pto",
                     TextForm::mlir, out);
  for (const Diagnostic& d : out.all()) ADD_FAILURE() << d.message;
  return module;
}

}  // namespace

TEST(asm_dialect, one_type_whatever_its_spelling) {
  const auto context = make_context();
  EXPECT_EQ(type_of(*context, "tile<8x32xf32>"), type_of(*context, "tile<loc=vec, dtype=f32, rows=8, cols=32>"));
  EXPECT_NE(type_of(*context, "tile<8x32xf32>"), type_of(*context, "tile_buf<vec, 8x32xf32>"));
  EXPECT_TRUE(is_tile(type_of(*context, "tile<...>")));
  EXPECT_TRUE(is_tensor(type_of(*context, "memref<f32>")));
  EXPECT_TRUE(is_group(type_of(*context, "group<2>")));
  EXPECT_FALSE(is_tensor(type_of(*context, "ptr<f32>")));
  EXPECT_EQ(spec_of(mlir::IndexType::get(context.get())), nullptr);
}

TEST(asm_dialect, view_lists_mix_numbers_and_values) {
  const auto module =
      module_of("%v = pto.make_tensor_view %ptr, shape = [%n, 32], strides = [64, %n] : !pto.tensor_view<?x32xf32>");
  ASSERT_TRUE(module);
  mlir::Operation* view = find(*module, "make_tensor_view");
  const auto shape = view_list(view, "shape"), strides = view_list(view, "strides");
  ASSERT_EQ(shape.size(), 2u);
  ASSERT_EQ(strides.size(), 2u);
  EXPECT_FALSE(constant_of(shape[0]));
  EXPECT_EQ(constant_of(shape[1]), 32);
  EXPECT_EQ(constant_of(strides[0]), 64);
  EXPECT_EQ(name_of(mlir::cast<mlir::Value>(strides[1])), "n");
}

TEST(asm_dialect, alloc_operands_are_told_apart) {
  const auto module =
      module_of("%t = pto.alloc_tile addr = %a valid_col = %n : !pto.tile_buf<vec, 8x32xf32, valid=8x?>");
  ASSERT_TRUE(module);
  mlir::Operation* alloc = find(*module, "alloc_tile");
  EXPECT_EQ(name_of(alloc_operand(alloc, "addr")), "a");
  EXPECT_FALSE(alloc_operand(alloc, "valid_row"));
  EXPECT_EQ(name_of(alloc_operand(alloc, "valid_col")), "n");
  EXPECT_EQ(name_of(alloc->getResult(0)), "t");
}

TEST(asm_dialect, policies_are_read_and_written) {
  const auto module = module_of(
      "%v = pto.make_tensor_view %ptr, shape = [64, 32], strides = [32, 1] : !pto.tensor_view<64x32xf32>\n"
      "%i = pto.alloc_tile : !pto.tile_buf<vec, 1x8xi32>\n%d = pto.alloc_tile : !pto.tile_buf<vec, 8x32xf32>\n"
      "pto.mgather.wrap ins(%v, %i : !pto.tensor_view<64x32xf32>, !pto.tile_buf<vec, 1x8xi32>) "
      "outs(%d : !pto.tile_buf<vec, 8x32xf32>)");
  ASSERT_TRUE(module);
  mlir::Operation* gather = find(*module, "mgather");
  EXPECT_EQ(policy_attr(gather, "gather_oob").value(), "wrap");
  EXPECT_EQ(policy_attr(gather, "gather_oob").index(), 2);
  EXPECT_FALSE(policy_attr(gather, "coalesce"));
  set_policy(gather, "coalesce", "elem");
  EXPECT_EQ(policy_attr(gather, "coalesce").index(), 1);
}

TEST(asm_dialect, every_operation_of_the_list_of_instructions_is_there) {
  pto::instr::AllInstructions::each([]<class I>() {
    const std::string mnemonic = I::mnemonic, base = mnemonic.substr(0, mnemonic.find('.'));
    EXPECT_TRUE(has_operation(base == "pipe_barrier" ? "barrier" : base)) << mnemonic;
  });
  EXPECT_FALSE(has_operation("unknown"));
  EXPECT_FALSE(has_operation("tmatmul"));
}

TEST(asm_dialect, messages_name_the_operation_once) {
  Diagnostics out;
  EXPECT_FALSE(read("func.func @f() {\n  pto.mgather.zero.clamp\n  return\n}\n", "test.pto", TextForm::mlir, out));
  ASSERT_EQ(out.all().size(), 1u);
  EXPECT_EQ(out.all()[0].message, "mgather has two suffixes of one kind, .zero and .clamp");
  EXPECT_EQ(out.all()[0].place.line, 2);
  EXPECT_EQ(out.all()[0].place.column, 3);
}

}  // namespace ptox::assembly
