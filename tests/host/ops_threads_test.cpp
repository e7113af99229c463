// SPDX-License-Identifier: Apache-2.0
// The functions of ops.hpp can be called from many threads at once, inside a kernel, and after a fork.
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cfenv>
#include <fstream>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/system/pool.hpp"
#include "host/ops_case.hpp"
#include "launched.hpp"
#include "ptox/ptox.hpp"

namespace ptox::ops_test {
namespace {

/// The sum of two NaNs is the NaN of the table, in every loop and with any number of threads.
template <class T, class Bits>
void expect_the_tables_nans(Bits quiet, std::int64_t width) {
  constexpr std::int64_t rows = 5000, count = 200000;
  std::vector<Bits> table(static_cast<std::size_t>(rows * width)), src(static_cast<std::size_t>(count * width));
  Random random(9);
  const auto payload = [&] { return static_cast<Bits>(quiet | random.below(60)); };
  std::ranges::generate(table, payload), std::ranges::generate(src, payload);
  const auto idx = random_indices<std::int32_t>(random, count, rows);
  for (const int threads : {1, 2, 3}) {
    auto actual = table;
    ptox::scatter_rows(Rows<T>{reinterpret_cast<T*>(actual.data()), rows, width}, idx,
                       Rows<const T>{reinterpret_cast<const T*>(src.data()), count, width},
                       {.op = pto::ScatterAtomicOp::Add, .threads = threads});
    ASSERT_EQ(actual, table) << threads << " threads, rows of " << width;
  }
}
TEST(ops_threads, the_sum_of_two_nans_is_the_tables) {
  const Level before = level();
  for (const Level l : levels()) {
    force_level(l);
    for (const std::int64_t width : {1, 3, 8, 37}) {
      expect_the_tables_nans<float>(std::uint32_t{0x7fc00000}, width);
      expect_the_tables_nans<double>(std::uint64_t{0x7ff8000000000000}, width);
      expect_the_tables_nans<pto::half>(std::uint16_t{0x7e00}, width);
      expect_the_tables_nans<pto::bfloat16_t>(std::uint16_t{0x7fc0}, width);
    }
  }
  force_level(before);
}

/// A gather and a sum that are large enough for several threads, with a check of the results.
class Work {
 public:
  explicit Work(std::uint64_t seed) {
    Random random(seed);
    idx_ = random_indices<std::int32_t>(random, count, capacity);
    for (float& x : table_) x = static_cast<float>(random.below(1000)) / 7.0f;
    for (float& x : src_) x = static_cast<float>(random.below(1000)) / 3.0f;
    plain_gather_rows<float, std::int32_t>(rows(std::as_const(table_)), idx_, rows(gathered_),
                                           pto::GatherOOB::Undefined);
    plain_scatter_rows<float, std::int32_t>(rows(summed_ = table_), idx_, rows(std::as_const(src_)),
                                            pto::ScatterAtomicOp::Add, pto::ScatterOOB::Undefined);
  }
  bool right(int threads) const {
    std::vector<float> out(src_.size()), sums = table_;
    ptox::gather_rows(rows(table_), idx_, rows(out), {.threads = threads});
    ptox::scatter_rows(rows(sums), idx_, rows(src_), {.op = pto::ScatterAtomicOp::Add, .threads = threads});
    return out == gathered_ && sums == summed_;
  }

