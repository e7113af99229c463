// SPDX-License-Identifier: Apache-2.0
// Tiles have the constants, members, addresses, loads and stores that kernels expect.
#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;
using std::int64_t;

static_assert(BLOCK_BYTE_SIZE == 32 && C0_SIZE_BYTE == 32 && FRACTAL_NZ_ROW == 16 && CUBE_BLOCK_SIZE == 512);
static_assert(DYNAMIC == -1 && TileConfig::alignedSize == 32 && TileConfig::fixedRowSize == 16);
static_assert(TileConfig::fixedColSize == 16 && TileConfig::fractalABSize == 512);
static_assert(TileConfig::fractalCSize == 1024 && TileConfig::fractalMxSize == 32);

template <class Enum>
constexpr bool counts_up(std::initializer_list<Enum> in_order, int first = 0) {
  for (Enum e : in_order)
    if (static_cast<int>(e) != first++) return false;
  return true;
}
using TT = TileType;
static_assert(counts_up({TT::Vec, TT::Mat, TT::Left, TT::Right, TT::Acc, TT::Bias, TT::Scaling, TT::ScaleLeft,
                         TT::ScaleRight, TT::Ctrl}));
static_assert(counts_up({BLayout::RowMajor, BLayout::ColMajor}));
static_assert(counts_up({SLayout::NoneBox, SLayout::RowMajor, SLayout::ColMajor}));
static_assert(counts_up({PadValue::Null, PadValue::Zero, PadValue::Max, PadValue::Min}));
using MP = MaskPattern;
static_assert(counts_up({MP::P0101, MP::P1010, MP::P0001, MP::P0010, MP::P0100, MP::P1000, MP::P1111}, 1));
static_assert(std::same_as<std::underlying_type_t<MaskPattern>, std::uint8_t>);
static_assert(counts_up({GatherAxis::GATHER_ROW, GatherAxis::GATHER_COL}));
static_assert(counts_up({ScatterAxis::SCATTER_ROW, ScatterAxis::SCATTER_COL}));
static_assert(counts_up({AtomicType::AtomicNone, AtomicType::AtomicAdd}) && counts_up({NPUArch::A2A3, NPUArch::A5}));
static_assert(counts_up({Coalesce::Row, Coalesce::Elem}));
static_assert(counts_up({GatherOOB::Undefined, GatherOOB::Clamp, GatherOOB::Wrap, GatherOOB::Zero}));
static_assert(counts_up({ScatterOOB::Undefined, ScatterOOB::Skip, ScatterOOB::Clamp, ScatterOOB::Wrap}));
static_assert(counts_up({ScatterAtomicOp::None, ScatterAtomicOp::Add, ScatterAtomicOp::Max, ScatterAtomicOp::Min}));
static_assert(counts_up({ScatterConflict::Last, ScatterConflict::Default}));
static_assert(counts_up({GatherExec::Scalar, GatherExec::Simt}));
static_assert(sizeof(Coalesce) == 1 && sizeof(GatherOOB) == 1 && sizeof(ScatterOOB) == 1);
static_assert(sizeof(ScatterAtomicOp) == 1 && sizeof(ScatterConflict) == 1);

using Row = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 5, 9>;
static_assert(std::same_as<Row::DType, float> && Row::Loc == TileType::Vec && Row::Rows == 8 && Row::Cols == 16);
static_assert(Row::RowStride == 16 && Row::ColStride == 1 && Row::ValidRow == 5 && Row::ValidCol == 9);
static_assert(Row::Numel == 128 && Row::isRowMajor && Row::BFractal == BLayout::RowMajor);
static_assert(Row::SFractal == SLayout::NoneBox && Row::SFractalSize == 512);
using Col = Tile<TileType::Vec, half, 16, 5, BLayout::ColMajor>;
static_assert(Col::RowStride == 1 && Col::ColStride == 16 && !Col::isRowMajor && Col::Numel == 80);
static_assert(Col::ValidRow == 16 && Col::ValidCol == 5 && Col::BFractal == BLayout::ColMajor);
using Defaults = Tile<TileType::Vec, float, 16, 16>;
static_assert(
    std::same_as<Defaults,
                 Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 16, SLayout::NoneBox, 512, PadValue::Null>>);
static_assert(std::same_as<Defaults, Tile<TileType::Vec, float, 16u, std::size_t{16}>>);
static_assert(
    std::same_as<Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, -1, 8>,
                 Tile<TileType::Vec, float, 8LL, std::uint8_t{8}, BLayout::RowMajor, DYNAMIC, std::int16_t{8}>>);
