// SPDX-License-Identifier: Apache-2.0
// Who owns which bytes of UB, and what would fit where something does not?
#include "ptox/ub_map.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include "core/owners.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Device;
using ptox::Finding;
using ptox::LaunchOptions;
using ptox::Report;
using ptox::UbMap;
using ptox::UbOwner;
using ptox::target::a2a3;
using ptox::target::a5;
using std::int64_t;

constexpr int64_t kib = 1024;
template <int n>
using Kib = Tile<TileType::Vec, float, n, 256>;  // one KiB a row
using Line = Tile<TileType::Vec, float, 1, 8>;   // 32 bytes
using Range = std::pair<int64_t, int64_t>;

template <class TileT>
void use(const TileT& t, instr::Site site = instr::Site::current()) {
  (void)t.desc(site);
}

template <class F>
UbMap map_of(const ptox::Target& t, F kernel, const LaunchOptions& options = {}) {
  return Device(t).launch(options, kernel).ub_map();
}

std::vector<Range> ranges(const UbMap& map) {
  std::vector<Range> all;
  for (const UbOwner& o : map.owners) all.emplace_back(o.begin, o.end);
  return all;
}

std::string message(const Report& r, const std::string& id) {
  for (const Finding& f : r.findings())
    if (f.id == id) return f.message;
  return {};
}

bool says(const Report& r, const std::string& id, const std::string& text) {
  return message(r, id).find(text) != std::string::npos;
}

