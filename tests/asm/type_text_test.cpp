// SPDX-License-Identifier: Apache-2.0
// Types of the textual forms are unchanged after reading and printing.
#include "asm/text/type_text.hpp"

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
  EXPECT_EQ(
      again("tile_buf<vec, 8x32xf32, blayout=rows_first>"),
      "error: !pto.tile_buf<vec, 8x32xf32, blayout=rows_first>: blayout is 'rows_first'; it must be one of row_major, "
      "col_major");
}

TEST(type_text, every_word_survives) {
  for (const char* loc : {"vec", "mat", "left", "right", "acc", "bias", "scaling", "scale_left", "ctrl", "scale_right"})
    for (const char* blayout : {"row_major", "col_major"})
      for (const char* slayout : {"none_box", "row_major", "col_major"})
        for (const char* pad : {"0", "1", "2", "3"}) {
          const std::string text = std::string("tile_buf<loc=") + loc +
                                   ", dtype=i8, rows=16, cols=32, v_row=?, v_col=3, blayout=" + blayout +
                                   ", slayout=" + slayout + ", fractal=1024, pad=" + pad + ">";
          EXPECT_EQ(again(text), text);
        }
}

TEST(type_text, every_element_type_survives) {
  for (DType d : pto::instr::all_dtypes) {
    EXPECT_EQ(find_dtype(dtype_text(d)), d) << dtype_text(d);
    for (const char* kind :
         {"ptr<", "memref<8x?x", "tensor_view<8x8x", "partition_tensor_view<1x2x3x4x5x", "tile<8x32x"})
      EXPECT_EQ(again(std::string(kind) + dtype_text(d) + ">"), std::string(kind) + dtype_text(d) + ">");
  }
  EXPECT_EQ(find_dtype("u32"), DType::u32);
  EXPECT_EQ(find_dtype("si16"), DType::i16);
  EXPECT_FALSE(find_dtype("f128"));
}

TEST(type_text, tensors_count_five_extents_from_the_right) {
  const TensorDesc t = parse_type("tensor_view<64x32xf32>").type->tensor();
  EXPECT_EQ(std::vector(t.shape, t.shape + 5), (std::vector<std::int64_t>{1, 1, 1, 64, 32}));
  EXPECT_EQ(std::vector(t.stride, t.stride + 5), (std::vector<std::int64_t>{2048, 2048, 2048, 32, 1}));
  const TensorDesc dn = parse_type("tensor_view<64x32xf32, layout=dn>").type->tensor();
  EXPECT_EQ(std::vector(dn.stride, dn.stride + 5), (std::vector<std::int64_t>{2048, 2048, 2048, 1, 64}));
  const TensorDesc open = parse_type("tensor_view<64x?xf32, strides=[40, 1]>").type->tensor();
  EXPECT_EQ(open.shape[4], pto::instr::unknown);
  EXPECT_EQ(open.stride[3], 40);
  EXPECT_FALSE(open.static_block);
  EXPECT_EQ(parse_type("memref<f32>").type->tensor().shape[0], pto::instr::unknown);
}

TEST(type_text, short_text_leaves_out_defaults) {
  const auto in_short = [](const char* text) { return short_text(*parse_type(text).type); };
  EXPECT_EQ(in_short("tile_buf<vec, 8x32xf32>"), "!pto.tile_buf<vec, 8x32xf32>");
  EXPECT_EQ(in_short("tile<mat, 16x32xf16, valid=?x4, blayout=col_major, slayout=row_major, fractal=1024, pad=1>"),
            "!pto.tile<mat, 16x32xf16, valid=?x4, blayout=col_major, slayout=row_major, fractal=1024, pad=1>");
  EXPECT_EQ(in_short("ptr<ui8>"), "!pto.ptr<ui8>");
  EXPECT_EQ(in_short("tile<NxMxT>"), "!pto.tile<NxMxT>");
}

TEST(type_text, extents_too_large_are_refused) {
  for (const char* text : {"tile<2147483648x8xf32>", "tile<2147483647x2147483647xf32>",
                           "tile_buf<dtype=f32, rows=8, cols=9999999999999999999>", "memref<9223372036854775808xf32>",
                           "group<2147483648>", "tile<8x8xf32, fractal=99999999999>"})
    EXPECT_TRUE(again(text).starts_with("error: ")) << text;
}

}  // namespace ptox::assembly