static_assert(Tile<TileType::Vec, std::int32_t, 3, 1>::Numel == 3);  // a single padded column is contiguous
static_assert(std::same_as<decltype(std::declval<Row&>().data()), float*>);

using Open = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, -1>;

TEST(tile, static_extents_are_valid_extents) {
  EXPECT_EQ(Row().GetValidRow(), 5);
  EXPECT_EQ(Row().GetValidCol(), 9);
  EXPECT_EQ(Row(5, 9).GetValidRow(), 5);
}

TEST(tile, dynamic_extents_come_from_any_integer_type) {
  EXPECT_EQ(Open(3, int64_t{9}).GetValidCol(), 9);
  EXPECT_EQ(Open(std::uint8_t{3}, 9ull).GetValidRow(), 3);
  EXPECT_EQ(Open(std::size_t{8}, std::int16_t{16}).GetValidRow(), 8);
}

TEST(tile, one_dynamic_extent_is_enough_where_one_is_dynamic) {
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, 9> rows(3);
  Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, 5, -1> cols(std::uint64_t{7});
  EXPECT_EQ(rows.GetValidRow(), 3);
  EXPECT_EQ(rows.GetValidCol(), 9);
  EXPECT_EQ(cols.GetValidRow(), 5);
  EXPECT_EQ(cols.GetValidCol(), 7);
  static_assert(!std::constructible_from<Open, int> && !std::constructible_from<Row, int>);
}

TEST(tile, setters_change_dynamic_extents) {
  Open t(1, 1);
  t.SetValidRow(6);
  t.SetValidCol(7u);
  EXPECT_EQ(t.GetValidRow(), 6);
  EXPECT_EQ(t.GetValidCol(), 7);
  t.SetValidShape(2, 3L);
  EXPECT_EQ(t.GetValidRow(), 2);
  EXPECT_EQ(t.GetValidCol(), 3);
}

template <class TileT>
concept HasRowMask = requires(TileT t) { t.RowMaskInternal; };
template <class TileT>
concept HasColMask = requires(TileT t) { t.ColMaskInternal; };
using OpenRows = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, 9>;
static_assert(HasRowMask<Open> && HasColMask<Open> && HasRowMask<OpenRows> && !HasColMask<OpenRows>);
static_assert(!HasRowMask<Row> && !HasColMask<Row> && std::same_as<decltype(Open::RowMaskInternal), unsigned>);
static_assert(std::same_as<Row::TileDType, float*> && std::same_as<decltype(Row().data()), Row::TileDType>);

TEST(tile, masks_are_the_dynamic_extents) {
  Open t(1, 1);
  t.RowMaskInternal = 3;
  t.ColMaskInternal = 5;
  EXPECT_EQ(t.GetValidRow(), 3);
  EXPECT_EQ(t.GetValidCol(), 5);
  t.SetValidShape(2, 4);
  EXPECT_EQ(t.RowMaskInternal, 2u);
  EXPECT_EQ(t.ColMaskInternal, 4u);
  const Open copy = t;
  EXPECT_EQ(copy.desc().valid_rows, 2);
}

TEST(tile, extents_beyond_32_bits_stay_illegal) {
  const std::int64_t extents[] = {-1, (std::int64_t{1} << 32) + 1, -(std::int64_t{1} << 32) + 1, INT64_MIN, INT64_MAX};
  for (const std::int64_t rows : extents) {
    const ptox::Report r = ptox::Device(ptox::target::a5).launch({}, [&] {
      Open t(rows, 1);
      TEXPANDS(t, 1.0f);
    });
    EXPECT_TRUE(r.has(ptox::FindingKind::illegal)) << rows << r;
  }
}

TEST(tile, an_extent_against_the_type_is_a_finding_with_both_values) {
  ptox::Device dev(ptox::target::a5);
  const ptox::Report r = dev.launch({}, [] {
    Row t(5, 8);
    EXPECT_EQ(t.GetValidCol(), 9);
  });
  ASSERT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
  EXPECT_NE(r.findings()[0].message.find("8"), std::string::npos) << r;
  EXPECT_NE(r.findings()[0].message.find("9"), std::string::npos) << r;
}

