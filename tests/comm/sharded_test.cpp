// SPDX-License-Identifier: Apache-2.0
// Gather and scatter on a sharded table equal the local calls bit for bit, on every engine.
#include <gtest/gtest.h>

#include "comm/group/huge_pages.hpp"
#include "comm/sharded_case.hpp"
#include "loops/caches.hpp"

namespace comm_test {
namespace {

using pto::GatherOOB;
using pto::ScatterAtomicOp;
using pto::ScatterOOB;

constexpr GatherOOB gathers[] = {GatherOOB::Undefined, GatherOOB::Clamp, GatherOOB::Wrap, GatherOOB::Zero};
constexpr ScatterOOB scatters[] = {ScatterOOB::Undefined, ScatterOOB::Skip, ScatterOOB::Clamp, ScatterOOB::Wrap};
constexpr ScatterAtomicOp ops[] = {ScatterAtomicOp::None, ScatterAtomicOp::Add, ScatterAtomicOp::Max,
                                   ScatterAtomicOp::Min};

/// Random sizes: fewer rows than ranks, none, one, odd numbers, rows of a page and more; windows of one row per rank,
/// of a few rows, of all rows.
ShardedForm any_form(Random& random) {
  constexpr int64_t rows[] = {0, 1, 2, 3, 5, 7, 64, 1000}, widths[] = {0, 1, 2, 3, 16, 33, 128, 1100};
  constexpr int64_t windows[] = {1, 1, 3000, 1 << 20};
  ShardedForm f;
  f.rows = rows[random.below(std::size(rows))], f.width = widths[random.below(std::size(widths))];
  f.rows = std::min<int64_t>(f.rows, 20000 / (f.width + 1));
  f.window_bytes = windows[random.below(std::size(windows))];
  f.most = f.window_bytes == 1 ? 8 : f.width > 200 ? 30 : 300;
  f.gap = static_cast<int64_t>(random.below(2) ? 0 : random.below(9));
  f.by_row = random.below(4) != 0;
  f.seed = random.next();
  return f;
}

template <class T, class I>
void gather_cases(Rank& r, std::uint64_t seed) {
  Random random(seed);
  for (const GatherOOB oob : gathers)
    for (int k = 0; k < 4; ++k) check_sharded_gather<T, I>(r, any_form(random), oob);
}
template <class T, class I>
void scatter_cases(Rank& r, std::uint64_t seed) {
  Random random(seed);
  for (const ScatterOOB oob : scatters)
    for (const ScatterAtomicOp op : ops) {
      if (op != ScatterAtomicOp::None && !ptox::ops_test::Updated<T>) continue;
      for (int k = 0; k < 2; ++k) check_sharded_scatter<T, I>(r, any_form(random), op, oob);
    }
}

template <class T>
void all_cases(Rank& r, std::uint64_t seed) {
  gather_cases<T, std::int32_t>(r, seed), gather_cases<T, std::int64_t>(r, seed + 1);
  scatter_cases<T, std::uint32_t>(r, seed + 2), scatter_cases<T, std::int32_t>(r, seed + 3);
  scatter_cases<T, std::int64_t>(r, seed + 4);
}

class AWay : public testing::TestWithParam<Way> {};
INSTANTIATE_TEST_SUITE_P(sharded, AWay, testing::ValuesIn(ways), [](const testing::TestParamInfo<Way>& info) {
  std::string name = info.param.name;
  for (char& c : name) c = c == ' ' ? '_' : c;
  return name;
});

TEST_P(AWay, every_type_policy_and_op_is_the_local_call) {
  void (*const types[])(Rank&, std::uint64_t) = {
      all_cases<float>,        all_cases<pto::half>,    all_cases<pto::bfloat16_t>, all_cases<double>,
      all_cases<std::int32_t>, all_cases<std::uint8_t>, all_cases<std::int64_t>,    all_cases<ptox::ops_test::Triple>};
  std::uint64_t seed = 0;
  for (const int n : {1, 2, 3, 4})
    for (const auto type : types) run_way(GetParam(), n, [type, at = seed += 10](Rank& r) { type(r, at); });
}

TEST_P(AWay, more_rows_than_the_window_holds_keep_their_order) {
  run_way(GetParam(), 3, [](Rank& r) {
    ShardedForm f{.rows = 4, .width = 16, .most = 3000, .window_bytes = 5000, .seed = 5};
    check_sharded_scatter<float, std::int32_t>(r, f, ScatterAtomicOp::Add, ScatterOOB::Wrap);
    check_sharded_scatter<float, std::int32_t>(r, f, ScatterAtomicOp::None, ScatterOOB::Skip);
    check_sharded_gather<float, std::int32_t>(r, f, GatherOOB::Clamp);
  });
}

TEST_P(AWay, what_moves_past_the_caches_is_right_too) {
  run_way(GetParam(), 2, [](Rank& r) {
    ShardedForm f{.rows = 30000, .width = 256, .most = 60000, .window_bytes = 0, .seed = 18};
    check_sharded_gather<float, std::int32_t>(r, f, GatherOOB::Zero);
    check_sharded_scatter<float, std::uint32_t>(r, f, ScatterAtomicOp::Add, ScatterOOB::Skip);
  });
}

TEST_P(AWay, a_table_that_is_used_often_keeps_its_bytes_where_it_moves_to_huge_pages) {
  run_way(GetParam(), 2, [](Rank& r) {
    const int64_t width = 1 << 10, rows = (ptox::caches().last >> 11) + 4096, count = rows / 2;  // exceeds the caches
    const Sharded<float> table(r, rows, width);
    for (int64_t i = 0; i < table.local().rows * width; ++i)
      table.local().data[i] = static_cast<float>(table.first() * width + i);
    std::vector<int> idx(static_cast<std::size_t>(count));
    for (int64_t i = 0; i < count; ++i) idx[static_cast<std::size_t>(i)] = static_cast<int>(i * 7919 % rows);
    std::vector<float> out(static_cast<std::size_t>(count * width));
    for (int k = 0; k < 10; ++k) ptox::gather_rows(table, idx, ptox::rows_of(out, width));
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], static_cast<float>(int64_t{idx[i / width]} * width + static_cast<int64_t>(i) % width)) << i;
  });
}

