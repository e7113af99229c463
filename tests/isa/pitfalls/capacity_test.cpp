// SPDX-License-Identifier: Apache-2.0
// The capacity of tables: with outer extents, empty, beyond 32 bits.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

TEST(pitfall, row_capacity_counts_outer_extents_where_the_target_does) {
  using Table = GlobalTensor<float, Shape<2, 3, 1, 4, 8>, Stride<96, 32, 32, 8, 1>>;
  Floats memory = counting<float>(24 * 8);
  const Indices idx{0, 3, 4, 11, 12, 23, 24, -1};
  for (const ptox::Target* t : targets) {
    const int64_t capacity = t == &at::a5 ? 4 : 24;
    Floats want(64);
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 8; ++c)
        want[r * 8 + c] = memory[slot(static_cast<std::uint32_t>(idx[r]), capacity, GatherOOB::Clamp) * 8 + c];
    const auto got = gather_rows<GatherOOB::Clamp>(*t, Table(memory.data()), 8, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name;
  }
}

// Tables with nothing in them.

template <GatherOOB mode, class Table>
void empty_gather(const ptox::Target& t, Table table) {
  const auto row = gather_rows<mode>(t, table, 8, {0, -1});
  const auto elem =
      gather<Open<float, 8, 8>, Open<std::int32_t, 8, 8>, Coalesce::Elem, mode>(t, table, {1, 2}, {1, 2}, {0, 5});
  const std::string where = std::string(t.name) + " " + name(mode);
  EXPECT_EQ(row.report.has(FindingKind::oob_index), mode != GatherOOB::Zero) << where << row.report;
  EXPECT_EQ(elem.report.has(FindingKind::oob_index), mode != GatherOOB::Zero) << where << elem.report;
  for (int i = 0; mode == GatherOOB::Zero && i < 16; ++i) EXPECT_EQ(row.tile[i], 0.0f) << where;
  for (int i = 0; mode == GatherOOB::Zero && i < 2; ++i) EXPECT_EQ(elem.tile[i], 0.0f) << where;
  for (int i = 16; i < 64; ++i) EXPECT_EQ(row.tile[i], 77.0f) << where;
}
template <ScatterOOB mode, class Table>
void empty_scatter(const ptox::Target& t, Table table) {
  const Report row = scatter_rows<mode>(t, table, 8, {0, -1}, counting<float>(16));
  const Report elem = scatter<Open<float, 8, 8>, Open<std::int32_t, 8, 8>, Coalesce::Elem, mode>(
      t, table, {1, 2}, {1, 2}, {0, 5}, {1, 2});
  EXPECT_EQ(row.has(FindingKind::oob_index), mode != ScatterOOB::Skip) << t.name << " " << name(mode) << row;
  EXPECT_EQ(elem.has(FindingKind::oob_index), mode != ScatterOOB::Skip) << t.name << " " << name(mode) << elem;
}

TEST(pitfall, capacity_zero_puts_every_index_out_of_range_under_every_policy) {
  Floats behind(16, 6.0f);
  for (const ptox::Target* t : targets)
    for (float* base : {static_cast<float*>(nullptr), behind.data()}) {
      const auto table = flat(base, 0, 8);
      empty_gather<GatherOOB::Undefined>(*t, table), empty_gather<GatherOOB::Clamp>(*t, table);
      empty_gather<GatherOOB::Wrap>(*t, table), empty_gather<GatherOOB::Zero>(*t, table);
      empty_scatter<ScatterOOB::Undefined>(*t, table), empty_scatter<ScatterOOB::Skip>(*t, table);
      empty_scatter<ScatterOOB::Clamp>(*t, table), empty_scatter<ScatterOOB::Wrap>(*t, table);
    }
  EXPECT_TRUE(same_bytes(behind, Floats(16, 6.0f)));
}

TEST(pitfall, an_empty_outer_extent_leaves_no_row_on_cpu_and_a2a3) {
  using Table = GlobalTensor<float, Shape<0, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>>;
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) empty_gather<GatherOOB::Zero>(*t, Table(nullptr));
}

