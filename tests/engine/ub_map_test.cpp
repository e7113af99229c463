// SPDX-License-Identifier: Apache-2.0
// The UB map reports the owner of each byte.
#include "ptox/ub_map.hpp"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/memory/owners.hpp"
#include "engine/ub.hpp"
#include "launched.hpp"

namespace ptox::ub_test {
namespace {

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
  require_clean(dev.launch({}, [] {
    Kib<4> a;
    TASSIGN(a, 0x8000);
  }));
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
  ptox::ignore_findings(ptox::take_plain_report());
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

}  // namespace
}  // namespace ptox::ub_test
