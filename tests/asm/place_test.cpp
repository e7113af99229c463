// SPDX-License-Identifier: Apache-2.0
// Tiles that are live at the same time do not share bytes.
#include <gtest/gtest.h>

#include "sync_kernel.hpp"

namespace ptox::assembly {
namespace {

struct Result {
  bool ok;
  std::string said;
  std::map<std::string, std::int64_t> at;  ///< by name
};
Result placed(const std::string& body, const Target& t = target::a5) {
  Diagnostics said;
  const auto module = read(kernel(body), "k.pto", TextForm::mlir, said);
  EXPECT_TRUE(module) << text(said);
  Result r{module && place_tiles(*module, t, said), text(said), {}};
  module->op->walk([&](mlir::Operation* op) {
    if (base_name(op) == "alloc_tile")
      if (const mlir::Value addr = alloc_operand(op, "addr")) r.at[name_of(op->getResult(0))] = *constant_of(addr);
  });
  return r;
}
using Places = std::map<std::string, std::int64_t>;

const std::string big = "!pto.tile_buf<vec, 512x64xf32>";  // 128 KB
std::string fill(const std::string& tile, const std::string& type) {
  return "  pto.texpands ins(%x : f32) outs(" + tile + " : " + type + ")\n";
}

TEST(place_tiles, gives_tiles_that_live_together_bytes_of_their_own) {
  const Result r = placed(alloc("%a", rows) + alloc("%b", rows) + load("%a", "%t0") + load("%b", "%t1") +
                          store("%a", "%o0") + store("%b", "%o1"));
  EXPECT_EQ(r.at, (Places{{"a", 0}, {"b", 1024}})) << r.said;
}
TEST(place_tiles, uses_the_bytes_of_dead_tiles_again) {
  const Result r = placed(alloc("%a", rows) + load("%a", "%t0") + store("%a", "%o0") + alloc("%b", rows) +
                          load("%b", "%t1") + store("%b", "%o1"));
  EXPECT_EQ(r.at, (Places{{"a", 0}, {"b", 0}})) << r.said;
}
TEST(place_tiles, shares_no_bytes_where_flags_are_written_by_hand) {
  const std::string flags =
      "  pto.set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]\n"
      "  pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_MTE3>, #pto.event<EVENT_ID0>]\n";
  const Result r = placed(alloc("%a", rows) + load("%a", "%t0") + flags + store("%a", "%o0") + alloc("%b", rows) +
                          load("%b", "%t1") + flags + store("%b", "%o1"));
  EXPECT_EQ(r.at, (Places{{"a", 0}, {"b", 1024}})) << r.said;
}
TEST(place_tiles, keeps_a_tile_that_a_loop_uses_for_all_of_it) {
  const Result r = placed(alloc("%a", rows) + load("%a", "%t0") + "  scf.for %i = %c0 to %c4 step %c1 {\n" +
                          store("%a", "%o0") + alloc("%b", rows) + load("%b", "%t1") + store("%b", "%o1") + "  }\n");
  EXPECT_EQ(r.at, (Places{{"a", 0}, {"b", 1024}})) << r.said;
}
TEST(place_tiles, follows_a_tile_through_loops_and_branches) {
  const std::string t = rows;
  const Result r =
      placed(alloc("%a", rows) + load("%a", "%t0") + "  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %a) -> (" +
             t + ") {\n  scf.yield %y : " + t + "\n  }\n" + alloc("%b", rows) + load("%b", "%t1") + store("%b", "%o1") +
             store("%r", "%o0"));
  EXPECT_EQ(r.at, (Places{{"a", 0}, {"b", 1024}})) << r.said;
}
TEST(place_tiles, keeps_clear_of_places_by_hand) {
  const Result r = placed("  %at = arith.constant 512 : i64\n  %h = pto.alloc_tile addr = %at : " + std::string(rows) +
                          "\n" + alloc("%a", rows) + load("%h", "%t0") + load("%a", "%t1") + alloc("%g", rows) +
                          "  pto.tassign %g, @tile(0x800) : " + rows + "\n" + store("%g", "%o0"));
  // The free ranges are 0 to 512, 1536 to 2048, and from 3072 on.
  EXPECT_EQ(r.at, (Places{{"a", 3072}, {"g", 2048}, {"h", 512}})) << r.said;
}
TEST(place_tiles, aligns_to_32_bytes) {
  const Result r = placed(alloc("%a", "!pto.tile_buf<vec, 3x32xi8>") + alloc("%b", rows) + fill("%b", rows) +
                          "  %y = arith.constant 1 : i8\n" +
                          "  pto.texpands ins(%y : i8) outs(%a : !pto.tile_buf<vec, 3x32xi8>)\n" + store("%b", "%o0"));
  EXPECT_EQ(r.at.at("a") % 32, 0);
  EXPECT_EQ(r.at.at("b"), 0);
}
TEST(place_tiles, each_location_has_its_own_buffer) {
  const Result r =
      placed(alloc("%a", rows) + alloc("%m", "!pto.tile_buf<mat, 16x16xf32>") + load("%a", "%t0") +
             "  pto.tload ins(%t0 : " + block + ") outs(%m : !pto.tile_buf<mat, 16x16xf32>)\n" + store("%a", "%o0"));
  EXPECT_EQ(r.at, (Places{{"a", 0}, {"m", 0}})) << r.said;
}

TEST(place_tiles, says_what_is_in_the_way) {
  const std::string body = alloc("%a", big) + alloc("%b", big) + fill("%a", big) + fill("%b", big) + fill("%a", big);
  const Result on_a5 = placed(body), on_cpu = placed(body, target::cpu);
  EXPECT_FALSE(on_a5.ok);
  EXPECT_NE(
      on_a5.said.find("error: alloc_tile: there is no room for %b, 131072 bytes (f32 512x64), in UB; tiles that live "
                      "at the same time reach byte 131072, the limit is 221184, the largest is %a of 131072 bytes; "
                      "at most 352 rows of this width fit (tile is 512 rows)"),
      std::string::npos)
      << on_a5.said;
  EXPECT_NE(on_a5.said.find("note: 0x0-0x20000 %a f32 512x64 at line "), std::string::npos) << on_a5.said;
  EXPECT_TRUE(on_cpu.ok) << on_cpu.said;
}
TEST(place_tiles, ends_where_automatic_tiles_end) {
  const std::string most = "!pto.tile_buf<vec, 864x64xf32>", more = "!pto.tile_buf<vec, 865x64xf32>";  // 216 KB
  EXPECT_TRUE(placed(alloc("%a", most) + fill("%a", most)).ok);
  EXPECT_FALSE(placed(alloc("%a", more) + fill("%a", more)).ok);
  const std::string all = "!pto.tile_buf<vec, 768x64xf32>", past = "!pto.tile_buf<vec, 769x64xf32>";  // 192 KB
  EXPECT_TRUE(placed(alloc("%a", all) + fill("%a", all), target::a2a3).ok);
  EXPECT_FALSE(placed(alloc("%a", past) + fill("%a", past), target::a2a3).ok);
}

}  // namespace
}  // namespace ptox::assembly
