// SPDX-License-Identifier: Apache-2.0
// When one rank ends early, the group ends, reports which rank failed and why, and releases all resources.
#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "comm/on_ranks.hpp"
#include "launched.hpp"
#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"

namespace {

using namespace pto;
using namespace std::chrono_literals;
using comm_test::engines;
using ptox::Engine;
using ptox::Rank;
using ptox::RanksError;
using std::int64_t;

std::set<std::string> entries(const char* folder) {
  std::set<std::string> names;
  if (DIR* d = opendir(folder)) {
    while (const dirent* e = readdir(d)) names.insert(e->d_name);
    closedir(d);
  }
  return names;
}

/// Child processes, open files, shared memory and its mappings that ranks may have created.
std::string belongings() {
  std::ostringstream s;
  s << entries("/proc/self/fd").size() << " files, shm";
  for (const std::string& name : entries("/dev/shm"))
    if (name.find("ptox") != std::string::npos) s << " " << name;
  s << ", children";
  for (const std::string& task : entries("/proc/self/task")) {
    std::ifstream children("/proc/self/task/" + task + "/children");
    for (std::string child; children >> child;) s << " " << child;
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("memfd:ptox") != std::string::npos) s << "\n" << line;
  return s.str();
}

/// Expects that the group ends with a finding of that kind about those ranks within that time, and that no resources
/// are left.
template <class F>
std::string expect_end(int n, Engine engine, std::optional<ptox::FindingKind> kind, const std::vector<int>& ranks,
                       std::chrono::milliseconds most, F f, const ptox::RanksOptions& options = {}) {
  SCOPED_TRACE(comm_test::name(engine));
  const std::string before = belongings();
  const auto begin = std::chrono::steady_clock::now();
  std::string said;
  try {
    ptox::run_ranks(n, engine, f, options);
    ADD_FAILURE() << "the group did not end early";
  } catch (const RanksError& e) {
    said = e.what();
    EXPECT_EQ(e.kind(), kind) << said;
    EXPECT_EQ(e.ranks(), ranks) << said;
  }
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_LT(std::chrono::duration_cast<std::chrono::milliseconds>(took).count(), most.count()) << said;
  EXPECT_EQ(belongings(), before) << said;
  return said;
}

void expect_says(const std::string& said, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
}

TEST(faults, a_rank_that_throws_ends_the_others_with_its_words) {
  for (Engine engine : engines)
    for (int thrower : {0, 2}) {
      const std::string said = expect_end(3, engine, std::nullopt, {thrower}, 4s, [=](Rank& r) {
        if (r.id() == thrower) throw std::logic_error("no bread left");
        r.barrier();
      });
      expect_says(said, {"rank " + std::to_string(thrower), "no bread left"});
    }
}

TEST(faults, what_is_no_exception_ends_the_others_too) {
  for (Engine engine : engines)
    expect_end(2, engine, std::nullopt, {1}, 4s, [](Rank& r) {
      if (r.id() == 1) throw 42;
      r.barrier();
    });
}

TEST(faults, a_kernel_that_throws_ends_the_others) {
  for (Engine engine : engines) {
    const std::string said = expect_end(2, engine, std::nullopt, {1}, 4s, [](Rank& r) {
      if (r.id() == 1) ptox::ignore_findings(r.device().launch({}, [] { throw std::runtime_error("in a kernel"); }));
      r.barrier();
    });
    expect_says(said, {"in a kernel"});
  }
}

TEST(faults, a_rank_that_returned_comes_to_no_barrier) {
  for (Engine engine : engines) {
    const std::string said = expect_end(3, engine, ptox::FindingKind::comm_dead_rank, {1}, 4s, [](Rank& r) {
      r.barrier();
      if (r.id() != 1) r.barrier();
    });
    expect_says(said, {"rank 1", "returned", "barrier"});
  }
}

TEST(faults, a_rank_that_never_comes_is_named_at_the_deadline_and_a_process_is_ended) {
  const std::string said = expect_end(3, Engine::processes, ptox::FindingKind::comm_timeout, {2}, 4s,
                                      [](Rank& r) {
                                        r.barrier();
                                        if (r.id() == 2)
                                          for (;;) pause();
                                        r.barrier();
                                      },
                                      {.deadline = 300ms});
  expect_says(said, {"rank 2", "300 ms", "barrier"});
}

TEST(faults, a_thread_that_never_comes_is_named_at_the_deadline_and_left_behind) {
  struct Stage {
    std::atomic<bool> released = false, over = false;
  };
  const auto stage = std::make_shared<Stage>();
  const auto f = [stage](Rank& r) {
    r.barrier();
    if (r.id() == 2) {
      while (!stage->released) std::this_thread::yield();
      stage->over = true;
    }
    r.barrier();
  };
  try {
    ptox::run_ranks(3, Engine::threads, f, {.deadline = 300ms});
    ADD_FAILURE();
  } catch (const RanksError& e) {
    EXPECT_EQ(e.ranks(), std::vector<int>{2});
    expect_says(e.what(), {"comm-timeout", "rank 2", "300 ms"});
  }
  stage->released = true;
  while (!stage->over) std::this_thread::yield();
}

TEST(faults, a_slow_rank_that_delivers_rows_is_waited_for) {
  for (Engine engine : engines)
    comm_test::run_on(2, engine,
                      [](Rank& r) {
                        const auto row = r.symmetric<float>(32);
                        auto own = r.device().alloc<float>(32);
                        const auto begin = std::chrono::steady_clock::now();
                        while (r.id() == 0 && std::chrono::steady_clock::now() - begin < 900ms)
                          ptox::ignore_findings(r.device().launch({}, [&] {
                            GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 32, 1>> to(row.at(1)),
                                from(own.data());
                            Tile<TileType::Vec, float, 1, 32> tile;
                            comm::TPUT(to, from, tile);
                          }));
                        r.barrier();
                      },
                      {.deadline = 200ms});
}

/// Ends the process in one of several ways.
void leave(int how) {
  if (how == 0) raise(SIGKILL);
  if (how == 1) abort();
  if (how == 2) _exit(3);
  *static_cast<volatile int*>(nullptr) = 1;
}

TEST(faults, a_process_that_dies_is_noticed_long_before_the_deadline) {
  const std::string words[] = {"signal 9", "signal 6", "exit status 3", "signal 11"};
  for (int how : {0, 1, 2, 3})
    for (int victim : {0, 1, 3}) {
#if defined(__SANITIZE_ADDRESS__)
      if (how == 3) continue;
#endif
      const std::string said =
          expect_end(4, Engine::processes, ptox::FindingKind::comm_dead_rank, {victim}, 4s, [=](Rank& r) {
            r.barrier();
            if (r.id() == victim) leave(how);
            r.barrier();
          });
      expect_says(said, {"rank " + std::to_string(victim), "barrier"});
      if (how != 3) expect_says(said, {words[how]});
    }
}

TEST(faults, ranks_that_wait_for_a_signal_end_when_the_notifier_dies) {
  for (bool polls : {false, true})
    expect_end(3, Engine::processes, ptox::FindingKind::comm_dead_rank, {0}, 4s, [=](Rank& r) {
      const auto flag = r.symmetric<std::int32_t>(1);
      r.barrier();
      if (r.id() == 0) raise(SIGKILL);
      ptox::ignore_findings(r.device().launch({}, [&] {
        comm::Signal mine(flag.data());
        while (polls && !comm::TTEST(mine, 1, comm::WaitCmp::EQ)) {
        }
        comm::TWAIT(mine, 1, comm::WaitCmp::EQ);
      }));
    });
}

constexpr int64_t rows = 4096, cols = 512;
using Part = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;
using Source = GlobalTensor<float, Shape<1, 1, 1, -1, cols>, Stride<1, 1, 1, cols, 1>>;

/// Repeats a scatter until it fails.
void scatter_for_ever(Rank& r, const ptox::Symmetric<float>& memory) {
  auto source = r.device().alloc<float>(r.size() * rows * cols);
  for (float& v : source) v = 1;
  for (bool clean = true; clean;) {
    const ptox::Report report = r.device().launch({}, [&] {
      std::vector<Part> parts;
      for (int k = 0; k < r.size(); ++k) parts.emplace_back(memory.at(k));
      comm::ParallelGroup<Part> group(parts.data(), r.size(), r.id());
      Source src(source.data(), {r.size() * rows});
      Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, -1, -1> tile(8, 16);
      comm::TSCATTER(group, src, tile);
    });
    clean = report.clean();
  }
}
void wait_for_bytes(const float* p) {
  while (*static_cast<const volatile float*>(p) == 0) std::this_thread::yield();
}

TEST(faults, a_rank_killed_in_the_middle_of_a_scatter_ends_the_root) {
  const std::string said = expect_end(3, Engine::processes, ptox::FindingKind::comm_dead_rank, {2}, 4s, [](Rank& r) {
    const auto memory = r.symmetric<float>(rows * cols);
    r.barrier();
    if (r.id() == 0) scatter_for_ever(r, memory);
    if (r.id() == 2) wait_for_bytes(memory.data()), raise(SIGKILL);
    r.barrier();
  });
  expect_says(said, {"rank 2", "signal 9"});
}

TEST(faults, a_root_killed_in_the_middle_of_a_scatter_is_named_with_the_rows_it_delivered) {
  const std::string said = expect_end(3, Engine::processes, ptox::FindingKind::comm_dead_rank, {0}, 4s, [](Rank& r) {
    const auto memory = r.symmetric<float>(rows * cols);
    const auto pid = r.symmetric<int>(1);
    pid.at(1)[0] = r.id() == 0 ? getpid() : pid.at(1)[0];
    r.barrier();
    if (r.id() == 0) scatter_for_ever(r, memory);
    if (r.id() == 1) wait_for_bytes(memory.data()), kill(pid[0], SIGKILL);
    r.barrier();
  });
  expect_says(said, {"rank 0", "signal 9", "tscatter", "of 12288 rows delivered"});
}

TEST(faults, a_wait_past_its_deadline_says_what_it_saw) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (Engine engine : engines) {
      const std::string said = expect_end(2, engine, ptox::FindingKind::comm_timeout, {1}, 4s,
                                          [](Rank& r) {
                                            const auto flag = r.symmetric<std::int32_t>(1);
                                            flag[0] = 5;
                                            r.barrier();
                                            if (r.id() == 1)
                                              ptox::ignore_findings(r.device().launch({}, [&] {
                                                comm::Signal mine(flag.data());
                                                comm::TWAIT(mine, 6, comm::WaitCmp::GE);
                                              }));
                                            r.barrier();
                                          },
                                          {.target = *t, .deadline = 300ms});
      expect_says(said, {"twait at rank 1 of 2", "is 5", "GE 6", "300 ms", "rank 0"});
    }
}

