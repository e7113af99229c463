// SPDX-License-Identifier: Apache-2.0
// Selects the index tile whose rows are prefetched; the engine reads only indices that the kernel loaded.
#include "engine/core/index_tiles.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

#include "shell.hpp"

namespace index_tiles_test {
namespace {

using ptox::IndexTiles;

const std::byte* at(std::uintptr_t address) { return reinterpret_cast<const std::byte*>(address); }

/// Addresses of two tiles in a core's buffer, of a table and of indices in global memory. None of them is dereferenced.
const std::byte *const ping = at(0x1000), *const pong = at(0x2000), *const table = at(0x10000),
                       *const global = at(0x20000);
constexpr std::int64_t bytes = 256;

const std::uint32_t* words(const std::byte* p) { return reinterpret_cast<const std::uint32_t*>(p); }

TEST(index_tiles, one_tile_that_is_loaded_again_and_again_names_nothing_more) {
  IndexTiles tiles;
  for (int t = 0; t < 4; ++t) {
    tiles.load(ping, global + t * bytes, bytes);
    EXPECT_FALSE(tiles.prefetched(ping, table));
    EXPECT_EQ(tiles.use(ping, table, bytes), nullptr);
  }
}

TEST(index_tiles, a_tile_loaded_ahead_is_named_once_it_was_used_with_that_table) {
  IndexTiles tiles;
  tiles.load(ping, global, bytes), tiles.load(pong, global + bytes, bytes);
  EXPECT_EQ(tiles.use(ping, table, bytes), nullptr);  // pong has not been used with a table yet
  tiles.load(ping, global + 2 * bytes, bytes);
  EXPECT_EQ(tiles.use(pong, table, bytes), words(ping));
  EXPECT_TRUE(tiles.prefetched(ping, table));
  EXPECT_FALSE(tiles.prefetched(ping, at(0x18000)));
  EXPECT_FALSE(tiles.prefetched(pong, table));
  tiles.load(pong, global + 3 * bytes, bytes);
  EXPECT_EQ(tiles.use(ping, table, bytes), words(pong));
  tiles.load(pong, global + 5 * bytes, bytes);
  EXPECT_FALSE(tiles.prefetched(pong, table));  // loaded with other indices since
}

TEST(index_tiles, a_tile_of_another_table_is_not_named) {
  IndexTiles tiles;
  const std::byte* const other = at(0x18000);
  for (int t = 0; t < 4; ++t) {
    tiles.load(ping, global, bytes), tiles.load(pong, at(0x30000), bytes);
    EXPECT_EQ(tiles.use(ping, table, bytes), nullptr);
    EXPECT_EQ(tiles.use(pong, other, bytes), nullptr);
  }
}

TEST(index_tiles, the_rest_of_a_long_tile_is_named_part_by_part) {
  IndexTiles tiles;
  tiles.load(ping, global, 4 * bytes);
  for (int part = 0; part < 3; ++part) {
    EXPECT_EQ(tiles.use(ping + part * bytes, table, bytes), words(ping + (part + 1) * bytes));
    EXPECT_TRUE(tiles.prefetched(ping + (part + 1) * bytes, table));
  }
  EXPECT_EQ(tiles.use(ping + 3 * bytes, table, bytes), nullptr);
}

TEST(index_tiles, what_lies_in_the_place_of_another_tile_replaces_it) {
  IndexTiles tiles;
  for (int t = 0; t < 2; ++t) {
    tiles.load(ping, global, bytes), tiles.load(pong, global, bytes);
    tiles.use(ping, table, bytes), tiles.use(pong, table, bytes);
  }
  tiles.load(ping, global, bytes), tiles.load(pong - 64, global, bytes);
  EXPECT_EQ(tiles.use(ping, table, bytes), nullptr);
  EXPECT_EQ(tiles.use(pong, table, bytes), nullptr);  // partly overwritten
}

TEST(index_tiles, more_tiles_than_are_remembered_forget_the_oldest) {
  IndexTiles tiles;
  for (int t = 0; t < 5; ++t) tiles.load(at(0x1000 + t * 0x1000), global, 2 * bytes);
  EXPECT_EQ(tiles.use(at(0x1000), table, bytes), nullptr);
  EXPECT_NE(tiles.use(at(0x2000), table, bytes), nullptr);
}

TEST(index_tiles, a_block_begins_without_the_tiles_of_the_last_one) {
  IndexTiles tiles;
  tiles.load(ping, global, 2 * bytes);
  tiles.use(ping, table, bytes);
  tiles.start();
  EXPECT_FALSE(tiles.prefetched(ping + bytes, table));
  EXPECT_EQ(tiles.use(ping, table, bytes), nullptr);
}

/// No function may be excluded from sanitizers, so that they observe every read of the engine. The only exception,
/// read_region, reads a table that the caller of a whole-tensor function passed, and is excluded from the thread
/// sanitizer only.
TEST(index_tiles, no_function_of_the_engine_is_hidden_from_sanitizers) {
  for (const char* folder : {"include", "lib"})
    for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(PTOX_SOURCE_DIR "/") + folder)) {
      if (!file.is_regular_file()) continue;
      std::string text = ptox::contents(file.path());
      const std::string known = "__attribute__((no_sanitize(\"thread\"))) void read_region(";
      if (const std::size_t found = text.find(known); found != std::string::npos) text.erase(found, known.size());
      for (const char* attribute : {"no_sanitize", "disable_sanitizer_instrumentation"})
        EXPECT_EQ(text.find(attribute), std::string::npos) << file.path() << " has " << attribute;
    }
}

}  // namespace
}  // namespace index_tiles_test