TEST(huge_pages, only_whole_ones_are_taken) {
  std::byte* const at = reinterpret_cast<std::byte*>(std::uintptr_t{6} << 20);
  EXPECT_EQ(whole_huge_pages(at, 4 << 20).begin, at);
  EXPECT_EQ(whole_huge_pages(at, 4 << 20).bytes, 4 << 20);
  EXPECT_EQ(whole_huge_pages(at + 1, 4 << 20).begin, at + (2 << 20));
  EXPECT_EQ(whole_huge_pages(at + 1, 4 << 20).bytes, 2 << 20);
  EXPECT_EQ(whole_huge_pages(at + 1, 3 << 20).bytes, 0);
}

TEST_P(AWay, calls_follow_each_other_on_one_table) {
  run_way(GetParam(), 3, [](Rank& r) {
    const Sharded<int> table(r, 10, 2);
    EXPECT_EQ(table.rows(), 10);
    EXPECT_EQ(table.width(), 2);
    const std::vector<int> idx{9, r.id(), 4}, src{1, 2, 3, 4, 5, 6};
    std::vector<int> out(6);
    for (int k = 1; k <= 20; ++k) {
      ptox::scatter_rows(table, idx, ptox::rows_of(src, 2), {.op = ScatterAtomicOp::Add});
      ptox::gather_rows(table, idx, ptox::rows_of(out, 2));
      EXPECT_EQ(out, (std::vector<int>{3 * k, 6 * k, 3 * k, 4 * k, 15 * k, 18 * k})) << k;
      const Rows<int> mine = table.local();
      ptox::gather(table, std::vector<int>{19}, std::span(out).first(1));
      EXPECT_EQ(out[0], 6 * k);
      EXPECT_LE(mine.rows, 4);
    }
  });
}

TEST(sharded, rows_are_in_blocks_by_rank) {
  run_on(3, engines[0], [](Rank& r) {
    const Sharded<float> table(r, 10, 4);
    EXPECT_EQ(table.first(), 4 * r.id());
    EXPECT_EQ(table.local().rows, r.id() < 2 ? 4 : 2);
    const Sharded<float> few(r, 2, 4);
    EXPECT_EQ(few.first(), std::min(r.id(), 2));
    EXPECT_EQ(few.local().rows, r.id() < 2 ? 1 : 0);
  });
}

}  // namespace
}  // namespace comm_test
