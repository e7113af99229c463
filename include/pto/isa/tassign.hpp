// SPDX-License-Identifier: Apache-2.0
// TASSIGN: gives a tile or tensor an explicit address.
#pragma once

#include <concepts>

#include "pto/tile/event.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto {

/// The tile is at this byte offset of its core's buffer from now on.
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

/// The tensor begins at this address from now on.
template <instr::TensorOperand T>
AICORE RecordEvent TASSIGN(T& tensor, typename T::DType* data, instr::Site site = instr::Site::current()) {
  tensor.set_data(data);
  return {site};
}

}  // namespace pto
