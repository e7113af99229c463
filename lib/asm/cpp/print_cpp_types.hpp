// SPDX-License-Identifier: Apache-2.0
// The C++ text of types and numbers.
#pragma once

#include <optional>
#include <string>

#include "asm/dialect/dialect.hpp"

namespace ptox::assembly::cpp {

/// `int64_t` for index, `half` for f16; std::nullopt if C++ has no such type.
std::optional<std::string> scalar_type(mlir::Type type);
/// The width of an integer or index in bits, 0 for other types.
unsigned integer_width(mlir::Type type);
/// The unsigned C++ type of that width, for example `uint32_t`.
std::string unsigned_type(unsigned width);
/// The C++ element type of tiles and tensors, for example `float` for f32.
std::string element_type(DType dtype);

/// `Tile<TileType::Vec, float, 8, 32>`, defaults left out.
std::string tile_type(const TileDesc& tile);
/// `GlobalTensor<float, Shape<...>, Stride<...>>`; -1 for dynamic extents.
std::string tensor_type(const TensorDesc& tensor);

/// A constant in full precision; std::nullopt if C++ cannot express it.
std::optional<std::string> literal(mlir::Attribute value);
/// An integer literal; INT64_MIN is printed by its macro name.
std::string number(std::int64_t value);
/// `0x1000`: an address in a buffer.
std::string hexadecimal(std::int64_t value);

}  // namespace ptox::assembly::cpp