TEST(tile, a_finding_about_an_extent_names_the_kernels_line) {
  ptox::Device dev(ptox::target::a5);
  const ptox::Report r = dev.launch({}, [] { Row t(5, 8); });
  ASSERT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
  EXPECT_NE(r.findings()[0].file.find("tile_test.cpp"), std::string::npos) << r;
}

TEST(tile, get_value_reads_what_set_value_wrote) {
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t);
    const ptox::Report r = dev.launch({}, [] {
      Col tile;
      for (int r = 0; r < 16; ++r)
        for (int c = 0; c < 5; ++c) tile.SetValue(r, c, static_cast<half>(r * 5 + c));
      for (int r = 0; r < 16; ++r)
        for (int c = 0; c < 5; ++c) EXPECT_EQ(static_cast<int>(tile.GetValue(r, c)), r * 5 + c);
      EXPECT_EQ(static_cast<int>(tile.GetValue(17)), 1 * 5 + 1);  // linear index in memory: row 1 of column 1
      EXPECT_EQ(tile.data()[17].bits(), tile.GetValue(1, 1).bits());
    });
    EXPECT_TRUE(r.clean()) << r;
  }
}

TEST(tile, get_value_outside_the_tile_is_a_finding_and_zero) {
  ptox::Device dev(ptox::target::cpu);
  const ptox::Report r = dev.launch({}, [] {
    Row tile;
    tile.SetValue(8, 0, 1.0f);
    EXPECT_EQ(tile.GetValue(0, 16), 0.0f);
    EXPECT_EQ(tile.GetValue(-1), 0.0f);
    EXPECT_EQ(tile.GetValue(128), 0.0f);
  });
  EXPECT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
}

/// Element offsets, computed by enumerating boxes in the outer order and the elements of a box in the inner order.
std::vector<int64_t> counted(int64_t rows, int64_t cols, int64_t box_rows, int64_t box_cols, bool outer_row_major,
                             bool inner_row_major) {
  std::vector<int64_t> at(static_cast<std::size_t>(rows * cols), -1);
  const int64_t down = rows / box_rows, across = cols / box_cols, in_box = box_rows * box_cols;
  for (int64_t n = 0; n < rows * cols; ++n) {
    const int64_t box = n / in_box, in = n % in_box;
    const int64_t box_r = outer_row_major ? box / across : box % down,
                  box_c = outer_row_major ? box % across : box / down;
    const int64_t in_r = inner_row_major ? in / box_cols : in % box_rows,
                  in_c = inner_row_major ? in % box_cols : in / box_rows;
    at[static_cast<std::size_t>((box_r * box_rows + in_r) * cols + box_c * box_cols + in_c)] = n;
  }
  return at;
}

template <class TileT>
void expect_offsets(const std::vector<int64_t>& want) {
  for (int64_t r = 0; r < TileT::Rows; ++r)
    for (int64_t c = 0; c < TileT::Cols; ++c)
      ASSERT_EQ(element_offset(TileT::type_desc(), r, c), want[static_cast<std::size_t>(r * TileT::Cols + c)])
          << r << "," << c;
}

template <class T, int R, int C, BLayout B, SLayout S = SLayout::NoneBox, int F = 512>
using Laid = Tile<TileType::Vec, T, R, C, B, R, C, S, F>;
constexpr auto RM = BLayout::RowMajor, CM = BLayout::ColMajor;

TEST(tile, row_major_and_col_major_are_linear) {
  expect_offsets<Laid<float, 16, 24, RM>>(counted(16, 24, 1, 1, true, true));
  expect_offsets<Laid<float, 16, 24, CM>>(counted(16, 24, 1, 1, false, true));
  expect_offsets<Laid<std::int32_t, 5, 1, RM>>({0, 1, 2, 3, 4});
}

template <class T>
void boxed_offsets() {
  constexpr int c0 = 32 / sizeof(T);
  expect_offsets<Laid<T, 48, 3 * c0, CM, SLayout::RowMajor>>(counted(48, 3 * c0, 16, c0, false, true));   // NZ
  expect_offsets<Laid<T, 48, 3 * c0, RM, SLayout::RowMajor>>(counted(48, 3 * c0, 16, c0, true, true));    // ZZ
  expect_offsets<Laid<T, 3 * c0, 32, RM, SLayout::ColMajor>>(counted(3 * c0, 32, c0, 16, true, false));   // ZN
  expect_offsets<Laid<T, 3 * c0, 32, CM, SLayout::ColMajor>>(counted(3 * c0, 32, c0, 16, false, false));  // NN
}

