// SPDX-License-Identifier: Apache-2.0
// The threads of a block count the positions that write a slot again, and find the first two such positions.
#include "pto/cuda/twice.hpp"

#include <gtest/gtest.h>

#include <map>

#include "cuda/host_block.hpp"
#include "engine/system/random.hpp"

namespace ptox::cuda_test {
namespace {

using pto::instr::cuda::Count;
using Slots = std::vector<std::int64_t>;

struct Pair {
  std::uint32_t count = 0;
  Count first = 0, second = 0;
  bool operator==(const Pair&) const = default;
};
std::ostream& operator<<(std::ostream& s, const Pair& p) {
  return s << p.count << " times, first " << p.first << " and " << p.second;
}

Pair found(Team& team, const Slots& slots) {
  Pair pair;
  team.run(nullptr, [&](HostBlock& b) {
    pto::instr::cuda::find_twice(b, static_cast<Count>(slots.size()), [&](Count i) { return slots[i]; });
    const pto::instr::cuda::Twice& twice = b.state().twice;
    if (b.tid() == 0 && twice.count != 0) pair = {twice.count, ~twice.first, ~twice.second};
  });
  return pair;
}

Pair expected(const Slots& slots) {
  Pair pair;
  std::map<std::int64_t, Count> first;
  for (Count i = 0; i < slots.size(); ++i) {
    const auto [at, is_new] = first.emplace(slots[i], i);
    if (slots[i] < 0 || is_new) continue;
    if (pair.count++ == 0) pair.first = at->second, pair.second = i;
  }
  return pair;
}

class cuda_twice : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(threads, cuda_twice, testing::Values(1, 3, 32));

TEST_P(cuda_twice, slots_that_are_named_once_are_nothing_to_tell) {
  Team team(GetParam());
  Slots slots(1500);
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<std::int64_t>(i * 7919 % 1511) << 20;
  EXPECT_EQ(found(team, slots), Pair{});
  EXPECT_EQ(found(team, {}), Pair{});
}

TEST_P(cuda_twice, positions_without_a_slot_do_not_meet) {
  Team team(GetParam());
  EXPECT_EQ(found(team, {-1, 4, -1, -1, 5}), Pair{});
  EXPECT_EQ(found(team, {-1, 4, -1, 4, -1, 4}), (Pair{2, 1, 3}));
}

TEST_P(cuda_twice, the_pair_that_ends_first_is_named) {
  Team team(GetParam());
  EXPECT_EQ(found(team, {9, 1, 2, 2, 1, 9}), (Pair{3, 2, 3}));
  Slots far(1000);
  for (std::size_t i = 0; i < far.size(); ++i) far[i] = static_cast<std::int64_t>(i);
  far[999] = 0, far[700] = 300;
  EXPECT_EQ(found(team, far), (Pair{2, 300, 700}));
}

TEST_P(cuda_twice, one_slot_named_by_all_counts_all_but_the_first) {
  Team team(GetParam());
  EXPECT_EQ(found(team, Slots(1025, 6)), (Pair{1024, 0, 1}));
}

TEST_P(cuda_twice, random_slots_equal_the_plain_loop) {
  Team team(GetParam());
  Random random(7);
  for (int i = 0; i < 200; ++i) {
    Slots slots(random.below(i % 8 ? 300 : 1500));
    const std::uint64_t range = 1 + random.below(i % 3 ? 2000 : 40);
    for (auto& slot : slots) slot = static_cast<std::int64_t>(random.below(range)) * (i % 2 ? 1 : 512) - 1;
    ASSERT_EQ(found(team, slots), expected(slots)) << "case " << i;
  }
}

}  // namespace
}  // namespace ptox::cuda_test
