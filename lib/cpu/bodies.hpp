// SPDX-License-Identifier: Apache-2.0
// The instructions for which the host has code of its own.
#pragma once

#include "core/body.hpp"

namespace ptox {

/// Where an instruction's tile, tensor and index tile stand among its operands; -1: it has none.
template <int tile, int tensor, int idx = -1>
struct HostBody {
  static constexpr bool exists = true;

  /// Whether `run` may be called: the rows lie a constant step apart, tiles in their buffer, the tensor somewhere.
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

// Each by its operands in full, false: not done; and, when ready, by a move with the places of its operands.
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