TEST(tile, boxes_follow_their_outer_and_inner_order) {
  boxed_offsets<float>();
  boxed_offsets<half>();
  boxed_offsets<std::int8_t>();
}

TEST(tile, nz_is_the_formula_of_the_manual) {
  const TileDesc t = Laid<half, 48, 64, CM, SLayout::RowMajor>::type_desc();
  for (int64_t r = 0; r < 48; ++r)
    for (int64_t c = 0; c < 64; ++c) ASSERT_EQ(element_offset(t, r, c), c / 16 * 48 * 16 + r * 16 + c % 16);
}

TEST(tile, a_fractal_of_1024_bytes_has_boxes_of_16_by_16_floats) {
  expect_offsets<Laid<float, 32, 48, CM, SLayout::RowMajor, 1024>>(counted(32, 48, 16, 16, false, true));
}

// Loads and stores.

template <class T, int R, int C, Layout L>
using Packed = GlobalTensor<T, TileShape2D<T, R, C, L>, BaseShape2D<T, R, C, L>, L>;
template <class T, int R, int C, BLayout B, SLayout S = SLayout::NoneBox, TileType Loc = TileType::Vec>
using Sized = Tile<Loc, T, R, C, B, -1, -1, S>;

/// Loads a tensor into a tile and stores the tile; bytes outside the valid region show which elements were accessed.
template <class TileT, class Tensor>
struct RoundTrip {
  using T = typename TileT::DType;
  static constexpr int64_t room = TileT::Rows * TileT::Cols;
  ptox::Device dev;
  ptox::Buffer<T> in, out;
  int64_t rows, cols;
  std::vector<T> inside;

  RoundTrip(const ptox::Target& t, int64_t r, int64_t c)
      : dev(t), in(dev.alloc<T>(room)), out(dev.alloc<T>(room)), rows(r), cols(c), inside(room) {
    for (int64_t i = 0; i < room; ++i) in[i] = static_cast<T>(static_cast<float>(i % 113 + 1));
  }
  ptox::Report run() {
    return dev.launch({}, [&] {
      TileT tile(TileT::Rows, TileT::Cols);
      Tensor from(in.data()), to(out.data());
      tile.SetValidShape(rows, cols);
      TLOAD(tile, from);
      pipe_barrier(PIPE_ALL);
      TSTORE(to, tile);
      pipe_barrier(PIPE_ALL);
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c) inside[r * TileT::Cols + c] = tile.GetValue(r, c);
    });
  }
  void expect_moved() const {
    std::vector<T> want(room, T{});
    const TensorDesc d = Tensor(nullptr).desc();
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c) {
        const int64_t at = element_offset(d, r, c);
        want[at] = in[at];
        EXPECT_EQ(std::memcmp(&inside[r * TileT::Cols + c], &in[at], sizeof(T)), 0) << r << "," << c;
      }
    EXPECT_EQ(std::memcmp(want.data(), out.data(), want.size() * sizeof(T)), 0);
  }
};

template <class TileT, class Tensor>
void moves(const ptox::Target& t) {
  SCOPED_TRACE(std::string(t.name) + " " + name(Tensor::layout) + " " + name(TileT::BFractal));
  for (const auto& [rows, cols] : {std::pair<int64_t, int64_t>{TileT::Rows, TileT::Cols}, {5, 7}, {1, 1}}) {
    RoundTrip<TileT, Tensor> trip(t, rows, cols);
    const ptox::Report report = trip.run();
    EXPECT_TRUE(report.clean()) << report;
    trip.expect_moved();
  }
}
template <class TileT, class Tensor>
void rejects(const ptox::Target& t) {
  SCOPED_TRACE(std::string(t.name) + " " + name(Tensor::layout) + " " + name(TileT::BFractal));
  RoundTrip<TileT, Tensor> trip(t, TileT::Rows, TileT::Cols);
  EXPECT_TRUE(trip.run().has(ptox::FindingKind::illegal));
  for (auto v : trip.out) EXPECT_EQ(static_cast<float>(v), 0.0f);
}

template <class T>
void same_kind_pairs(const ptox::Target& t) {
  moves<Sized<T, 32, 64, RM>, Packed<T, 32, 64, Layout::ND>>(t);
  moves<Sized<T, 32, 64, CM>, Packed<T, 32, 64, Layout::DN>>(t);
  moves<Sized<T, 32, 64, CM, SLayout::RowMajor>, Packed<T, 32, 64, Layout::NZ>>(t);
  moves<Sized<T, 32, 64, CM, SLayout::RowMajor, TileType::Mat>, Packed<T, 32, 64, Layout::ND>>(t);
}

