// SPDX-License-Identifier: Apache-2.0
// No update is lost when several threads update the same memory.
#include "engine/memory/updates.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "launched.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Device;

constexpr int width = 1536, rounds = 200;  // 6 KiB: every row crosses a page boundary
using RowTile = Tile<TileType::Vec, float, 1, width>;
using IndexTile = Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1>;
using Rows = GlobalTensor<float, Shape<1, 1, 1, 2, width>, Stride<2 * width, 2 * width, 2 * width, width, 1>>;

/// Adds one to every element of both rows `rounds` times.
void add_rows(float* table) {
  RowTile ones;
  IndexTile idx;
  Rows rows(table);
  TEXPANDS(ones, 1.0f);
  for (int k = 0; k < 2 * rounds; ++k) {
    idx.SetValue(0, k % 2);
    MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(rows, ones, idx);
  }
}

/// Memory for two rows whose elements cross word, cache line and page boundaries.
struct Unaligned {
  std::vector<std::byte> bytes = std::vector<std::byte>(2 * width * sizeof(float) + 8192);
  float* rows() { return reinterpret_cast<float*>(bytes.data() + 2); }
  float at(int i) {
    float value;
    std::memcpy(&value, bytes.data() + 2 + i * sizeof value, sizeof value);
    return value;
  }
};

TEST(updates, launches_of_two_threads_lose_nothing) {
  Device dev(ptox::target::cpu);
  auto table = dev.alloc<float>(2 * width);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] { ptox::require_clean(dev.launch({}, add_rows, table.data())); });
  for (std::thread& t : threads) t.join();
  for (const float f : table) ASSERT_EQ(f, 2.0f * rounds);
}

TEST(updates, blocks_that_add_to_one_unaligned_row_lose_nothing) {
  Unaligned memory;
  ptox::require_clean(Device(ptox::target::cpu).launch({.blocks = 6}, add_rows, memory.rows()));
  for (int i = 0; i < 2 * width; ++i) ASSERT_EQ(memory.at(i), 6.0f * rounds) << i;
}

TEST(updates, a_launch_that_begins_amid_plain_calls_loses_nothing) {
  Device dev(ptox::target::cpu);
  auto table = dev.alloc<float>(2 * width);
  std::thread plain([&] { add_rows(table.data()); });
  for (int k = 0; k < 4; ++k) ptox::require_clean(dev.launch({.blocks = 2}, add_rows, table.data()));
  plain.join();
  for (const float f : table) ASSERT_EQ(f, 9.0f * rounds);
}

TEST(updates, tstore_add_and_mscatter_add_lose_nothing_of_each_other) {
  Device dev(ptox::target::cpu);
  auto table = dev.alloc<float>(2 * width);
  ptox::require_clean(dev.launch({.blocks = 4}, [&] {
    if (get_block_idx() % 2) return add_rows(table.data());
    Tile<TileType::Vec, float, 2, width> ones;
    Rows rows(table.data());
    TEXPANDS(ones, 1.0f);
    for (int k = 0; k < rounds; ++k) TSTORE<AtomicType::AtomicAdd>(rows, ones);
  }));
  for (const float f : table) ASSERT_EQ(f, 4.0f * rounds);
}

TEST(updates, rows_by_step_and_rows_by_meaning_lose_nothing_of_each_other) {
  constexpr int rows = 16, cols = 8;
  Device dev(ptox::target::cpu);
  auto table = dev.alloc<float>(rows * cols);
  ptox::require_clean(dev.launch({.blocks = 4}, [&] {
    GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<128, 128, 128, cols, 1>> gm(table.data());
    Tile<TileType::Vec, float, rows, cols> plain;
    Tile<TileType::Vec, float, rows, cols, BLayout::ColMajor> turned;
    TEXPANDS(plain, 1.0f), TEXPANDS(turned, 1.0f);
    for (int k = 0; k < rounds; ++k) {
      TSTORE<AtomicType::AtomicAdd>(gm, plain);
      TSTORE<AtomicType::AtomicAdd>(gm, turned);
    }
  }));
  for (const float f : table) ASSERT_EQ(f, 8.0f * rounds);
}

TEST(updates, one_thread_is_alone_however_deep) {
  const ptox::Updater here, again;
  EXPECT_TRUE(ptox::Updates().alone());
}

TEST(updates, nobody_is_alone_while_another_thread_may_update) {
  std::atomic<int> step = 0;
  std::thread other([&] {
    const ptox::Updater here;
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  EXPECT_FALSE(ptox::Updates().alone());
  step = 2;
  other.join();
  EXPECT_TRUE(ptox::Updates().alone());
}

TEST(updates, a_beginner_waits_for_an_update_that_is_alone) {
  std::atomic<bool> began = false;
  std::thread other;
  {
    const ptox::Updates updates;
    ASSERT_TRUE(updates.alone());
    other = std::thread([&] {
      const ptox::Updater here;
      began = true;
    });
    for (int k = 0; k < 1000; ++k) std::this_thread::yield();
    EXPECT_FALSE(began);
  }
  other.join();
  EXPECT_TRUE(began);
}

TEST(updates, pieces_of_a_run_end_with_the_last_element_that_begins_in_a_page) {
  std::thread other;
  std::atomic<int> step = 0;
  other = std::thread([&] {
    const ptox::Updater here;
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  std::vector<std::int64_t> pieces;
  ptox::Updates().run(reinterpret_cast<std::byte*>(std::uintptr_t{4096 * 7 - 6}), 5000, 4,
                      [&](std::int64_t at, std::int64_t n) { pieces.push_back(at), pieces.push_back(n); });
  EXPECT_EQ(pieces, (std::vector<std::int64_t>{0, 8, 8, 4096, 4104, 896}));
  step = 2;
  other.join();
}

}  // namespace
