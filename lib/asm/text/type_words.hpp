// SPDX-License-Identifier: Apache-2.0
// The words of types in PTO-AS, and what they stand for.
#pragma once

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include "asm/text/type_text.hpp"

namespace ptox::assembly {

using pto::BLayout;
using pto::Layout;
using pto::PadValue;
using pto::SLayout;
using pto::TileType;
using Kind = TypeSpec::Kind;

template <class T>
struct Word {
  std::string_view text;
  T value;
};

inline constexpr Word<Kind> kinds[] = {{"ptr", Kind::ptr},
                                       {"tensor_view", Kind::tensor_view},
                                       {"partition_tensor_view", Kind::partition_tensor_view},
                                       {"memref", Kind::memref},
                                       {"tile", Kind::tile},
                                       {"tile_buf", Kind::tile_buf},
                                       {"group", Kind::group},
                                       {"hif8", Kind::hif8}};
inline constexpr Word<TileType> locations[] = {{"vec", TileType::Vec},         {"mat", TileType::Mat},
                                               {"left", TileType::Left},       {"right", TileType::Right},
                                               {"acc", TileType::Acc},         {"bias", TileType::Bias},
                                               {"scaling", TileType::Scaling}, {"scale_left", TileType::ScaleLeft},
                                               {"ctrl", TileType::Ctrl},       {"scale_right", TileType::ScaleRight}};
inline constexpr Word<BLayout> blayouts[] = {{"row_major", BLayout::RowMajor}, {"col_major", BLayout::ColMajor}};
inline constexpr Word<SLayout> slayouts[] = {
    {"none_box", SLayout::NoneBox}, {"row_major", SLayout::RowMajor}, {"col_major", SLayout::ColMajor}};
inline constexpr Word<PadValue> pads[] = {{"0", PadValue::Null},  {"1", PadValue::Zero},    {"2", PadValue::Max},
                                          {"3", PadValue::Min},   {"null", PadValue::Null}, {"zero", PadValue::Zero},
                                          {"max", PadValue::Max}, {"min", PadValue::Min}};
inline constexpr Word<Layout> layouts[] = {{"nd", Layout::ND}, {"dn", Layout::DN}, {"nz", Layout::NZ}};
inline constexpr Word<DType> dtypes[] = {
    {"i8", DType::i8},         {"ui8", DType::u8},        {"i16", DType::i16},     {"ui16", DType::u16},
    {"i32", DType::i32},       {"ui32", DType::u32},      {"f16", DType::f16},     {"bf16", DType::bf16},
    {"f32", DType::f32},       {"f8E4M3FN", DType::e4m3}, {"f8E5M2", DType::e5m2}, {"!pto.hif8", DType::hif8},
    {"i64", DType::i64},       {"ui64", DType::u64},      {"f64", DType::f64},     {"u8", DType::u8},
    {"u16", DType::u16},       {"u32", DType::u32},       {"u64", DType::u64},     {"si8", DType::i8},
    {"si16", DType::i16},      {"si32", DType::i32},      {"si64", DType::i64},    {"hif8", DType::hif8},
    {"pto.hif8", DType::hif8}, {"f8e4m3", DType::e4m3},   {"f8e5m2", DType::e5m2}};
/// Words that stand for a value in the manuals' schematic types.
inline constexpr std::string_view placeholders[] = {"loc",     "dtype",  "rows",   "cols",    "blayout", "slayout",
                                                    "fractal", "pad",    "valid",  "v_row",   "v_col",   "shape",
                                                    "type",    "layout", "nranks", "strides", "element", "size"};

template <class T, std::size_t N>
std::optional<T> find(const Word<T> (&words)[N], std::string_view text) {
  const auto at = std::find_if(std::begin(words), std::end(words), [&](const auto& w) { return w.text == text; });
  return at == std::end(words) ? std::nullopt : std::optional<T>(at->value);
}
template <class T, std::size_t N>
std::string_view spell(const Word<T> (&words)[N], T value) {
  return std::find_if(std::begin(words), std::end(words), [&](const auto& w) { return w.value == value; })->text;
}
template <class T, std::size_t N>
std::string list(const Word<T> (&words)[N]) {
  std::string all;
  for (const auto& w : words) all += (all.empty() ? "" : ", ") + std::string(w.text);
  return all;
}

}  // namespace ptox::assembly
