// SPDX-License-Identifier: Apache-2.0
// Tables of more than 2^31 bytes and calls with more than 2^32 elements are processed correctly to the end. They are
// created on the device; the host reads samples, or one part after another.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ops_cases.hpp"

namespace {

using pto::GatherOOB;
using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using pto::ScatterOOB;
using ptox::Rows;
using ptox::ScatterOptions;
using namespace ptox::testing;

constexpr std::int64_t two_31 = std::int64_t{1} << 31, two_32 = std::int64_t{1} << 32;

/// Device memory without a copy on the host, filled with 0x5a, between guard bytes.
template <class T>
class Large {
 public:
  explicit Large(std::int64_t count) : count_(count) {
    ok(cudaMalloc(reinterpret_cast<void**>(&memory_), bytes() + 2 * guard));
    ok(cudaMemset(memory_, 0xa5, bytes() + 2 * guard));
    ok(cudaMemset(data(), 0x5a, bytes()));
  }
  Large(const Large&) = delete;
  ~Large() { cudaFree(memory_); }
  T* data() const { return reinterpret_cast<T*>(memory_ + guard); }
  std::span<T> span() const { return {data(), static_cast<std::size_t>(count_)}; }

  std::vector<T> get(std::int64_t first, std::int64_t n) const {
    std::vector<T> v(static_cast<std::size_t>(n));
    ok(cudaMemcpy(v.data(), data() + first, v.size() * sizeof(T), cudaMemcpyDeviceToHost));
    return v;
  }
  void set(std::int64_t first, const std::vector<T>& v) const {
    ok(cudaMemcpy(data() + first, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  /// Fills it by repeating `period`.
  void fill(const std::vector<T>& period) const {
    set(0, period);
    const auto n = static_cast<std::int64_t>(period.size());
    for (std::int64_t at = n; at < count_; at += n)
      ok(cudaMemcpyAsync(data() + at, data(), static_cast<std::size_t>(std::min(n, count_ - at)) * sizeof(T),
                         cudaMemcpyDeviceToDevice));
    ok(cudaDeviceSynchronize());
  }
  bool guards_stand() const {
    std::vector<std::uint8_t> before(guard), behind(guard);
    ok(cudaMemcpy(before.data(), memory_, guard, cudaMemcpyDeviceToHost));
    ok(cudaMemcpy(behind.data(), memory_ + guard + bytes(), guard, cudaMemcpyDeviceToHost));
    const std::vector<std::uint8_t> stands(guard, 0xa5);
    return before == stands && behind == stands;
  }

 private:
  static constexpr std::size_t guard = 4096;
  std::size_t bytes() const { return static_cast<std::size_t>(count_) * sizeof(T); }
  std::int64_t count_;
  std::byte* memory_ = nullptr;
};

/// Elements around powers of two at which an index may be truncated, and at both ends.
std::vector<std::int64_t> sampled(std::int64_t capacity) {
  std::vector<std::int64_t> at;
  for (const std::int64_t near : {std::int64_t{1}, two_31 / 2, two_31, two_31 + two_31 / 2, two_32, capacity - 2})
    for (std::int64_t i = near - 1; i <= near + 1; ++i)
      if (i < capacity && (at.empty() || i > at.back())) at.push_back(i);
  return at;
}
/// Checks the elements `at`, their neighbours, and the elements that truncated indices would select.
template <class T>
void expect_only(const Large<T>& table, const std::vector<std::int64_t>& at, const std::vector<T>& expected) {
  std::map<std::int64_t, T> left;
  for (std::size_t i = 0; i < at.size(); ++i) left[at[i]] = expected[i];
  const auto capacity = static_cast<std::int64_t>(table.span().size());
  const T untouched = poison<T>(1)[0];
  for (const std::int64_t place : at)
    for (const std::int64_t by :
         {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, two_31, -two_31, two_32, -two_32}) {
      const std::int64_t here = place + by;
      if (here < 0 || here >= capacity) continue;
      const auto found = table.get(here, 1), wanted = std::vector{left.contains(here) ? left[here] : untouched};
      EXPECT_TRUE(equal(wanted, found)) << "element " << here;
    }
  EXPECT_TRUE(table.guards_stand());
}

/// Scatters to and gathers from elements whose offsets need 64 bits.
template <class T, class I>
void moves_far_elements(const Large<T>& table, std::int64_t capacity, const ScatterOptions& options) {
  SCOPED_TRACE("capacity " + std::to_string(capacity) + ", " + pto::instr::name(options.op));
  std::vector<std::int64_t> at = sampled(capacity);
  if (sizeof(I) == 4) std::erase_if(at, [](std::int64_t i) { return i >= two_32; });
  std::vector<I> idx;
  std::vector<T> src, expected;
  for (std::size_t i = 0; i < at.size(); ++i) {
    idx.push_back(static_cast<I>(at[i])), src.push_back(static_cast<T>(i + 1));
    const auto before = static_cast<T>(7);
    table.set(at[i], {before});
    expected.push_back(options.op == ScatterAtomicOp::Add ? static_cast<T>(before + src.back()) : src.back());
  }
  const std::span<T> part = table.span().first(static_cast<std::size_t>(capacity));
  const Guarded<I> device_idx(idx);
  const Guarded<T> device_src(src), out(poison<T>(static_cast<std::int64_t>(at.size())));
  ptox::cuda::scatter(part, device_idx.span(), device_src.span(), options);
  ptox::cuda::synchronize();
  expect_only(table, at, expected);
  ptox::cuda::gather(part, device_idx.span(), out.span());
  ptox::cuda::synchronize();
  EXPECT_TRUE(equal(expected, out.get()) && out.guards_stand());
  for (const std::int64_t i : at) table.set(i, {poison<T>(1)[0]});
}
constexpr ScatterOptions last{}, any{.conflict = ScatterConflict::Default}, add{.op = ScatterAtomicOp::Add},
    add_any{.op = ScatterAtomicOp::Add, .conflict = ScatterConflict::Default};

TEST(cuda_large, bytes_of_a_table_past_2_32_are_moved_by_64_bits) {
  const Large<std::uint8_t> table(two_32 + two_31 / 4);
  for (const auto& options : {last, any, add, add_any})
    moves_far_elements<std::uint8_t, std::int64_t>(table, two_32 + two_31 / 4, options);
}
/// Capacities around the one at which sorting changes from 32-bit to 64-bit keys.
TEST(cuda_large, bytes_of_a_table_around_2_32_are_moved) {
  const Large<std::uint8_t> table(two_32 + 2);
  for (const std::int64_t capacity : {two_32 - 2, two_32 - 1, two_32, two_32 + 1})
    for (const auto& options : {last, add}) {
      moves_far_elements<std::uint8_t, std::uint64_t>(table, capacity, options);
      moves_far_elements<std::uint8_t, std::uint32_t>(table, capacity, options);
    }
}
/// 32-bit indices are read as unsigned: -1 is a valid element of such a table.
TEST(cuda_large, a_table_past_2_32_has_an_element_minus_one) {
  const Large<std::uint8_t> table(two_32 + 5);
  table.set(two_32 - 1, {77}), table.set(two_31, {78});
  const Guarded<std::int32_t> idx({-1, INT32_MIN, -1, INT32_MIN});
  const Guarded<std::uint8_t> out(poison<std::uint8_t>(4)), src({1, 2, 3, 4});
  ptox::cuda::gather(table.span(), idx.span(), out.span());
  ptox::cuda::scatter(table.span(), idx.span(), src.span(), add);
  ptox::cuda::synchronize();
  EXPECT_EQ(out.get(), (std::vector<std::uint8_t>{77, 78, 77, 78}));
  expect_only<std::uint8_t>(table, {two_32 - 1, two_31}, {81, 84});
}
/// Indices past the end, including one that is valid when truncated to 32 bits, select no element.
TEST(cuda_large, strays_of_a_table_past_2_32_are_dropped_and_named) {
  const std::int64_t capacity = two_32 + 9;
  const Large<std::uint8_t> table(capacity);
  const Guarded<std::int64_t> idx({capacity - 1, capacity, -1, two_32 * 2 + 1, INT64_MIN});
  const Guarded<std::uint8_t> src({1, 2, 3, 4, 5});
  for (const auto& options : {last, add})
    for (const auto oob : {ScatterOOB::Skip, ScatterOOB::Undefined}) {
      ptox::cuda::scatter(table.span(), idx.span(), src.span(), {.op = options.op, .oob = oob});
      EXPECT_EQ(said_by([] { ptox::cuda::synchronize(); }),
                oob == ScatterOOB::Skip ? ""
                                        : "ptox::cuda::scatter: idx[1] = 4294967305, table has 4294967305 elements. "
                                          "Clamp, Wrap or Skip define this");
      const auto one = static_cast<std::uint8_t>(options.op == ScatterAtomicOp::Add ? 0x5b : 1);
      expect_only<std::uint8_t>(table, {0, 1, 2, 8, two_32, capacity - 1}, {0x5a, 0x5a, 0x5a, 0x5a, 0x5a, one});
      table.set(capacity - 1, {0x5a});
    }
}
TEST(cuda_large, floats_of_a_table_past_2_32_bytes_are_added_to) {
  const std::int64_t capacity = two_32 / 4 + 1'000'000;
  const Large<float> table(capacity);
  for (const auto& options : {last, add, add_any}) moves_far_elements<float, std::int32_t>(table, capacity, options);
}

/// Rows at offsets of more than 2^32 bytes.
template <class T>
void moves_far_rows(const ScatterOptions& options) {
  constexpr std::int64_t width = 4096 / sizeof(T), rows = (two_32 + two_31 / 4) / 4096;
  const Large<T> table(rows * width);
  const std::vector<std::int64_t> at{0,       1, two_31 / 4096 - 1, two_31 / 4096, two_32 / 4096 - 1, two_32 / 4096,
                                     rows - 1};
  const auto count = static_cast<std::int64_t>(at.size());
  std::vector<T> src(static_cast<std::size_t>(count * width)), zeros(static_cast<std::size_t>(width));
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<T>(i % 100 + i / static_cast<std::size_t>(width));
  for (const std::int64_t row : at) table.set(row * width, zeros);
  const Guarded<std::int64_t> idx(at);
  const Guarded<T> device_src(src), out(poison<T>(count * width));
  ptox::cuda::scatter_rows(Rows{table.data(), rows, width}, idx.span(), Rows{device_src.data(), count, width}, options);
  ptox::cuda::gather_rows(Rows{table.data(), rows, width}, idx.span(), Rows{out.data(), count, width});
  ptox::cuda::synchronize();
  EXPECT_TRUE(equal(src, out.get()) && out.guards_stand());
  for (std::size_t i = 0; i < at.size(); ++i) {
    const auto* from = src.data() + static_cast<std::int64_t>(i) * width;
    EXPECT_TRUE(equal(std::vector<T>(from, from + width), table.get(at[i] * width, width))) << "row " << at[i];
    if (at[i] >= 3) EXPECT_TRUE(equal(poison<T>(width), table.get((at[i] - 2) * width, width))) << "before " << at[i];
  }
  EXPECT_TRUE(table.guards_stand());
}
TEST(cuda_large, rows_past_2_32_bytes_are_moved) {
  moves_far_rows<half>(last), moves_far_rows<half>(add), moves_far_rows<float>(add_any);
  moves_far_rows<std::uint8_t>(add_any);
}

/// Indices and values repeat with different periods that have no common divisor, so that the result depends on every
/// position.
constexpr std::int64_t idx_period = 1'000'003, src_period = 999'983, few = 70'001;
std::vector<std::int32_t> period_of_indices() {
  std::vector<std::int32_t> idx;
  for (std::int64_t i = 0; i < idx_period; ++i) idx.push_back(static_cast<std::int32_t>(i * 7919 % few));
  return idx;
}
TEST(cuda_large, more_than_2_32_elements_are_gathered) {
  const std::int64_t count = two_32 + 12'345;
  Random random(9);
  const auto idx = period_of_indices();
  const auto table = values<std::uint8_t>(random, few);
  std::vector<std::uint8_t> period;
  for (const std::int32_t i : idx) period.push_back(table[static_cast<std::size_t>(i)]);
  const Large<std::int32_t> device_idx(count);
  const Large<std::uint8_t> out(count);
  const Guarded<std::uint8_t> device_table(table);
  device_idx.fill(idx);
  ptox::cuda::gather(device_table.span(), device_idx.span(), out.span());
  ptox::cuda::synchronize();
  bool right = true;
  for (std::int64_t at = 0; at < count && right; at += idx_period) {
    auto expected = period;
    expected.resize(static_cast<std::size_t>(std::min(idx_period, count - at)));
    right = out.get(at, static_cast<std::int64_t>(expected.size())) == expected;
    EXPECT_TRUE(right) << "elements from " << at << " on";
  }
  EXPECT_TRUE(out.guards_stand());
}
TEST(cuda_large, the_last_of_more_than_2_31_elements_is_stored) {
  const std::int64_t count = two_31 + 54'321;
  Random random(10);
  const auto idx = period_of_indices();
  const auto src = values<std::uint8_t>(random, src_period);
  std::vector<std::uint8_t> expected = poison<std::uint8_t>(few);
  for (std::int64_t i = count - idx_period; i < count; ++i)
    expected[static_cast<std::size_t>(idx[static_cast<std::size_t>(i % idx_period)])] =
        src[static_cast<std::size_t>(i % src_period)];
  const Large<std::int32_t> device_idx(count);
  const Large<std::uint8_t> device_src(count);
  const Guarded<std::uint8_t> table(poison<std::uint8_t>(few));
  device_idx.fill(idx), device_src.fill(src);
  ptox::cuda::scatter(table.span(), device_idx.span(), device_src.span());
  ptox::cuda::synchronize();
  EXPECT_TRUE(equal(expected, table.get()) && table.guards_stand());
}
TEST(cuda_large, more_than_2_31_elements_are_counted) {
  const std::int64_t count = two_31 + 54'321;
  const auto idx = period_of_indices();
  std::vector<std::uint32_t> expected(few);
  for (std::int64_t i = 0; i < idx_period; ++i) {
    const std::int64_t times = count / idx_period + (i < count % idx_period);
    expected[static_cast<std::size_t>(idx[static_cast<std::size_t>(i)])] += static_cast<std::uint32_t>(times);
  }
  const Large<std::int32_t> device_idx(count);
  const Large<std::uint32_t> ones(count);
  const Guarded<std::uint32_t> table(std::vector<std::uint32_t>(static_cast<std::size_t>(few)));
  device_idx.fill(idx), ones.fill(std::vector<std::uint32_t>(idx_period, 1));
  ptox::cuda::scatter(table.span(), device_idx.span(), ones.span(), add);
  ptox::cuda::synchronize();
  EXPECT_TRUE(equal(expected, table.get()) && table.guards_stand());
}

}  // namespace