TEST(tload_tstore, a_layout_and_its_tile_go_there_and_back_on_every_target) {
  for (const ptox::Target* t : ptox::target::on_host) {
    same_kind_pairs<float>(*t);
    same_kind_pairs<half>(*t);
    same_kind_pairs<std::int8_t>(*t);
  }
}

template <template <class, class> class Then>
void other_pairs(const ptox::Target& t) {
  using ND = Packed<float, 32, 64, Layout::ND>;
  using DN = Packed<float, 32, 64, Layout::DN>;
  using NZ = Packed<float, 32, 64, Layout::NZ>;
  using Nz = Sized<float, 32, 64, CM, SLayout::RowMajor>;
  Then<Sized<float, 32, 64, RM>, DN>::on(t), Then<Sized<float, 32, 64, CM>, ND>::on(t);
  Then<Nz, ND>::on(t), Then<Nz, DN>::on(t);
  Then<Sized<float, 32, 64, RM>, NZ>::on(t), Then<Sized<float, 32, 64, CM>, NZ>::on(t);
  Then<Sized<float, 32, 64, RM, SLayout::RowMajor>, ND>::on(t),
      Then<Sized<float, 32, 64, RM, SLayout::ColMajor>, ND>::on(t);
  Then<Sized<float, 32, 64, CM, SLayout::ColMajor>, ND>::on(t);
}
template <class TileT, class Tensor>
struct Moves {
  static void on(const ptox::Target& t) { moves<TileT, Tensor>(t); }
};
template <class TileT, class Tensor>
struct Rejects {
  static void on(const ptox::Target& t) { rejects<TileT, Tensor>(t); }
};

TEST(tload_tstore, other_pairs_move_on_cpu) { other_pairs<Moves>(ptox::target::cpu); }
TEST(tload_tstore, other_pairs_are_illegal_on_the_machines) {
  other_pairs<Rejects>(ptox::target::a2a3);
  other_pairs<Rejects>(ptox::target::a5);
}

TEST(tload_tstore, strides_and_outer_extents_are_honoured) {
  using G = GlobalTensor<float, Shape<2, 1, 3, 4, 8>, Stride<400, 400, 100, 16, 1>>;
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t);
    auto in = dev.alloc<float>(800), out = dev.alloc<float>(24 * 8);
    for (int i = 0; i < 800; ++i) in[i] = static_cast<float>(i);
    const ptox::Report r = dev.launch({}, [&] {
      Tile<TileType::Vec, float, 24, 8> tile;
      G from(in.data());
      Packed<float, 24, 8, Layout::ND> to(out.data());
      TLOAD(tile, from);
      pipe_barrier(PIPE_ALL);
      TSTORE(to, tile);
    });
    EXPECT_TRUE(r.clean()) << r;
    for (int row = 0; row < 24; ++row)
      for (int c = 0; c < 8; ++c)
        EXPECT_EQ(out[row * 8 + c], static_cast<float>(row / 12 * 400 + row / 4 % 3 * 100 + row % 4 * 16 + c));
  }
}

TEST(tload_tstore, one_padded_column_moves_from_contiguous_memory_only) {
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t);
    auto in = dev.alloc<std::int32_t>(64), out = dev.alloc<std::int32_t>(5);
    for (int i = 0; i < 64; ++i) in[i] = i + 1;
    const auto run = [&](int64_t step) {
      return dev.launch({}, [&] {
        Tile<TileType::Vec, std::int32_t, 5, 1> tile;
        GlobalTensor<std::int32_t, Shape<1, 1, 1, 5, 1>, Stride<1, 1, 1, -1, 1>> from(in.data(), {}, {step});
        GlobalTensor<std::int32_t, Shape<1, 1, 1, 5, 1>, Stride<1, 1, 1, 1, 1>> to(out.data());
        TLOAD(tile, from);
        pipe_barrier(PIPE_ALL);
        if (step == 1) TSTORE(to, tile);
      });
    };
    EXPECT_TRUE(run(1).clean()) << t->name;
    EXPECT_EQ(std::vector<std::int32_t>(out.begin(), out.end()), (std::vector<std::int32_t>{1, 2, 3, 4, 5}));
    EXPECT_TRUE(run(8).has(ptox::FindingKind::illegal)) << t->name;
  }
}

