// SPDX-License-Identifier: Apache-2.0
// Each rule of MGATHER rejects operands that break it and accepts similar legal ones.
#include "isa/rule_check.hpp"

namespace {

using namespace rule_check;

TEST(mgather, c1_same_dtype) {
  auto broken = Mgather::sample(), fine = broken;
  broken.table = sample_table(DType::f16, 64, 32);
  fine.table = sample_table(DType::f16, 64, 32), fine.dst = sample_tile(DType::f16, 8, 32);
  expect_rule<Mgather, Mgather::c1_same_dtype>(
      broken, everywhere, fine, "mgather C1: dst and table have one element type; dst is f32, table is f16");
}

TEST(mgather, c2_dtype) {
  const auto of_type = [](DType d) {
    auto o = Mgather::sample();
    o.dst = sample_tile(d, 8, 32), o.table = sample_table(d, 64, 32);
    return o;
  };
  expect_rule<Mgather, Mgather::c2_dtype>(of_type(DType::i64), everywhere, of_type(DType::i32),
                                          "mgather C2: the target moves elements of this type; dst is i64");
  expect_rule<Mgather, Mgather::c2_dtype>(of_type(DType::hif8), on_a2a3, of_type(DType::i8),
                                          "mgather C2: the target moves elements of this type; dst is hif8");
}

TEST(mgather, c3_index_dtype) {
  auto broken = Mgather::sample(), fine = broken;
  broken.idx = sample_tile(DType::i16, 1, 8);
  fine.idx = sample_tile(DType::u32, 1, 8);
  expect_rule<Mgather, Mgather::c3_index_dtype>(broken, everywhere, fine,
                                                "mgather C3: idx elements are i32 or u32; idx is i16");
}

TEST(mgather, c4_in_vec) {
  const auto fine = Mgather::sample();
  auto data = fine, index = fine;
  data.dst = in(TileType::Mat, fine.dst);
  index.idx = in(TileType::Mat, fine.idx);
  expect_rule<Mgather, Mgather::c4_in_vec>(data, everywhere, fine,
                                           "mgather C4: dst and idx are Vec tiles; dst is in Mat, idx is in Vec");
  expect_rule<Mgather, Mgather::c4_in_vec>(index, everywhere, fine,
                                           "mgather C4: dst and idx are Vec tiles; dst is in Vec, idx is in Mat");
}

TEST(mgather, c5_table_layout) {
  auto dn = Mgather::sample(), nz = dn;
  dn.table = dn_table(DType::f32, 64, 32);
  nz.table = sample_nz_table(DType::f32, 64, 32), nz.dst = sample_nz_tile(DType::f32, 16, 32);
  nz.idx = sample_tile(DType::i32, 1, 16);
  const std::string sentence = "mgather C5: table is ND, or NZ or DN where the target takes them; ";
  using Rule = Mgather::c5_table_layout;
  expect_rule<Mgather, Rule>(dn, on_a2a3 | on_a5, Mgather::sample(), sentence + "table is DN; a");
  expect_rule<Mgather, Rule>(nz, on_a5, Mgather::sample(), sentence + "table is NZ; a5 takes ND");
}

TEST(mgather, c6_tile_layout) {
  auto columns = Mgather::sample(), boxed = columns;
  columns.dst = sample_tile(DType::f32, 8, 32, BLayout::ColMajor);
  boxed.dst = with_valid(sample_nz_tile(DType::f32, 16, 32), 8, 32);
  const std::string sentence =
      "mgather C6: dst is NZ with an NZ table, else unboxed RowMajor, or ColMajor where taken; dst is ColMajor with ";
  expect_rule<Mgather, Mgather::c6_tile_layout>(columns, on_a2a3, Mgather::sample(),
                                                sentence + "NoneBox, fractal 512; table is ND");
  expect_rule<Mgather, Mgather::c6_tile_layout>(boxed, everywhere, Mgather::sample(),
                                                sentence + "RowMajor boxes, fractal 512; table is ND");
}

TEST(mgather, c7_nz_blocks) {
  auto fine = Mgather::sample();
  fine.table = sample_nz_table(DType::f32, 64, 32), fine.dst = sample_nz_tile(DType::f32, 16, 32);
  fine.idx = sample_tile(DType::i32, 1, 16);
  auto wide = fine, dynamic = fine, ragged = fine;
  wide.table.shape[4] = 16;
  dynamic.table.static_block = false;
  ragged.dst = sample_nz_tile(DType::f32, 24, 32), ragged.idx = sample_tile(DType::i32, 1, 24);
  const std::string sentence =
      "mgather C7: NZ: static Shape[3] = 16 and Shape[4] = C0, dst in whole 16 x C0 blocks; table has Shape[3] = 16, ";
  using Rule = Mgather::c7_nz_blocks;
  expect_rule<Mgather, Rule>(wide, on_cpu | on_a2a3, fine, sentence + "Shape[4] = 16, C0 = 8", on_a5);
  expect_rule<Mgather, Rule>(dynamic, on_cpu | on_a2a3, fine, sentence + "Shape[4] = 8, C0 = 8 (not static)", on_a5);
  expect_rule<Mgather, Rule>(ragged, on_cpu | on_a2a3, fine,
                             sentence + "Shape[4] = 8, C0 = 8; dst is ColMajor 24x32 (valid 24x32)", on_a5);
}

TEST(mgather, c8_index_unboxed) {
  auto broken = Mgather::sample();
  broken.idx = with_valid(sample_nz_tile(DType::i32, 16, 8), 1, 8);
  expect_rule<Mgather, Mgather::c8_index_unboxed>(broken, everywhere, Mgather::sample(),
                                                  "mgather C8: idx has no inner boxes; idx has RowMajor boxes");
}

TEST(mgather, c9_index_shape) {
  const auto fine = Mgather::sample(), fine_elem = Mgather::sample_elem();
  auto row = fine, elem = fine_elem, open = fine;
  row.idx.valid_cols = 7;
  elem.idx.valid_cols = 31;
  open.idx.valid_cols = 7, open.policy.coalesce = {};
  using Rule = Mgather::c9_index_shape;
  const std::string sentence = "mgather C9: idx is [1,R] or [R,1] for Row, of dst's valid shape for Elem; ";
  const std::string data = ", dst is RowMajor 8x32 (valid 8x32), idx is RowMajor ";
  expect_rule<Mgather, Rule>(row, everywhere, fine, sentence + "Coalesce::Row" + data + "1x8 (valid 1x7)");
  expect_rule<Mgather, Rule>(elem, everywhere, fine_elem, sentence + "Coalesce::Elem" + data + "8x32 (valid 8x31)");
  expect_rule<Mgather, Rule>(open, everywhere, fine, sentence + "no Coalesce" + data + "1x8 (valid 1x7)");
}

TEST(mgather, c10_index_layout) {
  const auto fine = Mgather::sample(), fine_elem = Mgather::sample_elem();
  auto standing = fine, padded = fine, column = fine, elem = fine_elem;
  standing.idx = sample_tile(DType::i32, 8, 1, BLayout::ColMajor);
  padded.idx = sample_tile(DType::i32, 8, 1);
  column.idx = one_column(DType::i32, 8);
  elem.idx = sample_tile(DType::i32, 8, 32, BLayout::ColMajor);
  using Rule = Mgather::c10_index_layout;
  const std::string sentence =
      "mgather C10: idx is RowMajor of whole 32-byte rows, for Row Tile<TileType::Vec, int32_t, 1, R>; where taken "
      "also [R,1] ColMajor or one padded column; idx is ";
  const std::string works = "Use Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 8>";
  expect_rule<Mgather, Rule>(standing, on_a2a3, fine, sentence + "ColMajor 8x1 (valid 8x1). " + works);
  expect_rule<Mgather, Rule>(padded, on_a2a3 | on_a5, fine, sentence + "RowMajor 8x8 (valid 8x1). " + works);
  expect_rule<Mgather, Rule>(column, on_a2a3, fine, sentence + "RowMajor 8x1 (valid 8x1). " + works);
  expect_rule<Mgather, Rule>(elem, on_a2a3, fine_elem,
                             sentence + "ColMajor 8x32 (valid 8x32). Use a RowMajor idx of whole 32-byte rows");
}

TEST(mgather, c11_valid) {
  const auto fine = Mgather::sample();
  auto none = fine, over = fine;
  none.dst = with_valid(fine.dst, 8, 0);
  over.idx = with_valid(fine.idx, 1, 9), over.dst = with_valid(sample_tile(DType::f32, 9, 32), 9, 32);
  const std::string sentence = "mgather C11: valid extents are at least 1 and at most the padded ones; ";
  expect_rule<Mgather, Mgather::c11_valid>(none, everywhere, fine, sentence + "dst is RowMajor 8x32 (valid 8x0)");
  expect_rule<Mgather, Mgather::c11_valid>(over, everywhere, fine, sentence + "idx is RowMajor 1x8 (valid 1x9)");
}

TEST(mgather, c12_table_width) {
  auto narrow = Mgather::sample(), wide = narrow;
  narrow.table = sample_table(DType::f32, 64, 31);
  wide.table = sample_table(DType::f32, 64, 40);
  const std::string sentence =
      "mgather C12: Row: a table row holds dst's valid columns, exactly those where rows are packed; "
      "dst has 32 valid columns, table rows have ";
  expect_rule<Mgather, Mgather::c12_table_width>(narrow, everywhere, Mgather::sample(), sentence + "31");
  expect_rule<Mgather, Mgather::c12_table_width>(wide, on_a5, Mgather::sample(), sentence + "40");
}

TEST(mgather, c13_packed_rows) {
  auto broken = Mgather::sample();
  broken.table.stride[3] = 40;
  expect_rule<Mgather, Mgather::c13_packed_rows>(
      broken, on_a5, Mgather::sample(),
      "mgather C13: Row: Stride[3] is dst's valid columns where the target ignores strides; "
      "table has Stride[3] = 40, dst has 32 valid columns");
}

TEST(mgather, c14_aligned) {
  auto broken = Mgather::sample(), fine = broken;
  broken.table = fine.table = sample_table(DType::f32, 64, 1);
  broken.dst = one_column(DType::f32, 8);
  fine.dst = sample_tile(DType::f32, 8, 1);
  expect_rule<Mgather, Mgather::c14_aligned>(
      broken, on_a2a3, fine,
      "mgather C14: rows of dst take whole 32-byte blocks where the target checks it; "
      "dst has rows of 4 bytes. Pad it to 8 columns, 1 of them valid");
}

TEST(mgather, c15_table_size) {
  auto negative = Mgather::sample(), huge = negative, empty = negative;
  negative.table.shape[3] = -1;
  huge.table.shape[3] = std::int64_t{1} << 60;
  empty.table.shape[3] = 0;
  const std::string sentence =
      "mgather C15: table extents are not negative and its bytes count in 63 bits; table has Shape<1,1,1,";
  expect_rule<Mgather, Mgather::c15_table_size>(negative, everywhere, empty,
                                                sentence + "-1,32>, Stride<2048,2048,2048,32,1>");
  expect_rule<Mgather, Mgather::c15_table_size>(huge, everywhere, empty,
                                                sentence + "1152921504606846976,32>, Stride<2048,2048,2048,32,1>");
}

}  // namespace
