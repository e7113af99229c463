// SPDX-License-Identifier: Apache-2.0
// Operands that are legal, and have the same meaning, on every target.
#include <gtest/gtest.h>

#include "asm/text/module.hpp"
#include "asm/text_of.hpp"
#include "asm/verify/verify.hpp"

namespace ptox::assembly::testing {

namespace {

using pto::instr::MgatherMat, pto::instr::Mgather, pto::instr::Mscatter, pto::instr::Tload;
using pto::instr::sample_table, pto::instr::sample_tile;

/// The error of `verify --target portable` for one instruction; empty if there is none.
template <class I>
std::string said_of(const typename I::Operands& o) {
  Diagnostics found;
  const auto module = read(FunctionText("f", {}).of<I>(o), "portable.pto", TextForm::mlir, found);
  EXPECT_TRUE(module) << I::mnemonic;
  if (module) verify_portable(*module, found);
  EXPECT_LE(found.all().size(), 1u);
  return found.all().empty() ? "" : found.all()[0].message;
}
bool starts(const std::string& text, const char* with) { return text.starts_with(with); }

Mscatter::Operands scatter(DType dtype, pto::ScatterAtomicOp op) {
  Mscatter::Operands o = Mscatter::sample();
  o.src.dtype = o.table.dtype = dtype, o.policy.op = op;
  return o;
}
TensorDesc outer(int dim) {
  TensorDesc t = sample_table(DType::f32, 64, 32);
  t.shape[dim] = 2;
  return t;
}
TensorDesc strided(std::int64_t row, std::int64_t column) {
  TensorDesc t = sample_table(DType::f32, 64, 32);
  t.stride[3] = row, t.stride[4] = column;
  return t;
}

}  // namespace

TEST(asm_portable, row_and_elem_of_packed_tables) {
  EXPECT_EQ(said_of<Mgather>(Mgather::sample()), "");
  EXPECT_EQ(said_of<Mgather>(Mgather::sample_elem()), "");
  EXPECT_EQ(said_of<Mscatter>(Mscatter::sample()), "");
  EXPECT_EQ(said_of<Mscatter>(Mscatter::sample_elem()), "");
  EXPECT_EQ(said_of<MgatherMat>(MgatherMat::sample(DType::f32)), "");
}

TEST(asm_portable, every_out_of_range_policy) {
  for (int oob = 0; oob < 4; ++oob) {
    Mgather::Operands g = Mgather::sample();
    Mscatter::Operands s = Mscatter::sample();
    g.policy.oob = static_cast<pto::GatherOOB>(oob), s.policy.oob = static_cast<pto::ScatterOOB>(oob);
    EXPECT_EQ(said_of<Mgather>(g), "") << oob;
    EXPECT_EQ(said_of<Mscatter>(s), "") << oob;
  }
}

TEST(asm_portable, p1_no_outer_extents) {
  for (int dim = 0; dim < 3; ++dim)
    for (auto sample : {Mgather::sample(), Mgather::sample_elem()}) {
      sample.table = outer(dim);
      EXPECT_TRUE(starts(said_of<Mgather>(sample), "mgather P1: table is Shape<1,1,1,R,W>; its outer extents are "));
    }
  MgatherMat::Operands mat = MgatherMat::sample(DType::f32);
  mat.table = outer(2);
  EXPECT_EQ(said_of<MgatherMat>(mat), "mgather.mat P1: table is Shape<1,1,1,R,W>; its outer extents are 1, 1, 2");
}

TEST(asm_portable, p2_packed_rows) {
  Mgather::Operands elem = Mgather::sample_elem();
  elem.table = strided(40, 1);
  EXPECT_EQ(said_of<Mgather>(elem),
            "mgather P2: table rows are packed; Stride[3] is 40, Stride[4] is 1, Shape[4] is 32");
  elem.table = strided(32, 2);
  EXPECT_EQ(said_of<Mgather>(elem),
            "mgather P2: table rows are packed; Stride[3] is 32, Stride[4] is 2, Shape[4] is 32");
  elem.table = strided(32, 1);
  EXPECT_EQ(said_of<Mgather>(elem), "");
  elem.table = strided(unknown, 1);
  EXPECT_EQ(said_of<Mgather>(elem), "");
  Mgather::Operands row = Mgather::sample();
  row.table = strided(40, 1);
  EXPECT_TRUE(starts(said_of<Mgather>(row), "mgather C13: ")) << "a5 says it already";
}

TEST(asm_portable, nd_alone) {
  Mgather::Operands o = Mgather::sample();
  o.table = sample_table(DType::f32, 64, 32);
  o.table.layout = pto::Layout::DN, o.table.stride[3] = 1, o.table.stride[4] = 64;
  EXPECT_TRUE(starts(said_of<Mgather>(o), "mgather C5: "));
  o.dst = pto::instr::sample_nz_tile(DType::f32, 16, 32), o.table = pto::instr::sample_nz_table(DType::f32, 64, 32);
  o.idx = sample_tile(DType::i32, 1, 16);
  EXPECT_TRUE(starts(said_of<Mgather>(o), "mgather C5: "));
}

TEST(asm_portable, an_index_row_or_the_shape_of_the_tile) {
  Mgather::Operands o = Mgather::sample();
  o.idx = sample_tile(DType::i32, 8, 1, pto::BLayout::ColMajor);
  EXPECT_TRUE(starts(said_of<Mgather>(o), "mgather C10: "));
  o.idx = sample_tile(DType::u32, 1, 8);
  EXPECT_EQ(said_of<Mgather>(o), "");
}

TEST(asm_portable, adds_on_four_types_and_no_max_or_min) {
  for (DType d : pto::instr::all_dtypes) {
    const bool adds = d == DType::i32 || d == DType::f16 || d == DType::bf16 || d == DType::f32;
    const bool moves = target::a2a3.dtypes.has(d) && target::a5.dtypes.has(d);
    EXPECT_EQ(said_of<Mscatter>(scatter(d, pto::ScatterAtomicOp::None)).empty(), moves) << name(d);
    EXPECT_EQ(said_of<Mscatter>(scatter(d, pto::ScatterAtomicOp::Add)).empty(), adds) << name(d);
    EXPECT_NE(said_of<Mscatter>(scatter(d, pto::ScatterAtomicOp::Max)), "") << name(d);
    EXPECT_NE(said_of<Mscatter>(scatter(d, pto::ScatterAtomicOp::Min)), "") << name(d);
  }
}

TEST(asm_portable, no_conflict_spelled) {
  Mscatter::Operands o = Mscatter::sample();
  o.policy.conflict_spelled = true;
  EXPECT_TRUE(said_of<Mscatter>(o).ends_with("(on a2a3)")) << said_of<Mscatter>(o);
}

TEST(asm_portable, loads_of_any_shape) {
  Tload::Operands o{sample_tile(DType::f32, 16, 32), sample_table(DType::f32, 16, 32), {}};
  EXPECT_EQ(said_of<Tload>(o), "");
  o.src = outer(2);
  EXPECT_EQ(said_of<Tload>(o), "");
  o.dst = sample_tile(DType::f32, 16, 32, pto::BLayout::ColMajor);
  EXPECT_TRUE(starts(said_of<Tload>(o), "tload C3: "));
}

}  // namespace ptox::assembly::testing
