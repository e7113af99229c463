// SPDX-License-Identifier: Apache-2.0
// Memory that a call has released is reused by the next call, and is never used by two at once.
#include "host/shelf.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <thread>
#include <vector>

namespace ptox {
namespace {

constexpr std::size_t some = std::size_t{3} << 20;

TEST(shelf, the_next_call_gets_what_the_last_one_left) {
  const std::byte* first = nullptr;
  {
    const Lent lent(some);
    first = lent.begin();
    ASSERT_NE(first, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 4096, 0u);
    std::memset(lent.begin(), 1, some);
  }
  EXPECT_EQ(Lent(some).begin(), first);
  EXPECT_EQ(Lent(some - 1).begin(), first) << "a little less";
  EXPECT_NE(Lent(2 * some).begin(), first) << "much more";
}

TEST(shelf, nobody_shares) {
  for (int round = 0; round < 3; ++round) {
    std::vector<Lent> all(20);
    std::set<const std::byte*> places;
    for (Lent& lent : all) {
      lent = Lent(some);
      ASSERT_TRUE(places.insert(lent.begin()).second);
      std::memset(lent.begin(), round, some);
    }
  }
}

TEST(shelf, threads_take_and_give_at_once) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 200; ++i) {
        const Lent lent(some);
        std::memset(lent.begin(), t, 4096);
        for (int k = 0; k < 4096; ++k) ASSERT_EQ(lent.begin()[k], std::byte(t));
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST(shelf, more_than_there_is_gives_nothing) { EXPECT_EQ(Lent(std::size_t{1} << 60).begin(), nullptr); }

}  // namespace
}  // namespace ptox
