// SPDX-License-Identifier: Apache-2.0
// The messages for tiles that do not fit into a buffer, and the size that would fit.
#include <gtest/gtest.h>

#include "engine/ub.hpp"
#include "launched.hpp"

namespace ptox::ub_test {
namespace {

/// A launch that assigns an address to one tile.
template <class TileT>
Report placed(const ptox::Target& t, int64_t offset, const LaunchOptions& options = {}) {
  return Device(t).launch(options, [=] {
    TileT a;
    TASSIGN(a, offset);
  });
}
/// A launch with one tile that the engine places.
template <class TileT>
Report automatic(const ptox::Target& t, const LaunchOptions& options = {}) {
  return Device(t).launch(options, [] {
    TileT a;
    use(a);
  });
}

TEST(ub_overflow, begins_one_block_past_192_kib_on_a2a3) {
  EXPECT_TRUE(placed<Kib<192>>(a2a3, 0).clean());
  EXPECT_TRUE(placed<Line>(a2a3, 192 * kib - 32).clean());
  EXPECT_TRUE(placed<Line>(a2a3, 192 * kib).has(FindingKind::ub_overflow));
  EXPECT_TRUE(placed<Kib<192>>(a2a3, 32).has(FindingKind::ub_overflow));
}

TEST(ub_overflow, says_how_many_rows_fit_at_the_offset) {
  const Report r = placed<Kib<100>>(a2a3, 100 * kib);
  EXPECT_EQ(
      message(r, FindingKind::ub_overflow),
      "tassign puts a tile of 102400 bytes (f32 100x256) at 0x19000, UB has 196608 bytes; at most 92 rows of this "
      "width fit (tile is 100 rows)");
  EXPECT_TRUE(placed<Kib<92>>(a2a3, 100 * kib).clean());
  EXPECT_FALSE(placed<Kib<93>>(a2a3, 100 * kib).clean());
}

TEST(ub_overflow, rows_end_where_another_tile_begins) {
  const auto below = [](auto tile) {
    return Device(a2a3).launch({}, [=]() mutable {
      Kib<1> other;
      TASSIGN(other, 40 * kib);
      TASSIGN(tile, 10 * kib);
    });
  };
  EXPECT_TRUE(says(below(Kib<190>()), FindingKind::ub_overflow, "at most 30 rows")) << below(Kib<190>());
  EXPECT_TRUE(below(Kib<30>()).clean());
}

TEST(ub_overflow, says_that_no_row_fits) {
  EXPECT_TRUE(
      says(placed<Kib<2>>(a2a3, 192 * kib), FindingKind::ub_overflow, "no row of this width fits (tile is 2 rows)"));
  EXPECT_TRUE(says(placed<Kib<2>>(a2a3, 191 * kib), FindingKind::ub_overflow, "at most 1 row of this width fits"));
  EXPECT_EQ(message(placed<Kib<2>>(a2a3, -1024), FindingKind::ub_overflow).find("fit"), std::string::npos);
}

TEST(ub_overflow, counts_rows_within_the_budget_of_the_launch_and_names_the_most) {
  const Report r = placed<Kib<200>>(a5, 100 * kib);
  EXPECT_TRUE(says(r, FindingKind::ub_overflow,
                   "at most 28 rows of this width fit (tile is 200 rows), 116 with dynUBufSize = "
                   "221184"))
      << r;
  EXPECT_TRUE(placed<Kib<28>>(a5, 100 * kib).clean());
  EXPECT_FALSE(placed<Kib<29>>(a5, 100 * kib).clean());
  EXPECT_TRUE(placed<Kib<116>>(a5, 100 * kib, {.dyn_ub_bytes = 216 * kib}).clean());
  EXPECT_FALSE(placed<Kib<117>>(a5, 100 * kib, {.dyn_ub_bytes = 216 * kib}).clean());
}

/// A tile that the engine places while two others occupy UB: 20 KiB at 0 and 32 KiB at 96 KiB.
template <class TileT>
Report between_others(const ptox::Target& t) {
  return Device(t).launch({}, [] {
    Kib<20> low;
    Kib<32> high;
    use(low);
    TASSIGN(high, 96 * kib);
    TileT tile;
    use(tile);
  });
}

TEST(ub_overflow, says_how_many_rows_the_largest_hole_has_for_an_automatic_tile) {
  const Report r = between_others<Kib<100>>(a2a3);
  EXPECT_EQ(message(r, FindingKind::ub_overflow),
            "auto mode finds no room for a tile of 102400 bytes (f32 100x256) in UB of 196608 bytes, 131072 in use; at "
            "most 76 rows of this width fit (tile is 100 rows)");
  EXPECT_TRUE(between_others<Kib<76>>(a2a3).clean());
  EXPECT_FALSE(between_others<Kib<77>>(a2a3).clean());
  EXPECT_EQ(
      message(between_others<Kib<200>>(a5), FindingKind::ub_overflow),
      "auto mode finds no room for a tile of 204800 bytes (f32 200x256) in UB of 221184 bytes for tiles, 131072 in "
      "use; at most 88 rows of this width fit (tile is 200 rows)");
  EXPECT_TRUE(between_others<Kib<88>>(a5).clean());
  EXPECT_FALSE(between_others<Kib<89>>(a5).clean());
}

TEST(ub_overflow, an_automatic_tile_on_a5_has_216_kib_at_most) {
  EXPECT_TRUE(says(automatic<Kib<300>>(a5), FindingKind::ub_overflow, "at most 216 rows"));
  EXPECT_TRUE(automatic<Kib<216>>(a5).clean());
  EXPECT_TRUE(automatic<Kib<217>>(a5).has(FindingKind::ub_overflow));
  EXPECT_EQ(automatic<Kib<217>>(a5).ub_map().used, 0) << "no tile lies over what the runtime has";
  EXPECT_TRUE(says(automatic<Kib<300>>(a5, {.dyn_ub_bytes = 200 * kib}), FindingKind::ub_overflow, "at most 16 rows"));
  EXPECT_TRUE(automatic<Kib<16>>(a5, {.dyn_ub_bytes = 200 * kib}).clean());
}

TEST(ub_overflow, rows_come_in_the_steps_of_the_layout) {
  using Columns = Tile<TileType::Vec, float, 1024, 64, BLayout::ColMajor>;  // 256 bytes per row, in steps of 8 rows
  EXPECT_TRUE(says(placed<Columns>(a5, kib), FindingKind::ub_overflow, "at most 504 rows")) << placed<Columns>(a5, kib);
  EXPECT_TRUE(says(placed<Columns>(a5, kib + 32), FindingKind::ub_overflow, "at most 504 rows"));
  EXPECT_TRUE(says(placed<Columns>(a5, 3 * kib + 32), FindingKind::ub_overflow, "at most 496 rows"));
  using Nz = Tile<TileType::Vec, float, 1600, 32, BLayout::ColMajor, 1600, 32, SLayout::RowMajor, 512>;
  EXPECT_TRUE(says(placed<Nz>(a2a3, kib), FindingKind::ub_overflow, "at most 1520 rows")) << placed<Nz>(a2a3, kib);
}

TEST(ub_overflow, of_a_tile_of_one_row_says_how_many_columns_fit) {
  using Wide = Tile<TileType::Vec, float, 1, 60000>;  // 240000 bytes
  EXPECT_TRUE(says(placed<Wide>(a2a3, 100 * kib), FindingKind::ub_overflow,
                   "at most 23552 columns fit (tile is 1 row of 60000)"))
      << placed<Wide>(a2a3, 100 * kib);
  EXPECT_TRUE((placed<Tile<TileType::Vec, float, 1, 23552>>(a2a3, 100 * kib).clean()));
  EXPECT_FALSE((placed<Tile<TileType::Vec, float, 1, 23560>>(a2a3, 100 * kib).clean()));
  EXPECT_TRUE(
      says(automatic<Wide>(a5), FindingKind::ub_overflow, "at most 55296 columns fit (tile is 1 row of 60000)"));
  EXPECT_TRUE((automatic<Tile<TileType::Vec, float, 1, 55296>>(a5).clean()));
  EXPECT_TRUE(says(placed<Line>(a2a3, 192 * kib), FindingKind::ub_overflow, "no column fits (tile is 1 row of 8)"));
}

TEST(ub_budget, names_the_largest_need_of_a_loop) {
  const auto kernel = [] {
    for (int i = 0; i < 6; ++i) {
      Kib<32> a;
      TASSIGN(a, i * 32 * kib);
    }
  };
  const Report r = Device(a5).launch({.blocks = 2}, kernel);
  ASSERT_EQ(r.findings().size(), 1u) << r;
  EXPECT_EQ(
      r.findings()[0].message,
      "tassign: a tile of 32768 bytes (f32 32x256) reaches byte 196608 of UB, the launch gave 131072. Launch with "
      "dynUBufSize = 196608, or place the tile lower");
  EXPECT_EQ(r.findings()[0].count, 4);
  EXPECT_EQ(r.findings()[0].block, 0);
  EXPECT_TRUE(Device(a5).launch({.dyn_ub_bytes = 196608}, kernel).clean());
}

TEST(ub_budget, names_one_size_that_is_enough_for_all) {
  const auto kernel = [] {
    Kib<1> a, b;
    TASSIGN(a, 140 * kib);
    TASSIGN(b, 200 * kib);
  };
  const Report r = Device(a5).launch({}, kernel);
  ASSERT_EQ(r.findings().size(), 2u) << r;
  for (const Finding& f : r.findings())
    EXPECT_NE(f.message.find("Launch with dynUBufSize = 205824"), std::string::npos) << f.message;
  EXPECT_TRUE(Device(a5).launch({.dyn_ub_bytes = 205824}, kernel).clean());
}

TEST(ub_budget, of_plain_calls_names_the_largest_need_too) {
  NPU_MEMORY_INIT(NPUArch::A5);
  ptox::ignore_findings(ptox::take_plain_report());
  {
    Kib<32> a[6];
    for (int i = 0; i < 6; ++i) TASSIGN(a[i], i * 32 * kib);
  }
  EXPECT_TRUE(says(ptox::take_plain_report(), FindingKind::ub_budget, "Launch with dynUBufSize = 196608"));
  NPU_MEMORY_CLEAR();
}

TEST(ub_budget, begins_one_block_past_128_kib_on_a5) {
  EXPECT_TRUE(placed<Kib<128>>(a5, 0).clean());
  EXPECT_TRUE(placed<Line>(a5, 128 * kib - 32).clean());
  EXPECT_TRUE(placed<Line>(a5, 128 * kib).has(FindingKind::ub_budget));
  EXPECT_TRUE(placed<Kib<128>>(a5, 32).has(FindingKind::ub_budget));
}

TEST(ub_budget, says_how_many_rows_fit) {
  const Report r = placed<Kib<100>>(a5, 100 * kib);
  EXPECT_EQ(
      message(r, FindingKind::ub_budget),
      "tassign: a tile of 102400 bytes (f32 100x256) reaches byte 204800 of UB, the launch gave 131072. Launch with "
      "dynUBufSize = 204800, or shrink the tile: at most 28 rows of this width fit (tile is 100 rows)");
  EXPECT_TRUE(placed<Kib<28>>(a5, 100 * kib).clean());
  EXPECT_TRUE(placed<Kib<100>>(a5, 100 * kib, {.dyn_ub_bytes = 204800}).clean());
}

/// A tile of 40 KiB that the engine places, then one at address 100 KiB.
template <class TileT>
Report beside_40_kib(const LaunchOptions& options) {
  return Device(a5).launch(options, [] {
    Kib<40> automatic;
    TileT tile;
    use(automatic);
    TASSIGN(tile, 100 * kib);
  });
}

TEST(ub_budget, counts_automatic_tiles_in_what_can_be_had) {
  const Report r = beside_40_kib<Kib<100>>({});
  EXPECT_TRUE(says(
      r, FindingKind::ub_budget,
      "At most 180224 bytes are available beside 40960 bytes of automatic tiles; at most 28 rows of this width fit "
      "(tile is 100 rows), 76 with dynUBufSize = 180224"))
      << r;
  EXPECT_TRUE(beside_40_kib<Kib<28>>({}).clean());
  EXPECT_TRUE(beside_40_kib<Kib<76>>({.dyn_ub_bytes = 180224}).clean());
  EXPECT_FALSE(beside_40_kib<Kib<77>>({.dyn_ub_bytes = 181248}).clean());
}

TEST(ub_budget, of_automatic_tiles_says_how_many_rows_fit) {
  const LaunchOptions given{.dyn_ub_bytes = 200 * kib};
  const Report r = automatic<Kib<32>>(a5, given);
  EXPECT_EQ(
      message(r, FindingKind::ub_budget),
      "automatic tiles take 32768 bytes of UB, the last of them 32768 bytes (f32 32x256), and the launch's "
      "dynUBufSize 204800, together at most 221184. Launch with dynUBufSize = 188416 or less, or shrink the tile: "
      "at most 16 rows of this width fit (tile is 32 rows)");
  EXPECT_TRUE(automatic<Kib<16>>(a5, given).clean());
  EXPECT_TRUE(automatic<Kib<32>>(a5, {.dyn_ub_bytes = 188416}).clean());
  EXPECT_TRUE(says(automatic<Kib<216>>(a5, {.dyn_ub_bytes = 32}), FindingKind::ub_budget,
                   "together at most 221184. Launch without a dynUBufSize, or shrink the tile: at most 215 rows"));
}

TEST(ub_budget, a_dyn_ub_size_past_216_kib_is_found_without_a_tile) {
  const auto nothing = [] {};
  EXPECT_TRUE(Device(a5).launch({.dyn_ub_bytes = 216 * kib}, nothing).clean());
  for (const std::size_t bytes : {std::size_t{216 * kib + 1}, SIZE_MAX}) {
    const Report r = Device(a5).launch({.blocks = 3, .dyn_ub_bytes = bytes}, nothing);
    ASSERT_EQ(r.findings().size(), 1u) << r;
    EXPECT_EQ(r.findings()[0].kind, FindingKind::ub_budget);
    EXPECT_EQ(r.findings()[0].message,
              "launch: dynUBufSize is " + std::to_string(bytes) +
                  ", at most 221184 bytes are available. Launch with dynUBufSize = 221184 or less");
    EXPECT_EQ(r.findings()[0].file, "");
    EXPECT_EQ(r.findings()[0].count, 1);
  }
}

TEST(ub_budget, a_dyn_ub_size_past_216_kib_is_found_once_where_a_tile_is_placed) {
  for (const std::size_t bytes : {std::size_t{217 * kib}, SIZE_MAX}) {
    const Report r = placed<Line>(a5, 0, {.dyn_ub_bytes = bytes});
    ASSERT_EQ(r.findings().size(), 1u) << r;
    EXPECT_EQ(r.findings()[0].kind, FindingKind::ub_budget);
    EXPECT_NE(r.findings()[0].file, "");
  }
}

TEST(ub_budget, a_tile_past_216_kib_has_no_dyn_ub_size) {
  const Report r = placed<Kib<32>>(a5, 190 * kib, {.dyn_ub_bytes = 224 * kib});
  ASSERT_EQ(r.findings().size(), 2u) << r;
  EXPECT_EQ(
      r.findings()[0].message,
      "tassign: a tile of 32768 bytes (f32 32x256) reaches byte 227328 of UB, the launch gave 221184. At most 221184 "
      "bytes are available; at most 26 rows of this width fit (tile is 32 rows)");
  EXPECT_EQ(r.findings()[1].message,
            "the launch's dynUBufSize is 229376, at most 221184 bytes are available. Launch with dynUBufSize = 221184 "
            "or less");
  EXPECT_TRUE(placed<Kib<26>>(a5, 190 * kib, {.dyn_ub_bytes = 216 * kib}).clean());
}

TEST(ub_scratch, is_a_note_past_184_kib_on_a2a3) {
  EXPECT_TRUE(placed<Kib<184>>(a2a3, 0).findings().empty());
  EXPECT_TRUE(automatic<Kib<184>>(a2a3).findings().empty());
  const Report r = placed<Kib<184>>(a2a3, 32);
  ASSERT_EQ(r.findings().size(), 1u) << r;
  EXPECT_EQ(r.findings()[0].severity, ptox::Severity::note);
  EXPECT_EQ(r.findings()[0].message,
            "a tile of 188416 bytes (f32 184x256) reaches byte 188448 of UB, and bytes 188416 to 196608 are scratch of "
            "other instructions. Keep tiles below them in kernels that use those");
  EXPECT_TRUE(r.clean());
  EXPECT_TRUE(automatic<Kib<185>>(a2a3).has(FindingKind::ub_scratch));
  EXPECT_FALSE(placed<Kib<1>>(a5, 185 * kib, {.dyn_ub_bytes = 216 * kib}).has(FindingKind::ub_scratch));
}

TEST(dyn_ub_ignored, is_one_note_of_a_launch_on_a2a3) {
  const LaunchOptions options{.blocks = 5, .dyn_ub_bytes = 64 * kib};
  const Report r = placed<Line>(a2a3, 0, options);
  ASSERT_EQ(r.findings().size(), 1u) << r;
  const Finding& f = r.findings()[0];
  EXPECT_EQ(f.kind, FindingKind::dyn_ub_ignored);
  EXPECT_EQ(f.message, "launch: dynUBufSize is 65536, a2a3 ignores it: tiles have all 196608 bytes of UB");
  EXPECT_EQ(std::tie(f.file, f.line, f.count), std::make_tuple("", 0, 1));
  EXPECT_NE(r.sarif().find("\"locations\": []"), std::string::npos) << r.sarif();
  EXPECT_TRUE(r.clean());
  EXPECT_TRUE(placed<Line>(a2a3, 0, {.blocks = 5}).findings().empty());
  EXPECT_TRUE(placed<Line>(a5, 0, options).findings().empty());
  EXPECT_TRUE(placed<Line>(ptox::target::cpu, 0, options).findings().empty());
}

}  // namespace
}  // namespace ptox::ub_test
