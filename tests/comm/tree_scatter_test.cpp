// SPDX-License-Identifier: Apache-2.0
// TreeScatter: every rank receives its block through other ranks, from any root, repeatedly.
#include "ptox/tree_scatter.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "comm/on_ranks.hpp"

namespace {

using comm_test::engines;
using comm_test::run_on;
using ptox::Rank;

void scatter_again_and_again(Rank& r, std::int64_t count) {
  ptox::TreeScatter<std::int32_t> tree(r, count);
  std::vector<std::int32_t> all(static_cast<std::size_t>(count * r.size())), mine(static_cast<std::size_t>(count));
  for (int call = 0; call < 40; ++call) {
    const int root = call / 10 % r.size();
    for (std::size_t i = 0; i < all.size() && r.id() == root; ++i)
      all[i] = static_cast<std::int32_t>(call * 100000 + i);
    tree(root, all, mine.data());
    for (std::int64_t i = 0; i < count; ++i)
      ASSERT_EQ(mine[static_cast<std::size_t>(i)], call * 100000 + r.id() * count + i) << "call " << call;
  }
}

TEST(tree_scatter, every_rank_gets_its_block) {
  for (ptox::Engine engine : engines)
    for (int n : {1, 2, 3, 4, 5, 7, 8})
      for (std::int64_t count : {1, 1000}) run_on(n, engine, [=](Rank& r) { scatter_again_and_again(r, count); });
}

TEST(tree_scatter, a_source_of_another_size_or_a_root_out_of_range_is_refused) {
  for (ptox::Engine engine : engines)
    run_on(2, engine, [](Rank& r) {
      ptox::TreeScatter<float> tree(r, 4);
      std::vector<float> all(7), mine(4);
      EXPECT_THROW(tree(r.id(), all, mine.data()), std::invalid_argument);
      EXPECT_THROW(tree(2, all, mine.data()), std::invalid_argument);
      EXPECT_THROW(tree(-1, all, mine.data()), std::invalid_argument);
    });
}

std::string said(int n, int rank, int root, int other) {
  return "[comm-root] tree scatter: rank " + std::to_string(rank) + " of " + std::to_string(n) +
         " was called with root " + std::to_string(root) + ", and blocks came from one that was called with root " +
         std::to_string(other) + ". All ranks call with the same";
}

TEST(tree_scatter, ranks_that_call_with_different_roots_are_told) {
  for (ptox::Engine engine : engines)
    for (int n : {2, 3, 5}) {
      if (engine == ptox::Engine::mpi) continue;  // a failing group would end the MPI job
      try {
        ptox::run_ranks(n, engine,
                        [](Rank& r) {
                          ptox::TreeScatter<float> tree(r, 4);
                          std::vector<float> all(static_cast<std::size_t>(4 * r.size())), mine(4);
                          for (int call = 0; call < 2; ++call) tree(r.id() == r.size() - 1, all, mine.data());
                          r.barrier();
                          ADD_FAILURE() << "rank " << r.id() << " came here";
                        },
                        {.deadline = std::chrono::milliseconds(1000)});
        ADD_FAILURE() << "no error";
      } catch (const ptox::RanksError& e) {
        EXPECT_EQ(e.kind(), ptox::FindingKind::comm_root) << e.what();
        EXPECT_TRUE(e.what() == said(n, n - 1, 1, 0) || (n == 2 && e.what() == said(n, 0, 0, 1))) << e.what();
      }
    }
}

}  // namespace
