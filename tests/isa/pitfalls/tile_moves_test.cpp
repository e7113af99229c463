// SPDX-License-Identifier: Apache-2.0
// Moves between tiles touch what they should and nothing else.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

TEST(pitfall, tgather_and_tscatter_go_by_a_row_major_index) {
  const Indices idx{7, 127, 64, 0, 33, 90};
  const auto values = counting<float>(128);
  for (const ptox::Target* t : targets) {
    Floats gathered, scattered;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 16> src, dst, tmp;
      Open<std::int32_t, 8, 16> index;
      Open<float, 16, 8, CM> turned;
      write(src, {8, 16}, values, 0), write(dst, {2, 3}, {}, untouched), write(turned, {16, 8}, {}, untouched);
      write(index, {2, 3}, idx, 0), write(tmp, {8, 16}, {}, 0);
      pipe_barrier(PIPE_ALL);
      TGATHER(dst, src, index, tmp);
      gathered = read(dst);
      pipe_barrier(PIPE_ALL);
      TSCATTER(turned, dst, index);
      scattered = read(turned);
    });
    EXPECT_TRUE(r.clean()) << r;
    Floats want_g(128, untouched), want_s(128, untouched);
    for (int i = 0; i < 6; ++i) want_g[i / 3 * 16 + i % 3] = values[idx[i]], want_s[idx[i]] = values[idx[i]];
    EXPECT_TRUE(same_bytes(gathered, want_g)) << t->name;
    EXPECT_TRUE(same_bytes(scattered, want_s)) << t->name;
  }
}

TEST(pitfall, tile_indices_past_the_tile_touch_nothing_and_are_found) {
  for (const ptox::Target* t : targets) {
    Floats scattered;
    const Report r = ptox::Device(*t, {.check = Check::all}).launch({}, [&] {
      Open<float, 8, 8> src, dst;
      Open<std::int32_t, 8, 8> index;
      write(src, {1, 3}, {1, 2, 3}, 0), write(dst, {8, 8}, {}, untouched), write(index, {1, 3}, {64, -1, 5}, 0);
      pipe_barrier(PIPE_ALL);
      TSCATTER(dst, src, index);
      scattered = read(dst);
    });
    Floats want(64, untouched);
    want[5] = 3;
    EXPECT_TRUE(r.has(FindingKind::oob_index)) << r;
    EXPECT_TRUE(same_bytes(scattered, want)) << t->name;
  }
}

template <MaskPattern mask>
void mask_keeps(const std::vector<int>& kept) {
  const int64_t narrow = static_cast<int64_t>(kept.size()) * 4;
  const auto values = counting<float>(48), packed = counting<float>(3 * narrow, 60);
  Floats want_g(3 * 16, untouched), want_s(3 * 16, untouched), got_g, got_s;
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < narrow; ++k) {
      const int c = k / static_cast<int>(kept.size()) * 4 + kept[k % kept.size()];
      want_g[r * 16 + k] = values[r * 16 + c], want_s[r * 16 + c] = packed[r * narrow + k];
    }
  for (const ptox::Target* t : targets) {
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 3, 16> wide, part, from, onto;
      write(wide, {3, 16}, values, 0), write(part, {3, narrow}, {}, untouched);
      write(from, {3, narrow}, packed, garbage), write(onto, {3, 16}, {}, untouched);
      pipe_barrier(PIPE_ALL);
      TGATHER<mask>(part, wide);
      TSCATTER<mask>(onto, from);
      got_g = read(part), got_s = read(onto);
    });
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(got_g, want_g)) << t->name << " " << static_cast<int>(mask);
    EXPECT_TRUE(same_bytes(got_s, want_s)) << t->name << " " << static_cast<int>(mask);
  }
}

TEST(pitfall, masks_are_read_right_to_left) {
  mask_keeps<MaskPattern::P0101>({0, 2});
  mask_keeps<MaskPattern::P1010>({1, 3});
  mask_keeps<MaskPattern::P0001>({0});
  mask_keeps<MaskPattern::P0010>({1});
  mask_keeps<MaskPattern::P0100>({2});
  mask_keeps<MaskPattern::P1000>({3});
  mask_keeps<MaskPattern::P1111>({0, 1, 2, 3});
}

TEST(pitfall, tgatherb_moves_32_byte_blocks_by_byte_offset) {
  const auto values = counting<half>(4 * 32);
  const std::vector<std::uint32_t> offsets{224, 0, 32, 96, 160, 64};
  for (const ptox::Target* t : targets) {
    std::vector<half> got;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<half, 4, 32> src, dst;
      Open<std::uint32_t, 4, 8> offset;
      write(src, {4, 32}, values, 0), write(dst, {3, 32}, {}, untouched), write(offset, {3, 2}, offsets, 0);
      pipe_barrier(PIPE_ALL);
      TGATHERB(dst, src, offset);
      got = read(dst);
    });
    std::vector<half> want(128, as_number<half>(untouched));
    for (int i = 0; i < 96; ++i) want[i] = values[offsets[i / 16] / 2 + i % 16];
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(got, want)) << t->name;
  }
}

TEST(pitfall, tmov_and_texpands_write_the_valid_region_only) {
  const auto values = counting<float>(15);
  for (const ptox::Target* t : targets) {
    Floats moved, filled;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 8> src, dst, full;
      write(src, {3, 5}, values, garbage), write(dst, {3, 5}, {}, untouched), write(full, {3, 5}, {}, untouched);
      pipe_barrier(PIPE_ALL);
      TMOV(dst, src);
      TEXPANDS(full, 4);
      moved = read(dst), filled = read(full);
    });
    EXPECT_TRUE(r.clean()) << r;
    Floats want(64, untouched), fours = want;
    for (int i = 0; i < 15; ++i) want[i / 5 * 8 + i % 5] = values[i], fours[i / 5 * 8 + i % 5] = 4;
    EXPECT_TRUE(same_bytes(moved, want)) << t->name;
    EXPECT_TRUE(same_bytes(filled, fours)) << t->name;
  }
}

TEST(pitfall, tprefetch_changes_no_byte) {
  Floats memory = counting<float>(64), before = memory;
  for (const ptox::Target* t : targets) {
    Floats tile;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 8> dst;
      auto g = flat(memory.data(), 8, 8);
      write(dst, {8, 8}, {}, untouched);
      pipe_barrier(PIPE_ALL);
      TPREFETCH(dst, g);
      tile = read(dst);
    });
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(tile, Floats(64, untouched))) << t->name;
    EXPECT_TRUE(same_bytes(memory, before));
  }
}

}  // namespace
