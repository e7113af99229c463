// SPDX-License-Identifier: Apache-2.0
// Kernels for indexed updates of rows and elements, in no defined order.
#pragma once

#include "cuda/atomics.cuh"
#include "cuda/hot.cuh"
#include "cuda/kernels.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

template <class T, Op op, class Unit>
struct UpdateAct {
  using Value = Unit;
  static constexpr bool gathers = false;
  static constexpr int depth = 8;
  std::byte* table;
  const std::byte* src;
  std::int64_t table_step, src_step;
  __device__ Slot slot(const Move&, Slot found, std::int64_t) const { return found; }
  __device__ explicit UpdateAct(const Move& m)
      : table(m.table), src(m.moved), table_step(m.table_step), src_step(m.moved_step) {}
  __device__ Unit load(Slot, std::int64_t position, std::int64_t unit) const {
    return __ldcs(reinterpret_cast<const Unit*>(src + position * src_step) + unit);
  }
  __device__ void store(Slot slot, std::int64_t, std::int64_t unit, Unit value) const {
    if (slot.valid()) put(reinterpret_cast<Unit*>(table + slot.at * table_step) + unit, value);
  }
  __device__ static void put(Unit* to, Unit value) { update_unit<T, op>(to, value); }
};

/// Updates rows in units of 16 bytes if one instruction can add these, otherwise in words or single elements.
template <class T, Op op>
void update_rows(const Move& m, Stream stream) {
  const int bytes = unit_bytes(m);
  constexpr int word = sizeof(T) > 4 ? static_cast<int>(sizeof(T)) : 4;
  using Word = typename UnitOf<word>::type;
  using Own = typename UnitOf<static_cast<int>(sizeof(T))>::type;
  if constexpr (adds_vectors<T, op>)
    if (bytes == 16) return add_rows<T, UpdateAct<T, op, uint4>>(m, stream);
  if (m.row_bytes == static_cast<std::int64_t>(sizeof(T))) return walk_elements<Own, UpdateAct<T, op, Own>>(m, stream);
  if (bytes >= word) return walk_few<Word, UpdateAct<T, op, Word>>(m, stream);
  if constexpr (word != sizeof(T)) walk_few<Own, UpdateAct<T, op, Own>>(m, stream);
}

template <Op op>
void update_any(const Move& m, pto::instr::DType dtype, Stream stream) {
  if (m.count == 0 || m.row_bytes == 0) return;
  with_updatable(dtype, [&]<class T>() {
    using Stored =
        std::conditional_t<op == Op::Add && std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>;
    update_rows<typename Stored::type, op>(m, stream);
  });
  check_launch("scatter with an update");
}

}  // namespace ptox::cuda
