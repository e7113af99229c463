// SPDX-License-Identifier: Apache-2.0
// Each rule of the instructions between tiles rejects operands that break it and accepts similar legal ones.
#include "isa/rule_check.hpp"

namespace {

using namespace rule_check;

const std::string one_type = "dst and src have one element type; dst is ";
const std::string valid_sentence = "valid extents are at least 1 and at most the padded ones; ";
const std::string dtype_sentence = "the target moves elements of this type; dst is ";

constexpr TileDesc tile = sample_tile(DType::f32, 8, 32);
constexpr TileDesc narrow_tile = sample_tile(DType::f32, 8, 16);
constexpr TileDesc index_tile = sample_tile(DType::i32, 8, 32);

// TGATHER

Tgather::Operands gather(const TileDesc& dst, const TileDesc& src, const TileDesc& idx) { return {dst, src, idx, {}}; }
Tgather::Operands gather_of(DType d) { return gather(sample_tile(d, 8, 32), sample_tile(d, 8, 32), index_tile); }

TEST(tgather, c1_same_dtype) {
  expect_rule<Tgather, Tgather::c1_same_dtype>(gather(tile, sample_tile(DType::i32, 8, 32), index_tile), everywhere,
                                               gather_of(DType::i32), "tgather C1: " + one_type + "f32, src is i32");
}

TEST(tgather, c2_dtype) {
  using Rule = Tgather::c2_dtype;
  const std::string sentence = "tgather C2: " + dtype_sentence;
  expect_rule<Tgather, Rule>(gather_of(DType::u64), everywhere, gather_of(DType::u32), sentence + "u64");
  expect_rule<Tgather, Rule>(gather_of(DType::e5m2), on_a2a3, gather_of(DType::u8), sentence + "f8e5m2");
}

TEST(tgather, c3_index_dtype) {
  expect_rule<Tgather, Tgather::c3_index_dtype>(gather(tile, tile, sample_tile(DType::u16, 8, 32)), everywhere,
                                                gather(tile, tile, sample_tile(DType::u32, 8, 32)),
                                                "tgather C3: idx elements are i32 or u32; idx is u16");
}

TEST(tgather, c4_in_vec) {
  const std::string sentence = "tgather C4: dst, src and idx are Vec tiles; ";
  using Rule = Tgather::c4_in_vec;
  expect_rule<Tgather, Rule>(gather(tile, in(TileType::Mat, tile), index_tile), everywhere, gather_of(DType::f32),
                             sentence + "dst is in Vec, src is in Mat, idx is in Vec");
  expect_rule<Tgather, Rule>(gather(tile, tile, in(TileType::Mat, index_tile)), everywhere, gather_of(DType::f32),
                             sentence + "dst is in Vec, src is in Vec, idx is in Mat");
}

TEST(tgather, c5_valid) {
  const std::string sentence = "tgather C5: " + valid_sentence;
  expect_rule<Tgather, Tgather::c5_valid>(gather(tile, with_valid(tile, 8, 0), index_tile), everywhere,
                                          gather(tile, with_valid(tile, 8, 1), index_tile),
                                          sentence + "src is RowMajor 8x32 (valid 8x0)");
  expect_rule<Tgather, Tgather::c5_valid>(
      gather(with_valid(tile, 9, 32), tile, with_valid(index_tile, 9, 32)), everywhere, gather_of(DType::f32),
      sentence + "dst is RowMajor 8x32 (valid 9x32), idx is RowMajor 8x32 (valid 9x32)");
}

TEST(tgather, c6_same_valid) {
  expect_rule<Tgather, Tgather::c6_same_valid>(gather(tile, tile, with_valid(index_tile, 8, 31)), everywhere,
                                               gather(with_valid(tile, 8, 31), tile, with_valid(index_tile, 8, 31)),
                                               "tgather C6: dst and idx have one valid shape; "
                                               "dst is RowMajor 8x32 (valid 8x32), idx is RowMajor 8x32 (valid 8x31)");
}

// TGATHER by mask

TgatherMask::Operands gather_mask(const TileDesc& dst, const TileDesc& src, MaskPattern mask = MaskPattern::P0101) {
  return {dst, src, mask};
}

TEST(tgather_mask, c1_same_dtype) {
  expect_rule<TgatherMask, TgatherMask::c1_same_dtype>(gather_mask(sample_tile(DType::i32, 8, 16), tile), everywhere,
                                                       gather_mask(narrow_tile, tile),
                                                       "tgather.mask C1: " + one_type + "i32, src is f32");
}

TEST(tgather_mask, c2_in_vec) {
  expect_rule<TgatherMask, TgatherMask::c2_in_vec>(
      gather_mask(in(TileType::Mat, narrow_tile), tile), everywhere, gather_mask(narrow_tile, tile),
      "tgather.mask C2: dst and src are Vec tiles; dst is in Mat, src is in Vec");
}

TEST(tgather_mask, c3_valid) {
  expect_rule<TgatherMask, TgatherMask::c3_valid>(
      gather_mask(with_valid(narrow_tile, 0, 16), with_valid(tile, 0, 32)), everywhere,
      gather_mask(with_valid(narrow_tile, 1, 16), with_valid(tile, 1, 32)),
      "tgather.mask C3: " + valid_sentence + "dst is RowMajor 8x16 (valid 0x16), src is RowMajor 8x32 (valid 0x32)");
}

TEST(tgather_mask, c4_mask) {
  const std::string sentence =
      "tgather.mask C4: dst has src's valid rows and as many valid columns as the mask keeps; "
      "src is RowMajor 8x32 (valid 8x32), dst is RowMajor 8x16 (valid 8x16) and should have ";
  using Rule = TgatherMask::c4_mask;
  expect_rule<TgatherMask, Rule>(gather_mask(narrow_tile, tile, MaskPattern::P0001), everywhere,
                                 gather_mask(narrow_tile, tile, MaskPattern::P1010), sentence + "8x8 valid");
  expect_rule<TgatherMask, Rule>(gather_mask(narrow_tile, tile, MaskPattern::P1111), everywhere,
                                 gather_mask(tile, tile, MaskPattern::P1111), sentence + "8x32 valid");
}

// TGATHERB

Tgatherb::Operands blocks(const TileDesc& dst, const TileDesc& src, const TileDesc& offset) {
  return {dst, src, offset, {}};
}
constexpr TileDesc offsets = with_valid(sample_tile(DType::u32, 8, 8), 8, 4);
Tgatherb::Operands fine_blocks() { return blocks(tile, tile, offsets); }

TEST(tgatherb, c1_same_dtype) {
  expect_rule<Tgatherb, Tgatherb::c1_same_dtype>(blocks(tile, sample_tile(DType::f16, 8, 32), offsets), everywhere,
                                                 fine_blocks(), "tgatherb C1: " + one_type + "f32, src is f16");
}

TEST(tgatherb, c2_offset_dtype) {
  expect_rule<Tgatherb, Tgatherb::c2_offset_dtype>(blocks(tile, tile, with_valid(sample_tile(DType::f32, 8, 8), 8, 4)),
                                                   everywhere, fine_blocks(),
                                                   "tgatherb C2: offset elements are i32 or u32; offset is f32");
}

TEST(tgatherb, c3_in_vec) {
  expect_rule<Tgatherb, Tgatherb::c3_in_vec>(
      blocks(tile, tile, in(TileType::Mat, offsets)), everywhere, fine_blocks(),
      "tgatherb C3: dst, src and offset are Vec tiles; dst is in Vec, src is in Vec, offset is in Mat");
}

TEST(tgatherb, c4_row_major) {
  const TileDesc columns = sample_tile(DType::f32, 8, 32, BLayout::ColMajor), column = one_column(DType::f32, 8);
  const std::string sentence =
      "tgatherb C4: dst, src and offset are RowMajor without boxes, dst and src in 32-byte rows; dst is ";
  using Rule = Tgatherb::c4_row_major;
  expect_rule<Tgatherb, Rule>(blocks(columns, tile, offsets), everywhere, fine_blocks(), sentence + "ColMajor 8x32");
  expect_rule<Tgatherb, Rule>(blocks(tile, column, offsets), everywhere, fine_blocks(),
                              sentence + "RowMajor 8x32 (valid 8x32), src is RowMajor 8x1");
}

TEST(tgatherb, c5_valid) {
  expect_rule<Tgatherb, Tgatherb::c5_valid>(
      blocks(with_valid(tile, 0, 32), tile, with_valid(offsets, 0, 4)), everywhere,
      blocks(with_valid(tile, 1, 32), tile, with_valid(offsets, 1, 4)),
      "tgatherb C5: " + valid_sentence + "dst is RowMajor 8x32 (valid 0x32), offset is RowMajor 8x8 (valid 0x4)");
}

TEST(tgatherb, c6_offset_shape) {
  expect_rule<Tgatherb, Tgatherb::c6_offset_shape>(
      blocks(tile, tile, with_valid(offsets, 8, 3)), everywhere,
      blocks(with_valid(tile, 8, 17), tile, with_valid(offsets, 8, 3)),
      "tgatherb C6: offset has one element for each 32-byte block of dst's valid rows; "
      "dst is RowMajor 8x32 (valid 8x32) of 4 blocks a row, offset is RowMajor 8x8 (valid 8x3)");
}

// TSCATTER

Tscatter::Operands scatter(const TileDesc& dst, const TileDesc& src, const TileDesc& idx) {
  return {dst, src, idx, {}};
}
Tscatter::Operands scatter_of(DType d) { return scatter(sample_tile(d, 8, 32), sample_tile(d, 8, 32), index_tile); }

TEST(tscatter, c1_same_dtype) {
  expect_rule<Tscatter, Tscatter::c1_same_dtype>(scatter(sample_tile(DType::u8, 8, 32), tile, index_tile), everywhere,
                                                 scatter_of(DType::u8), "tscatter C1: " + one_type + "u8, src is f32");
}

TEST(tscatter, c2_dtype) {
  using Rule = Tscatter::c2_dtype;
  const std::string sentence = "tscatter C2: " + dtype_sentence;
  expect_rule<Tscatter, Rule>(scatter_of(DType::i64), everywhere, scatter_of(DType::i16), sentence + "i64");
  expect_rule<Tscatter, Rule>(scatter_of(DType::e4m3), on_a2a3, scatter_of(DType::bf16), sentence + "f8e4m3");
}

TEST(tscatter, c3_index_dtype) {
  expect_rule<Tscatter, Tscatter::c3_index_dtype>(scatter(tile, tile, sample_tile(DType::i64, 8, 32)), everywhere,
                                                  scatter_of(DType::f32),
                                                  "tscatter C3: idx elements are i32 or u32; idx is i64");
}

TEST(tscatter, c4_in_vec) {
  expect_rule<Tscatter, Tscatter::c4_in_vec>(
      scatter(in(TileType::Acc, tile), tile, index_tile), everywhere, scatter_of(DType::f32),
      "tscatter C4: dst, src and idx are Vec tiles; dst is in Acc, src is in Vec, idx is in Vec");
}

TEST(tscatter, c5_valid) {
  expect_rule<Tscatter, Tscatter::c5_valid>(scatter(with_valid(tile, 8, 33), tile, index_tile), everywhere,
                                            scatter(with_valid(tile, 1, 1), tile, index_tile),
                                            "tscatter C5: " + valid_sentence + "dst is RowMajor 8x32 (valid 8x33)");
}

TEST(tscatter, c6_same_valid) {
  expect_rule<Tscatter, Tscatter::c6_same_valid>(
      scatter(tile, with_valid(tile, 7, 32), index_tile), everywhere,
      scatter(tile, with_valid(tile, 7, 32), with_valid(index_tile, 7, 32)),
      "tscatter C6: src and idx have one valid shape; "
      "src is RowMajor 8x32 (valid 7x32), idx is RowMajor 8x32 (valid 8x32)");
}

// TSCATTER by mask

TscatterMask::Operands scatter_mask(const TileDesc& dst, const TileDesc& src, MaskPattern mask = MaskPattern::P1010) {
  return {dst, src, mask};
}

TEST(tscatter_mask, c1_same_dtype) {
  expect_rule<TscatterMask, TscatterMask::c1_same_dtype>(scatter_mask(tile, sample_tile(DType::u32, 8, 16)), everywhere,
                                                         scatter_mask(tile, narrow_tile),
                                                         "tscatter.mask C1: " + one_type + "f32, src is u32");
}

TEST(tscatter_mask, c2_in_vec) {
  expect_rule<TscatterMask, TscatterMask::c2_in_vec>(
      scatter_mask(tile, in(TileType::Mat, narrow_tile)), everywhere, scatter_mask(tile, narrow_tile),
      "tscatter.mask C2: dst and src are Vec tiles; dst is in Vec, src is in Mat");
}

TEST(tscatter_mask, c3_valid) {
  expect_rule<TscatterMask, TscatterMask::c3_valid>(
      scatter_mask(with_valid(tile, 9, 32), with_valid(narrow_tile, 9, 16)), everywhere,
      scatter_mask(tile, narrow_tile),
      "tscatter.mask C3: " + valid_sentence + "dst is RowMajor 8x32 (valid 9x32), src is RowMajor 8x16 (valid 9x16)");
}

TEST(tscatter_mask, c4_mask) {
  expect_rule<TscatterMask, TscatterMask::c4_mask>(
      scatter_mask(with_valid(tile, 8, 31), narrow_tile), everywhere,
      scatter_mask(with_valid(tile, 8, 31), narrow_tile, MaskPattern::P0101),
      "tscatter.mask C4: src has dst's valid rows and as many valid columns as the mask keeps; "
      "dst is RowMajor 8x32 (valid 8x31), src is RowMajor 8x16 (valid 8x16) and should have 8x15 valid");
}

// TMOV

Tmov::Operands mov(const TileDesc& dst, const TileDesc& src) { return {dst, src, {}}; }

TEST(tmov, c1_same_dtype) {
  expect_rule<Tmov, Tmov::c1_same_dtype>(mov(tile, index_tile), everywhere, mov(index_tile, index_tile),
                                         "tmov C1: " + one_type + "f32, src is i32");
}

TEST(tmov, c2_locations) {
  const std::string sentence = "tmov C2: dst and src are Vec tiles; on cpu src may be a Mat tile; ";
  expect_rule<Tmov, Tmov::c2_locations>(mov(in(TileType::Mat, tile), tile), everywhere, mov(tile, tile),
                                        sentence + "dst is in Mat, src is in Vec");
  expect_rule<Tmov, Tmov::c2_locations>(mov(tile, in(TileType::Mat, tile)), on_a2a3 | on_a5, mov(tile, tile),
                                        sentence + "dst is in Vec, src is in Mat");
}

TEST(tmov, c3_valid) {
  expect_rule<Tmov, Tmov::c3_valid>(
      mov(with_valid(tile, 8, 0), with_valid(tile, 8, 0)), everywhere,
      mov(with_valid(tile, 8, 1), with_valid(tile, 8, 1)),
      "tmov C3: " + valid_sentence + "dst is RowMajor 8x32 (valid 8x0), src is RowMajor 8x32 (valid 8x0)");
}

TEST(tmov, c4_same_valid) {
  expect_rule<Tmov, Tmov::c4_same_valid>(mov(tile, with_valid(tile, 8, 31)), everywhere,
                                         mov(with_valid(tile, 8, 31), with_valid(tile, 8, 31)),
                                         "tmov C4: dst and src have one valid shape unless src is a Mat tile; "
                                         "dst is RowMajor 8x32 (valid 8x32), src is RowMajor 8x32 (valid 8x31)");
}

// TEXPANDS

TEST(texpands, c1_in_vec) {
  expect_rule<Texpands, Texpands::c1_in_vec>({in(TileType::Mat, tile), {}}, everywhere, {tile, {}},
                                             "texpands C1: dst is a Vec tile; dst is in Mat");
}

TEST(texpands, c2_valid) {
  const std::string sentence = "texpands C2: " + valid_sentence;
  expect_rule<Texpands, Texpands::c2_valid>({with_valid(tile, 0, 32), {}}, everywhere, {with_valid(tile, 1, 1), {}},
                                            sentence + "dst is RowMajor 8x32 (valid 0x32)");
  expect_rule<Texpands, Texpands::c2_valid>({with_valid(tile, 8, 33), {}}, everywhere, {tile, {}},
                                            sentence + "dst is RowMajor 8x32 (valid 8x33)");
}

TEST(rule_check, sees_a_tile_written) {
  Bench bench(ptox::target::cpu, std::byte{0x5a});
  EXPECT_TRUE(bench.issue<Texpands>({tile, {.bits = 1}}).clean());
  EXPECT_FALSE(bench.untouched());
}

}  // namespace
