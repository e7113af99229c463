// SPDX-License-Identifier: Apache-2.0
// Atomics compare, round, wrap and add as the target does, and lose no update.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <vector>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

template <class T, ScatterAtomicOp op>
void row_max_min(const ptox::Target& t, bool legal) {
  constexpr int width = 32 / sizeof(T);
  std::vector<T> table(4 * width), values(3 * width);
  for (int i = 0; i < 4 * width; ++i) table[i] = as_number<T>((i * 7) % 31);
  for (int i = 0; i < 3 * width; ++i) values[i] = as_number<T>((i * 11 + 3) % 31);
  const Indices idx{2, 0, 2};
  std::vector<T> want = table;
  for (int r = 0; legal && r < 3; ++r)
    for (int c = 0; c < width; ++c) {
      T &old = want[idx[r] * width + c], now = values[r * width + c];
      if (op == ScatterAtomicOp::Max ? now > old : now < old) old = now;
    }
  const Report r = scatter<Open<T, 3, width>, Open<std::int32_t, 1, 8>, Coalesce::Row, op>(
      t, flat(table.data(), 4, width), {3, width}, {1, 3}, idx, values);
  EXPECT_EQ(r.has(FindingKind::illegal), !legal) << r;
  EXPECT_EQ(r.clean(), legal) << r;
  EXPECT_TRUE(same_bytes(table, want)) << t.name << " " << name(dtype_of<T>);
}
template <class T>
void row_max_min(bool on_a5) {
  for (const ptox::Target* t : targets) {
    const bool legal = t == &at::cpu || (t == &at::a5 && on_a5);
    row_max_min<T, ScatterAtomicOp::Max>(*t, legal);
    row_max_min<T, ScatterAtomicOp::Min>(*t, legal);
  }
}

TEST(pitfall, row_max_and_min_compare_element_by_element) {
  row_max_min<std::int8_t>(false), row_max_min<std::uint8_t>(false), row_max_min<std::int16_t>(false);
  row_max_min<std::uint16_t>(false), row_max_min<half>(false), row_max_min<bfloat16_t>(false);
  row_max_min<std::int32_t>(true), row_max_min<std::uint32_t>(true), row_max_min<float>(true);
}

/// Adds `step` `times` times to one element that begins at `start`.
template <class T>
T added(const ptox::Target& t, T start, T step, int times, Report* report = nullptr) {
  constexpr int width = 32 / sizeof(T);
  std::vector<T> table(width, start);
  const Report r = scatter<Open<T, 1, width>, Open<std::int32_t, 1, width>, Coalesce::Elem, ScatterAtomicOp::Add>(
      t, flat(table.data(), 1, width), {1, times}, {1, times}, Indices(times, 3), std::vector<T>(times, step));
  if (report) *report = r;
  for (int i = 0; i < width; ++i) EXPECT_TRUE(i == 3 || same(table[i], start)) << i;
  return table[3];
}

TEST(pitfall, half_and_bfloat16_round_every_step) {
  for (const ptox::Target* t : targets) {
    EXPECT_EQ(static_cast<float>(added<half>(*t, as_number<half>(2048), as_number<half>(1), 4)), 2048.0f) << t->name;
    EXPECT_EQ(static_cast<float>(added<half>(*t, as_number<half>(2048), as_number<half>(3), 2)), 2056.0f) << t->name;
    EXPECT_EQ(static_cast<float>(added<bfloat16_t>(*t, as_number<bfloat16_t>(256), as_number<bfloat16_t>(1), 4)),
              256.0f);
    EXPECT_EQ(static_cast<float>(added<bfloat16_t>(*t, as_number<bfloat16_t>(256), as_number<bfloat16_t>(3), 2)),
              264.0f);
  }
}

TEST(pitfall, bfloat16_is_not_half) {
  for (const ptox::Target* t : targets) {
    EXPECT_EQ(static_cast<float>(added<half>(*t, as_number<half>(256), as_number<half>(1), 1)), 257.0f) << t->name;
    EXPECT_EQ(added<bfloat16_t>(*t, as_number<bfloat16_t>(1), as_number<bfloat16_t>(1), 1).bits(), 0x4000) << t->name;
    EXPECT_EQ(added<half>(*t, as_number<half>(1), as_number<half>(1), 1).bits(), 0x4000) << t->name;
    EXPECT_EQ(added<bfloat16_t>(*t, as_number<bfloat16_t>(3e38), as_number<bfloat16_t>(0), 1).bits(),
              as_number<bfloat16_t>(3e38).bits());
  }
}

template <class T>
void integer_add_wraps(bool on_a2a3, bool on_a5) {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  for (const ptox::Target* t : targets) {
    const bool legal = t == &at::cpu || (t == &at::a2a3 ? on_a2a3 : on_a5);
    Report r;
    EXPECT_EQ(added<T>(*t, most, T{1}, 1, &r), legal ? least : most) << t->name << " " << name(dtype_of<T>);
    EXPECT_EQ(r.has(FindingKind::illegal), !legal) << r;
    EXPECT_EQ(added<T>(*t, T{5}, most, 2), legal ? static_cast<T>(5u + most + most) : T{5});
  }
}

TEST(pitfall, integer_add_wraps_where_the_target_adds_it) {
  integer_add_wraps<std::int8_t>(true, false);
  integer_add_wraps<std::uint8_t>(false, false);
  integer_add_wraps<std::int16_t>(true, false);
  integer_add_wraps<std::uint16_t>(false, false);
  integer_add_wraps<std::int32_t>(true, true);
  integer_add_wraps<std::uint32_t>(false, true);
}

TEST(pitfall, float_sums_go_in_source_order) {
  for (const ptox::Target* t : targets) {
    Floats table(8);
    const Report r =
        scatter_elems<ScatterAtomicOp::Add>(*t, flat(table.data(), 1, 8), {0, 0, 0, 0}, {1e8f, 1.0f, -1e8f, 1.0f});
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_EQ(table[0], 1.0f) << t->name;
  }
}

TEST(pitfall, atomics_of_many_blocks_lose_no_update) {
  for (const ptox::Target* t : targets) {
    const int rounds = t->native ? 4000 : 2;  // on the host blocks really meet
    ptox::Device dev(*t);
    auto table = dev.alloc<std::int32_t>(16);
    const Report r = dev.launch({.blocks = 8}, [&] {
      Open<std::int32_t, 8, 8> src;
      Open<std::int32_t, 1, 8> idx;
      auto tableGM = flat(table.data(), 2, 8);
      write(src, {8, 8}, Indices(64, 1), 0);
      write(idx, {1, 8}, {0, 1, 0, 1, 0, 1, 0, 0}, 0);
      pipe_barrier(PIPE_ALL);
      for (int i = 0; i < rounds; ++i) MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(tableGM, src, idx);
    });
    EXPECT_TRUE(r.clean()) << r;
    for (int i = 0; i < 16; ++i) EXPECT_EQ(table[i], 8 * rounds * (i < 8 ? 5 : 3)) << t->name << " " << i;
  }
}

}  // namespace
