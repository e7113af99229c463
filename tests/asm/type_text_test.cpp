// SPDX-License-Identifier: Apache-2.0
// Do types of the textual forms survive reading and printing?
#include "asm/type_text.hpp"

#include <gtest/gtest.h>

namespace ptox::assembly {

namespace {

std::string again(const std::string& text) {
  const ParsedType parsed = parse_type(text);
  return parsed.type ? to_text(*parsed.type) : "error: " + parsed.error;
}

}  // namespace

TEST(type_text, short_and_long_tiles_are_one) {
  const std::string whole =
      "tile_buf<loc=vec, dtype=f32, rows=8, cols=32, v_row=8, v_col=32, blayout=row_major, slayout=none_box, "
      "fractal=512, pad=0>";
  EXPECT_EQ(again(whole), whole);
  EXPECT_EQ(again("tile_buf<vec, 8x32xf32>"), whole);
  EXPECT_EQ(again("tile_buf<vec, 8x32xf32, valid=8x32, blayout=row_major>"), whole);
  EXPECT_EQ(again("tile_buf<vec, f32, 8, 32, row_major, none_box, 512, 0>"), whole);
  EXPECT_EQ(again("tile_buf<cols=32, rows=8, dtype=f32>"), whole);
}

TEST(type_text, schematic_types_stay_as_written) {
  for (const char* text :
       {"memref<...>", "tile<NxMxT>", "tile<Nx1xi32>", "partition_tensor_view<MxNxdtype>",
        "tile<loc, dtype, rows, cols, blayout, slayout, fractal, pad>", "group<...>", "tile_buf<...>"}) {
    const ParsedType parsed = parse_type(text);
    ASSERT_TRUE(parsed.type) << text << ": " << parsed.error;
    EXPECT_TRUE(parsed.type->schematic) << text;
    EXPECT_EQ(to_text(*parsed.type), text);
  }
}

TEST(type_text, wrong_types_say_why) {
  EXPECT_EQ(again("tile_buf<vec, 8x32xf33>"), "error: !pto.tile_buf<vec, 8x32xf33>: 'f33' is no element type");
  EXPECT_EQ(again("tile_buf<vec, 8x32xf32, blayout=rows_first>"),
            "error: !pto.tile_buf<vec, 8x32xf32, blayout=rows_first>: blayout is 'rows_first'; it is one of row_major, "
            "col_major");
}

}  // namespace ptox::assembly
