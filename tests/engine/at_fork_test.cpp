// SPDX-License-Identifier: Apache-2.0
// A lock that another thread holds during a fork is free in the child.
#include "engine/system/at_fork.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include "launched.hpp"
#include "ptox/ptox.hpp"
#include "ptox/ranks.hpp"

namespace {

struct Counter {
  std::mutex mutex;
  int begun = 0, ended = 0;  ///< equal whenever the lock is free
};

TEST(at_fork, a_child_finds_locks_free_and_what_they_guard_whole) {
  static Counter* counter = ptox::for_good(&Counter::mutex);
  std::atomic<bool> stop = false;
  std::jthread other([&] {
    for (; !stop; std::this_thread::sleep_for(std::chrono::microseconds(20))) {
      std::lock_guard lock(counter->mutex);
      ++counter->begun;
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      ++counter->ended;
    }
  });
  for (int i = 0; i < 200; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(10);
      std::lock_guard lock(counter->mutex);
      _exit(counter->begun == counter->ended ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  }
  stop = true;
}

TEST(at_fork, ranks_are_forked_while_other_threads_launch) {
  std::atomic<bool> stop = false;
  std::vector<std::jthread> others;
  for (int t = 0; t < 2; ++t)
    others.emplace_back([&] {
      ptox::Device device(ptox::target::a5);
      while (!stop) {
        auto memory = device.alloc<float>(64);
        ptox::require_clean(device.launch({}, [] {}));
      }
    });
  for (int i = 0; i < 40; ++i)
    EXPECT_NO_THROW(ptox::run_ranks(2, ptox::Engine::processes, [](ptox::Rank& r) {
      auto memory = r.device().alloc<float>(64);
      ptox::require_clean(r.device().launch({}, [] {}));
    }));
  stop = true;
}

}  // namespace
