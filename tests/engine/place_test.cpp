// SPDX-License-Identifier: Apache-2.0
// The bytes that tiles receive by TASSIGN and in auto mode, and when they are released.
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;
using std::int64_t;

using Kib = Tile<TileType::Vec, float, 16, 16>;           // 1024 bytes
using Line = Tile<TileType::Vec, float, 1, 8>;            // 32 bytes
using Column = Tile<TileType::Vec, std::int32_t, 3, 1>;   // 12 bytes
using Big = Tile<TileType::Vec, std::uint8_t, 64, 1024>;  // 64 KiB
using Packed16 = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>;

template <class TileT>
int64_t place(const TileT& t) {
  return t.desc().offset;
}

template <class F>
void on_every_target(F body) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    const ptox::Report r = ptox::Device(*t).launch({}, body);
    EXPECT_TRUE(r.clean()) << r;
  }
}

std::string message(const ptox::Report& r, ptox::FindingKind kind) {
  for (const ptox::Finding& f : r.findings())
    if (f.kind == kind) return f.message;
  return {};
}

TEST(tassign, places_a_tile_at_a_run_time_or_compile_time_offset) {
  on_every_target([] {
    Kib a, b;
    EXPECT_TRUE((std::same_as<decltype(TASSIGN(a, 0x1000)), RecordEvent>));
    TASSIGN(a, 0x1000);
    EXPECT_EQ(place(a), 0x1000);
    TASSIGN<0x2000>(b);
    EXPECT_EQ(place(b), 0x2000);
    TASSIGN(a, std::uint64_t{0x3000});
    EXPECT_EQ(place(a), 0x3000);
    TASSIGN(a, int64_t{0});
    EXPECT_EQ(place(a), 0);
  });
}

TEST(tassign, two_tiles_at_one_offset_are_the_same_bytes) {
  on_every_target([] {
    Kib a, b;
    TASSIGN(a, 0x1000);
    TASSIGN(b, 0x1000);
    a.SetValue(3, 4, 42.0f);
    EXPECT_EQ(b.GetValue(3, 4), 42.0f);
    EXPECT_EQ(a.data(), b.data());
  });
}

TEST(tassign, moves_a_tensor_to_another_pointer) {
  on_every_target([] {
    float data[256];
    Packed16 g;
    TASSIGN(g, &data[0]);
    EXPECT_EQ(g.data(), data);
  });
}

TEST(tassign, buffers_are_apart) {
  on_every_target([] {
    Tile<TileType::Mat, float, 16, 16> mat;
    Kib vec;
    TASSIGN(mat, 0x100);
    TASSIGN(vec, 0x100);
    EXPECT_NE(static_cast<void*>(mat.data()), static_cast<void*>(vec.data()));
  });
}

TEST(auto_mode, takes_the_lowest_aligned_hole_at_first_use) {
  on_every_target([] {
    Kib declared_first, used_first;
    EXPECT_EQ(place(used_first), 0);
    EXPECT_EQ(place(declared_first), 1024);
    Column short_one;
    EXPECT_EQ(place(short_one), 2048);
    Line next;
    EXPECT_EQ(place(next), 2080);
  });
}

TEST(auto_mode, goes_around_what_tassign_holds_for_the_rest_of_the_launch) {
  on_every_target([] {
    {
      Kib held;
      TASSIGN(held, 512);
    }
    Kib behind;
    Line before;
    EXPECT_EQ(place(behind), 1536);
    EXPECT_EQ(place(before), 0);
  });
}

TEST(auto_mode, fills_the_hole_that_a_destroyed_tile_left) {
  on_every_target([] {
    Kib first;
    place(first);
    {
      Kib second;
      EXPECT_EQ(place(second), 1024);
    }
    Kib third, fourth;
    EXPECT_EQ(place(third), 1024);
    EXPECT_EQ(place(fourth), 2048);
  });
}

TEST(auto_mode, a_hole_too_small_is_left) {
  on_every_target([] {
    Line keeps_the_start;
    place(keeps_the_start);
    {
      Line small;
      EXPECT_EQ(place(small), 32);
      Kib large;
      EXPECT_EQ(place(large), 64);
    }
    Kib large;
    EXPECT_EQ(place(large), 32);
  });
}

TEST(auto_mode, a_loop_body_reuses_its_bytes) {
  on_every_target([] {
    Kib outside;
    place(outside);
    for (int i = 0; i < 1000; ++i) {
      Kib a, b;
      EXPECT_EQ(place(a), 1024);
      EXPECT_EQ(place(b), 2048);
    }
  });
}