std::string text(const auto& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

TEST(ub_map, names_every_owner_by_offset) {
  int line = 0;
  const UbMap map = map_of(a2a3, [&] {
    Kib<4> high, low;
    Tile<TileType::Vec, std::int32_t, 8, 8, BLayout::ColMajor, -1, 5> idx;
    line = __LINE__ + 1;
    TASSIGN(high, 0x8000);
    TASSIGN(low, 0x1000);
    use(idx);
  });
  ASSERT_EQ(ranges(map), (std::vector<Range>{{0, 0x100}, {0x1000, 0x2000}, {0x8000, 0x9000}}));
  EXPECT_EQ(map.owners[0].tile, "i32 8x8 ColMajor (valid ?x5)");
  EXPECT_TRUE(map.owners[0].automatic);
  EXPECT_EQ(map.owners[2].tile, "f32 4x256 RowMajor");
  EXPECT_FALSE(map.owners[2].automatic);
  EXPECT_EQ(map.owners[2].line, line);
  EXPECT_NE(map.owners[2].file.find("ub_map_test.cpp"), std::string::npos);
  EXPECT_EQ(map.owners[2].bytes, 4096);
  EXPECT_EQ(map.used, 0x9000);
}

TEST(ub_map, names_an_nz_tile) {
  const UbMap map = map_of(a2a3, [] {
    Tile<TileType::Vec, float, 16, 8, BLayout::ColMajor, 16, 8, SLayout::RowMajor, 512> nz;
    use(nz);
  });
  ASSERT_EQ(map.owners.size(), 1u);
  EXPECT_EQ(map.owners[0].tile, "f32 16x8 NZ");
}

TEST(ub_map, knows_the_largest_owner) {
  const UbMap map = map_of(a5, [] {
    Kib<4> a, b;
    Kib<2> c;
    TASSIGN(c, 0);
    TASSIGN(a, 0x8000);
    TASSIGN(b, 0x4000);
  });
  ASSERT_NE(map.largest(), nullptr);
  EXPECT_EQ(map.largest()->begin, 0x4000);
  EXPECT_EQ(UbMap{}.largest(), nullptr);
}

TEST(ub_map, used_is_the_highest_byte_and_not_the_sum) {
  const UbMap map = map_of(a2a3, [] {
    Kib<64> a, b, c;
    TASSIGN(a, 0);
    TASSIGN(b, 0);
    TASSIGN(c, 32 * kib);
  });
  EXPECT_EQ(map.used, 96 * kib);
}

TEST(ub_map, has_the_limit_of_the_launch_and_where_it_comes_from) {
  const auto nothing = [] {};
  const UbMap all = map_of(a2a3, nothing), by_default = map_of(a5, nothing),
              given = map_of(a5, nothing, {.dyn_ub_bytes = 200 * kib});
  EXPECT_EQ(std::tie(all.limit, all.limit_from), std::make_tuple(192 * kib, "all of UB"));
  EXPECT_EQ(std::tie(by_default.limit, by_default.limit_from), std::make_tuple(128 * kib, "no dynUBufSize given"));
  EXPECT_EQ(std::tie(given.limit, given.limit_from), std::make_tuple(200 * kib, "dynUBufSize of the launch"));
  const UbMap past = map_of(a5, nothing, {.dyn_ub_bytes = 224 * kib});
  EXPECT_EQ(std::tie(past.limit, past.limit_from),
            std::make_tuple(216 * kib, "the most there is; dynUBufSize is 229376"));
  EXPECT_EQ(all.capacity, 192 * kib);
  EXPECT_EQ(given.capacity, 256 * kib);
}

TEST(ub_map, the_runtimes_bytes_and_the_cache_lie_above_the_tiles) {
  const auto automatic_88 = [] {
    Kib<128> placed;
    Kib<88> automatic;
    TASSIGN(placed, 0);
    use(automatic);
  };
  EXPECT_EQ(map_of(a2a3, [] {}).reserved_bytes, 0);
  EXPECT_EQ(map_of(a5, [] {}).reserved_begin, 128 * kib);
  EXPECT_EQ(map_of(a5, [] {}).reserved_bytes, 8 * kib);
  EXPECT_EQ(map_of(a5, [] {}, {.dyn_ub_bytes = 216 * kib}).reserved_begin, 216 * kib);
  EXPECT_EQ(map_of(a5, [] {}, {.dyn_ub_bytes = 250 * kib}).reserved_begin, 216 * kib);
  EXPECT_EQ(map_of(a5, automatic_88).reserved_begin, 216 * kib);
}

TEST(ub_map, prints_a_table_by_offset) {
  UbMap map;
  map.owners = {{0, 0x8000, 0x8000, "f32 32x256 RowMajor", "k.cpp", 12, false, false, 0, 1},
                {0x4000, 0x4100, 0x100, "i32 8x8 RowMajor", "k.cpp", 9, true, false, 0, 7},
                {0x20000, 0x20020, 32, "f32 1x8 RowMajor", "k.cpp", 13, false, false, 0, 1},
                {0x50000, 0x50020, 32, "f32 1x8 RowMajor", "k.cpp", 14, false, true, 0, 1}};
  map.used = 0x20020, map.limit = 0x20000, map.capacity = 0x40000, map.limit_from = "no dynUBufSize given";
  map.reserved_begin = 0x20000, map.reserved_bytes = 0x2000, map.left_out = 3;
  EXPECT_EQ(
      text(map),
      "UB: tiles reach byte 131104, the limit is 131072 (no dynUBufSize given), UB has 262144 bytes\n"
      "  0x0-0x8000        32768  f32 32x256 RowMajor      TASSIGN                                       k.cpp:12\n"
      "  0x4000-0x4100       256  i32 8x8 RowMajor         automatic         7 times, reuses 0x0-0x8000  k.cpp:9\n"
      "  0x20000-0x20020      32  f32 1x8 RowMajor         TASSIGN           past the limit              k.cpp:13\n"
      "  0x20000-0x22000    8192  reserved by the runtime\n"
      "  0x22000-0x40000  122880  data cache\n"
      "  at 0x50000           32  f32 1x8 RowMajor         TASSIGN, refused  no room                     k.cpp:14\n"
      "  3 more placements elsewhere\n"
      "largest: f32 32x256 RowMajor, 32768 bytes at 0x0-0x8000\n");
}

TEST(ub_map, names_each_limit_for_whom_it_holds) {
  const auto first_line = [](const UbMap& map) { return text(map).substr(0, text(map).find('\n')); };
  const auto both = [] {
    Kib<200> automatic;
    Kib<1> placed;
    TASSIGN(placed, 0);
    use(automatic);
  };
  EXPECT_EQ(first_line(map_of(a5, both)),
            "UB: tiles reach byte 205824, the limit is 131072 (no dynUBufSize given) for tiles placed by TASSIGN and "
            "221184 for automatic tiles and dynUBufSize together, UB has 262144 bytes");
  const auto alone = [] {
    Kib<200> automatic;
    use(automatic);
  };
  EXPECT_EQ(first_line(map_of(a5, alone)),
            "UB: tiles reach byte 204800, the limit is 221184 for automatic tiles and dynUBufSize together, UB has "
            "262144 bytes");
  const auto small = [] {
    Kib<1> automatic;
    use(automatic);
  };
  EXPECT_EQ(first_line(map_of(a2a3, small)),
            "UB: tiles reach byte 1024, the limit is 196608 (all of UB), UB has 196608 bytes");
}

TEST(ub_map, is_empty_on_the_host) {
  const Report r = Device(ptox::target::cpu).launch({}, [] {
    Kib<4> a;
    TASSIGN(a, 0);
  });
  EXPECT_TRUE(r.ub_map().owners.empty());
  EXPECT_EQ(r.ub_map().capacity, 0);
  EXPECT_EQ(r.json().find("\"ub\""), std::string::npos);
}

TEST(ub_map, belongs_to_one_launch) {
  Device dev(a5);
  dev.launch({}, [] {
    Kib<4> a;
    TASSIGN(a, 0x8000);
  });
  const Report r = dev.launch({}, [] {
    Kib<4> a;
    TASSIGN(a, 0);
  });
  EXPECT_EQ(ranges(r.ub_map()), (std::vector<Range>{{0, 0x1000}}));
}

TEST(ub_map, is_there_without_checks) {
  const Report r = Device(a5, {.check = ptox::Check::off}).launch({}, [] {
    Kib<4> a;
    TASSIGN(a, 0);
  });
  EXPECT_EQ(r.ub_map().used, 4096);
}

TEST(ub_map, knows_ub_alone) {
  const UbMap map = map_of(a2a3, [] {
    Tile<TileType::Mat, float, 16, 16> mat;
    TASSIGN(mat, 0);
  });
  EXPECT_TRUE(map.owners.empty());
}

TEST(ub_map, a_loop_of_automatic_tiles_is_one_owner_each) {
  const UbMap map = map_of(a2a3, [] {
    for (int i = 0; i < 1000; ++i) {
      Kib<1> a;
      Kib<2> b;
      use(a);
      use(b);
    }
  });
  ASSERT_EQ(ranges(map), (std::vector<Range>{{0, kib}, {kib, 3 * kib}}));
  EXPECT_EQ(map.owners[0].count, 1000);
  EXPECT_EQ(map.owners[1].count, 1000);
}

TEST(ub_map, ping_pong_buffers_are_two_owners) {
  const Report r = Device(a5).launch({}, [] {
    for (int i = 0; i < 6; ++i) {
      Kib<16> buffer;
      TASSIGN(buffer, i % 2 * 16 * kib);
    }
    Kib<8> later;
    TASSIGN(later, 16 * kib);
  });
  EXPECT_TRUE(r.clean()) << r;
  const UbMap& map = r.ub_map();
  ASSERT_EQ(ranges(map), (std::vector<Range>{{0, 16 * kib}, {16 * kib, 24 * kib}, {16 * kib, 32 * kib}}));
  EXPECT_EQ(map.owners[0].count, 3);
  EXPECT_EQ(map.owners[2].count, 3);
  EXPECT_NE(text(map).find("reuses 0x4000-0x6000"), std::string::npos) << map;
}

TEST(ub_map, blocks_are_merged_and_the_first_is_named) {
  const UbMap map = map_of(a2a3,
                           [] {
                             Kib<1> a;
                             TASSIGN(a, get_block_idx() < 4 ? 0 : kib);
                           },
                           {.blocks = 10, .seed = 3});
  ASSERT_EQ(ranges(map), (std::vector<Range>{{0, kib}, {kib, 2 * kib}}));
  EXPECT_EQ(map.owners[0].block, 0);
  EXPECT_EQ(map.owners[0].count, 4);
  EXPECT_EQ(map.owners[1].block, 4);
  EXPECT_EQ(map.owners[1].count, 6);
}

TEST(ub_map, keeps_a_bounded_number_of_owners_and_the_highest_and_largest_of_all) {
  const UbMap map = map_of(a2a3, [] {
    for (int64_t i = 0; i < 3000; ++i) {
      Line a;
      TASSIGN(a, (2999 - i) * 32);
    }
    Kib<2> large;
    TASSIGN(large, 0);
    Line highest;
    TASSIGN(highest, 150 * kib);
  });
  EXPECT_EQ(map.owners.size(), ptox::OwnerLog::most_owners + 2);
  EXPECT_EQ(map.left_out, 3000 - static_cast<int64_t>(ptox::OwnerLog::most_owners));
  EXPECT_EQ(map.used, 150 * kib + 32);
  EXPECT_EQ(map.largest()->bytes, 2 * kib);
}

TEST(ub_map, a_refused_tile_owns_nothing) {
  const Report r = Device(a2a3).launch({}, [] {
    Kib<8> placed, past;
    Kib<190> automatic;
    TASSIGN(placed, 0);
    TASSIGN(past, 188 * kib);
    use(automatic);
  });
  const UbMap& map = r.ub_map();
  ASSERT_EQ(ranges(map), (std::vector<Range>{{-1, -1}, {0, 8 * kib}, {188 * kib, 196 * kib}}));
  EXPECT_TRUE(map.owners[0].refused && map.owners[0].automatic);
  EXPECT_EQ(map.owners[0].bytes, 190 * kib);
  EXPECT_TRUE(map.owners[2].refused);
  EXPECT_EQ(map.used, 8 * kib);
  EXPECT_EQ(map.largest()->bytes, 8 * kib);
}

TEST(ub_map, any_offset_may_be_refused) {
  for (const int64_t offset : {INT64_MAX - 31, INT64_MIN, int64_t{-32}}) {
    const UbMap map = map_of(a5, [=] {
      Kib<8> a;
      TASSIGN(a, offset);
    });
    ASSERT_EQ(map.owners.size(), 1u);
    EXPECT_EQ(map.owners[0].begin, offset);
    EXPECT_FALSE(text(map).empty());
  }
}

TEST(ub_map, plain_calls_have_one_too) {
  NPU_MEMORY_INIT(NPUArch::A5);
  ptox::take_plain_report();
  for (int i = 0; i < 2; ++i) {
    Kib<4> a, b;
    TASSIGN(a, 0x1000);
    use(b);
  }
  const Report r = ptox::take_plain_report();
  EXPECT_EQ(ranges(r.ub_map()), (std::vector<Range>{{0, 0x1000}, {0x1000, 0x2000}}));
  EXPECT_EQ(r.ub_map().owners[1].count, 2);
  EXPECT_EQ(r.ub_map().limit, 128 * kib);
  EXPECT_TRUE(ptox::take_plain_report().ub_map().owners.empty()) << "a map is taken once";
  NPU_MEMORY_CLEAR();
}

TEST(ub_map, a_report_of_an_overflow_prints_it) {
  const auto at = [](int64_t offset) {
    return [=] {
      Kib<8> a;
      TASSIGN(a, offset);
    };
  };
  EXPECT_NE(text(Device(a2a3).launch({}, at(190 * kib))).find("\nUB: tiles reach byte 0, "), std::string::npos);
  EXPECT_NE(text(Device(a5).launch({}, at(124 * kib))).find("\nUB: tiles reach byte 135168, "), std::string::npos);
  EXPECT_EQ(text(Device(a5).launch({}, at(120 * kib))), "a5, 1 block: clean\n");
}

TEST(ub_map, is_in_the_json) {
  const UbMap map{.owners = {{0, 32, 32, "f32 1x8 RowMajor", "k.cpp", 4, true, false, 0, 2}},
                  .used = 32,
                  .limit = 64,
                  .limit_from = "",
                  .capacity = 128};
  const Report r("a5", "k", 1, {}, map);
  EXPECT_NE(r.json().find(",\n \"ub\": {\"used\": 32, \"limit\": 64, \"capacity\": 128, \"owners\": [\n"
                          "  {\"begin\": 0, \"end\": 32, \"tile\": \"f32 1x8 RowMajor\", \"file\": \"k.cpp\", "
                          "\"line\": 4, \"automatic\": true, \"refused\": false, \"count\": 2}]}}\n"),
            std::string::npos)
      << r.json();
}

/// A launch that places one tile by hand.
template <class TileT>
Report placed(const ptox::Target& t, int64_t offset, const LaunchOptions& options = {}) {
  return Device(t).launch(options, [=] {
    TileT a;
    TASSIGN(a, offset);
  });
}
/// A launch with one automatic tile.
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
  EXPECT_TRUE(placed<Line>(a2a3, 192 * kib).has("ub-overflow"));
  EXPECT_TRUE(placed<Kib<192>>(a2a3, 32).has("ub-overflow"));
}

