// SPDX-License-Identifier: Apache-2.0
// How are very many elements added to few? Each block keeps sums of a part of the table in shared memory and adds them
// to the table at its end: the part is near, and few additions meet in global memory.
#include "cuda/atomics.cuh"
#include "cuda/kernels.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

namespace {

constexpr int part_log = 15, part_size = 1 << part_log, most_parts = 4, small_threads = 1024;
constexpr int part_bytes = part_size * 4;

/// T is float or std::uint32_t, whose sums do not depend on a sign.
template <class T>
__global__ void __launch_bounds__(small_threads) add_to_part(Move m, int parts) {
  extern __shared__ std::uint32_t memory[];
  auto* sums = reinterpret_cast<T*>(memory);
  const std::int64_t part = blockIdx.x % parts, turn = blockIdx.x / parts, turns = gridDim.x / parts;
  for (int i = threadIdx.x; i < part_size; i += small_threads) sums[i] = T{};
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
    if (sums[i] != T{}) atomicAdd(table + i, sums[i]);
}

template <class T>
void run(const Move& m, Stream stream) {
  allow_shared(reinterpret_cast<const void*>(add_to_part<T>), part_bytes);
  const int parts = static_cast<int>((m.capacity + part_size - 1) / part_size);
  const int turns = processors() / parts > 0 ? processors() / parts : 1;
  add_to_part<T><<<static_cast<unsigned>(turns * parts), small_threads, part_bytes, stream>>>(m, parts);
  check_launch("scatter: sums of a small table");
}

}  // namespace

bool small_pays(const Move& m, pto::instr::DType dtype) {
  using enum pto::instr::DType;
  constexpr std::int64_t size = 4, many = 1 << 22;
  const bool dense = m.row_bytes == size && m.table_step == size && m.moved_step == size;
  return dense && (dtype == f32 || dtype == i32 || dtype == u32) && m.capacity > 0 &&
         m.capacity <= most_parts * part_size && m.count >= many && part_bytes <= shared_bytes();
}

void add_to_small(const Move& m, pto::instr::DType dtype, Stream stream) {
  dtype == pto::instr::DType::f32 ? run<float>(m, stream) : run<std::uint32_t>(m, stream);
}

}  // namespace ptox::cuda
