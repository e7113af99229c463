// SPDX-License-Identifier: Apache-2.0
// Each rule of MSCATTER rejects operands that break it and accepts similar legal ones.
#include "isa/rule_check.hpp"

namespace {

using namespace rule_check;

TEST(mscatter, c1_same_dtype) {
  auto broken = Mscatter::sample(), fine = broken;
  broken.table = sample_table(DType::f16, 64, 32);
  fine.table = sample_table(DType::f16, 64, 32), fine.src = sample_tile(DType::f16, 8, 32);
  expect_rule<Mscatter, Mscatter::c1_same_dtype>(
      broken, everywhere, fine, "mscatter C1: src and table have one element type; src is f32, table is f16");
}

TEST(mscatter, c2_dtype) {
  const auto of_type = [](DType d) {
    auto o = Mscatter::sample();
    o.src = sample_tile(d, 8, 32), o.table = sample_table(d, 64, 32);
    return o;
  };
  expect_rule<Mscatter, Mscatter::c2_dtype>(of_type(DType::i64), everywhere, of_type(DType::i32),
                                            "mscatter C2: the target moves elements of this type; src is i64");
  expect_rule<Mscatter, Mscatter::c2_dtype>(of_type(DType::hif8), on_a2a3, of_type(DType::i8),
                                            "mscatter C2: the target moves elements of this type; src is hif8");
}

TEST(mscatter, c3_index_dtype) {
  auto broken = Mscatter::sample(), fine = broken;
  broken.idx = sample_tile(DType::i16, 1, 8);
  fine.idx = sample_tile(DType::u32, 1, 8);
  expect_rule<Mscatter, Mscatter::c3_index_dtype>(broken, everywhere, fine,
                                                  "mscatter C3: idx elements are i32 or u32; idx is i16");
}

TEST(mscatter, c4_in_vec) {
  const auto fine = Mscatter::sample();
  auto data = fine, index = fine;
  data.src = in(TileType::Mat, fine.src);
  index.idx = in(TileType::Mat, fine.idx);
  expect_rule<Mscatter, Mscatter::c4_in_vec>(data, everywhere, fine,
                                             "mscatter C4: src and idx are Vec tiles; src is in Mat, idx is in Vec");
  expect_rule<Mscatter, Mscatter::c4_in_vec>(index, everywhere, fine,
                                             "mscatter C4: src and idx are Vec tiles; src is in Vec, idx is in Mat");
}

TEST(mscatter, c5_table_layout) {
  auto dn = Mscatter::sample(), nz = dn;
  dn.table = dn_table(DType::f32, 64, 32);
  nz.table = sample_nz_table(DType::f32, 64, 32), nz.src = sample_nz_tile(DType::f32, 16, 32);
  nz.idx = sample_tile(DType::i32, 1, 16);
  const std::string sentence = "mscatter C5: table is ND, or NZ or DN where the target takes them; ";
  using Rule = Mscatter::c5_table_layout;
  expect_rule<Mscatter, Rule>(dn, on_a2a3 | on_a5, Mscatter::sample(), sentence + "table is DN; a");
  expect_rule<Mscatter, Rule>(nz, on_a5, Mscatter::sample(), sentence + "table is NZ; a5 takes ND");
}

TEST(mscatter, c6_tile_layout) {
  auto columns = Mscatter::sample(), boxed = columns;
  columns.src = sample_tile(DType::f32, 8, 32, BLayout::ColMajor);
  boxed.src = with_valid(sample_nz_tile(DType::f32, 16, 32), 8, 32);
  const std::string sentence =
      "mscatter C6: src is NZ with an NZ table, else unboxed RowMajor, or ColMajor where taken; src is ColMajor with ";
  expect_rule<Mscatter, Mscatter::c6_tile_layout>(columns, on_a2a3, Mscatter::sample(),
                                                  sentence + "NoneBox, fractal 512; table is ND");
  expect_rule<Mscatter, Mscatter::c6_tile_layout>(boxed, everywhere, Mscatter::sample(),
                                                  sentence + "RowMajor boxes, fractal 512; table is ND");
}

TEST(mscatter, c7_nz_blocks) {
  auto fine = Mscatter::sample();
  fine.table = sample_nz_table(DType::f32, 64, 32), fine.src = sample_nz_tile(DType::f32, 16, 32);
  fine.idx = sample_tile(DType::i32, 1, 16);
  auto wide = fine, dynamic = fine, ragged = fine;
  wide.table.shape[4] = 16;
  dynamic.table.static_block = false;
  ragged.src = sample_nz_tile(DType::f32, 24, 32), ragged.idx = sample_tile(DType::i32, 1, 24);
  const std::string sentence =
      "mscatter C7: NZ: static Shape[3] = 16 and Shape[4] = C0, src in whole 16 x C0 blocks; table has Shape[3] = 16, ";
  using Rule = Mscatter::c7_nz_blocks;
  expect_rule<Mscatter, Rule>(wide, on_cpu | on_a2a3, fine, sentence + "Shape[4] = 16, C0 = 8", on_a5);
  expect_rule<Mscatter, Rule>(dynamic, on_cpu | on_a2a3, fine, sentence + "Shape[4] = 8, C0 = 8 (not static)", on_a5);
  expect_rule<Mscatter, Rule>(ragged, on_cpu | on_a2a3, fine,
                              sentence + "Shape[4] = 8, C0 = 8; src is ColMajor 24x32 (valid 24x32)", on_a5);
}

TEST(mscatter, c8_index_unboxed) {
  auto broken = Mscatter::sample();
  broken.idx = with_valid(sample_nz_tile(DType::i32, 16, 8), 1, 8);
  expect_rule<Mscatter, Mscatter::c8_index_unboxed>(broken, everywhere, Mscatter::sample(),
                                                    "mscatter C8: idx has no inner boxes; idx has RowMajor boxes");
}

TEST(mscatter, c9_index_shape) {
  const auto fine = Mscatter::sample(), fine_elem = Mscatter::sample_elem();
  auto row = fine, elem = fine_elem, open = fine;
  row.idx.valid_cols = 7;
  elem.idx.valid_cols = 31;
  open.idx.valid_cols = 7, open.policy.coalesce = {};
  using Rule = Mscatter::c9_index_shape;
  const std::string sentence = "mscatter C9: idx is [1,R] or [R,1] for Row, of src's valid shape for Elem; ";
  const std::string data = ", src is RowMajor 8x32 (valid 8x32), idx is RowMajor ";
  expect_rule<Mscatter, Rule>(row, everywhere, fine, sentence + "Coalesce::Row" + data + "1x8 (valid 1x7)");
  expect_rule<Mscatter, Rule>(elem, everywhere, fine_elem, sentence + "Coalesce::Elem" + data + "8x32 (valid 8x31)");
  expect_rule<Mscatter, Rule>(open, everywhere, fine, sentence + "no Coalesce" + data + "1x8 (valid 1x7)");
}

TEST(mscatter, c10_index_layout) {
  const auto fine = Mscatter::sample(), fine_elem = Mscatter::sample_elem();
  auto standing = fine, padded = fine, column = fine, elem = fine_elem;
  standing.idx = sample_tile(DType::i32, 8, 1, BLayout::ColMajor);
  padded.idx = sample_tile(DType::i32, 8, 1);
  column.idx = one_column(DType::i32, 8);
  elem.idx = sample_tile(DType::i32, 8, 32, BLayout::ColMajor);
  using Rule = Mscatter::c10_index_layout;
  const std::string sentence =
      "mscatter C10: idx is RowMajor of whole 32-byte rows, for Row Tile<TileType::Vec, int32_t, 1, R>; where taken "
      "also [R,1] ColMajor or one padded column; idx is ";
  const std::string works = "Use Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>";
  expect_rule<Mscatter, Rule>(standing, on_a2a3, fine, sentence + "ColMajor 8x1 (valid 8x1). " + works);
  expect_rule<Mscatter, Rule>(padded, on_a2a3 | on_a5, fine, sentence + "RowMajor 8x8 (valid 8x1). " + works);
  expect_rule<Mscatter, Rule>(column, on_a2a3, fine, sentence + "RowMajor 8x1 (valid 8x1). " + works);
  expect_rule<Mscatter, Rule>(elem, on_a2a3, fine_elem,
                              sentence + "ColMajor 8x32 (valid 8x32). Use a RowMajor idx of whole 32-byte rows");
}

TEST(mscatter, c11_valid) {
  const auto fine = Mscatter::sample();
  auto none = fine, over = fine;
  none.src = with_valid(fine.src, 8, 0);
  over.idx = with_valid(fine.idx, 1, 9), over.src = with_valid(sample_tile(DType::f32, 9, 32), 9, 32);
  const std::string sentence = "mscatter C11: valid extents are at least 1 and at most the padded ones; ";
  expect_rule<Mscatter, Mscatter::c11_valid>(none, everywhere, fine, sentence + "src is RowMajor 8x32 (valid 8x0)");
  expect_rule<Mscatter, Mscatter::c11_valid>(over, everywhere, fine, sentence + "idx is RowMajor 1x8 (valid 1x9)");
}

TEST(mscatter, c12_table_width) {
  auto narrow = Mscatter::sample(), wide = narrow;
  narrow.table = sample_table(DType::f32, 64, 31);
  wide.table = sample_table(DType::f32, 64, 40);
  const std::string sentence =
      "mscatter C12: Row: a table row holds src's valid columns, exactly those where rows are packed; "
      "src has 32 valid columns, table rows have ";
  expect_rule<Mscatter, Mscatter::c12_table_width>(narrow, everywhere, Mscatter::sample(), sentence + "31");
  expect_rule<Mscatter, Mscatter::c12_table_width>(wide, on_a5, Mscatter::sample(), sentence + "40");
}

TEST(mscatter, c13_packed_rows) {
  auto broken = Mscatter::sample();
  broken.table.stride[3] = 40;
  expect_rule<Mscatter, Mscatter::c13_packed_rows>(
      broken, on_a5, Mscatter::sample(),
      "mscatter C13: Row: Stride[3] is src's valid columns where the target ignores strides; "
      "table has Stride[3] = 40, src has 32 valid columns");
}

TEST(mscatter, c14_aligned) {
  auto broken = Mscatter::sample(), fine = broken;
  broken.table = fine.table = sample_table(DType::f32, 64, 1);
  broken.src = one_column(DType::f32, 8);
  fine.src = sample_tile(DType::f32, 8, 1);
  expect_rule<Mscatter, Mscatter::c14_aligned>(
      broken, on_a2a3, fine,
      "mscatter C14: rows of src take whole 32-byte blocks where the target checks it; "
      "src has rows of 4 bytes. Pad it to 8 columns, 1 of them valid");
}

TEST(mscatter, c15_table_size) {
  auto negative = Mscatter::sample(), huge = negative, empty = negative;
  negative.table.shape[3] = -1;
  huge.table.shape[3] = std::int64_t{1} << 60;
  empty.table.shape[3] = 0;
  const std::string sentence =
      "mscatter C15: table extents are not negative and its bytes count in 63 bits; table has Shape<1,1,1,";
  expect_rule<Mscatter, Mscatter::c15_table_size>(negative, everywhere, empty,
                                                  sentence + "-1,32>, Stride<2048,2048,2048,32,1>");
  expect_rule<Mscatter, Mscatter::c15_table_size>(huge, everywhere, empty,
                                                  sentence + "1152921504606846976,32>, Stride<2048,2048,2048,32,1>");
}

TEST(mscatter, c16_atomic_dtype) {
  const auto updating = [](ScatterAtomicOp op, DType d) {
    auto o = Mscatter::sample();
    o.src = sample_tile(d, 8, 32), o.table = sample_table(d, 64, 32), o.policy.op = op;
    return o;
  };
  using Rule = Mscatter::c16_atomic_dtype;
  const std::string sentence = "mscatter C16: the target's atomic unit takes this operation on this element type; ";
  expect_rule<Mscatter, Rule>(updating(ScatterAtomicOp::Add, DType::u8), on_a2a3 | on_a5,
                              updating(ScatterAtomicOp::Add, DType::f32), sentence + "Add on u8; a");
  expect_rule<Mscatter, Rule>(updating(ScatterAtomicOp::Max, DType::f32), on_a2a3,
                              updating(ScatterAtomicOp::None, DType::f32),
                              sentence + "Max on f32; a2a3 takes Add on i8 i16 i32 f16 bf16 f32, no Max or Min");
  expect_rule<Mscatter, Rule>(updating(ScatterAtomicOp::Min, DType::f16), on_a2a3 | on_a5,
                              updating(ScatterAtomicOp::Add, DType::f16), sentence + "Min on f16; a");
  expect_finding<Mscatter>(ptox::target::a5, updating(ScatterAtomicOp::Min, DType::f16),
                           sentence + "Min on f16; a5 takes Add on i32 u32 f16 bf16 f32, Max and Min on i32 u32 f32");
  expect_rule<Mscatter, Rule>(updating(ScatterAtomicOp::Add, DType::e5m2), on_cpu | on_a5,
                              updating(ScatterAtomicOp::Add, DType::i32), sentence + "Add on f8e5m2; ", on_a2a3);
}

TEST(mscatter, c17_conflict) {
  for (ScatterConflict conflict : {ScatterConflict::Last, ScatterConflict::Default}) {
    auto broken = Mscatter::sample();
    broken.policy.conflict = conflict, broken.policy.conflict_spelled = true;
    expect_rule<Mscatter, Mscatter::c17_conflict>(
        broken, on_a2a3, Mscatter::sample(),
        std::string("mscatter C17: ScatterConflict is spelled only where the target has it; ScatterConflict::") +
            name(conflict) + " is spelled. Leave it out on a2a3");
  }
}

TEST(rule_check, sees_a_tensor_written) {
  auto adding = Mscatter::sample();
  adding.policy.op = ScatterAtomicOp::Add, adding.policy.oob = ScatterOOB::Wrap;
  Bench bench(ptox::target::cpu, std::byte{0x40});
  EXPECT_TRUE(bench.issue<Mscatter>(adding).clean());
  EXPECT_FALSE(bench.untouched());
}

}  // namespace