TEST(ub_overflow, says_how_many_rows_fit_at_the_offset) {
  const Report r = placed<Kib<100>>(a2a3, 100 * kib);
  EXPECT_EQ(
      message(r, "ub-overflow"),
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
  EXPECT_TRUE(says(below(Kib<190>()), "ub-overflow", "at most 30 rows")) << below(Kib<190>());
  EXPECT_TRUE(below(Kib<30>()).clean());
}

TEST(ub_overflow, says_that_no_row_fits) {
  EXPECT_TRUE(says(placed<Kib<2>>(a2a3, 192 * kib), "ub-overflow", "no row of this width fits (tile is 2 rows)"));
  EXPECT_TRUE(says(placed<Kib<2>>(a2a3, 191 * kib), "ub-overflow", "at most 1 row of this width fits"));
  EXPECT_EQ(message(placed<Kib<2>>(a2a3, -1024), "ub-overflow").find("fit"), std::string::npos);
}

TEST(ub_overflow, counts_rows_within_the_budget_of_the_launch_and_names_the_most) {
  const Report r = placed<Kib<200>>(a5, 100 * kib);
  EXPECT_TRUE(says(r, "ub-overflow",
                   "at most 28 rows of this width fit (tile is 200 rows), 116 with dynUBufSize = "
                   "221184"))
      << r;
  EXPECT_TRUE(placed<Kib<28>>(a5, 100 * kib).clean());
  EXPECT_FALSE(placed<Kib<29>>(a5, 100 * kib).clean());
  EXPECT_TRUE(placed<Kib<116>>(a5, 100 * kib, {.dyn_ub_bytes = 216 * kib}).clean());
  EXPECT_FALSE(placed<Kib<117>>(a5, 100 * kib, {.dyn_ub_bytes = 216 * kib}).clean());
}

/// An automatic tile between two others: 20 KiB from 0 and 32 KiB from 96 KiB.
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
  EXPECT_EQ(message(r, "ub-overflow"),
            "auto mode finds no room for a tile of 102400 bytes (f32 100x256) in UB of 196608 bytes, 131072 in use; at "
            "most 76 rows of this width fit (tile is 100 rows)");
  EXPECT_TRUE(between_others<Kib<76>>(a2a3).clean());
  EXPECT_FALSE(between_others<Kib<77>>(a2a3).clean());
  EXPECT_EQ(
      message(between_others<Kib<200>>(a5), "ub-overflow"),
      "auto mode finds no room for a tile of 204800 bytes (f32 200x256) in UB of 221184 bytes for tiles, 131072 in "
      "use; at most 88 rows of this width fit (tile is 200 rows)");
  EXPECT_TRUE(between_others<Kib<88>>(a5).clean());
  EXPECT_FALSE(between_others<Kib<89>>(a5).clean());
}

