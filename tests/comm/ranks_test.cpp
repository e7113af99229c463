// SPDX-License-Identifier: Apache-2.0
// Ranks run, access each other's memory, and wait for each other.
#include "ptox/ranks.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "comm/on_ranks.hpp"
#include "pto/comm/pto_comm_inst.hpp"

namespace {

using namespace pto;
using ptox::Engine;
using ptox::Rank;
using ptox::RanksError;
using std::int64_t;

using comm_test::engines;
using comm_test::run_on;

TEST(run_ranks, gives_each_rank_its_number_and_returns_their_answers) {
  for (Engine engine : engines)
    for (int n : {1, 2, 3, 4, 8}) {
      const std::vector<int> ids = ptox::run_ranks(n, engine, [n](Rank& r) { return r.size() == n ? r.id() : -1; });
      ASSERT_EQ(static_cast<int>(ids.size()), n);
      for (int i = 0; i < n; ++i) EXPECT_EQ(ids[static_cast<std::size_t>(i)], i);
      const auto words =
          ptox::run_ranks(n, engine, [](Rank& r) { return std::string(10000, static_cast<char>('a' + r.id())); });
      EXPECT_EQ(words.back(), std::string(10000, static_cast<char>('a' + n - 1)));
    }
}

TEST(run_ranks, symmetric_memory_is_zeroed_and_each_rank_addresses_all_of_it) {
  for (Engine engine : engines)
    run_on(3, engine, [](Rank& r) {
      const auto first = r.symmetric<int>(100);
      const auto second = r.symmetric<double>(7);
      for (int v : first.span()) ASSERT_EQ(v, 0);
      EXPECT_EQ(first.data(), first.at(r.id()));
      EXPECT_EQ(second.size(), 7);
      r.barrier();
      for (int k = 0; k < r.size(); ++k) first.at(k)[r.id()] = 10 * k + r.id();
      r.barrier();
      for (int k = 0; k < r.size(); ++k) EXPECT_EQ(first[k], 10 * r.id() + k);
      EXPECT_THROW(first.at(3), std::out_of_range);
      EXPECT_THROW(first.at(-1), std::out_of_range);
    });
}

TEST(run_ranks, what_is_asked_wrongly_is_an_invalid_argument) {
  const auto nothing = [](Rank&) {};
  EXPECT_THROW(ptox::run_ranks(0, Engine::threads, nothing), std::invalid_argument);
  EXPECT_THROW(ptox::run_ranks(1, Engine::threads, nothing, {.deadline = std::chrono::milliseconds(0)}),
               std::invalid_argument);
}

constexpr int rows = 6, cols = 40;
using Source = GlobalTensor<float, Shape<1, 1, 1, -1, cols>, Stride<1, 1, 1, cols, 1>>;
using Part = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;

/// The root scatters; every rank checks what it received.
void scatter_and_look(Rank& r, int root) {
  const auto mine = r.symmetric<float>(rows * cols);
  auto source = r.device().alloc<float>(r.size() * rows * cols);
  for (int64_t i = 0; i < source.size(); ++i) source[i] = static_cast<float>(i + 1);
  r.barrier();
  if (r.id() == root) {
    const ptox::Report report = r.device().launch({}, [&] {
      std::vector<Part> parts;
      for (int k = 0; k < r.size(); ++k) parts.emplace_back(mine.at(k));
      comm::ParallelGroup<Part> group(parts.data(), r.size(), root);
      Source src(source.data(), {r.size() * rows});
      Tile<TileType::Vec, float, 4, 16, BLayout::RowMajor, -1, -1> ping(4, 16), pong(4, 16);
      comm::TSCATTER(group, src, ping, pong);
    });
    EXPECT_TRUE(report.clean()) << report;
  }
  r.barrier();
  for (int64_t i = 0; i < mine.size(); ++i) ASSERT_EQ(mine[i], source[r.id() * rows * cols + i]) << r.id() << " " << i;
}

TEST(run_ranks, the_root_scatters_to_every_rank) {
  for (Engine engine : engines)
    for (const ptox::Target* t : ptox::target::on_host)
      for (int n : {1, 2, 3, 4, 8}) run_on(n, engine, [n](Rank& r) { scatter_and_look(r, n / 2); }, {.target = *t});
}

}  // namespace
