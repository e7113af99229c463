// SPDX-License-Identifier: Apache-2.0
#include "pto/cuda/flight.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

namespace ptox {

namespace {

using pto::instr::cuda::Copy;
using Flight = pto::instr::cuda::Flight<4>;
using pto::instr::cuda::GmBytes;

Copy copy_at(std::uint32_t begin, std::uint32_t bytes) { return {{begin, begin + bytes}, {begin, begin + bytes}}; }

/// Reference: the number of most recent copies that may remain in progress, found by examining each.
int plainly(const std::deque<Copy>& under_way, const Copy& mine) {
  int stay = 0;
  for (auto it = under_way.rbegin(); it != under_way.rend() && !it->ub.meets(mine.ub); ++it) ++stay;
  return stay;
}

}  // namespace

TEST(flight, an_instruction_waits_for_the_copies_it_meets) {
  std::mt19937 random(7);
  for (std::uint32_t warp : {0u, 1u, 31u}) {
    Flight flight;
    flight.clear(warp);
    std::deque<Copy> plain;
    for (int turn = 0; turn < 3000; ++turn) {
      const Copy mine = copy_at(random() % 64, random() % 8);
      int stay = flight.may_stay(warp, [&](const Copy& c) { return c.ub.meets(mine.ub); });
      ASSERT_EQ(stay, plainly(plain, mine)) << "turn " << turn;
      const bool begins = random() % 2 == 0;
      if (begins && stay == Flight::most) --stay;
      while (static_cast<int>(plain.size()) > stay) plain.pop_front();
      if (begins) flight.note(warp, mine);
      flight.waited(warp, stay);
      if (begins) flight.begin(warp), plain.push_back(mine);
      ASSERT_EQ(flight.under_way(warp), static_cast<int>(plain.size()));
    }
  }
}

TEST(flight, a_tensor_reaches_as_far_as_its_rows_or_its_elements) {
  pto::instr::TensorDesc t;
  t.dtype = pto::instr::DType::f32;
  t.base = reinterpret_cast<void*>(std::uintptr_t{4096});
  const std::int64_t shape[] = {1, 1, 1, 3, 8}, wide[] = {0, 0, 0, 100, 1}, narrow[] = {0, 0, 0, 2, 1};
  std::copy(shape, shape + 5, t.shape), std::copy(wide, wide + 5, t.stride);
  const GmBytes by_rows = pto::instr::cuda::bytes_of(t);
  EXPECT_EQ(by_rows.begin, 4096u);
  EXPECT_EQ(by_rows.end, 4096u + (2 * 100 + 8) * 4);
  std::copy(narrow, narrow + 5, t.stride);
  EXPECT_EQ(pto::instr::cuda::bytes_of(t).end, 4096u + 3 * 8 * 4)
      << "an element's index counts elements, whatever the strides";
  const std::int64_t back[] = {0, 0, 0, -100, 1};
  std::copy(back, back + 5, t.stride);
  EXPECT_EQ(pto::instr::cuda::bytes_of(t).begin, 4096u - 2 * 100 * 4);
  EXPECT_EQ(pto::instr::cuda::bytes_of(t).end, 4096u + 3 * 8 * 4);
  t.shape[3] = 0;
  EXPECT_FALSE(pto::instr::cuda::bytes_of(t).meets({0, ~0ull}));
}

}  // namespace ptox