TEST(ub_overflow, an_automatic_tile_on_a5_has_216_kib_at_most) {
  EXPECT_TRUE(says(automatic<Kib<300>>(a5), "ub-overflow", "at most 216 rows"));
  EXPECT_TRUE(automatic<Kib<216>>(a5).clean());
  EXPECT_TRUE(automatic<Kib<217>>(a5).has("ub-overflow"));
  EXPECT_EQ(automatic<Kib<217>>(a5).ub_map().used, 0) << "no tile lies over what the runtime has";
  EXPECT_TRUE(says(automatic<Kib<300>>(a5, {.dyn_ub_bytes = 200 * kib}), "ub-overflow", "at most 16 rows"));
  EXPECT_TRUE(automatic<Kib<16>>(a5, {.dyn_ub_bytes = 200 * kib}).clean());
}

TEST(ub_overflow, rows_come_in_the_steps_of_the_layout) {
  using Columns = Tile<TileType::Vec, float, 1024, 64, BLayout::ColMajor>;  // 256 bytes a row, 8 rows at a time
  EXPECT_TRUE(says(placed<Columns>(a5, kib), "ub-overflow", "at most 504 rows")) << placed<Columns>(a5, kib);
  EXPECT_TRUE(says(placed<Columns>(a5, kib + 32), "ub-overflow", "at most 504 rows"));
  EXPECT_TRUE(says(placed<Columns>(a5, 3 * kib + 32), "ub-overflow", "at most 496 rows"));
  using Nz = Tile<TileType::Vec, float, 1600, 32, BLayout::ColMajor, 1600, 32, SLayout::RowMajor, 512>;
  EXPECT_TRUE(says(placed<Nz>(a2a3, kib), "ub-overflow", "at most 1520 rows")) << placed<Nz>(a2a3, kib);
}

