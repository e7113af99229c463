// SPDX-License-Identifier: Apache-2.0
// TASSIGN: gives a tile or tensor an explicit address.
#pragma once

#include <concepts>

#include "pto/tile/event.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto {

/// Places the tile at this byte offset of its buffer.
template <instr::TileOperand T>
AICORE RecordEvent TASSIGN(T& tile, std::integral auto offset, instr::Site site = instr::Site::current()) {
  tile.assign(static_cast<std::int64_t>(offset), site);
  return {site};
}

template <auto Offset, instr::TileOperand T>
AICORE RecordEvent TASSIGN(T& tile, instr::Site site = instr::Site::current()) {
  static_assert(Offset >= 0, "TASSIGN: the offset is not negative");
  tile.assign(static_cast<std::int64_t>(Offset), site);
  return {site};
}

/// Sets the address at which the tensor begins.
template <instr::TensorOperand T>
AICORE RecordEvent TASSIGN(T& tensor, typename T::DType* data, instr::Site site = instr::Site::current()) {
  tensor.set_data(data);
  return {site};
}

}  // namespace pto