 private:
  static constexpr std::int64_t count = emulated ? 2'000 : 20'000, capacity = count / 2, width = 24;
  static Rows<float> rows(std::vector<float>& v) {
    return {v.data(), static_cast<std::int64_t>(v.size()) / width, width};
  }
  static Rows<const float> rows(const std::vector<float>& v) {
    return {v.data(), static_cast<std::int64_t>(v.size()) / width, width};
  }
  std::vector<std::int32_t> idx_;
  std::vector<float> table_ = std::vector<float>(capacity * width), src_ = std::vector<float>(count * width);
  std::vector<float> gathered_ = src_, summed_ = table_;
};

TEST(ops_threads, many_threads_call_at_once) {
  const Work work(81);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 12; ++t)
    callers.emplace_back([&, t] {
      for (int round = 0; round < 5; ++round) wrong += !work.right(t % 5);
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ops_threads, all_round_as_the_caller_does) {
  constexpr std::int64_t count = 400'000;
  const Work starts_threads(84);
  ASSERT_TRUE(starts_threads.right(4));
  Random random(84);
  const auto idx = random_indices<std::int32_t>(random, count, 1000);
  const std::vector<float> src(count, 0.1f);
  const auto sums = [&](int rounding, int threads) {
    std::vector<float> table(1000, 1.0f);
    const int before = std::fegetround();
    std::fesetround(rounding);
    ptox::scatter(table, idx, src, {.op = pto::ScatterAtomicOp::Add, .threads = threads});
    std::fesetround(before);
    return table;
  };
  for (const int threads : {2, 4}) EXPECT_EQ(sums(FE_UPWARD, threads), sums(FE_UPWARD, 1));
  EXPECT_NE(sums(FE_UPWARD, 1), sums(FE_DOWNWARD, 1));
  EXPECT_EQ(sums(FE_TONEAREST, 4), sums(FE_TONEAREST, 1));
}

/// Limits the address space so that no stack for another thread can be allocated.
void forbid_threads() {
  pthread_attr_t large;
  pthread_attr_init(&large);
  pthread_attr_setstacksize(&large, 256 << 20);
  pthread_setattr_default_np(&large);
  std::ifstream file("/proc/self/statm");
  rlim_t pages = 0;
  file >> pages;
  const rlim_t most = pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (64 << 20);
  const rlimit limit{most, most};
  setrlimit(RLIMIT_AS, &limit);
}

/// Exit code: 0 if the results are correct without threads, 1 if not, 2 if a thread could be started.
int work_without_threads() {
  const Work work(85);
  forbid_threads();
  try {
    std::thread([] {}).join();
    return 2;
  } catch (const std::system_error&) {
  }
  return work.right(8) ? 0 : 1;
}

TEST(ops_threads, a_system_without_threads_left_takes_longer) {
  if (emulated) GTEST_SKIP() << "a process that is emulated cannot start itself again";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // a process of its own, without worker threads
  EXPECT_EXIT(std::_Exit(work_without_threads()), testing::ExitedWithCode(0), "");
}

TEST(ops_threads, errors_stay_with_their_caller) {
  std::atomic<int> thrown = 0, wrong = 0;
  const Work work(82);
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&, t] {
      const std::vector<float> table(100);
      std::vector<float> out(50'000);
      std::vector<std::int32_t> idx(50'000, 3);
      idx[40'000] = 100;
      if (t % 2)
        wrong += !work.right(3);
      else
        try {
          ptox::gather(table, idx, out, {.threads = 3});
        } catch (const std::out_of_range&) {
          ++thrown;
        }
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(thrown, 4);
  EXPECT_EQ(wrong, 0);
}

TEST(ops_threads, every_block_of_a_launch_calls) {
  const Work work(83);
  std::atomic<int> right = 0;
  Device dev(target::cpu);
  for (const int threads : {0, 1, 4}) require_clean(dev.launch({.blocks = 16}, [&] { right += work.right(threads); }));
  EXPECT_EQ(right, 48);
}

TEST(ops_threads, blocks_of_launches_on_many_threads_call) {
  const Work work(84);
  std::atomic<int> right = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      Device dev(target::cpu);
      require_clean(dev.launch({.blocks = 6}, [&] { right += work.right(3); }));
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(right, 24);
}

TEST(ops_threads, a_forked_child_calls) {
  const Work work(85);
  ASSERT_TRUE(work.right(4));
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work.right(4) && work.right(1) && work.right(0) ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_TRUE(work.right(4));
}

/// The number of worker threads that a call wakes on a machine of eight cores. Gathers with GatherOOB::Zero need no
/// parallel pass that validates indices.
std::int64_t woken_by(std::int64_t count, std::int64_t width, bool scatters,
                      pto::GatherOOB oob = pto::GatherOOB::Zero) {
  const std::vector<float> src(static_cast<std::size_t>(count * width), 1.0f);
  std::vector<float> out(src.size());
  std::vector<std::int32_t> idx(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i)
    idx[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * 7919 % count);
  setenv("PTO_CPU_MAX_THREADS", "8", 1);
  const std::int64_t before = woken_threads();
  if (scatters)
    ptox::scatter_rows(Rows<float>{out.data(), count, width}, idx, Rows<const float>{src.data(), count, width},
                       {.op = pto::ScatterAtomicOp::Add});
  else
    ptox::gather_rows(Rows<const float>{src.data(), count, width}, idx, Rows<float>{out.data(), count, width},
                      {.oob = oob});
  const std::int64_t woken = woken_threads() - before;
  unsetenv("PTO_CPU_MAX_THREADS");
  return woken;
}
TEST(ops_threads, a_call_that_is_worth_less_than_waking_a_thread_wakes_none) {
  for (const bool scatters : {false, true}) {
    for (const std::int64_t count : {1, 100, 1024, 2048}) EXPECT_EQ(woken_by(count, 128, scatters), 0) << count;
    for (const std::int64_t count : {1000, 16'000, 32'000}) EXPECT_EQ(woken_by(count, 1, scatters), 0) << count;
  }
  for (const std::int64_t count : {1, 100, 1024, 2048})
    EXPECT_EQ(woken_by(count, 128, false, GatherOptions{}.oob), 0) << count << " rows with default options";
}
TEST(ops_threads, a_large_call_wakes_as_many_threads_as_there_are) {
  EXPECT_EQ(woken_by(1 << 18, 64, false), 7);
  EXPECT_EQ(woken_by(1 << 21, 1, false), 7);
}
TEST(ops_threads, a_call_wakes_no_more_threads_than_have_work) {
  std::int64_t last = 0;
  for (std::int64_t count = 1 << 10; count <= 1 << 18; count *= 2) {
    const std::int64_t woken = woken_by(count, 64, false);
    EXPECT_GE(woken, last) << count;
    last = woken;
  }
  EXPECT_EQ(last, 7);
}

TEST(ops_threads, more_than_there_is_work_or_cores) {
  const std::vector<float> table{1, 2, 3};
  std::vector<float> out(2);
  ptox::gather(table, std::vector<std::int32_t>{2, 0}, out, {.threads = 1'000'000});
  EXPECT_EQ(out, (std::vector<float>{3, 1}));
  EXPECT_TRUE(Work(86).right(1000));
}

}  // namespace
}  // namespace ptox::ops_test
