// SPDX-License-Identifier: Apache-2.0
// Each rule of TLOAD, TSTORE, TPREFETCH and MGATHER to Mat rejects operands that break it and accepts similar legal
// ones.
#include "isa/rule_check.hpp"

namespace {

using namespace rule_check;

constexpr std::int64_t huge_extent = std::int64_t{1} << 60;
const std::string valid_sentence = "valid extents are at least 1 and at most the padded ones; ";
const std::string size_sentence = " extents are not negative and its bytes count in 63 bits; ";

constexpr TileDesc tile = sample_tile(DType::f32, 16, 32);
constexpr TileDesc col_major_tile = sample_tile(DType::f32, 16, 32, BLayout::ColMajor);
constexpr TileDesc nz_tile = sample_nz_tile(DType::f32, 16, 32);
constexpr TileDesc column = one_column(DType::f32, 16);
constexpr TensorDesc tensor = sample_table(DType::f32, 16, 32);
constexpr TensorDesc nz_tensor_desc = sample_nz_table(DType::f32, 16, 32);

// TLOAD

Tload::Operands load(const TileDesc& dst, const TensorDesc& src) { return {dst, src, {}}; }

TEST(tload, c1_same_dtype) {
  expect_rule<Tload, Tload::c1_same_dtype>(load(tile, sample_table(DType::f16, 16, 32)), everywhere,
                                           load(sample_tile(DType::f16, 16, 32), sample_table(DType::f16, 16, 32)),
                                           "tload C1: dst and src have one element type; dst is f32, src is f16");
}

TEST(tload, c2_location) {
  expect_rule<Tload, Tload::c2_location>(load(in(TileType::Left, tile), tensor), everywhere,
                                         load(in(TileType::Mat, tile), tensor),
                                         "tload C2: dst is a Vec or Mat tile; dst is in Left");
}

TEST(tload, c3_layout) {
  using Rule = Tload::c3_layout;
  const std::string sentence =
      "tload C3: dst is laid out as the target loads src: ND RowMajor, DN ColMajor, NZ NZ, in L1 also ND NZ; dst is ";
  const TensorDesc dn = dn_table(DType::f32, 16, 32);
  expect_rule<Tload, Rule>(load(col_major_tile, tensor), on_a2a3 | on_a5, load(col_major_tile, dn),
                           sentence + "ColMajor with NoneBox; src is ND");
  expect_rule<Tload, Rule>(load(tile, dn), on_a2a3 | on_a5, load(tile, tensor),
                           sentence + "RowMajor with NoneBox; src is DN");
  expect_rule<Tload, Rule>(load(nz_tile, tensor), on_a2a3 | on_a5, load(in(TileType::Mat, nz_tile), tensor),
                           sentence + "ColMajor with RowMajor boxes; src is ND");
  expect_rule<Tload, Rule>(load(tile, nz_tensor_desc), on_a2a3 | on_a5, load(nz_tile, nz_tensor_desc),
                           sentence + "RowMajor with NoneBox; src is NZ");
}

TEST(tload, c4_valid) {
  const std::string sentence = "tload C4: " + valid_sentence;
  expect_rule<Tload, Tload::c4_valid>(load(with_valid(tile, 0, 32), tensor), everywhere,
                                      load(with_valid(tile, 1, 32), tensor),
                                      sentence + "dst is RowMajor 16x32 (valid 0x32)");
  expect_rule<Tload, Tload::c4_valid>(load(with_valid(tile, 16, 33), tensor), everywhere, load(tile, tensor),
                                      sentence + "dst is RowMajor 16x32 (valid 16x33)");
}

TEST(tload, c5_size) {
  const std::string sentence = "tload C5: src" + size_sentence + "src has Shape<1,1,1,";
  expect_rule<Tload, Tload::c5_size>(load(tile, with_extent(tensor, 3, -16)), everywhere, load(tile, tensor),
                                     sentence + "-16,32>");
  expect_rule<Tload, Tload::c5_size>(load(tile, with_extent(tensor, 3, huge_extent)), everywhere, load(tile, tensor),
                                     sentence + "1152921504606846976,32>, Stride<512,512,512,32,1>");
}

TEST(tload, c6_region) {
  const std::string sentence = "tload C6: src holds dst's valid region; dst is RowMajor 16x32 (valid 16x32), src has ";
  expect_rule<Tload, Tload::c6_region>(load(tile, with_extent(tensor, 3, 15)), everywhere,
                                       load(with_valid(tile, 15, 32), with_extent(tensor, 3, 15)),
                                       sentence + "15 rows of 32");
  expect_rule<Tload, Tload::c6_region>(load(tile, with_extent(tensor, 4, 31)), everywhere,
                                       load(with_valid(tile, 16, 31), with_extent(tensor, 4, 31)),
                                       sentence + "16 rows of 31");
}

TEST(tload, c7_one_burst) {
  expect_rule<Tload, Tload::c7_one_burst>(load(column, tensor), everywhere,
                                          load(column, sample_table(DType::f32, 16, 1)),
                                          "tload C7: a dst of one padded column loads from contiguous memory; "
                                          "dst is RowMajor 16x1 (valid 16x1), rows of src are 32 elements apart");
}

TEST(tload, c8_nz_tensor) {
  expect_rule<Tload, Tload::c8_nz_tensor>(
      load(nz_tile, with_extent(nz_tensor_desc, 4, 16)), everywhere, load(nz_tile, nz_tensor_desc),
      "tload C8: NZ: Shape[3] = 16 and Shape[4] = C0; src has Shape[3] = 16, Shape[4] = 16, C0 = 8");
}

// TSTORE

Tstore::Operands store(const TileDesc& src, const TensorDesc& dst, AtomicType atomic = AtomicType::AtomicNone) {
  return {dst, src, {atomic}};
}

TEST(tstore, c1_same_dtype) {
  expect_rule<Tstore, Tstore::c1_same_dtype>(store(tile, sample_table(DType::i32, 16, 32)), everywhere,
                                             store(tile, tensor),
                                             "tstore C1: dst and src have one element type; dst is i32, src is f32");
}

TEST(tstore, c2_location) {
  expect_rule<Tstore, Tstore::c2_location>(store(in(TileType::Bias, tile), tensor), everywhere,
                                           store(in(TileType::Mat, tile), tensor),
                                           "tstore C2: src is a Vec or Mat tile; src is in Bias");
}

TEST(tstore, c3_layout) {
  const TensorDesc dn = dn_table(DType::f32, 16, 32);
  const std::string sentence =
      "tstore C3: src is laid out as the target stores dst: ND RowMajor, DN ColMajor, NZ NZ, in L1 also ND NZ; src is ";
  expect_rule<Tstore, Tstore::c3_layout>(store(col_major_tile, tensor), on_a2a3 | on_a5, store(col_major_tile, dn),
                                         sentence + "ColMajor with NoneBox; dst is ND");
  expect_rule<Tstore, Tstore::c3_layout>(store(nz_tile, tensor), on_a2a3 | on_a5, store(nz_tile, nz_tensor_desc),
                                         sentence + "ColMajor with RowMajor boxes; dst is ND");
}

TEST(tstore, c4_valid) {
  const std::string sentence = "tstore C4: " + valid_sentence;
  expect_rule<Tstore, Tstore::c4_valid>(store(with_valid(tile, 16, 0), tensor), everywhere,
                                        store(with_valid(tile, 16, 1), tensor),
                                        sentence + "src is RowMajor 16x32 (valid 16x0)");
  expect_rule<Tstore, Tstore::c4_valid>(store(with_valid(tile, 17, 32), tensor), everywhere, store(tile, tensor),
                                        sentence + "src is RowMajor 16x32 (valid 17x32)");
}

TEST(tstore, c5_size) {
  const std::string sentence = "tstore C5: dst" + size_sentence + "dst has Shape<";
  expect_rule<Tstore, Tstore::c5_size>(store(tile, with_extent(tensor, 0, -1)), everywhere, store(tile, tensor),
                                       sentence + "-1,1,1,16,32>");
  expect_rule<Tstore, Tstore::c5_size>(store(tile, with_extent(tensor, 0, huge_extent)), everywhere,
                                       store(tile, tensor), sentence + "1152921504606846976,1,1,16,32>");
}

TEST(tstore, c6_region) {
  expect_rule<Tstore, Tstore::c6_region>(
      store(tile, with_extent(tensor, 4, 31)), everywhere, store(with_valid(tile, 16, 31), with_extent(tensor, 4, 31)),
      "tstore C6: dst holds src's valid region; src is RowMajor 16x32 (valid 16x32), dst has 16 rows of 31");
}

TEST(tstore, c7_one_burst) {
  expect_rule<Tstore, Tstore::c7_one_burst>(store(column, tensor), everywhere,
                                            store(column, sample_table(DType::f32, 16, 1)),
                                            "tstore C7: a src of one padded column stores to contiguous memory; "
                                            "src is RowMajor 16x1 (valid 16x1), rows of dst are 32 elements apart");
}

TEST(tstore, c8_nz_tensor) {
  expect_rule<Tstore, Tstore::c8_nz_tensor>(
      store(nz_tile, with_extent(nz_tensor_desc, 3, 8)), everywhere, store(nz_tile, nz_tensor_desc),
      "tstore C8: NZ: Shape[3] = 16 and Shape[4] = C0; dst has Shape[3] = 8, Shape[4] = 8, C0 = 8");
}

TEST(tstore, c9_atomic_dtype) {
  const auto adding = [](DType d) {
    return store(sample_tile(d, 16, 32), sample_table(d, 16, 32), AtomicType::AtomicAdd);
  };
  const auto plain = [](DType d) { return store(sample_tile(d, 16, 32), sample_table(d, 16, 32)); };
  const std::string sentence = "tstore C9: the target's store adds elements of this type; AtomicAdd on ";
  expect_rule<Tstore, Tstore::c9_atomic_dtype>(adding(DType::u8), on_a2a3 | on_a5, plain(DType::u8),
                                               sentence + "u8; a");
  expect_rule<Tstore, Tstore::c9_atomic_dtype>(adding(DType::f64), everywhere, adding(DType::f32), sentence + "f64; ");
}

// TPREFETCH

Tprefetch::Operands prefetch(const TileDesc& dst, const TensorDesc& src) { return {dst, src, {}}; }

TEST(tprefetch, c1_same_dtype) {
  expect_rule<Tprefetch, Tprefetch::c1_same_dtype>(
      prefetch(tile, sample_table(DType::bf16, 16, 32)), everywhere, prefetch(tile, tensor),
      "tprefetch C1: dst and src have one element type; dst is f32, src is bf16");
}

TEST(tprefetch, c2_valid) {
  expect_rule<Tprefetch, Tprefetch::c2_valid>(prefetch(with_valid(tile, 0, 32), tensor), everywhere,
                                              prefetch(with_valid(tile, 1, 32), tensor),
                                              "tprefetch C2: " + valid_sentence + "dst is RowMajor 16x32 (valid 0x32)");
}

TEST(tprefetch, c3_size) {
  expect_rule<Tprefetch, Tprefetch::c3_size>(prefetch(tile, with_extent(tensor, 2, -3)), everywhere,
                                             prefetch(tile, tensor),
                                             "tprefetch C3: src" + size_sentence + "src has Shape<1,1,-3,16,32>");
}

TEST(tprefetch, c4_region) {
  expect_rule<Tprefetch, Tprefetch::c4_region>(
      prefetch(tile, with_extent(tensor, 3, 15)), everywhere,
      prefetch(with_valid(tile, 15, 32), with_extent(tensor, 3, 15)),
      "tprefetch C4: src holds dst's valid region; dst is RowMajor 16x32 (valid 16x32), src has 15 rows of 32");
}

// MGATHER to Mat

MgatherMat::Operands mat_row() { return MgatherMat::sample(DType::f32); }
MgatherMat::Operands mat_elem() {
  auto o = mat_row();
  o.policy.coalesce.mode = Coalesce::Elem, o.idx = sample_table(DType::i32, 16, 32);
  return o;
}

TEST(mgather_mat, c1_same_dtype) {
  auto table = mat_row(), scratch = mat_elem();
  table.table = sample_table(DType::f16, 64, 32);
  scratch.scratch = sample_table(DType::f16, 16, 32);
  const std::string sentence = "mgather.mat C1: dst, table and scratch have one element type; dst is f32, table is ";
  using Rule = MgatherMat::c1_same_dtype;
  expect_rule<MgatherMat, Rule>(table, everywhere, mat_row(), sentence + "f16, scratch is f32");
  expect_rule<MgatherMat, Rule>(scratch, everywhere, mat_elem(), sentence + "f32, scratch is f16");
}

TEST(mgather_mat, c2_dtype) {
  const std::string sentence = "mgather.mat C2: the target moves elements of this type; dst is ";
  using Rule = MgatherMat::c2_dtype;
  expect_rule<MgatherMat, Rule>(MgatherMat::sample(DType::f64), everywhere, mat_row(), sentence + "f64");
  expect_rule<MgatherMat, Rule>(MgatherMat::sample(DType::e4m3), on_a2a3, mat_row(), sentence + "f8e4m3");
}

TEST(mgather_mat, c3_index_dtype) {
  auto broken = mat_row(), fine = broken;
  broken.idx = sample_table(DType::i64, 1, 16);
  fine.idx = sample_table(DType::u32, 1, 16);
  expect_rule<MgatherMat, MgatherMat::c3_index_dtype>(broken, everywhere, fine,
                                                      "mgather.mat C3: idx elements are i32 or u32; idx is i64");
}

TEST(mgather_mat, c4_in_mat) {
  auto broken = mat_row();
  broken.dst = in(TileType::Vec, broken.dst);
  expect_rule<MgatherMat, MgatherMat::c4_in_mat>(broken, everywhere, mat_row(),
                                                 "mgather.mat C4: dst is a Mat tile; dst is in Vec");
}

TEST(mgather_mat, c5_nz_tile) {
  auto broken = mat_row();
  broken.dst = in(TileType::Mat, tile);
  expect_rule<MgatherMat, MgatherMat::c5_nz_tile>(
      broken, everywhere, mat_row(),
      "mgather.mat C5: dst is NZ: ColMajor, RowMajor boxes, fractal 512; dst is RowMajor with NoneBox, fractal 512");
}

TEST(mgather_mat, c6_table_layout) {
  auto dn = mat_row(), nz = dn;
  dn.table = dn_table(DType::f32, 64, 32);
  nz.table = sample_nz_table(DType::f32, 64, 32);
  const std::string sentence = "mgather.mat C6: table is ND, or NZ or DN where the target takes them; table is ";
  expect_rule<MgatherMat, MgatherMat::c6_table_layout>(dn, on_a2a3 | on_a5, mat_row(), sentence + "DN; a");
  expect_rule<MgatherMat, MgatherMat::c6_table_layout>(nz, on_a5, mat_row(), sentence + "NZ; a5 takes ND");
}

TEST(mgather_mat, c7_valid) {
  auto broken = mat_row(), fine = broken;
  broken.dst.valid_rows = 0;
  fine.dst.valid_rows = 1, fine.idx = sample_table(DType::i32, 1, 1);
  expect_rule<MgatherMat, MgatherMat::c7_valid>(
      broken, everywhere, fine, "mgather.mat C7: " + valid_sentence + "dst is ColMajor 16x32 (valid 0x32)");
}

TEST(mgather_mat, c8_index_shape) {
  auto row = mat_row(), elem = mat_elem(), standing = row;
  row.idx = sample_table(DType::i32, 1, 15);
  elem.idx = sample_table(DType::i32, 16, 31);
  standing.idx = sample_table(DType::i32, 16, 1);
  const std::string sentence =
      "mgather.mat C8: idx is [1,R] or [R,1] for Row, of dst's valid shape for Elem; Coalesce::";
  const std::string dst = ", dst is ColMajor 16x32 (valid 16x32), idx is ";
  using Rule = MgatherMat::c8_index_shape;
  expect_rule<MgatherMat, Rule>(row, everywhere, standing, sentence + "Row" + dst + "1x15");
  expect_rule<MgatherMat, Rule>(elem, everywhere, mat_elem(), sentence + "Elem" + dst + "16x31");
}

TEST(mgather_mat, c9_table_width) {
  auto narrow = mat_row(), wide = narrow;
  narrow.table = sample_table(DType::f32, 64, 31);
  wide.table = sample_table(DType::f32, 64, 40);
  const std::string sentence =
      "mgather.mat C9: Row: a table row holds dst's valid columns, exactly those where rows are packed; "
      "dst has 32 valid columns, table rows have ";
  using Rule = MgatherMat::c9_table_width;
  expect_rule<MgatherMat, Rule>(narrow, everywhere, mat_row(), sentence + "31");
  expect_rule<MgatherMat, Rule>(wide, on_a5, mat_row(), sentence + "40");
}

TEST(mgather_mat, c16_packed_rows) {
  auto strided = mat_row();
  strided.table.stride[3] = 40;
  expect_rule<MgatherMat, MgatherMat::c16_packed_rows>(strided, on_a5, mat_row(),
                                                       "mgather.mat C16: Row: Stride[3] is dst's valid columns where "
                                                       "the target ignores strides; table has Stride[3] = 40, "
                                                       "dst has 32 valid columns");
}

TEST(mgather_mat, c15_scratch_size) {
  auto broken = mat_elem();
  broken.scratch.shape[0] = -1;
  expect_rule<MgatherMat, MgatherMat::c15_scratch_size>(
      broken, everywhere, mat_elem(), "mgather.mat C15: scratch" + size_sentence + "scratch has Shape<-1,1,1,16,32>");
}

TEST(mgather_mat, c10_scratch) {
  auto broken = mat_elem(), row = mat_row();
  broken.scratch = row.scratch = sample_table(DType::f32, 1, 511);
  expect_rule<MgatherMat, MgatherMat::c10_scratch>(
      broken, everywhere, mat_elem(),
      "mgather.mat C10: Elem: scratch holds at least as many elements as dst; scratch has 511 elements, dst 512");
  EXPECT_EQ(legal_on<MgatherMat>(row), everywhere);
}

TEST(mgather_mat, c11_exec) {
  for (GatherExec exec : {GatherExec::Scalar, GatherExec::Simt}) {
    auto broken = mat_row();
    broken.policy.exec = exec, broken.policy.exec_spelled = true;
    expect_rule<MgatherMat, MgatherMat::c11_exec>(
        broken, on_a2a3, mat_row(),
        "mgather.mat C11: GatherExec is spelled only where the target has it; "
        "GatherExec is spelled. Leave it out on a2a3");
  }
}

TEST(mgather_mat, c12_table_size) {
  auto broken = mat_row(), empty = broken;
  broken.table.shape[3] = -64;
  empty.table.shape[3] = 0;
  expect_rule<MgatherMat, MgatherMat::c12_table_size>(
      broken, everywhere, empty, "mgather.mat C12: table" + size_sentence + "table has Shape<1,1,1,-64,32>");
}

TEST(mgather_mat, c13_index_size) {
  auto broken = mat_row();
  broken.idx.shape[0] = -1;
  expect_rule<MgatherMat, MgatherMat::c13_index_size>(
      broken, everywhere, mat_row(), "mgather.mat C13: idx" + size_sentence + "idx has Shape<-1,1,1,1,16>");
}

TEST(mgather_mat, c14_nz_table) {
  auto fine = mat_row(), broken = fine;
  fine.table = broken.table = sample_nz_table(DType::f32, 64, 32);
  broken.table.shape[4] = 16;
  expect_rule<MgatherMat, MgatherMat::c14_nz_table>(broken, on_cpu | on_a2a3, fine,
                                                    "mgather.mat C14: NZ table: static Shape[3] = 16 and Shape[4] = "
                                                    "C0; table has Shape[3] = 16, Shape[4] = 16, C0 = 8",
                                                    on_a5);
}

}  // namespace