TEST(auto_mode, a_copy_refers_to_the_same_bytes_and_owns_nothing) {
  on_every_target([] {
    Kib a;
    place(a);
    {
      Kib copy = a;
      EXPECT_EQ(place(copy), place(a));
      copy.SetValue(1, 1, 7.0f);
    }
    EXPECT_EQ(a.GetValue(1, 1), 7.0f);
    Kib b;
    EXPECT_EQ(place(b), 1024) << "the copy gave the original's bytes back";
  });
}

TEST(auto_mode, the_bytes_go_with_the_tile_that_got_them) {
  on_every_target([] {
    std::optional<Kib> original(std::in_place);
    EXPECT_EQ(place(*original), 0);
    Kib copy(*original);
    original.reset();
    Kib next;
    EXPECT_EQ(place(copy), 0);
    EXPECT_EQ(place(next), 0);
  });
}

TEST(auto_mode, copy_assignment_gives_the_old_bytes_back) {
  on_every_target([] {
    Kib a, b;
    EXPECT_EQ(place(a), 0);
    EXPECT_EQ(place(b), 1024);
    b = a;
    EXPECT_EQ(place(b), 0);
    Kib c;
    EXPECT_EQ(place(c), 1024);
  });
}

Kib made(float value) {
  Kib t;
  t.SetValue(0, 0, value);
  return t;
}

TEST(auto_mode, a_moved_tile_keeps_its_bytes) {
  on_every_target([] {
    Kib a = made(5.0f);
    Kib b = std::move(a);
    Kib c;
    EXPECT_EQ(place(b), 0);
    EXPECT_EQ(place(c), 1024);
    EXPECT_EQ(b.GetValue(0, 0), 5.0f);
    std::vector<Kib> many;
    for (int i = 0; i < 4; ++i) many.push_back(made(static_cast<float>(i)));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(many[static_cast<std::size_t>(i)].GetValue(0, 0), static_cast<float>(i));
  });
}

TEST(auto_mode, a_move_assigned_tile_keeps_its_bytes) {
  on_every_target([] {
    Kib a;
    a = made(5.0f);  // the returned tile is destroyed here, but `a` still uses its bytes
    Kib b;
    EXPECT_NE(place(b), place(a));
    b.SetValue(0, 0, 6.0f);
    EXPECT_EQ(a.GetValue(0, 0), 5.0f);
  });
}

TEST(auto_mode, tassign_of_an_automatic_tile_gives_its_hole_back) {
  on_every_target([] {
    Kib a, b;
    EXPECT_EQ(place(a), 0);
    TASSIGN(a, 0x4000);
    EXPECT_EQ(place(b), 0);
  });
}

TEST(auto_mode, blocks_begin_with_free_buffers) {
  for (const ptox::Target* t : ptox::target::on_host) {
    const ptox::Report r = ptox::Device(*t).launch({.blocks = 4}, [] {
      Kib a;
      EXPECT_EQ(place(a), 0);
      TASSIGN(a, 64 * (get_block_idx() + 1));
    });
    EXPECT_TRUE(r.clean()) << r;
  }
}

TEST(auto_mode, tassign_over_a_live_automatic_tile_is_a_clobber_on_the_machines) {
  const int line = __LINE__ + 3;
  const auto body = [] {
    Kib automatic, by_hand;
    (void)automatic.desc();
    TASSIGN(by_hand, 1024 - 32);
  };
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
    const ptox::Report r = ptox::Device(*t).launch({}, body);
    EXPECT_TRUE(r.has(ptox::FindingKind::ub_clobber)) << r;
    EXPECT_NE(r.findings()[0].file.find("place_test.cpp"), std::string::npos) << r;
    EXPECT_EQ(
        message(r, ptox::FindingKind::ub_clobber),
        "tassign puts a tile of 1024 bytes (f32 16x16) at 0x3e0, where an automatic tile lies, 0x0-0x400, first used "
        "at line " +
            std::to_string(line) + ". Give that tile a place by TASSIGN too");
  }
  EXPECT_TRUE(ptox::Device(ptox::target::cpu).launch({}, body).clean());
}

TEST(auto_mode, tassign_where_an_automatic_tile_was_is_no_clobber) {
  on_every_target([] {
    {
      Kib automatic;
      place(automatic);
    }
    Kib by_hand;
    TASSIGN(by_hand, 0);
  });
}

