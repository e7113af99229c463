// SPDX-License-Identifier: Apache-2.0
// The operation on one unit of a row: gather, scatter or add.
#pragma once

#include "cuda/units.cuh"

namespace ptox::cuda {

/// Copies a unit of a row from the table; a slot that is not valid gives zero.
template <class Unit>
struct Gather {
  using Value = Unit;
  static constexpr bool gathers = true;
  static constexpr int depth = 8;
  const std::byte* table;
  std::byte* out;
  std::int64_t table_step, out_step;
  __device__ Slot slot(const Move&, Slot found, std::int64_t) const { return found; }
  __device__ explicit Gather(const Move& m)
      : table(m.table), out(m.moved), table_step(m.table_step), out_step(m.moved_step) {}
  __device__ Unit load(Slot slot, std::int64_t, std::int64_t unit) const {
    if (!slot.valid()) return Unit{};
    return __ldg(reinterpret_cast<const Unit*>(table + slot.at * table_step) + unit);
  }
  __device__ void store(Slot, std::int64_t position, std::int64_t unit, Unit value) const {
    __stcs(reinterpret_cast<Unit*>(out + position * out_step) + unit, value);
  }
};

/// Copies a unit of a row to the table; a slot that is not valid is skipped.
template <class Unit>
struct Scatter {
  using Value = Unit;
  static constexpr bool gathers = false;
  static constexpr int depth = 8;
  std::byte* table;
  const std::byte* src;
  std::int64_t table_step, src_step;
  __device__ Slot slot(const Move& m, Slot found, std::int64_t position) const { return if_won(m, found, position); }
  __device__ explicit Scatter(const Move& m)
      : table(m.table), src(m.moved), table_step(m.table_step), src_step(m.moved_step) {}
  __device__ Unit load(Slot, std::int64_t position, std::int64_t unit) const {
    return reinterpret_cast<const Unit*>(src + position * src_step)[unit];
  }
  __device__ void store(Slot slot, std::int64_t, std::int64_t unit, Unit value) const {
    if (slot.valid()) put(reinterpret_cast<Unit*>(table + slot.at * table_step) + unit, value);
  }
  __device__ static void put(Unit* to, Unit value) { *to = value; }
};

}  // namespace ptox::cuda
