// SPDX-License-Identifier: Apache-2.0
// copy_cbuf_to_gm copies bursts from L1 with gaps on both sides, and its effects are checked like those of a TSTORE.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "engine/system/random.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Check;
using ptox::FindingKind;
using ptox::Report;
namespace at = ptox::target;
using Bytes = std::vector<std::uint8_t>;

/// 64 KiB of L1 as one row.
using L1 = Tile<TileType::Mat, std::uint8_t, 1, 65536>;
using Image = GlobalTensor<std::uint8_t, Shape<1, 1, 1, 1, 65536>, Stride<1, 1, 1, 65536, 1>>;

struct Bursts {
  int count, blocks, src_gap, dst_gap;
  std::size_t src_end() const { return static_cast<std::size_t>((count - 1) * (blocks + src_gap) + blocks) * 32; }
  std::size_t dst_end() const { return static_cast<std::size_t>((count - 1) * (blocks + dst_gap) + blocks) * 32; }
};

void order_mte2_before_mte3() {
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
}

/// Loads `image` into L1 at 0x400 and copies bursts of it, from byte `from`, to `out`.
template <class Order>
Report copy(const ptox::Target& t, Bytes& image, std::uint8_t* out, Bursts b, std::size_t from, Order order) {
  return ptox::Device(t, {.check = Check::all}).launch({}, [&] {
    L1 tile;
    TASSIGN(tile, 0x400);
    Image gm(image.data());
    TLOAD(tile, gm);
    order();
    copy_cbuf_to_gm(out, __cce_get_tile_ptr(tile.data()) + from, 0, static_cast<std::uint16_t>(b.count),
                    static_cast<std::uint16_t>(b.blocks), static_cast<std::uint16_t>(b.src_gap),
                    static_cast<std::uint16_t>(b.dst_gap));
  });
}

Bytes counted(std::size_t n, int step) {
  Bytes bytes(n);
  for (std::size_t i = 0; i < n; ++i)
    bytes[i] = static_cast<std::uint8_t>(i * static_cast<std::size_t>(step) + i / 251);
  return bytes;
}

TEST(copy_cbuf_to_gm, random_bursts_equal_a_plain_loop) {
  ptox::Random random(7);
  for (int k = 0; k < 60; ++k) {
    const auto below = [&](int n) { return static_cast<int>(random.below(static_cast<std::uint64_t>(n))); };
    const Bursts b{1 + below(12), 1 + below(40), below(20), below(20)};
    const std::size_t from = 32 * static_cast<std::size_t>(below(64));
    Bytes image = counted(65536, 7);
    for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
      Bytes out = counted(b.dst_end() + 64, 3), expected = out;
      for (int burst = 0; burst < b.count; ++burst)
        for (int i = 0; i < b.blocks * 32; ++i)
          expected[static_cast<std::size_t>(burst * (b.blocks + b.dst_gap) * 32 + i)] =
              image[from + static_cast<std::size_t>(burst * (b.blocks + b.src_gap) * 32 + i)];
      const Report r = copy(*t, image, out.data(), b, from, order_mte2_before_mte3);
      EXPECT_TRUE(r.clean()) << r;
      EXPECT_EQ(out, expected) << t->name << ": " << b.count << " bursts of " << b.blocks;
    }
  }
}

TEST(copy_cbuf_to_gm, without_a_flag_is_a_race) {
  Bytes image(65536), out(64);
  const Report r = copy(at::a2a3, image, out.data(), {1, 2, 0, 0}, 0, [] {});
  EXPECT_TRUE(r.has(FindingKind::race)) << r;
}

TEST(copy_cbuf_to_gm, of_no_bursts_or_blocks_does_nothing) {
  for (const Bursts b : {Bursts{0, 4, 1, 1}, Bursts{3, 0, 1, 1}}) {
    Bytes image(65536, 1), out(64, 9);
    const Report r = copy(at::a2a3, image, out.data(), b, 0, order_mte2_before_mte3);
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_EQ(out, Bytes(64, 9));
  }
}

TEST(copy_cbuf_to_gm, c1_path) {
  Bytes image(65536, 1), out(64, 9);
  const Report r = copy(at::a5, image, out.data(), {1, 2, 0, 0}, 0, order_mte2_before_mte3);
  ASSERT_EQ(r.findings().size(), 1u) << r;
  EXPECT_EQ(
      r.findings()[0].message,
      "copy_cbuf_to_gm C1: the target has a path from L1 to global memory; a5 has none. Pass the tile to a vector "
      "core, which stores it");
  EXPECT_EQ(out, Bytes(64, 9));
}

TEST(copy_cbuf_to_gm, c2_source) {
  Bytes elsewhere(64), out(64, 9);
  const Report r = ptox::Device(at::a2a3, {.check = Check::all}).launch({}, [&] {
    copy_cbuf_to_gm(out.data(), elsewhere.data(), 0, 1, 2, 0, 0);
  });
  ASSERT_EQ(r.findings().size(), 1u) << r;
  EXPECT_EQ(r.findings()[0].message,
            "copy_cbuf_to_gm C2: src is an address in L1, such as data() of a Mat tile; src lies outside L1, for 1 "
            "bursts of 64 "
            "bytes");
  EXPECT_EQ(out, Bytes(64, 9));
}

TEST(copy_cbuf_to_gm, past_the_end_of_l1_or_of_the_allocation_is_found) {
  Bytes image(65536);
  ptox::Device dev(at::a2a3, {.check = Check::all});
  auto out = dev.alloc<std::uint8_t>(64);
  const auto run = [&](std::size_t from, std::uint16_t blocks) {
    return dev.launch({}, [&] {
      L1 tile;
      TASSIGN(tile, 512 * 1024 - 65536);
      Image gm(image.data());
      TLOAD(tile, gm);
      order_mte2_before_mte3();
      copy_cbuf_to_gm(out.data(), tile.data() + from, 0, 1, blocks, 0, 0);
    });
  };
  EXPECT_TRUE(run(65536 - 64, 2).clean());
  const Report past_l1 = run(65536 - 32, 2), past_out = run(0, 3);
  EXPECT_TRUE(past_l1.has(FindingKind::ub_overflow)) << past_l1;
  EXPECT_TRUE(past_out.has(FindingKind::oob_gm)) << past_out;
}

TEST(copy_cbuf_to_gm, reads_parts_of_several_tiles) {
  using Half = Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor>;
  using Table = GlobalTensor<half, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>;
  std::vector<half> table(256), out(512);
  for (int i = 0; i < 256; ++i) table[static_cast<std::size_t>(i)] = static_cast<half>(i);
  const Report r = ptox::Device(at::a2a3, {.check = Check::all}).launch({}, [&] {
    Half a, b;
    TASSIGN(a, 0);
    TASSIGN(b, 512);
    Table gm(table.data());
    TLOAD(a, gm);
    TLOAD(b, gm);
    order_mte2_before_mte3();
    copy_cbuf_to_gm(out.data(), a.data(), 0, 1, 32, 0, 0);
  });
  EXPECT_TRUE(r.clean()) << r;
  for (std::size_t i = 0; i < 512; ++i) ASSERT_EQ(static_cast<float>(out[i]), static_cast<float>(table[i % 256])) << i;
}

}  // namespace
