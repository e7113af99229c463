// SPDX-License-Identifier: Apache-2.0
// Updates rows in source order: rows are sorted by slot with a stable sort, and each slot is processed by one warp or,
// if many rows go to it, by one block.
#include <bit>

#include "cuda/elements.cuh"
#include "cuda/kernels.hpp"
#include "cuda/long_runs.cuh"
#include "cuda/sort.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

namespace {

constexpr int fetched = 8;  // elements of a column that are loaded before the first is used

/// Writes the slots as sort keys. Dropped positions get the capacity as key, which sorts behind all slots.
template <class Number>
__global__ void __launch_bounds__(block_threads) number_slots(Move m, Number* slots, Number* positions) {
  const std::int64_t position = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (position >= m.count) return;
  const Slot slot = slot_of(m, position);
  slots[position] = static_cast<Number>(slot.valid() ? slot.at : m.capacity);
  if (positions) positions[position] = static_cast<Number>(position);
}

/// *to (op)= from(i) for i in [begin, end), in order.
template <class T, Op op, class From>
__device__ void fold(BitsOf<sizeof(T)>* to, std::int64_t begin, std::int64_t end, const From& from) {
  if constexpr (op == Op::None) {
    *to = from(end - 1);
  } else {
    BitsOf<sizeof(T)> sum = *to, values[fetched];
    for (std::int64_t i = begin; i < end; i += fetched) {
#pragma unroll
      for (int k = 0; k < fetched; ++k)
        if (i + k < end) values[k] = from(i + k);
#pragma unroll
      for (int k = 0; k < fetched; ++k)
        if (i + k < end) sum = combined<T, op>(sum, values[k]);
    }
    *to = sum;
  }
}

template <class T, Op op, class Number>
__global__ void __launch_bounds__(block_threads)
    fold_rows(Move m, const Number* slots, const Number* positions, LongRuns* long_runs) {
  using Bits = BitsOf<sizeof(T)>;
  constexpr std::int64_t size = sizeof(T);
  const int lane = threadIdx.x % warp;
  const std::int64_t first = (std::int64_t{blockIdx.x} * block_threads + threadIdx.x) / warp * warp;
  const std::int64_t mine = first + lane, width = m.row_bytes / size;
  const auto dropped = static_cast<Number>(m.capacity);
  bool begins = mine < m.count && slots[mine] != dropped && (mine == 0 || slots[mine] != slots[mine - 1]);
  const std::int64_t my_end = begins ? end_of_run(slots, mine, m.count) : mine;
  if (op != Op::None && my_end - mine >= LongRuns::least && long_runs->take(mine, my_end)) begins = false;
  for (unsigned left = __ballot_sync(all_lanes, begins); left != 0; left &= left - 1) {
    const int who = __ffs(static_cast<int>(left)) - 1;
    const std::int64_t begin = first + who, end = __shfl_sync(all_lanes, my_end, who);
    auto* row = reinterpret_cast<Bits*>(m.table + static_cast<std::int64_t>(slots[begin]) * m.table_step);
    for (std::int64_t c = lane; c < width; c += warp)
      fold<T, op>(row + c, begin, end, [&](std::int64_t i) {
        return *reinterpret_cast<const Bits*>(m.moved + static_cast<std::int64_t>(positions[i]) * m.moved_step +
                                              c * size);
      });
  }
}

/// The same for elements that were sorted together with their slots: one thread for each slot.
template <class T, Op op, class Number>
__global__ void __launch_bounds__(block_threads)
    fold_elements(Move m, const Number* slots, const BitsOf<sizeof(T)>* sorted, LongRuns* long_runs) {
  const std::int64_t begin = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (begin >= m.count || slots[begin] == static_cast<Number>(m.capacity)) return;
  if (begin > 0 && slots[begin - 1] == slots[begin]) return;
  const std::int64_t end = end_of_run(slots, begin, m.count);
  if (op != Op::None && end - begin >= LongRuns::least && long_runs->take(begin, end)) return;
  auto* to = reinterpret_cast<BitsOf<sizeof(T)>*>(m.table + static_cast<std::int64_t>(slots[begin]) * m.table_step);
  fold<T, op>(to, begin, end, [&](std::int64_t i) { return sorted[i]; });
}

template <class Number>
void sort_slots(const Move& m, const Scratch& slots, const void* values_in, void* values_out, std::size_t value_bytes,
                Number* numbers, Stream stream) {
  const Scratch made(static_cast<std::size_t>(m.count) * sizeof(Number), stream);
  number_slots<Number>
      <<<blocks_for((m.count + warp - 1) / warp), block_threads, 0, stream>>>(m, made.as<Number>(), numbers);
  check_launch("scatter in order: slots");
  stable_sort({.keys_in = made.as<void>(),
               .keys_out = slots.as<void>(),
               .values_in = values_in,
               .values_out = values_out,
               .count = m.count,
               .key_bytes = static_cast<int>(sizeof(Number)),
               .value_bytes = static_cast<int>(value_bytes),
               .begin_bit = 0,
               .end_bit = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(m.capacity)))},
              stream);
}

