// SPDX-License-Identifier: Apache-2.0
// Shapes, strides and global tensors keep their values and address elements according to their layout.
#include <gtest/gtest.h>

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;
using std::int64_t;

static_assert(GlobalTensorDim::DIM_0 == 0 && GlobalTensorDim::DIM_1 == 1 && GlobalTensorDim::DIM_2 == 2);
static_assert(GlobalTensorDim::DIM_3 == 3 && GlobalTensorDim::DIM_4 == 4 && GlobalTensorDim::TOTAL_DIM == 5);
static_assert(static_cast<int>(Layout::ND) == 0 && static_cast<int>(Layout::DN) == 1 &&
              static_cast<int>(Layout::NZ) == 2);

template <class S>
constexpr std::array<int64_t, 5> extents(const S& s) {
  return {s.value[0], s.value[1], s.value[2], s.value[3], s.value[4]};
}
template <class S>
constexpr std::array<int64_t, 5> shape_of(const S&) {
  return {S::staticShape[0], S::staticShape[1], S::staticShape[2], S::staticShape[3], S::staticShape[4]};
}
template <class S>
constexpr std::array<int64_t, 5> stride_of(const S&) {
  return {S::staticStride[0], S::staticStride[1], S::staticStride[2], S::staticStride[3], S::staticStride[4]};
}
using E = std::array<int64_t, 5>;

static_assert(std::same_as<std::remove_cvref_t<decltype(Shape<>::staticShape[0])>, int64_t>);