/// Checks the padding after TLOAD of a 2 x 3 region into a 4 x cols tile that contained `before` everywhere.
template <class T, PadValue pad>
void padding_is(const ptox::Target& t, T before, T want) {
  constexpr int cols = 32 / sizeof(T);
  ptox::Device dev(t);
  auto in = dev.alloc<T>(6);
  for (int i = 0; i < 6; ++i) in[i] = static_cast<T>(static_cast<float>(i + 1));
  const ptox::Report report = dev.launch({}, [&] {
    Tile<TileType::Vec, T, 4, cols, RM, -1, -1, SLayout::NoneBox, 512, pad> tile(4, cols);
    Packed<T, 2, 3, Layout::ND> from(in.data());
    TEXPANDS(tile, before);
    pipe_barrier(PIPE_ALL);
    tile.SetValidShape(2, 3);
    TLOAD(tile, from);
    pipe_barrier(PIPE_ALL);
    for (int r = 0; r < 4; ++r)
      for (int c = 0; c < cols; ++c) {
        const T got = tile.GetValue(r, c), expected = r < 2 && c < 3 ? in[r * 3 + c] : want;
        EXPECT_EQ(std::memcmp(&got, &expected, sizeof(T)), 0) << t.name << " " << r << "," << c;
      }
  });
  EXPECT_TRUE(report.clean()) << report;
}

template <class T>
void padding_of(const ptox::Target& t, T largest, T smallest) {
  const T nine = static_cast<T>(9.0f);
  padding_is<T, PadValue::Null>(t, nine, nine);
  padding_is<T, PadValue::Zero>(t, nine, static_cast<T>(0.0f));
  padding_is<T, PadValue::Max>(t, nine, largest);
  padding_is<T, PadValue::Min>(t, nine, smallest);
}

TEST(tload_tstore, padding_is_untouched_unless_the_tile_has_a_pad_value) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  for (const ptox::Target* t : ptox::target::on_host) {
    padding_of<float>(*t, inf, -inf);
    padding_of<half>(*t, static_cast<half>(inf), static_cast<half>(-inf));
    padding_of<bfloat16_t>(*t, static_cast<bfloat16_t>(inf), static_cast<bfloat16_t>(-inf));
    padding_of<std::int32_t>(*t, INT32_MAX, INT32_MIN);
    padding_of<std::int8_t>(*t, 127, -128);
    padding_of<std::uint16_t>(*t, 65535, 0);
  }
}

template <class T>
void atomic_add(const ptox::Target& t) {
  constexpr int cols = 32 / sizeof(T);
  using TileT = Tile<TileType::Vec, T, 2, cols, RM, 2, cols - 1>;
  ptox::Device dev(t);
  auto in = dev.alloc<T>(2 * cols), out = dev.alloc<T>(2 * cols);
  for (int i = 0; i < 2 * cols; ++i) in[i] = static_cast<T>(static_cast<float>(i)), out[i] = static_cast<T>(1.0f);
  const ptox::Report r = dev.launch({}, [&] {
    TileT tile;
    Packed<T, 2, cols, Layout::ND> from(in.data()), to(out.data());
    TLOAD(tile, from);
    pipe_barrier(PIPE_ALL);
    TSTORE<AtomicType::AtomicAdd>(to, tile);
    TSTORE<AtomicType::AtomicAdd>(to, tile);
  });
  EXPECT_TRUE(r.clean()) << r;
  for (int i = 0; i < 2 * cols; ++i)
    EXPECT_EQ(static_cast<float>(out[i]), i % cols == cols - 1 ? 1.0f : static_cast<float>(1 + 2 * i))
        << t.name << " " << i;
}

TEST(tload_tstore, atomic_add_adds_the_valid_region) {
  for (const ptox::Target* t : ptox::target::on_host) {
    atomic_add<float>(*t);
    atomic_add<std::int32_t>(*t);
    atomic_add<half>(*t);
  }
}

TEST(tload_tstore, a_region_larger_than_the_tensor_is_illegal) {
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t);
    auto in = dev.alloc<float>(64);
    const ptox::Report r = dev.launch({}, [&] {
      Open tile(8, 16);
      GlobalTensor<float, Shape<1, 1, 1, -1, 8>, Stride<1, 1, 1, 8, 1>> from(in.data(), 8);
      TLOAD(tile, from);
    });
    EXPECT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
  }
}

}  // namespace