TEST(faults, a_wait_that_nobody_is_left_to_end_ends_at_once) {
  for (Engine engine : engines)
    expect_end(2, engine, ptox::FindingKind::comm_timeout, {1}, 4s, [](Rank& r) {
      const auto flag = r.symmetric<std::int32_t>(1);
      if (r.id() == 1)
        ptox::ignore_findings(r.device().launch({}, [&] {
          comm::Signal mine(flag.data());
          comm::TWAIT(mine, 6, comm::WaitCmp::GE);
        }));
    });
}

TEST(faults, polling_that_nobody_is_left_to_end_ends_at_the_deadline) {
  for (Engine engine : engines)
    expect_end(2, engine, ptox::FindingKind::comm_timeout, {1}, 4s,
               [](Rank& r) {
                 const auto flag = r.symmetric<std::int32_t>(1);
                 if (r.id() == 1)
                   ptox::ignore_findings(r.device().launch({}, [&] {
                     comm::Signal mine(flag.data());
                     while (!comm::TTEST(mine, 6, comm::WaitCmp::GE)) {
                     }
                   }));
               },
               {.deadline = 300ms});
}

TEST(faults, ranks_that_all_poll_end_at_the_deadline) {
  for (Engine engine : engines) try {
      ptox::run_ranks(3, engine,
                      [](Rank& r) {
                        const auto flag = r.symmetric<std::int32_t>(1);
                        r.barrier();
                        if (r.id() == 2) return;
                        ptox::ignore_findings(r.device().launch({}, [&] {
                          comm::Signal mine(flag.data());
                          while (!comm::TTEST(mine, 1, comm::WaitCmp::EQ)) {
                          }
                        }));
                      },
                      {.deadline = 300ms});
      ADD_FAILURE() << "the group did not end early";
    } catch (const RanksError& e) {
      EXPECT_EQ(e.kind(), ptox::FindingKind::comm_timeout) << e.what();
    }
}

