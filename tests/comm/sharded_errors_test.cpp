// SPDX-License-Identifier: Apache-2.0
// A call on a sharded table that is invalid at one rank throws at all ranks, writes nothing and does not hang.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "comm/sharded_case.hpp"
#include "host/ops_says.hpp"

namespace comm_test {
namespace {

using pto::GatherOOB;
using pto::ScatterAtomicOp;
using pto::ScatterOOB;
using ptox::RanksError;
using ptox::ops_test::expect_invalid;
using ptox::ops_test::expect_says;

/// The operands of one rank.
struct Operands {
  std::vector<int> idx{0, 5, 2};
  std::vector<float> rows = std::vector<float>(6, 7.f);
  int64_t width = 2;
};

class EachWay : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(sharded_errors, EachWay, testing::ValuesIn(ways), [](const testing::TestParamInfo<Way>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
});

TEST_P(EachWay, an_index_out_of_range_is_thrown_by_all_ranks_and_nothing_is_written) {
  run_way(GetParam(), 3, [](Rank& r) {
    const Sharded<float> table(r, 6, 2);
    for (int64_t i = 0; i < table.local().rows * 2; ++i) table.local().data[i] = 1.f;
    Operands o;
    if (r.id() == 1) o.idx[2] = -1;
    if (r.id() == 2) o.idx[0] = 6;
    const auto rows = [&] { return ptox::rows_of(o.rows, 2); };
    expect_says<std::out_of_range>([&] { ptox::gather_rows(table, o.idx, rows()); },
                                   {"gather_rows: rank 1: idx[2] = -1", "table has 6 rows"});
    expect_says<std::out_of_range>([&] { ptox::scatter_rows(table, o.idx, rows()); },
                                   {"scatter_rows: rank 1: idx[2] = -1", "table has 6 rows"});
    std::vector<float> out(3, 3.f);
    if (r.id() != 2) o.idx = {0, 11, 1};
    if (r.id() == 2) o.idx[1] = 12, o.idx[0] = 0;
    expect_says<std::out_of_range>([&] { ptox::gather(table, o.idx, out); },
                                   {"gather: rank 2: idx[1] = 12", "table has 12 elements"});
    expect_says<std::out_of_range>([&] { ptox::scatter(table, o.idx, out); }, {"scatter: rank 2: idx[1] = 12"});
    for (const float v : o.rows) EXPECT_EQ(v, 7.f);
    for (const float v : out) EXPECT_EQ(v, 3.f);
    for (int64_t i = 0; i < table.local().rows * 2; ++i) EXPECT_EQ(table.local().data[i], 1.f);
    o.idx = {0, 5, 2};
    ptox::gather_rows(table, o.idx, rows());  // the table can still be used
    for (const float v : o.rows) EXPECT_EQ(v, 1.f);
  });
}

TEST_P(EachWay, a_table_without_rows_has_none_to_clamp_or_wrap_to) {
  run_way(GetParam(), 2, [](Rank& r) {
    const Sharded<float> table(r, 0, 2);
    const std::vector<int> idx(static_cast<std::size_t>(r.id()), 0);
    std::vector<float> rows(2 * idx.size(), 7.f);
    const ptox::Rows<float> view{rows.data(), r.id(), 2};
    expect_says<std::out_of_range>([&] { ptox::gather_rows(table, idx, view, {.oob = GatherOOB::Clamp}); },
                                   {"rank 1", "idx[0] = 0", "Only Zero defines this"});
    expect_says<std::out_of_range>([&] { ptox::scatter_rows(table, idx, view, {.oob = ScatterOOB::Wrap}); },
                                   {"rank 1", "idx[0] = 0", "Only Skip defines this"});
    ptox::scatter_rows(table, idx, view, {.oob = ScatterOOB::Skip});
    ptox::gather_rows(table, idx, view, {.oob = GatherOOB::Zero});
    for (const float v : rows) EXPECT_EQ(v, 0.f);
  });
}

TEST_P(EachWay, sizes_that_do_not_agree_at_one_rank_are_thrown_by_all) {
  run_way(GetParam(), 3, [](Rank& r) {
    const Sharded<float> table(r, 6, 2);
    Operands fine;
    const auto with = [&](auto&& change) {
      Operands o;
      if (r.id() == 2) change(o);
      return o;
    };
    const auto gathers = [&](Operands o) {
      ptox::Rows<float> out{o.rows.data(), static_cast<int64_t>(o.rows.size()) / o.width, o.width};
      ptox::gather_rows(table, o.idx, out);
    };
    expect_invalid([&] { gathers(with([](Operands& o) { o.idx.push_back(1); })); },
                   {"gather_rows: rank 2", "idx has 4 indices", "out has 3 rows"});
    expect_invalid([&] { gathers(with([](Operands& o) { o.width = 3, o.idx.pop_back(); })); },
                   {"rank 2", "table rows are 2 wide", "out rows 3"});
    expect_invalid(
        [&] { ptox::gather_rows(table, fine.idx, ptox::Rows<float>{r.id() == 2 ? nullptr : fine.rows.data(), 3, 2}); },
        {"rank 2", "out is null"});
    expect_invalid([&] { ptox::gather_rows(table, fine.idx, table.local(), {.threads = -1}); },
                   {"rank 0", "threads is -1"});
    expect_invalid(
        [&] {
          ptox::scatter_rows(table, std::vector<int>(static_cast<std::size_t>(table.local().rows)), table.local());
        },
        {"rank 0", "table shares memory with src"});
    gathers(fine);
  });
}

TEST_P(EachWay, calls_that_differ_are_told_apart) {
  run_way(GetParam(), 3, [](Rank& r) {
    const Sharded<float> table(r, 6, 2);
    Operands o;
    const auto rows = ptox::rows_of(o.rows, 2);
    expect_invalid(
        [&] { ptox::gather_rows(table, o.idx, rows, {.oob = r.id() == 1 ? GatherOOB::Clamp : GatherOOB::Wrap}); },
        {"rank 0 has gather_rows with oob Wrap", "rank 1 has gather_rows with oob Clamp"});
    expect_invalid(
        [&] {
          if (r.id() == 2) return ptox::scatter_rows(table, o.idx, rows, {.op = ScatterAtomicOp::Add});
          ptox::gather_rows(table, o.idx, rows);
        },
        {"rank 0 has gather_rows with oob Undefined", "rank 2 has scatter_rows with op Add", "conflict Last"});
    for (const float v : o.rows) EXPECT_EQ(v, 7.f);
  });
}

#ifndef PTOX_TESTS_ON_MPI  // where a job that lost a rank is over
template <class F>
std::string failure_of(const Way& way, int n, F f, std::chrono::milliseconds deadline) {
  const auto begin = std::chrono::steady_clock::now();
  std::string said = "nothing";
  try {
    run_way(way, n, f, {.deadline = deadline});
  } catch (const RanksError& e) {
    said = e.what();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, deadline + std::chrono::seconds(3));
  return said;
}

TEST_P(EachWay, a_rank_that_never_comes_is_named_at_the_deadline) {
  const std::string said = failure_of(
      GetParam(), 3,
      [](Rank& r) {
        const Sharded<float> table(r, 6, 2);
        Operands o;
        if (r.id() != 1) return ptox::gather_rows(table, o.idx, ptox::rows_of(o.rows, 2));
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
      },
      std::chrono::milliseconds(300));
  EXPECT_TRUE(ptox::ops_test::has_words(said, "gather_rows: rank")) << said;
  EXPECT_TRUE(ptox::ops_test::has_words(said, "waits for rank 1 (last in no operation yet), which did not come"))
      << said;
}

TEST_P(EachWay, a_rank_that_returned_without_the_call_is_named_at_once) {
  const std::string said = failure_of(
      GetParam(), 3,
      [](Rank& r) {
        const Sharded<float> table(r, 6, 2);
        Operands o;
        if (r.id() != 1) ptox::scatter_rows(table, o.idx, ptox::rows_of(o.rows, 2));
      },
      std::chrono::seconds(20));
  EXPECT_TRUE(ptox::ops_test::has_words(said, "waits for rank 1 (returned")) << said;
}

TEST_P(EachWay, a_rank_at_another_call_is_named) {
  const auto said_of = [](auto other) {
    return failure_of(
        GetParam(), 2,
        [other](Rank& r) {
          const Sharded<float> table(r, 6, 2), second(r, 6, 2);
          Operands o;
          r.id() == 1 ? other(r, second, o) : ptox::gather_rows(table, o.idx, ptox::rows_of(o.rows, 2));
          r.barrier();
        },
        std::chrono::seconds(20));
  };
  const std::string at_barrier = said_of([](Rank& r, const Sharded<float>&, Operands&) { r.barrier(); });
  EXPECT_TRUE(ptox::ops_test::has_words(at_barrier, "rank 0 is in call 1 on a table, rank 1")) << at_barrier;
  const std::string at_second = said_of([](Rank&, const Sharded<float>& second, Operands& o) {
    ptox::gather_rows(second, o.idx, ptox::rows_of(o.rows, 2));
  });
  EXPECT_TRUE(ptox::ops_test::has_words(at_second, "is elsewhere. All ranks make the same calls")) << at_second;
}

TEST(sharded_errors, a_process_killed_before_its_call_is_named_long_before_the_deadline) {
  const std::string said = failure_of(
      ways[1], 3,
      [](Rank& r) {
        const Sharded<float> table(r, 6, 2);
        Operands o;
        if (r.id() == 2) std::raise(SIGKILL);
        ptox::gather_rows(table, o.idx, ptox::rows_of(o.rows, 2));
      },
      std::chrono::seconds(20));
  EXPECT_TRUE(ptox::ops_test::has_words(said, "rank 2 was killed by signal 9")) << said;
}

#endif

TEST(sharded_errors, a_table_of_wrong_size_is_refused) {
  run_on(2, engines[0], [](Rank& r) {
    expect_invalid([&] { Sharded<float>(r, -1, 2); }, {"Sharded: rows is -1"});
    expect_invalid([&] { Sharded<float>(r, 1, -2); }, {"Sharded: width is -2"});
    expect_invalid([&] { Sharded<float>(r, int64_t{1} << 40, int64_t{1} << 40); }, {"more bytes than 63 bits count"});
    expect_invalid([&] { Sharded<float>(r, 1, 2, {.window_bytes = -5}); }, {"window_bytes is -5"});
  });
}

TEST(sharded_errors, tables_of_different_sizes_are_told_with_both) {
  run_on(2, engines[0], [](Rank& r) {
    const Sharded<float> table(r, r.id() ? 4 : 6, r.id() ? 6 : 4);
    Operands o{.idx = {1},
               .rows = std::vector<float>(table.local().width > 0 ? static_cast<std::size_t>(table.width()) : 0)};
    expect_invalid([&] { ptox::gather_rows(table, o.idx, ptox::rows_of(o.rows, table.width())); },
                   {"rank 0 has a table of 6 rows of 4 elements", "rank 1 has a table of 4 rows of 6 elements"});
  });
}

}  // namespace
}  // namespace comm_test
