// SPDX-License-Identifier: Apache-2.0
// The number of threads that a rank uses if it is a process.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <numeric>
#include <thread>
#include <vector>

#include "comm/on_ranks.hpp"
#include "engine/system/pool.hpp"
#include "launched.hpp"
#include "ptox/ops.hpp"
#include "ptox/ranks.hpp"

namespace rank_threads_test {
namespace {

/// Makes ptox assume n cores while the object exists.
struct Cores {
  explicit Cores(int n) { setenv("PTO_CPU_MAX_THREADS", std::to_string(n).c_str(), 1); }
  ~Cores() { unsetenv("PTO_CPU_MAX_THREADS"); }
  Cores(const Cores&) = delete;
};

/// A call on whole tensors that is large enough to use all threads. Returns the number of worker threads that it wakes.
std::int64_t woken_by_a_large_call() {
  constexpr std::int64_t count = 1 << 15, width = 256;
  std::vector<float> table(count * width), out(table.size());
  std::vector<std::int32_t> idx(count);
  std::iota(table.begin(), table.end(), 0.0f);
  for (std::int64_t i = 0; i < count; ++i)
    idx[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % count);
  const std::int64_t before = ptox::woken_threads();
  ptox::gather_rows(ptox::rows_of(std::as_const(table), width), idx, ptox::rows_of(out, width));
  for (std::size_t i = 0; i < out.size(); ++i)
    EXPECT_EQ(out[i], table[static_cast<std::size_t>(idx[i / width]) * width + i % width]);
  return ptox::woken_threads() - before;
}

cpu_set_t mask_of_this_thread() {
  cpu_set_t mask;
  EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  return mask;
}

/// Binds the calling thread to one core while the object exists.
struct Bound {
  Bound() {
    cpu_set_t one;
    int core = 0;
    while (!CPU_ISSET(core, &before)) ++core;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    EXPECT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  }
  ~Bound() { EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0); }
  cpu_set_t before = mask_of_this_thread();
};

TEST(rank_threads, a_thread_that_binds_itself_leaves_other_threads_their_cores) {
  const cpu_set_t all = mask_of_this_thread();
  const pid_t child = fork();  // has no helper threads yet
  if (child == 0) {
    const Cores cores(2);
    const Bound bound;
    EXPECT_EQ(ptox::cores_of_this_process(), CPU_COUNT(&all));
    std::atomic<int> cores_of_helper = 0;
    const auto work = [](void* self, int worker) {
      auto& helper = *static_cast<std::atomic<int>*>(self);
      const cpu_set_t mask = mask_of_this_thread();
      if (worker > 0) helper = CPU_COUNT(&mask);
      while (helper == 0) std::this_thread::yield();
    };
    ptox::run_on_threads(2, work, &cores_of_helper);
    EXPECT_EQ(cores_of_helper, CPU_COUNT(&all));
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(rank_threads, a_process_gets_its_share_of_the_cores) {
  const Cores cores(6);
  EXPECT_EQ(woken_by_a_large_call(), 5);  // creates worker threads in this process, which fork does not copy
  for (const int ranks : {1, 2, 3})
    comm_test::run_on(ranks, ptox::Engine::processes, [&](ptox::Rank&) {
      EXPECT_EQ(ptox::most_threads(), 6 / ranks);
      EXPECT_EQ(woken_by_a_large_call(), 6 / ranks - 1);
      EXPECT_EQ(woken_by_a_large_call(), 6 / ranks - 1);
    });
  EXPECT_EQ(ptox::most_threads(), 6);
  EXPECT_EQ(woken_by_a_large_call(), 5);
}

TEST(rank_threads, more_ranks_than_cores_get_one_each) {
  const Cores cores(2);
  comm_test::run_on(3, ptox::Engine::processes, [&](ptox::Rank&) {
    EXPECT_EQ(ptox::most_threads(), 1);
    EXPECT_EQ(woken_by_a_large_call(), 0);
  });
}

TEST(rank_threads, a_rank_shares_the_blocks_of_a_launch_among_its_threads) {
  const Cores cores(4);
  comm_test::run_on(2, ptox::Engine::processes, [&](ptox::Rank&) {
    const std::int64_t before = ptox::woken_threads();
    ptox::require_clean(ptox::Device(ptox::target::cpu).launch({.blocks = 8}, [] {}));
    EXPECT_EQ(ptox::woken_threads() - before, 1);
  });
}

TEST(rank_threads, a_forked_child_of_a_program_has_threads_of_its_own) {
  const Cores cores(3);
  woken_by_a_large_call();
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(woken_by_a_large_call() == 2 && !testing::Test::HasFailure() ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}

}  // namespace
}  // namespace rank_threads_test
