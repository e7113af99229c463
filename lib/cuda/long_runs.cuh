// SPDX-License-Identifier: Apache-2.0
// Ordered updates of a slot that receives very many rows, by a whole block: some warps fetch rows into shared memory
// while others combine them, one thread for each column.
#pragma once

#include "cuda/elements.cuh"
#include "cuda/scratch.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

/// Long runs of rows with the same slot, which fold_long_runs processes. In global memory; the first head_bytes are
/// zeroed before use.
struct LongRuns {
  static constexpr std::int64_t least = 512;  ///< rows of a long run
  static constexpr int most = 4096;
  static constexpr std::size_t head_bytes = 16;
  int found, taken;
  int unused[2];
  std::int64_t begins[most], ends[most];

  /// Adds a run; called by one thread. False if the list is full.
  __device__ bool take(std::int64_t begin, std::int64_t end) {
    const int at = atomicAdd(&found, 1);
    if (at < most) begins[at] = begin, ends[at] = end;
    return at < most;
  }
  __device__ int count() const { return min(found, most); }
};

/// One past the last entry of the run that begins at `begin`; called by one thread. Exponential, then binary search.
template <class Number>
__device__ std::int64_t end_of_run(const Number* slots, std::int64_t begin, std::int64_t count) {
  const Number slot = slots[begin];
  std::int64_t in = begin, out = begin + 1;
  for (std::int64_t step = 1; out < count && slots[out] == slot; out += step *= 2) in = out;
  out = min(out, count);
  while (out - in > 1) {
    const std::int64_t middle = in + (out - in) / 2;
    (slots[middle] == slot ? in : out) = middle;
  }
  return out;
}

inline constexpr int run_threads = 512, run_bytes = 24 * 1024;  ///< run_bytes: size of each of two shared buffers

/// The columns [first, first + columns) of a run.
template <class T, class Number>
struct RunPart {
  using Bits = BitsOf<sizeof(T)>;
  const Move& m;
  const Number* positions;  ///< null: the rows themselves are sorted
  std::int64_t begin, end, first;
  int columns, rows;  ///< rows: how many are fetched in one turn

  /// Fetches the rows of a turn, in units of 16 bytes where the rows are aligned to that.
  __device__ void fetch(Bits* to, std::int64_t turn, int thread, int threads) const {
    const bool whole =
        (reinterpret_cast<std::uintptr_t>(m.moved + first * sizeof(T)) | m.moved_step | columns * sizeof(T)) %
            sizeof(uint4) ==
        0;
    whole ? fetch_by<uint4>(to, turn, thread, threads) : fetch_by<Bits>(to, turn, thread, threads);
  }
  template <class Unit>
  __device__ void fetch_by(Bits* to, std::int64_t turn, int thread, int threads) const {
    constexpr int depth = 4, per_unit = sizeof(Unit) / sizeof(Bits);
    const std::int64_t from = begin + turn * rows;
    const int units = columns / per_unit, all = static_cast<int>(min(std::int64_t{rows}, end - from)) * units;
    for (int i = thread; i < all; i += depth * threads) {
      const Unit* at[depth];
      Unit values[depth];
#pragma unroll
      for (int k = 0; k < depth; ++k) {
        const int u = min(i + k * threads, all - 1), r = u / units;
        const std::int64_t position = positions ? static_cast<std::int64_t>(positions[from + r]) : from + r;
        const std::byte* row = m.moved + position * m.moved_step;
        at[k] = reinterpret_cast<const Unit*>(row + first * static_cast<std::int64_t>(sizeof(T))) + (u - r * units);
      }
#pragma unroll
      for (int k = 0; k < depth; ++k) values[k] = *at[k];
#pragma unroll
      for (int k = 0; k < depth; ++k)
        if (i + k * threads < all) reinterpret_cast<Unit*>(to)[i + k * threads] = values[k];
    }
  }
  template <Op op>
  __device__ Bits fold(Bits sum, const Bits* from, std::int64_t turn, int column) const {
    const int here = static_cast<int>(min(std::int64_t{rows}, end - begin - turn * rows));
#pragma unroll 8
    for (int r = 0; r < here; ++r) sum = combined<T, op>(sum, from[r * columns + column]);
    return sum;
  }
};

template <class T, Op op, class Number>
__global__ void __launch_bounds__(run_threads)
    fold_runs(Move m, const Number* slots, const Number* positions, const LongRuns* runs) {
  using Bits = BitsOf<sizeof(T)>;
  __shared__ __align__(16) std::byte memory[2][run_bytes];
  constexpr int most_columns = run_threads / 4;  // the threads that combine rows; the others fetch
  const std::int64_t width = m.row_bytes / static_cast<std::int64_t>(sizeof(T));
  const std::int64_t parts = (width + most_columns - 1) / most_columns;
  const int thread = threadIdx.x;
  for (std::int64_t item = blockIdx.x; item < runs->count() * parts; item += gridDim.x) {
    const auto run = item / parts, first = item % parts * most_columns;
    const int columns = static_cast<int>(min(std::int64_t{most_columns}, width - first));
    const int rows = run_bytes / static_cast<int>(sizeof(T)) / columns;
    const RunPart<T, Number> part{m, positions, runs->begins[run], runs->ends[run], first, columns, rows};
    const std::int64_t turns = (part.end - part.begin + rows - 1) / rows;
    auto* row = reinterpret_cast<Bits*>(m.table + static_cast<std::int64_t>(slots[part.begin]) * m.table_step) + first;
    const bool folds = thread < columns;
    Bits sum = folds ? row[thread] : Bits{};
    part.fetch(reinterpret_cast<Bits*>(memory[0]), 0, thread, run_threads);
    __syncthreads();
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      if (thread >= most_columns && turn + 1 < turns)
        part.fetch(reinterpret_cast<Bits*>(memory[(turn + 1) % 2]), turn + 1, thread - most_columns,
                   run_threads - most_columns);
      if (folds) sum = part.template fold<op>(sum, reinterpret_cast<const Bits*>(memory[turn % 2]), turn, thread);
      __syncthreads();
    }
    if (folds) row[thread] = sum;
  }
}

template <class T, Op op, class Number>
void fold_long_runs(const Move& m, const Number* slots, const Number* positions, const LongRuns* runs,
                    CUstream_st* stream) {
  if (m.count < LongRuns::least) return;
  const auto blocks = static_cast<unsigned>(processors() * 4);
  fold_runs<T, op, Number><<<blocks, run_threads, 0, stream>>>(m, slots, positions, runs);
}

}  // namespace ptox::cuda
