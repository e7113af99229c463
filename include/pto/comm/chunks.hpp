// SPDX-License-Identifier: Apache-2.0
// What do collectives give the engine? Tensors of all ranks and staging tiles, as plain data.
#pragma once

#include <concepts>
#include <type_traits>

#include "pto/comm/group.hpp"
#include "pto/isa/flags.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tstore.hpp"

namespace pto::comm::detail {

/// A group's tensors by value, one at a time.
struct Tensors {
  const void* array = nullptr;
  instr::TensorDesc (*get)(const void* array, int rank) = nullptr;
  int ranks = 0, root = 0;
  instr::TensorDesc operator[](int rank) const { return get(array, rank); }
};

template <class G>
Tensors tensors_of(const ParallelGroup<G>& group) {
  const auto get = [](const void* array, int rank) { return static_cast<const G*>(array)[rank].desc(); };
  return {group.tensors, get, group.nranks, group.rootIdx};
}

/// The tiles that data goes through: one, or two in turn. Valid extents that the type leaves open may shrink for the
/// last chunk.
struct Staging {
  instr::TileDesc tiles[2];
  int count = 1;
  bool rows_shrink = false, cols_shrink = false;
};

template <class TileT>
Staging staging_of(const TileT& tile, instr::Site site) {
  const instr::TileDesc d = tile.desc(site);
  return {{d, d}, 1, TileT::ValidRow == DYNAMIC, TileT::ValidCol == DYNAMIC};
}
template <class TileT>
Staging staging_of(const TileT& ping, const TileT& pong, instr::Site site) {
  Staging s = staging_of(ping, site);
  s.tiles[1] = pong.desc(site), s.count = 2;
  return s;
}

/// The element types of a collective's tensors and tiles are one, and with PTO_TARGET the machine moves them so.
template <class TileT, class... Tensor>
constexpr void check_types() {
  static_assert((std::same_as<typename TileT::DType, std::remove_cv_t<typename Tensor::RawDType>> && ...),
                "a collective's tensors and staging tiles have one element type");
}

}  // namespace pto::comm::detail