TEST(ub_overflow, of_a_tile_of_one_row_says_how_many_columns_fit) {
  using Wide = Tile<TileType::Vec, float, 1, 60000>;  // 240000 bytes
  EXPECT_TRUE(says(placed<Wide>(a2a3, 100 * kib), "ub-overflow", "at most 23552 columns fit (tile is 1 row of 60000)"))
      << placed<Wide>(a2a3, 100 * kib);
  EXPECT_TRUE((placed<Tile<TileType::Vec, float, 1, 23552>>(a2a3, 100 * kib).clean()));
  EXPECT_FALSE((placed<Tile<TileType::Vec, float, 1, 23560>>(a2a3, 100 * kib).clean()));
  EXPECT_TRUE(says(automatic<Wide>(a5), "ub-overflow", "at most 55296 columns fit (tile is 1 row of 60000)"));
  EXPECT_TRUE((automatic<Tile<TileType::Vec, float, 1, 55296>>(a5).clean()));
  EXPECT_TRUE(says(placed<Line>(a2a3, 192 * kib), "ub-overflow", "no column fits (tile is 1 row of 8)"));
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
  ptox::take_plain_report();
  {
    Kib<32> a[6];
    for (int i = 0; i < 6; ++i) TASSIGN(a[i], i * 32 * kib);
  }
  EXPECT_TRUE(says(ptox::take_plain_report(), "ub-budget", "Launch with dynUBufSize = 196608"));
  NPU_MEMORY_CLEAR();
}