TEST(faults, options_that_cannot_be_are_refused) {
  for (Engine engine : engines) {
    const auto refused = [&](const ptox::RanksOptions& options) {
      EXPECT_THROW(ptox::run_ranks(2, engine, [](Rank&) {}, options), std::invalid_argument);
    };
    refused({.deadline = std::chrono::milliseconds::max()});
    refused({.deadline = 0ms});
    refused({.symmetric_bytes = (std::size_t{1} << 62) + 4096});
    comm_test::run_on(2, engine, [](Rank& r) { EXPECT_EQ(r.symmetric<float>(1024).size(), 1024); },
                      {.symmetric_bytes = 4096});
  }
}

TEST(faults, memory_that_is_asked_for_too_often_is_said) {
  for (Engine engine : engines)
    EXPECT_THROW(ptox::run_ranks(1, engine,
                                 [](Rank& r) {
                                   for (int i = 0; i < 4097; ++i) r.symmetric<char>(1);
                                 }),
                 RanksError);
}

TEST(faults, ranks_that_ask_for_different_memory_are_told_both_sizes) {
  for (Engine engine : engines) {
    std::string said;
    try {
      ptox::run_ranks(2, engine, [](Rank& r) {
        r.symmetric<float>(r.id() == 0 ? 16 : 32);
        r.barrier();
      });
      ADD_FAILURE();
    } catch (const RanksError& e) {
      EXPECT_EQ(e.kind(), ptox::FindingKind::comm_shape);
      said = e.what();
    }
    expect_says(said, {"64", "128", "allocation 1"});
  }
}

TEST(faults, memory_that_is_not_there_is_said) {
  for (Engine engine : engines)
    EXPECT_THROW(
        ptox::run_ranks(2, engine, [](Rank& r) { r.symmetric<std::byte>(1 << 20); }, {.symmetric_bytes = 1 << 16}),
        RanksError);
  EXPECT_THROW(ptox::run_ranks(1, Engine::threads, [](Rank& r) { r.symmetric<float>(-1); }), RanksError);
}

TEST(faults, groups_follow_one_another_after_a_failure) {
  for (int i = 0; i < 3; ++i)
    for (Engine engine : engines) {
      expect_end(2, engine, std::nullopt, {1}, 4s, [](Rank& r) {
        if (r.id() == 1) throw std::runtime_error("again");
        r.barrier();
      });
      comm_test::run_on(2, engine, [](Rank& r) { r.barrier(); });
    }
}

}  // namespace
