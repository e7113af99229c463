// SPDX-License-Identifier: Apache-2.0
// The operands of collectives as plain data: tensors of all ranks and staging tiles.
#pragma once

#include <concepts>
#include <type_traits>

#include "pto/comm/group.hpp"
#include "pto/isa/flags.hpp"
#include "pto/isa/tload.hpp"
#include "pto/isa/tstore.hpp"

namespace pto::comm::detail {

/// The tensors of a group, whose type is erased: operator[] returns the descriptor of one rank's tensor. Does not own
/// the array.
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

/// The staging tiles of a transfer: one, or two that are used alternately. Valid extents that the tile type leaves
/// dynamic may be reduced for the last chunk.
struct Staging {
  instr::TileDesc tiles[2];
  int count = 1;
  bool rows_shrink = false, cols_shrink = false;
};

template <class TileT>
Staging staging_of(instr::Site site, const TileT& tile) {
  const instr::TileDesc d = tile.desc(site);
  return {{d, d}, 1, TileT::ValidRow == DYNAMIC, TileT::ValidCol == DYNAMIC};
}
template <class TileT>
Staging staging_of(instr::Site site, const TileT& ping, const TileT& pong) {
  Staging s = staging_of(site, ping);
  s.tiles[1] = pong.desc(site), s.count = 2;
  return s;
}

/// The descriptor of a chunk for compile-time checks: its extents are run-time values, hence unknown.
constexpr instr::TensorDesc chunk_type(instr::TensorDesc t) {
  for (std::int64_t& n : t.shape) n = instr::unknown;
  return t;
}
constexpr instr::TileDesc chunk_type(instr::TileDesc t) {
  t.valid_rows = t.valid_cols = instr::unknown;
  return t;
}

template <class TileT, class From>
void check_load() {
  static constexpr instr::Tload::Operands load{chunk_type(TileT::type_desc()), chunk_type(From::type_desc()), {}};
  instr::detail::require_rules<instr::Tload, load, instr::legal_on<instr::Tload>(load)>();
}
template <class TileT, class To, AtomicType atomic = AtomicType::AtomicNone>
void check_store() {
  static_assert(!std::is_const_v<typename To::RawDType>, "a collective writes here: the element type is not const");
  static constexpr instr::Tstore::Operands store{chunk_type(To::type_desc()), chunk_type(TileT::type_desc()), {atomic}};
  instr::detail::require_rules<instr::Tstore, store, instr::legal_on<instr::Tstore>(store)>();
}

/// Requires at compile time that all operands of a collective have the same element type, and that some target (with
/// PTO_TARGET defined: that target) can load and store them through this staging tile.
template <class TileT, class From, class To, AtomicType atomic = AtomicType::AtomicNone>
void check_types() {
  using Element = std::remove_cv_t<typename From::RawDType>;
  static_assert(std::same_as<std::remove_cv_t<typename To::RawDType>, Element>,
                "a collective's tensors have one element type");
  static_assert(std::same_as<typename TileT::DType, Element>,
                "a collective's staging tiles have the element type of its tensors");
  check_load<TileT, From>();
  check_store<TileT, To, atomic>();
}

}  // namespace pto::comm::detail