TEST(ub_budget, begins_one_block_past_128_kib_on_a5) {
  EXPECT_TRUE(placed<Kib<128>>(a5, 0).clean());
  EXPECT_TRUE(placed<Line>(a5, 128 * kib - 32).clean());
  EXPECT_TRUE(placed<Line>(a5, 128 * kib).has("ub-budget"));
  EXPECT_TRUE(placed<Kib<128>>(a5, 32).has("ub-budget"));
}

TEST(ub_budget, says_how_many_rows_fit) {
  const Report r = placed<Kib<100>>(a5, 100 * kib);
  EXPECT_EQ(
      message(r, "ub-budget"),
      "tassign: a tile of 102400 bytes (f32 100x256) reaches byte 204800 of UB, the launch gave 131072. Launch with "
      "dynUBufSize = 204800, or shrink the tile: at most 28 rows of this width fit (tile is 100 rows)");
  EXPECT_TRUE(placed<Kib<28>>(a5, 100 * kib).clean());
  EXPECT_TRUE(placed<Kib<100>>(a5, 100 * kib, {.dyn_ub_bytes = 204800}).clean());
}

/// An automatic tile of 40 KiB, then one placed at 100 KiB.
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
  EXPECT_TRUE(says(r, "ub-budget",
                   "At most 180224 can be had beside 40960 bytes of automatic tiles; at most 28 rows of this width fit "
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
      message(r, "ub-budget"),
      "automatic tiles take 32768 bytes of UB, the last of them 32768 bytes (f32 32x256), and the launch's "
      "dynUBufSize 204800, together at most 221184. Launch with dynUBufSize = 188416 or less, or shrink the tile: "
      "at most 16 rows of this width fit (tile is 32 rows)");
  EXPECT_TRUE(automatic<Kib<16>>(a5, given).clean());
  EXPECT_TRUE(automatic<Kib<32>>(a5, {.dyn_ub_bytes = 188416}).clean());
  EXPECT_TRUE(says(automatic<Kib<216>>(a5, {.dyn_ub_bytes = 32}), "ub-budget",
                   "together at most 221184. Launch without a dynUBufSize, or shrink the tile: at most 215 rows"));
}

