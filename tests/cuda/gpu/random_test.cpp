// SPDX-License-Identifier: Apache-2.0
// Every instruction gives the result of plain loops on the GPU, in random cases.
#include <gtest/gtest.h>

#include <cmath>

#include "cuda/cases.hpp"
#include "cuda/gpu/run_on_gpu.hpp"

namespace ptox::cuda_test {
namespace {

constexpr int indexed_cases = 12'000;
constexpr std::uint64_t tile_cases = 1'500;

/// Whether both values are NaN; the bits of a NaN sum differ on a GPU.
bool both_nan(DType d, const std::uint8_t* a, const std::uint8_t* b) {
  if (d != DType::f16 && d != DType::bf16 && d != DType::f32) return false;
  bool nan = false;
  with_type(d, [&]<class T>() {
    T x, y;
    std::memcpy(static_cast<void*>(&x), a, sizeof x), std::memcpy(static_cast<void*>(&y), b, sizeof y);
    nan = std::isnan(static_cast<float>(x)) && std::isnan(static_cast<float>(y));
  });
  return nan;
}

/// Compares bytes; elements of type d, counted from `base`, may also both be NaN.
testing::AssertionResult same(const Bytes& found, const Bytes& expected, DType d, std::size_t base) {
  const auto size = static_cast<std::size_t>(size_of(d));
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i]) continue;
    const std::size_t element = i < base ? i : base + (i - base) / size * size;
    if (i >= base && element + size <= found.size() && both_nan(d, &found[element], &expected[element])) continue;
    return testing::AssertionFailure() << "byte " << i << " is " << int{found[i]} << ", not " << int{expected[i]};
  }
  return testing::AssertionSuccess();
}

void expect_case(const Case& c, std::size_t dyn_ub_bytes) {
  const random_test::Plan p(c);
  const random_test::Outcome expected = random_test::expected(c);
  random_test::Outcome found = random_test::before(c);
  const GpuOptions options{.base = p.table_at, .dyn_ub_bytes = dyn_ub_bytes};
  const Report report =
      c.scatter ? run_on_gpu<Mscatter>(random_test::scatter_operands(c, p, nullptr), found.ub, found.gm, options)
                : run_on_gpu<Mgather>(random_test::gather_operands(c, p, nullptr), found.ub, found.gm, options);
  EXPECT_TRUE(report.clean()) << report << c;
  EXPECT_EQ(found.ub, expected.ub) << c;
  EXPECT_TRUE(same(found.gm, expected.gm, c.dtype, static_cast<std::size_t>(p.table_at))) << c;
}

TEST(on_gpu, random_gathers_and_scatters_equal_the_plain_loop) {
  for (int i = 0; i < indexed_cases && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i) + 1);
    expect_case(i % 4 ? next_case(random) : next_wide_case(random), 0);
  }
}

TEST(on_gpu, a_block_that_needs_more_than_its_launch_gave_moves_its_buffer_to_global_memory) {
  for (int i = 0; i < 1500 && !testing::Test::HasFailure(); ++i) {
    SCOPED_TRACE("seed " + std::to_string(i));
    Random random(static_cast<std::uint64_t>(i) + 1);
    expect_case(i % 2 ? next_case(random) : next_wide_case(random), 1024);
  }
}

/// Indices at both ends of tables of several sizes, with every policy.
TEST(on_gpu, indices_at_the_boundary_under_every_policy) {
  using enum DType;
  for (const std::int64_t capacity : {1, 7, 100, 50257})
    for (const DType d : {u8, f16, f32})
      for (int k = 0; k < 32 && !testing::Test::HasFailure(); ++k) {
        const auto cap = static_cast<std::uint32_t>(capacity);
        Case c;
        c.target = &target::cuda, c.dtype = d, c.row = k & 1, c.oob = k >> 1 & 3, c.scatter = k >> 3 & 1;
        c.signed_index = k >> 4, c.table_rows = capacity;
        c.index = {0, cap - 1, cap, cap + 1, ~0u, 0x80000000u, 0x7fffffffu, cap / 2};
        c.rows = c.row ? 8 : 1, c.cols = c.row ? 16 : 8;
        if (!c.row) c.table_rows = capacity, c.cols = 8;
        if (random_test::legal(c)) expect_case(c, 0);
      }
}

template <class I>
void expect_tile_case(std::uint64_t seed) {
  Arena a(seed);
  Bytes expected_gm = a.gm, gm = a.gm;
  const typename I::Operands o = legal_operands<I>(a, expected_gm.data());
  Bytes expected_ub = a.ub, ub = a.ub;
  PlainMachine machine(expected_ub);
  I::meaning(machine, o);
  const Report report = run_on_gpu<I>(o, ub, gm);
  EXPECT_TRUE(report.clean()) << report;
  EXPECT_EQ(ub, expected_ub) << I::mnemonic << ", seed " << seed;
  EXPECT_TRUE(same(gm, expected_gm, a.dtype, 0)) << I::mnemonic << ", seed " << seed;
}

TEST(on_gpu, random_loads_stores_and_tile_moves_equal_the_meaning) {
  TileInstructions::each([&]<class I>() {
    for (std::uint64_t seed = 1; seed <= tile_cases && !testing::Test::HasFailure(); ++seed) expect_tile_case<I>(seed);
  });
}

TEST(on_gpu, an_index_out_of_range_is_found_in_a_checked_launch) {
  Case c;
  c.target = &target::cuda, c.rows = 4, c.cols = 8, c.table_rows = 10, c.index = {1, 10, 400, 2};
  ASSERT_TRUE(random_test::legal(c));
  const random_test::Plan p(c);
  random_test::Outcome found = random_test::before(c);
  const Report report = run_on_gpu<Mgather>(random_test::gather_operands(c, p, nullptr), found.ub, found.gm,
                                            {.base = p.table_at, .check = Check::all});
  ASSERT_EQ(report.findings().size(), 1u) << report;
  EXPECT_EQ(report.findings()[0].kind, FindingKind::oob_index);
  EXPECT_EQ(report.findings()[0].count, 2);
  EXPECT_NE(report.findings()[0].message.find("mgather reads table row 10, table has 10 rows"), std::string::npos)
      << report;
}

TEST(on_gpu, operands_that_break_a_rule_do_nothing_and_are_found) {
  Case c;
  c.target = &target::cuda, c.rows = 4, c.cols = 8, c.table_rows = 10, c.index = {1, 2, 3, 4};
  const random_test::Plan p(c);
  random_test::Outcome found = random_test::before(c);
  const Bytes ub = found.ub;
  auto o = random_test::gather_operands(c, p, nullptr);
  o.dst.valid_rows = 0;
  const Report report = run_on_gpu<Mgather>(o, found.ub, found.gm, {.base = p.table_at});
  ASSERT_EQ(report.findings().size(), 1u) << report;
  EXPECT_EQ(report.findings()[0].kind, FindingKind::illegal);
  EXPECT_NE(report.findings()[0].message.find("mgather C11"), std::string::npos) << report;
  EXPECT_EQ(found.ub, ub);
}

}  // namespace
}  // namespace ptox::cuda_test
