// SPDX-License-Identifier: Apache-2.0
// Converts types between their text, such as `tile_buf<vec, 8x32xf32>`, and data.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pto/tile/desc.hpp"

namespace ptox::assembly {

using pto::instr::DType;
using pto::instr::TensorDesc;
using pto::instr::TileDesc;

/// A type of the pto dialect. Of a schematic type (`...`, upper-case extents, placeholder words) only the text is kept.
struct TypeSpec {
  enum class Kind : std::uint8_t { ptr, tensor_view, partition_tensor_view, memref, tile, tile_buf, group, hif8 };

  Kind kind = Kind::ptr;
  bool schematic = false;
  std::string text;                   ///< schematic: the text between < and >
  DType dtype = DType::f32;           ///< element type, except for groups
  TileDesc tile;                      ///< tiles: valid extents may be unknown
  std::vector<std::int64_t> shape;    ///< tensors, as written; `unknown` for `?`; empty: `memref<f32>`
  std::vector<std::int64_t> strides;  ///< tensors: empty if packed or given by the view operation
  pto::Layout layout = pto::Layout::ND;
  std::int64_t ranks = 0;  ///< groups: number of ranks

  bool is_tile() const { return kind == Kind::tile || kind == Kind::tile_buf; }
  /// Whether it is in global memory and has a shape.
  bool is_tensor() const {
    return kind == Kind::tensor_view || kind == Kind::partition_tensor_view || kind == Kind::memref;
  }
  /// A descriptor with five dimensions. Missing outer dimensions have extent 1; what the type leaves open is `unknown`.
  TensorDesc tensor() const;
};

/// A parsed type, or an error message.
struct ParsedType {
  std::optional<TypeSpec> type;
  std::string error;
};

/// Parses the text after `!pto.`: `tile_buf<...>`, `ptr<f32>`, ...
ParsedType parse_type(std::string_view text);
/// The canonical text of a type, as parse_type reads it.
std::string to_text(const TypeSpec&);
/// The text for messages: `!pto.tile_buf<vec, 8x32xf32>`, without default values.
std::string short_text(const TypeSpec&);

/// The element type of that name; `u8` and `ui8` are the same.
std::optional<DType> find_dtype(std::string_view name);
/// The text of an element type: `ui8`, `f8E4M3FN`, `!pto.hif8`.
const char* dtype_text(DType);

/// Packed strides, innermost dimension first; `unknown` outside an unknown extent.
std::array<std::int64_t, 5> packed_strides(const std::int64_t (&shape)[5]);

}  // namespace ptox::assembly
