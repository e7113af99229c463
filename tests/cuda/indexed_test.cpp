// SPDX-License-Identifier: Apache-2.0
// The gathers and scatters of the GPU give the bytes that the manual specifies, with any number of threads.
#include "pto/cuda/indexed.hpp"

#include <gtest/gtest.h>

#include "cuda/cases.hpp"
#include "cuda/host_block.hpp"

namespace ptox::cuda_test {
namespace {

using random_test::Outcome;
using random_test::Plan;

Outcome actual(Team& team, const Case& c) {
  const Plan p(c);
  Outcome o = random_test::before(c);
  alignas(16) static std::byte ub[256 * 1024];
  std::vector<std::uint8_t> gm = o.gm;
  std::memcpy(ub, o.ub.data(), o.ub.size());
  void* const table = gm.data() + p.table_at;
  team.run(ub, [&](HostBlock& b) {
    if (c.scatter)
      pto::instr::cuda::body(b, random_test::scatter_operands(c, p, table));
    else
      pto::instr::cuda::body(b, random_test::gather_operands(c, p, table));
  });
  std::memcpy(o.ub.data(), ub, o.ub.size());
  o.gm = gm;
  return o;
}

class cuda_indexed : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(threads, cuda_indexed, testing::Values(1, 3, 32));

TEST_P(cuda_indexed, random_cases_equal_the_plain_loop) {
  Team team(GetParam());
  Random random(static_cast<std::uint64_t>(GetParam()));
  for (int i = 0; i < 1500; ++i) {
    const Case c = i % 4 ? next_case(random) : next_wide_case(random);
    const Outcome expected = random_test::expected(c), found = actual(team, c);
    ASSERT_EQ(found.ub, expected.ub) << "case " << i << "\n" << c;
    ASSERT_EQ(found.gm, expected.gm) << "case " << i << "\n" << c;
  }
}

TEST_P(cuda_indexed, the_last_of_many_conflicting_positions_wins) {
  Team team(GetParam());
  Random random(99);
  for (int i = 0; i < 40; ++i) {
    Case c;
    c.target = &target::cuda, c.scatter = true, c.dtype = pto::instr::DType::u16;
    c.row = i % 2, c.rows = 40, c.cols = 24, c.table_rows = 100, c.oob = 3;
    c.index.resize(static_cast<std::size_t>(c.row ? c.rows : c.rows * c.cols));
    for (auto& index : c.index) index = static_cast<std::uint32_t>(random.below(1 + static_cast<std::uint64_t>(i)));
    ASSERT_TRUE(random_test::legal(c)) << c;
    ASSERT_EQ(actual(team, c).gm, random_test::expected(c).gm) << c;
  }
}

/// Adds 1 to the same element from every position; no update may be lost.
TEST_P(cuda_indexed, conflicting_sums_lose_no_update) {
  Team team(GetParam());
  using enum pto::instr::DType;
  for (const pto::instr::DType d : {i8, u8, i16, u16, i32, u32, f16, bf16, f32}) {
    Case c;
    c.target = &target::cuda, c.scatter = true, c.op = 1, c.dtype = d, c.row = false, c.rows = 5, c.cols = 24,
    c.table_rows = 16;
    c.index.assign(120, 7);
    const Plan p(c);
    alignas(16) std::byte ub[8192] = {};
    std::vector<std::uint64_t> gm(static_cast<std::size_t>(p.gm_bytes) / 8 + 1);
    auto o = random_test::scatter_operands(c, p, reinterpret_cast<std::byte*>(gm.data()) + p.table_at);
    for (std::int64_t i = 0; i < 120; ++i) {
      pto::instr::with_type(d, [&]<class T>() {
        const T one(1);
        std::memcpy(ub + p.tile_byte(c, i / 24, i % 24), static_cast<const void*>(&one), sizeof one);
      });
      const std::uint32_t seven = 7;
      std::memcpy(ub + p.idx_byte(c, i / 24, i % 24), &seven, 4);
    }
    team.run(ub, [&](HostBlock& b) { pto::instr::cuda::body(b, o); });
    pto::instr::with_type(d, [&]<class T>() {
      T sum;
      std::memcpy(static_cast<void*>(&sum),
                  reinterpret_cast<std::byte*>(gm.data()) + p.table_at + p.table_byte(c, 7, 0), sizeof sum);
      EXPECT_EQ(static_cast<float>(sum), 120.0f) << pto::instr::name(d);
    });
  }
}

}  // namespace
}  // namespace ptox::cuda_test