TEST(pitfallDeathTest, a5_rows_of_a_table_without_memory_are_no_crash) {
  using Table = GlobalTensor<float, Shape<0, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>>;  // a5 counts Shape[3] rows
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    const auto got = gather_rows<>(at::a5, Table(nullptr), 8, {0, 1});
    std::_Exit(got.report.clean() ? 2 : 0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
  GTEST_FLAG_SET(death_test_style, "fast");
}

// Tables past 32 bits.

/// Address space without memory behind it: pages come as they are written.
class Sparse {
 public:
  explicit Sparse(std::size_t bytes) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Sparse() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  std::uint8_t* data() const { return data_ == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};
const ptox::Target* const machines[] = {&at::a2a3, &at::a5};
constexpr int64_t two_32 = int64_t{1} << 32;
using Bytes8x32 = Open<std::uint8_t, 8, 32>;
using Index1x8 = Open<std::uint32_t, 1, 8>;

TEST(pitfall, elements_past_two_gibi_are_reached) {
  const Sparse memory(two_32 + 4096);
  ASSERT_NE(memory.data(), nullptr);
  const std::vector<std::uint32_t> idx{4294967295u, 4294967294u, 2147483648u, 2147483647u, 0};
  for (int64_t capacity : {two_32 - 1, two_32, two_32 + 5}) {
    for (std::size_t i = 0; i < idx.size(); ++i) memory.data()[idx[i]] = static_cast<std::uint8_t>(i + 1);
    const auto table = flat(memory.data(), 1, capacity);
    const auto got = gather<Bytes8x32, Index1x8, Coalesce::Elem, GatherOOB::Wrap>(at::cpu, table, {1, 5}, {1, 5}, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_EQ(std::vector<std::uint8_t>(got.tile.begin(), got.tile.begin() + 5),
              (std::vector<std::uint8_t>{std::uint8_t(capacity > two_32 - 1 ? 1 : 5), 2, 3, 4, 5}));
    const Report r = scatter<Bytes8x32, Index1x8, Coalesce::Elem, ScatterOOB::Skip>(at::cpu, table, {1, 5}, {1, 5}, idx,
                                                                                    {91, 92, 93, 94, 95});
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_EQ(memory.data()[4294967295u], capacity > two_32 - 1 ? 91 : 1);
    EXPECT_EQ(memory.data()[4294967294u], 92);
    EXPECT_EQ(memory.data()[2147483648u], 93);
  }
}

TEST(pitfall, rows_past_four_gibi_are_reached) {
  const Sparse memory(std::size_t{1} << 33);
  ASSERT_NE(memory.data(), nullptr);
  const int64_t rows = int64_t{1} << 28;
  const std::vector<std::uint32_t> idx{(1u << 28) - 1, 1u << 27, 4294967295u, 1u << 28};
  memory.data()[(rows - 1) * 32 + 31] = 7, memory.data()[(int64_t{1} << 27) * 32] = 8;
  const auto table = flat(memory.data(), rows, 32);
  const auto got = gather<Bytes8x32, Index1x8, Coalesce::Row, GatherOOB::Clamp>(at::cpu, table, {4, 32}, {1, 4}, idx);
  EXPECT_TRUE(got.report.clean()) << got.report;
  EXPECT_EQ(got.tile[31], 7);
  EXPECT_EQ(got.tile[32], 8);
  EXPECT_EQ(got.tile[2 * 32 + 31], 7) << "-1 is clamped to the last row";
  EXPECT_EQ(got.tile[3 * 32 + 31], 7);
}

TEST(pitfall, a_row_index_of_32_bits_is_not_cut) {
  const Sparse memory(two_32 + 4096);
  ASSERT_NE(memory.data(), nullptr);
  memory.data()[two_32 - 1] = 9, memory.data()[0] = 1;
  const auto table = flat(memory.data(), two_32, 1);
  const auto got = gather<Bytes8x32, Index1x8, Coalesce::Row>(at::cpu, table, {2, 1}, {1, 2}, {4294967295u, 0});
  EXPECT_TRUE(got.report.clean()) << got.report;
  EXPECT_EQ(got.tile[0], 9);
  EXPECT_EQ(got.tile[32], 1);
}

TEST(pitfall, what_wraps_in_a_machines_32_bits_is_said) {
  const Sparse memory(std::size_t{1} << 33);
  ASSERT_NE(memory.data(), nullptr);
  const auto rows = gather<Bytes8x32, Index1x8, Coalesce::Row>(at::a5, flat(memory.data(), int64_t{1} << 28, 32),
                                                               {1, 32}, {1, 1}, {(1u << 28) - 1});
  EXPECT_TRUE(rows.report.has(FindingKind::address_wrap)) << "a5 computes idx * validCols in 32 bits\n" << rows.report;
  for (const ptox::Target* t : machines) {
    const auto elems =
        gather<Bytes8x32, Index1x8, Coalesce::Elem>(*t, flat(memory.data(), 1, two_32), {1, 1}, {1, 1}, {5});
    EXPECT_TRUE(elems.report.has(FindingKind::address_wrap)) << t->name << " counts its capacity in 32 bits\n"
                                                             << elems.report;
  }
}

}  // namespace
