// SPDX-License-Identifier: Apache-2.0
// Converts types of the textual forms, such as `tile_buf<vec, 8x32xf32>`, to data and back.
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

/// A type of the pto dialect. A schematic one (`...`, upper-case extents, placeholder words) keeps its text alone.
struct TypeSpec {
  enum class Kind : std::uint8_t { ptr, tensor_view, partition_tensor_view, memref, tile, tile_buf, group, hif8 };

  Kind kind = Kind::ptr;
  bool schematic = false;
  std::string text;                   ///< schematic: what stands between < and >
  DType dtype = DType::f32;           ///< of everything but groups
  TileDesc tile;                      ///< tiles: valid extents may be unknown
  std::vector<std::int64_t> shape;    ///< tensors, as written; unknown where it says `?`; empty: `memref<f32>`
  std::vector<std::int64_t> strides;  ///< tensors: empty when packed or given elsewhere
  pto::Layout layout = pto::Layout::ND;
  std::int64_t ranks = 0;  ///< groups

  bool is_tile() const { return kind == Kind::tile || kind == Kind::tile_buf; }
  /// Lives in global memory and has a shape.
  bool is_tensor() const {
    return kind == Kind::tensor_view || kind == Kind::partition_tensor_view || kind == Kind::memref;
  }
  /// Five extents and strides, 1 on the left; unknown where the type leaves them open.
  TensorDesc tensor() const;
};

/// A parsed type, or the reason why it is none.
struct ParsedType {
  std::optional<TypeSpec> type;
  std::string error;
};

/// Reads `tile_buf<...>`, `ptr<f32>`, ...: the text after `!pto.`.
ParsedType parse_type(std::string_view text);
/// The same text in its one canonical spelling.
std::string to_text(const TypeSpec&);
/// For messages: `!pto.tile_buf<vec, 8x32xf32>`, defaults left out.
std::string short_text(const TypeSpec&);

/// The element type of that name, `u8` and `ui8` alike.
std::optional<DType> find_dtype(std::string_view name);
/// `ui8`, `f8E4M3FN`, `!pto.hif8`: the spelling of the textual forms.
const char* dtype_text(DType);

/// Packed strides of extents, right to left; unknown from an unknown extent on.
std::array<std::int64_t, 5> packed_strides(const std::int64_t (&shape)[5]);

}  // namespace ptox::assembly
