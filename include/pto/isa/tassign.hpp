// SPDX-License-Identifier: Apache-2.0
// TASSIGN: where does this tile or tensor lie, by hand?
#pragma once

#include <concepts>

#include "pto/tile/event.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto {

/// The tile is at this byte offset of its core's buffer from now on.
template <TileOperand T>
RecordEvent TASSIGN(T& tile, std::integral auto offset, Site site = Site::current()) {
  tile.assign(static_cast<std::int64_t>(offset), site);
  return {site};
}

template <auto Offset, TileOperand T>
RecordEvent TASSIGN(T& tile, Site site = Site::current()) {
  static_assert(Offset >= 0, "TASSIGN: the offset is not negative");
  tile.assign(static_cast<std::int64_t>(Offset), site);
  return {site};
}

/// The tensor begins at this address from now on.
template <TensorOperand T>
RecordEvent TASSIGN(T& tensor, typename T::DType* data, Site site = Site::current()) {
  tensor.set_data(data);
  return {site};
}

}  // namespace pto