template <class T, Op op, class Number>
void in_order(Move m, Stream stream) {
  const auto count = static_cast<std::size_t>(m.count);
  const unsigned blocks = blocks_for((m.count + warp - 1) / warp);
  const Scratch slot_memory(count * sizeof(Number), stream), run_memory(sizeof(LongRuns), stream);
  const auto* slots = slot_memory.as<Number>();
  auto* long_runs = run_memory.as<LongRuns>();
  check_cuda(cudaMemsetAsync(long_runs, 0, LongRuns::head_bytes, stream), "clearing memory");
  const auto fold_long = [&](const Number* positions) {
    if constexpr (op != Op::None) fold_long_runs<T, op>(m, slots, positions, long_runs, stream);
  };
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  if (m.row_bytes == size && m.moved_step == size) {
    const Scratch sorted(count * sizeof(T), stream);
    sort_slots<Number>(m, slot_memory, m.moved, sorted.as<void>(), sizeof(T), nullptr, stream);
    fold_elements<T, op, Number>
        <<<blocks, block_threads, 0, stream>>>(m, slots, sorted.as<BitsOf<sizeof(T)>>(), long_runs);
    m.moved = sorted.as<std::byte>();
    fold_long(nullptr);
  } else {
    const Scratch numbers(count * sizeof(Number), stream), positions(count * sizeof(Number), stream);
    sort_slots<Number>(m, slot_memory, numbers.as<void>(), positions.as<void>(), sizeof(Number), numbers.as<Number>(),
                       stream);
    fold_rows<T, op, Number><<<blocks, block_threads, 0, stream>>>(m, slots, positions.as<Number>(), long_runs);
    fold_long(positions.as<Number>());
  }
  check_launch("scatter in order");
}

/// Stores the last row of each slot, in the largest unit that fits, whatever the element type is.
template <class Number>
void store_last(const Move& m, Stream stream) {
  switch (unit_bytes(m)) {
    case 16:
    case 8:
      return in_order<std::uint64_t, Op::None, Number>(m, stream);
    case 4:
      return in_order<std::uint32_t, Op::None, Number>(m, stream);
    case 2:
      return in_order<std::uint16_t, Op::None, Number>(m, stream);
    default:
      return in_order<std::uint8_t, Op::None, Number>(m, stream);
  }
}

template <class Number>
void any_in_order(const Move& m, Update update, Stream stream) {
  if (update.op == Op::None) return store_last<Number>(m, stream);
  with_updatable(update.dtype, [&]<class T>() {
    if (update.op == Op::Add) in_order<T, Op::Add, Number>(m, stream);
    if (update.op == Op::Max) in_order<T, Op::Max, Number>(m, stream);
    if (update.op == Op::Min) in_order<T, Op::Min, Number>(m, stream);
  });
}

}  // namespace

void update_in_order(const Move& m, Update update, Stream stream) {
  if (m.count == 0 || m.row_bytes == 0) return;
  constexpr std::int64_t most = (1ll << 32) - 1;
  m.capacity < most&& m.count <= most ? any_in_order<std::uint32_t>(m, update, stream)
                                      : any_in_order<std::uint64_t>(m, update, stream);
}

}  // namespace ptox::cuda
