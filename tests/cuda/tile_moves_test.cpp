// SPDX-License-Identifier: Apache-2.0
// The loads, stores and tile moves of the GPU give the results of the reference meanings, with any number of threads.
#include "pto/cuda/tile_moves.hpp"

#include <gtest/gtest.h>

#include "cuda/host_block.hpp"
#include "cuda/tile_cases.hpp"
#include "pto/cuda/transfer.hpp"

namespace ptox::cuda_test {
namespace {

template <class I>
void run_case(Team& team, std::uint64_t seed) {
  Arena a(seed);
  Bytes expected_gm = a.gm, gm = a.gm;
  typename I::Operands o = legal_operands<I>(a, expected_gm.data()), mine = o;
  Bytes expected_ub = a.ub;
  PlainMachine machine(expected_ub);
  I::meaning(machine, o);
  I::OperandList::each(mine, [&]<class D>(auto, D& d) {
    if constexpr (std::is_same_v<D, TensorDesc>) d.base = gm.data();
  });
  alignas(16) static std::byte ub[Arena::bytes];
  std::memcpy(ub, a.ub.data(), sizeof ub);
  team.run(ub, [&](HostBlock& b) { pto::instr::cuda::body(b, mine); });
  ASSERT_EQ(std::memcmp(ub, expected_ub.data(), sizeof ub), 0) << I::mnemonic << ", seed " << seed;
  ASSERT_EQ(gm, expected_gm) << I::mnemonic << ", seed " << seed;
}

class cuda_tiles : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(threads, cuda_tiles, testing::Values(1, 3, 32));

TEST_P(cuda_tiles, random_cases_equal_the_meaning) {
  Team team(GetParam());
  TileInstructions::each([&]<class I>() {
    for (std::uint64_t seed = 1; seed <= 150 && !HasFatalFailure(); ++seed) run_case<I>(team, seed);
  });
}

TEST(cuda_holes, the_lowest_hole_between_places_by_hand_is_taken_and_given_back) {
  pto::instr::cuda::Holes holes;
  holes.clear();
  EXPECT_TRUE(holes.hold(64, 128));
  EXPECT_EQ(holes.take(64, 1024), 0);
  EXPECT_EQ(holes.take(40, 1024), 128);
  EXPECT_EQ(holes.take(32, 1024), 192);
  holes.give_back(128);
  EXPECT_EQ(holes.take(64, 1024), 128);
  EXPECT_EQ(holes.take(900, 1024), pto::instr::cuda::Holes::no_room);
  EXPECT_EQ(holes.automatic_in(100, 180).begin, 128);
  EXPECT_EQ(holes.automatic_in(64, 128).begin, -1);
  EXPECT_EQ(holes.top(), 224);
}

TEST(cuda_holes, the_list_has_an_end) {
  pto::instr::cuda::Holes holes;
  holes.clear();
  for (int i = 0; i < pto::instr::cuda::Holes::most; ++i) EXPECT_EQ(holes.take(32, 1 << 20), i * 32);
  EXPECT_EQ(holes.take(32, 1 << 20), pto::instr::cuda::Holes::list_full);
}

}  // namespace
}  // namespace ptox::cuda_test
