// SPDX-License-Identifier: Apache-2.0
// Spellings of types and numbers in C++.
#pragma once

#include <optional>
#include <string>

#include "asm/dialect.hpp"

namespace ptox::assembly::cpp {

/// `int64_t` of index, `half` of f16; nullopt for what is no number that C++ has.
std::optional<std::string> scalar_type(mlir::Type type);
/// Bits of an integer or index, 0 for others.
unsigned integer_width(mlir::Type type);
/// `uint32_t` of an integer of that width.
std::string unsigned_type(unsigned width);
/// `float` of f32: the elements of tiles and tensors.
std::string element_type(DType dtype);

/// `Tile<TileType::Vec, float, 8, 32>`, defaults left out.
std::string tile_type(const TileDesc& tile);
/// `GlobalTensor<float, Shape<...>, Stride<...>>`; -1 where an extent is only known in a run.
std::string tensor_type(const TensorDesc& tensor);

/// A constant in full precision; nullopt when C++ has no such number.
std::optional<std::string> literal(mlir::Attribute value);
/// `64`, or INT64_MIN by name.
std::string number(std::int64_t value);
/// `0x1000`: a place in a buffer.
std::string hexadecimal(std::int64_t value);

}  // namespace ptox::assembly::cpp