TEST(ub_budget, a_dyn_ub_size_past_216_kib_is_found_without_a_tile) {
  const auto nothing = [] {};
  EXPECT_TRUE(Device(a5).launch({.dyn_ub_bytes = 216 * kib}, nothing).clean());
  for (const std::size_t bytes : {std::size_t{216 * kib + 1}, SIZE_MAX}) {
    const Report r = Device(a5).launch({.blocks = 3, .dyn_ub_bytes = bytes}, nothing);
    ASSERT_EQ(r.findings().size(), 1u) << r;
    EXPECT_EQ(r.findings()[0].id, "ub-budget");
    EXPECT_EQ(r.findings()[0].message, "launch: dynUBufSize is " + std::to_string(bytes) +
                                           ", at most 221184 can be had. Launch with dynUBufSize = 221184 or less");
    EXPECT_EQ(r.findings()[0].file, "");
    EXPECT_EQ(r.findings()[0].count, 1);
  }
}

TEST(ub_budget, a_dyn_ub_size_past_216_kib_is_found_once_where_a_tile_is_placed) {
  for (const std::size_t bytes : {std::size_t{217 * kib}, SIZE_MAX}) {
    const Report r = placed<Line>(a5, 0, {.dyn_ub_bytes = bytes});
    ASSERT_EQ(r.findings().size(), 1u) << r;
    EXPECT_EQ(r.findings()[0].id, "ub-budget");
    EXPECT_NE(r.findings()[0].file, "");
  }
}

TEST(ub_budget, a_tile_past_216_kib_has_no_dyn_ub_size) {
  const Report r = placed<Kib<32>>(a5, 190 * kib, {.dyn_ub_bytes = 224 * kib});
  ASSERT_EQ(r.findings().size(), 2u) << r;
  EXPECT_EQ(
      r.findings()[0].message,
      "tassign: a tile of 32768 bytes (f32 32x256) reaches byte 227328 of UB, the launch gave 221184. At most 221184 "
      "can be had; at most 26 rows of this width fit (tile is 32 rows)");
  EXPECT_EQ(r.findings()[1].message,
            "the launch's dynUBufSize is 229376, at most 221184 can be had. Launch with dynUBufSize = 221184 or less");
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
  EXPECT_TRUE(automatic<Kib<185>>(a2a3).has("ub-scratch"));
  EXPECT_FALSE(placed<Kib<1>>(a5, 185 * kib, {.dyn_ub_bytes = 216 * kib}).has("ub-scratch"));
}

TEST(dyn_ub_ignored, is_one_note_of_a_launch_on_a2a3) {
  const LaunchOptions options{.blocks = 5, .dyn_ub_bytes = 64 * kib};
  const Report r = placed<Line>(a2a3, 0, options);
  ASSERT_EQ(r.findings().size(), 1u) << r;
  const Finding& f = r.findings()[0];
  EXPECT_EQ(f.id, "dyn-ub-ignored");
  EXPECT_EQ(f.message, "launch: dynUBufSize is 65536, a2a3 ignores it: tiles have all 196608 bytes of UB");
  EXPECT_EQ(std::tie(f.file, f.line, f.count), std::make_tuple("", 0, 1));
  EXPECT_NE(r.sarif().find("\"locations\": []"), std::string::npos) << r.sarif();
  EXPECT_TRUE(r.clean());
  EXPECT_TRUE(placed<Line>(a2a3, 0, {.blocks = 5}).findings().empty());
  EXPECT_TRUE(placed<Line>(a5, 0, options).findings().empty());
  EXPECT_TRUE(placed<Line>(ptox::target::cpu, 0, options).findings().empty());
}

}  // namespace
