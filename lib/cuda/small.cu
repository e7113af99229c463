// SPDX-License-Identifier: Apache-2.0
// Moves very many elements from or to a small table: each block has a part of the table, or partial sums, in shared
// memory.

#include <algorithm>
#include <type_traits>

#include "cuda/atomics.cuh"
#include "cuda/kernels.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

namespace {

constexpr int part_log = 15, part_size = 1 << part_log, most_parts = 4, small_threads = 1024;
constexpr int part_bytes = part_size * 4;

/// The bits of the neutral element of addition, for negative zero too.
template <class T>
constexpr std::uint32_t neutral_bits = std::is_same_v<T, float> ? 0x80000000u : 0u;

/// T is float or std::uint32_t, which stands for signed integers too: their sums have the same bits.
template <class T>
__global__ void __launch_bounds__(small_threads) add_to_part(Move m, int parts) {
  extern __shared__ std::uint32_t memory[];
  auto* sums = reinterpret_cast<T*>(memory);
  const std::int64_t part = blockIdx.x % parts, turn = blockIdx.x / parts, turns = gridDim.x / parts;
  for (int i = threadIdx.x; i < part_size; i += small_threads) memory[i] = neutral_bits<T>;
  __syncthreads();
  const auto* values = reinterpret_cast<const T*>(m.moved);
  const auto add = [&](Slot slot, T value) {
    if (slot.valid() && slot.at >> part_log == part) atomicAdd(sums + (slot.at & (part_size - 1)), value);
  };
  constexpr int depth = 4;
  const std::int64_t step = turns * small_threads;
  for (std::int64_t first = turn * small_threads + threadIdx.x; first < m.count; first += depth * step) {
    Slot slots[depth];
    T held[depth];
#pragma unroll
    for (int k = 0; k < depth; ++k) {
      const std::int64_t i = first + k * step;
      slots[k] = i < m.count ? slot_of(m, i) : Slot{-1};
      if (i < m.count) held[k] = __ldg(values + i);
    }
#pragma unroll
    for (int k = 0; k < depth; ++k) add(slots[k], held[k]);
  }
  __syncthreads();
  T* table = reinterpret_cast<T*>(m.table) + part * part_size;
  const std::int64_t here = min(std::int64_t{part_size}, m.capacity - part * part_size);
  for (std::int64_t i = threadIdx.x; i < here; i += small_threads)
    if (memory[i] != neutral_bits<T>) atomicAdd(table + i, sums[i]);
}

template <class T>
void run(const Move& m, Stream stream) {
  allow_shared(reinterpret_cast<const void*>(add_to_part<T>), part_bytes);
  const int parts = static_cast<int>((m.capacity + part_size - 1) / part_size);
  const int turns = processors() / parts > 0 ? processors() / parts : 1;
  add_to_part<T><<<static_cast<unsigned>(turns * parts), small_threads, part_bytes, stream>>>(m, parts);
  check_launch("scatter: sums of a small table");
}

/// For elements of 4 bytes. The first `near` elements of the table are copied to shared memory, which leaves the cache
/// to the others.
__global__ void __launch_bounds__(small_threads) gather_near(Move m, int near) {
  extern __shared__ std::uint32_t memory[];
  const auto* table = reinterpret_cast<const std::uint32_t*>(m.table);
  for (int i = threadIdx.x; i < near; i += small_threads) memory[i] = __ldg(table + i);
  __syncthreads();
  const auto* indices = static_cast<const std::uint32_t*>(m.idx);
  auto* out = reinterpret_cast<std::uint32_t*>(m.moved);
  const auto element = [&](std::uint32_t index, std::int64_t position) -> std::uint32_t {
    if (index < static_cast<std::uint32_t>(near)) return memory[index];
    const Slot slot = slot_at(m, index, position);
    return slot.valid() ? __ldg(table + slot.at) : 0;
  };
  constexpr int turns = 2;
  const std::int64_t step = std::int64_t{gridDim.x} * small_threads * in_a_row;
  const std::int64_t whole = m.count - m.count % in_a_row;
  std::int64_t first = (std::int64_t{blockIdx.x} * small_threads + threadIdx.x) * in_a_row;
  for (; first < whole; first += turns * step) {
    uint4 idx[turns];
#pragma unroll
    for (int k = 0; k < turns; ++k)
      if (first + k * step < whole) idx[k] = __ldcs(reinterpret_cast<const uint4*>(indices + first + k * step));
#pragma unroll
    for (int k = 0; k < turns; ++k) {
      const std::int64_t at = first + k * step;
      if (at >= whole) break;
      const uint4 values{element(idx[k].x, at), element(idx[k].y, at + 1), element(idx[k].z, at + 2),
                         element(idx[k].w, at + 3)};
      __stcs(reinterpret_cast<uint4*>(out + at), values);
    }
  }
  const std::int64_t last = whole + threadIdx.x;
  if (blockIdx.x == 0 && last < m.count) out[last] = element(__ldcs(indices + last), last);
}

constexpr std::int64_t size = 4, many = 1 << 22;
bool dense(const Move& m) { return m.row_bytes == size && m.table_step == size && m.moved_step == size; }

}  // namespace

bool small_pays(const Move& m) {
  const auto at = reinterpret_cast<std::uintptr_t>(m.idx) | reinterpret_cast<std::uintptr_t>(m.moved);
  const bool whole = reinterpret_cast<std::uintptr_t>(m.table) % size == 0 && at % sizeof(uint4) == 0;
  if (!dense(m) || m.wide || !whole || m.count < many || m.capacity == 0) return false;
  return m.capacity / 4 * 3 <= shared_bytes() / size;  // shared memory holds at least three quarters of the table
}

void gather_from_small(const Move& m, Stream stream) {
  const int near = static_cast<int>(std::min<std::int64_t>(m.capacity, shared_bytes() / size));
  const int bytes = near * static_cast<int>(size);
  allow_shared(reinterpret_cast<const void*>(gather_near), shared_bytes());  // concurrent callers set the same value
  gather_near<<<static_cast<unsigned>(processors()), small_threads, static_cast<std::size_t>(bytes), stream>>>(m, near);
  check_launch("gather from a small table");
}

bool small_pays(const Move& m, pto::instr::DType dtype) {
  using enum pto::instr::DType;
  return dense(m) && (dtype == f32 || dtype == i32 || dtype == u32) && m.capacity > 0 &&
         m.capacity <= most_parts * part_size && m.count >= many && part_bytes <= shared_bytes();
}

void add_to_small(const Move& m, pto::instr::DType dtype, Stream stream) {
  dtype == pto::instr::DType::f32 ? run<float>(m, stream) : run<std::uint32_t>(m, stream);
}

}  // namespace ptox::cuda