/// Fills UB with tiles of 64 KiB and the rest with tiles of 1 KiB, then issues an instruction on a tile for which there
/// is no space.
ptox::Report without_room(const ptox::Target& t, float* table) {
  return ptox::Device(t).launch({}, [=] {
    std::vector<Big> all(5);
    for (Big& b : all) place(b);
    std::vector<Kib> rest(24);
    for (Kib& k : rest) place(k);
    Kib src;
    Packed16 g(table);
    TSTORE(g, src);
  });
}

TEST(auto_mode, no_room_is_an_overflow_and_the_instruction_does_nothing) {
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
    std::vector<float> table(256, 3.0f);
    const ptox::Report r = without_room(*t, table.data());
    EXPECT_FALSE(r.clean());
    EXPECT_NE(message(r, ptox::FindingKind::ub_overflow).find("65536"), std::string::npos) << r;
    EXPECT_EQ(table, std::vector<float>(256, 3.0f));
  }
}

TEST(auto_mode, room_is_found_again_when_a_tile_dies) {
  const ptox::Report r = ptox::Device(ptox::target::a2a3).launch({}, [] {
    for (int i = 0; i < 3; ++i) {
      std::vector<Big> all(3);
      for (Big& b : all) EXPECT_GE(place(b), 0);
    }
  });
  EXPECT_TRUE(r.clean()) << r;
}

TEST(tassign, off_the_32_byte_grid_is_misaligned_on_the_machines) {
  const auto body = [] {
    Line t;
    TASSIGN(t, 0x30);
  };
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
    const ptox::Report r = ptox::Device(*t).launch({}, body);
    EXPECT_NE(message(r, ptox::FindingKind::ub_misaligned).find("0x30"), std::string::npos) << r;
  }
  EXPECT_TRUE(ptox::Device(ptox::target::cpu).launch({}, body).clean());
}

/// A store from a Kib tile that begins `offset` bytes into UB.
ptox::Report store_from(const ptox::Target& t, int64_t offset, float* table) {
  return ptox::Device(t).launch({}, [=] {
    Kib src;
    TASSIGN(src, offset);
    Packed16 g(table);
    TEXPANDS(src, 9.0f);
    pipe_barrier(PIPE_ALL);
    TSTORE(g, src);
  });
}

TEST(tassign, past_the_buffer_is_an_overflow_and_nothing_is_written) {
  for (const ptox::Target* t : ptox::target::on_host) {
    const auto ub = static_cast<int64_t>(t->ub_bytes);
    for (int64_t offset : {ub - 992, ub, ub + 32, int64_t{1} << 40, INT64_MAX - 31, int64_t{-32}, INT64_MIN}) {
      std::vector<float> table(256, 3.0f);
      const ptox::Report r = store_from(*t, offset, table.data());
      EXPECT_TRUE(r.has(ptox::FindingKind::ub_overflow)) << t->name << " " << offset << "\n" << r;
      EXPECT_EQ(table, std::vector<float>(256, 3.0f)) << offset;
    }
  }
}

TEST(tassign, the_last_bytes_of_the_buffer_are_usable) {
  std::vector<float> table(256, 3.0f);
  const ptox::Report r = store_from(ptox::target::a2a3, 192 * 1024 - 1024, table.data());
  EXPECT_TRUE(r.clean()) << r;
  EXPECT_EQ(table, std::vector<float>(256, 9.0f));
}

TEST(tassign, a_tile_kept_from_an_earlier_launch_finds_a_place_anew) {
  Kib kept;
  ptox::Device dev(ptox::target::a5);
  for (int i = 0; i < 2; ++i) {
    const ptox::Report r = dev.launch({}, [&] {
      Line first;
      place(first);
      EXPECT_EQ(place(kept), 32);
    });
    EXPECT_TRUE(r.clean()) << r;
  }
}

TEST(launch, finds_no_bytes_of_an_earlier_launch) {
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t, {.check = ptox::Check::off});
    const ptox::Report first = dev.launch({}, [] {
      Kib tile;
      TEXPANDS(tile, 4.0f);
    });
    const ptox::Report second = dev.launch({}, [] {
      Kib tile;
      for (int i = 0; i < 256; ++i) EXPECT_NE(tile.GetValue(i), 4.0f);
    });
    EXPECT_TRUE(first.clean()) << second;
  }
}

}  // namespace
