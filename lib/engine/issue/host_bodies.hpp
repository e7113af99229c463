// SPDX-License-Identifier: Apache-2.0
// Declares the native implementations of instructions on the host, which lib/host defines.
#pragma once

#include "engine/issue/body.hpp"

namespace ptox {

/// Base of the native bodies. The template arguments are the positions of the tile, the tensor and the index tile among
/// the operands of the instruction; -1: no index tile.
template <int tile, int tensor, int idx = -1>
struct HostBody {
  static constexpr bool exists = true;

  /// Whether `run` may be called with this move: its rows are a constant step apart, its tiles are inside their buffer,
  /// and the address of the tensor is not null.
  static bool ready(Core& core, const pto::instr::HostMove& m, const std::int64_t* where) {
    const Space& space = core.space(m.loc);
    if (m.kind == pto::instr::HostMove::Kind::none || !where[tensor]) return false;
    if (!space.holds(where[tile], m.tile_bytes)) return false;
    return idx < 0 || space.holds(where[idx < 0 ? 0 : idx], m.idx_bytes);
  }

 protected:
  static std::byte* tile_of(Core& core, const pto::instr::HostMove& m, const std::int64_t* where) {
    return core.space(m.loc).begin() + where[tile];
  }
  static std::byte* tensor_of(const std::int64_t* where) { return reinterpret_cast<std::byte*>(where[tensor]); }
  static const std::byte* idx_of(Core& core, const std::int64_t* where) {
    return core.space(pto::TileType::Vec).begin() + where[idx];
  }
};

// The first `run` takes the full operands and returns false if it did nothing. The second one requires `ready` and
// takes a move with the places of the operands: buffer offsets of tiles and the address of the tensor.
template <>
struct NativeBody<pto::instr::Mgather> : HostBody<0, 1, 2> {
  static bool run(Core&, const pto::instr::Mgather::Operands&);
  static void run(Core&, const pto::instr::HostMove&, const std::int64_t* where);
};
template <>
struct NativeBody<pto::instr::Mscatter> : HostBody<1, 0, 2> {
  static bool run(Core&, const pto::instr::Mscatter::Operands&);
  static void run(Core&, const pto::instr::HostMove&, const std::int64_t* where);
};
template <>
struct NativeBody<pto::instr::Tload> : HostBody<0, 1> {
  static bool run(Core&, const pto::instr::Tload::Operands&);
  static void run(Core&, const pto::instr::HostMove&, const std::int64_t* where);
};
template <>
struct NativeBody<pto::instr::Tstore> : HostBody<1, 0> {
  static bool run(Core&, const pto::instr::Tstore::Operands&);
  static void run(Core&, const pto::instr::HostMove&, const std::int64_t* where);
};
template <>
struct NativeBody<pto::instr::Treduce> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::instr::Treduce::Operands&);
};
template <>
struct NativeBody<pto::instr::Tprefetch> : HostBody<0, 1> {
  static bool run(Core&, const pto::instr::Tprefetch::Operands&);
  static void run(Core&, const pto::instr::HostMove&, const std::int64_t* where);
};

}  // namespace ptox