static_assert(shape_of(Shape<>{}) == E{-1, -1, -1, -1, -1} && stride_of(Stride<>{}) == E{-1, -1, -1, -1, -1});
static_assert(shape_of(Shape<2, -1, 3, -1, 8>{}) == E{2, -1, 3, -1, 8});
static_assert(shape_of(Shape<1, 1, 1, 5'000'000'000, 8>{})[3] == 5'000'000'000);
static_assert(shape_of(Shape<0, 1, 1, 0, 8>{}) == E{0, 1, 1, 0, 8});

TEST(shape, static_extents_need_no_value) { EXPECT_EQ(extents(Shape<2, 3, 4, 5, 6>{}), (E{2, 3, 4, 5, 6})); }

TEST(shape, takes_only_the_dynamic_extents_from_left_to_right) {
  EXPECT_EQ(extents(Shape<1, 1, 1, -1, -1>(3, 10)), (E{1, 1, 1, 3, 10}));
  EXPECT_EQ(extents(Shape<-1, 1, -1, 16, -1>(7, 8, 9)), (E{7, 1, 8, 16, 9}));
  EXPECT_EQ(extents(Shape<1, -1, 1, 1, 1>(4)), (E{1, 4, 1, 1, 1}));
  EXPECT_EQ(extents(Stride<1, 1, 1, -1, -1>(10, int64_t{1})), (E{1, 1, 1, 10, 1}));
}

TEST(shape, takes_all_five_extents_by_position) {
  EXPECT_EQ(extents(Shape<>(1, 2, 3, 4, 5)), (E{1, 2, 3, 4, 5}));
  EXPECT_EQ(extents(Shape<1, 1, 1, -1, -1>(1, 1, 1, 3, 10)), (E{1, 1, 1, 3, 10}));
  EXPECT_EQ(extents(Shape<2, 2, 2, 2, 2>(2, 2, 2, 2, 2)), (E{2, 2, 2, 2, 2}));
}

TEST(shape, takes_any_integer_type) {
  EXPECT_EQ(extents(Shape<1, 1, -1, -1, -1>(std::uint8_t{3}, 7ull, std::int16_t{9})), (E{1, 1, 3, 7, 9}));
  EXPECT_EQ(extents(Stride<-1, 1, 1, 1, 1>(std::size_t{1} << 40)), (E{int64_t{1} << 40, 1, 1, 1, 1}));
}

TEST(shape, constructors_are_implicit) {
  const Shape<1, 1, 1, -1, 8> one = 5;
  const Shape<1, 1, 1, -1, -1> two = {3, 4};
  EXPECT_EQ(extents(one), (E{1, 1, 1, 5, 8}));
  EXPECT_EQ(extents(two), (E{1, 1, 1, 3, 4}));
  static_assert(std::convertible_to<int, Shape<1, 1, 1, -1, 8>> && std::convertible_to<long, Stride<-1, 1, 1, 1, 1>>);
  static_assert(!std::constructible_from<Shape<1, 1, 1, -1, -1>, int> &&
                !std::constructible_from<Shape<1, 1, 1, -1, -1>, int, int, int>);
}

TEST(shape, zero_extents_are_legal) {
  EXPECT_EQ(extents(Shape<1, 1, 1, 0, 8>{}), (E{1, 1, 1, 0, 8}));
  EXPECT_EQ(extents(Shape<1, 1, 1, -1, 8>(0)), (E{1, 1, 1, 0, 8}));
}

TEST(shape, a_value_against_the_type_is_a_finding) {
  ptox::Device dev(ptox::target::cpu);
  const ptox::Report r = dev.launch({}, [] {
    const Shape<1, 1, 1, 4, 8> s(1, 1, 1, 5, 8);
    EXPECT_EQ(s.value[3], 4);
  });
  ASSERT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
  EXPECT_NE(r.findings()[0].message.find("5"), std::string::npos);
  EXPECT_NE(r.findings()[0].message.find("4"), std::string::npos);
}

static_assert(std::derived_from<TileShape2D<float, 16, 32, Layout::ND>, Shape<1, 1, 1, 16, 32>>);
static_assert(std::derived_from<TileShape2D<float, 16, 32, Layout::DN>, Shape<1, 1, 1, 16, 32>>);
static_assert(std::derived_from<TileShape2D<float, 32, 64, Layout::NZ>, Shape<1, 8, 2, 16, 8>>);
static_assert(std::derived_from<TileShape2D<half, 32, 64, Layout::NZ>, Shape<1, 4, 2, 16, 16>>);
static_assert(std::derived_from<TileShape2D<int8_t, 32, 64, Layout::NZ>, Shape<1, 2, 2, 16, 32>>);
static_assert(std::derived_from<BaseShape2D<float, 16, 32, Layout::ND>, Stride<512, 512, 512, 32, 1>>);
static_assert(std::derived_from<BaseShape2D<float, 16, 32, Layout::DN>, Stride<512, 512, 512, 1, 16>>);
static_assert(std::derived_from<BaseShape2D<float, 32, 64, Layout::NZ>, Stride<2048, 256, 128, 8, 1>>);
static_assert(std::derived_from<BaseShape2D<half, 32, 64, Layout::NZ>, Stride<2048, 512, 256, 16, 1>>);
static_assert(std::derived_from<BaseShape2D<int8_t, 32, 64, Layout::NZ>, Stride<2048, 1024, 512, 32, 1>>);

using Small = GlobalTensor<float, Shape<2, 3, 4, 5, 8>, Stride<480, 160, 40, 8, 1>>;
static_assert(std::same_as<Small::DType, float> && std::same_as<Small::RawDType, float>);
static_assert(std::same_as<Small::Shape, Shape<2, 3, 4, 5, 8>> &&
              std::same_as<Small::Stride, Stride<480, 160, 40, 8, 1>>);
static_assert(Small::layout == Layout::ND && Small::staticShape[3] == 5 && Small::GetShape<DIM_4>() == 8);
static_assert(GlobalTensor<half, Shape<>, Stride<>, Layout::NZ>::layout == Layout::NZ);
static_assert(GlobalTensor<half, Shape<>, Stride<>>::GetShape<2>() == -1);
static_assert(std::is_default_constructible_v<Small> && std::is_copy_constructible_v<Small>);
static_assert(std::is_copy_assignable_v<Small> && std::convertible_to<float*, Small>);

TEST(global_tensor, keeps_pointer_shape_and_stride) {
  float data[8];
  GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, -1>> g(data, {3, 10}, {12, 1});
  EXPECT_EQ(g.data(), data);
  EXPECT_EQ(g.GetShape(GlobalTensorDim::DIM_3), 3);
  EXPECT_EQ(g.GetShape(4), 10);
  EXPECT_EQ(g.GetStride(GlobalTensorDim::DIM_3), 12);
  EXPECT_EQ(g.GetStride(0), 1);
  EXPECT_EQ(g.GetShape(2), 1);
}

TEST(global_tensor, default_has_no_data_and_copies_share_it) {
  Small none;
  EXPECT_EQ(none.data(), nullptr);
  float data[1];
  Small a(data);
  none = a;
  EXPECT_EQ(none.data(), data);
  EXPECT_EQ(Small(a).GetStride(DIM_1), 160);
}

TEST(global_tensor, set_shape_and_set_stride_change_dynamic_extents) {
  GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, -1>> g(nullptr, {3, 10}, {10, 1});
  g.SetShape(DIM_3, 7);
  g.SetStride(DIM_3, 64);
  EXPECT_EQ(g.GetShape(DIM_3), 7);
  EXPECT_EQ(g.GetShape(DIM_4), 10);
  EXPECT_EQ(g.GetStride(DIM_3), 64);
}

TensorDesc tensor(Layout layout, DType d, const E& shape, const E& stride) {
  TensorDesc t{.dtype = d, .layout = layout};
  for (int i = 0; i < 5; ++i) t.shape[i] = shape[i], t.stride[i] = stride[i];
  return t;
}
int64_t dot(const E& i, const E& stride) {
  int64_t sum = 0;
  for (int k = 0; k < 5; ++k) sum += i[k] * stride[k];
  return sum;
}

TEST(address, nd_counts_rows_through_the_four_outer_extents) {
  const E shape{2, 3, 2, 4, 5}, stride{1000, 300, 70, 11, 2};
  const TensorDesc t = tensor(Layout::ND, DType::f32, shape, stride);
  int64_t row = 0;
  for (int64_t a = 0; a < 2; ++a)
    for (int64_t b = 0; b < 3; ++b)
      for (int64_t c = 0; c < 2; ++c)
        for (int64_t d = 0; d < 4; ++d, ++row)
          for (int64_t e = 0; e < 5; ++e)
            ASSERT_EQ(element_offset(t, row, e), dot({a, b, c, d, e}, stride)) << row << "," << e;
  EXPECT_EQ(t.rows(), row);
  EXPECT_EQ(t.cols(), 5);
}

TEST(address, dn_counts_columns_through_the_outer_extents_and_the_last) {
  const E shape{2, 3, 2, 4, 5}, stride{1000, 300, 70, 2, 11};
  const TensorDesc t = tensor(Layout::DN, DType::f32, shape, stride);
  for (int64_t r = 0; r < 4; ++r) {
    int64_t col = 0;
    for (int64_t a = 0; a < 2; ++a)
      for (int64_t b = 0; b < 3; ++b)
        for (int64_t c = 0; c < 2; ++c)
          for (int64_t e = 0; e < 5; ++e, ++col) ASSERT_EQ(element_offset(t, r, col), dot({a, b, c, r, e}, stride));
    EXPECT_EQ(t.cols(), col);
  }
  EXPECT_EQ(t.rows(), 4);
}

void nz_address(DType d, int64_t c0, int64_t batches, int64_t bcols, int64_t brows) {
  const E packed{bcols * brows * 16 * c0, brows * 16 * c0, 16 * c0, c0, 1};
  const E padded{bcols * (brows * 16 * c0 + 3 * c0) + 7, brows * 16 * c0 + 3 * c0, 16 * c0, c0, 1};
  for (const E& stride : {packed, padded}) {
    const TensorDesc t = tensor(Layout::NZ, d, {batches, bcols, brows, 16, c0}, stride);
    EXPECT_EQ(t.rows(), brows * 16);
    EXPECT_EQ(t.cols(), batches * bcols * c0);
    for (int64_t r = 0; r < t.rows(); ++r)
      for (int64_t c = 0; c < t.cols(); ++c) {
        const int64_t cb = c / c0;
        ASSERT_EQ(element_offset(t, r, c), dot({cb / bcols, cb % bcols, r / 16, r % 16, c % c0}, stride))
            << r << "," << c;
      }
  }
}

TEST(address, nz_goes_by_blocks_of_16_by_c0) {
  nz_address(DType::f32, 8, 1, 4, 2);
  nz_address(DType::f16, 16, 2, 3, 3);
  nz_address(DType::i8, 32, 3, 1, 1);
}

TEST(address, packed_nz_tensor_covers_its_elements_once) {
  using G =
      GlobalTensor<half, TileShape2D<half, 32, 48, Layout::NZ>, BaseShape2D<half, 32, 48, Layout::NZ>, Layout::NZ>;
  const TensorDesc t = G().desc();
  std::vector<int> seen(32 * 48);
  for (int64_t r = 0; r < 32; ++r)
    for (int64_t c = 0; c < 48; ++c) ++seen.at(static_cast<std::size_t>(element_offset(t, r, c)));
  EXPECT_EQ(seen, std::vector<int>(32 * 48, 1));
}

}  // namespace
