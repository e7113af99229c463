// SPDX-License-Identifier: Apache-2.0
// A missing TWAIT between ranks is reported as a race; ordered accesses are not.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"

namespace {

using namespace pto;
using ptox::Rank;

using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 32>, Stride<1, 1, 1, 32, 1>>;
using Staging = Tile<TileType::Vec, float, 1, 32>;

// The racing accesses of these tests do not happen at the same time: the mutex makes them safe for the thread
// sanitizer, and the check under test does not take it into account.
std::mutex one_at_a_time;

/// The memory shared by rank 0 and rank 1: a row and a signal at rank 1.
struct Stage {
  Rank& r;
  ptox::Symmetric<float> row = r.symmetric<float>(32);
  ptox::Symmetric<std::int32_t> flag = r.symmetric<std::int32_t>(1);
  ptox::Buffer<float> own = r.device().alloc<float>(32);

  void put() {
    const std::lock_guard lock(one_at_a_time);
    Row to(row.at(1)), from(own.data());
    Staging tile;
    comm::TPUT(to, from, tile);
  }
  void add() {
    const std::lock_guard lock(one_at_a_time);
    Row to(row.at(1)), from(own.data());
    Staging tile;
    comm::TPUT<AtomicType::AtomicAdd>(to, from, tile);
  }
  void get() {
    const std::lock_guard lock(one_at_a_time);
    Row from(row.at(1)), to(own.data());
    Staging tile;
    comm::TGET(to, from, tile);
  }
  void notify() {
    comm::Signal signal(flag.at(1));
    comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);
  }
  void wait(int value = 1) {
    comm::Signal signal(flag.at(1));
    comm::TWAIT(signal, value, comm::WaitCmp::GE);
  }
  void poll() {
    comm::Signal signal(flag.at(1));
    while (!comm::TTEST(signal, 1, comm::WaitCmp::GE)) {
    }
  }
};

/// The messages of the races that the two ranks report.
std::vector<std::string> races(const std::function<void(Stage&)>& first, const std::function<void(Stage&)>& second,
                               const ptox::Target& target, bool barrier_between = false) {
  std::mutex mutex;
  std::vector<std::string> found;
  ptox::run_ranks(2, ptox::Engine::threads,
                  [&](Rank& r) {
                    Stage stage{r};
                    r.barrier();
                    if (barrier_between && r.id() == 1) r.barrier();
                    const ptox::Report report =
                        r.device().launch({}, [&] { r.id() == 0 ? first(stage) : second(stage); });
                    if (barrier_between && r.id() == 0) r.barrier();
                    const std::lock_guard lock(mutex);
                    for (const ptox::Finding& f : report.findings()) {
                      EXPECT_EQ(f.kind, ptox::FindingKind::race) << f;
                      found.push_back(f.message);
                    }
                  },
                  {.target = target});
  return found;
}

const auto machines = {&ptox::target::a2a3, &ptox::target::a5};

TEST(rank_order, a_missing_wait_is_a_race) {
  for (const ptox::Target* t : machines) {
    const auto found = races([](Stage& s) { s.put(), s.notify(); }, [](Stage& s) { s.get(); }, *t);
    ASSERT_EQ(found.size(), 1u);
    for (const char* part : {"rank 0", "rank 1", "tload", "tstore", "TWAIT"})
      EXPECT_NE(found[0].find(part), std::string::npos) << part << " in " << found[0];
  }
}

TEST(rank_order, a_notify_and_a_wait_order_what_is_put_and_what_is_got) {
  for (const ptox::Target* t : machines) {
    EXPECT_TRUE(races([](Stage& s) { s.put(), s.notify(); }, [](Stage& s) { s.wait(), s.get(); }, *t).empty());
    EXPECT_TRUE(races([](Stage& s) { s.put(), s.notify(); }, [](Stage& s) { s.poll(), s.get(); }, *t).empty());
  }
}

TEST(rank_order, a_barrier_orders_everything) {
  for (const ptox::Target* t : machines)
    EXPECT_TRUE(races([](Stage& s) { s.put(); }, [](Stage& s) { s.get(); }, *t, true).empty());
}

TEST(rank_order, a_wait_after_the_access_orders_nothing) {
  for (const ptox::Target* t : machines)
    EXPECT_EQ(races([](Stage& s) { s.put(), s.notify(); }, [](Stage& s) { s.get(), s.wait(); }, *t).size(), 1u);
}

TEST(rank_order, what_is_put_after_the_notify_is_not_ordered_by_it) {
  for (const ptox::Target* t : machines)
    EXPECT_EQ(races([](Stage& s) { s.notify(), s.put(); }, [](Stage& s) { s.wait(), s.get(); }, *t).size(), 1u);
}

TEST(rank_order, writing_again_before_the_reader_said_so_is_a_race) {
  for (const ptox::Target* t : machines) {
    const auto twice = [](Stage& s) { s.put(), s.notify(), s.put(); };
    EXPECT_EQ(races(twice, [](Stage& s) { s.wait(), s.get(); }, *t).size(), 1u);
    const auto there_and_back = [](Stage& s) { s.put(), s.notify(), s.wait(2), s.put(); };
    EXPECT_TRUE(races(there_and_back, [](Stage& s) { s.wait(), s.get(), s.notify(); }, *t).empty());
  }
}

TEST(rank_order, two_that_write_are_a_race_and_two_that_add_or_read_are_none) {
  for (const ptox::Target* t : machines) {
    EXPECT_EQ(races([](Stage& s) { s.put(); }, [](Stage& s) { s.put(); }, *t).size(), 1u);
    EXPECT_TRUE(races([](Stage& s) { s.add(); }, [](Stage& s) { s.add(); }, *t).empty());
    EXPECT_TRUE(races([](Stage& s) { s.get(); }, [](Stage& s) { s.get(); }, *t).empty());
    EXPECT_EQ(races([](Stage& s) { s.add(); }, [](Stage& s) { s.put(); }, *t).size(), 1u);
    EXPECT_EQ(races([](Stage& s) { s.add(); }, [](Stage& s) { s.get(); }, *t).size(), 1u);
  }
}

}  // namespace
