// SPDX-License-Identifier: Apache-2.0
// Updates elements of a table far larger than the caches: elements are sorted by window, and each window is in shared
// memory while its elements are processed, so that the table is read and written once, in order.
#include <bit>

#include "cuda/atomics.cuh"
#include "cuda/kernels.hpp"
#include "cuda/sort.hpp"
#include "cuda/walk.cuh"

namespace ptox::cuda {

namespace {

constexpr int window_bytes = 32 * 1024, window_threads = 512;

/// The binary logarithm of the number of elements in a window.
template <class T>
constexpr int window_log = std::bit_width(window_bytes / sizeof(T)) - 1;

struct Sorted {
  const void* keys;
  const void* values;
  std::int64_t count, capacity;
};

template <class Key>
__global__ void __launch_bounds__(block_threads) slots_as_keys(Move m, Key* keys) {
  const std::int64_t position = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (position >= m.count) return;
  const Slot slot = slot_of(m, position);
  if (keys) keys[position] = static_cast<Key>(slot.at);  // all bits set if dropped
}

/// begins[w] = the first element of window w. Key bits outside `mask`, above those of the capacity, are ignored.
template <class Key>
__global__ void __launch_bounds__(block_threads)
    find_windows(Sorted sorted, int log, Key mask, std::int64_t windows, std::int64_t* begins) {
  const std::int64_t w = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (w > windows) return;
  const auto* keys = static_cast<const Key*>(sorted.keys);
  std::int64_t low = 0, high = sorted.count;
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (static_cast<std::int64_t>((keys[middle] & mask) >> log) < w)
      low = middle + 1;
    else
      high = middle;
  }
  begins[w] = low;
}

/// Calls act(position in the window, number, value) for each element of this window; numbers count from 1.
template <class T, class Key, class Act>
__device__ void each_of_window(const Sorted& s, std::int64_t begin, std::int64_t end, const Act& act) {
  constexpr Key inside = (Key{1} << window_log<T>)-1;
  const auto* keys = static_cast<const Key*>(s.keys);
  const auto* values = static_cast<const BitsOf<sizeof(T)>*>(s.values);
  for (std::int64_t i = begin + threadIdx.x; i < end; i += window_threads)
    if (const Key key = __ldcs(keys + i); key < static_cast<std::uint64_t>(s.capacity))
      act(static_cast<int>(key & inside), static_cast<unsigned>(i - begin) + 1, __ldcs(values + i));
}

template <class T, Op op>
__device__ void update_shared(T* p, BitsOf<sizeof(T)> value) {
  if constexpr (sizeof(T) >= 4)
    update_word<T, op>(p, value);
  else
    update_part<T, op>(p, value);
}

/// Loads the window from the table, or stores it, in units of 16 bytes if the table is aligned to that.
template <class T, bool to_table>
__device__ void move_window(T* table, T* window, std::int64_t elements) {
  constexpr int per_unit = 16 / static_cast<int>(sizeof(T));
  const std::int64_t units = reinterpret_cast<std::uintptr_t>(table) % 16 == 0 ? elements / per_unit : 0;
  for (std::int64_t i = threadIdx.x; i < units; i += window_threads) {
    auto *in_table = reinterpret_cast<uint4*>(table) + i, *here = reinterpret_cast<uint4*>(window) + i;
    if constexpr (to_table)
      __stcs(in_table, *here);
    else
      *here = __ldcs(in_table);
  }
  for (std::int64_t i = units * per_unit + threadIdx.x; i < elements; i += window_threads)
    to_table ? table[i] = window[i] : window[i] = table[i];
}

template <class T, Op op, class Key>
__global__ void __launch_bounds__(window_threads) update_window(T* table, Sorted sorted, const std::int64_t* begins) {
  extern __shared__ uint4 memory[];
  constexpr int size = 1 << window_log<T>;
  T* window = reinterpret_cast<T*>(memory);
  const std::int64_t first = std::int64_t{blockIdx.x} * size, begin = begins[blockIdx.x], end = begins[blockIdx.x + 1];
  if (begin == end) return;
  const std::int64_t elements = min(std::int64_t{size}, sorted.capacity - first);
  move_window<T, false>(table + first, window, elements);
  if constexpr (op == Op::None) {
    auto* last = reinterpret_cast<unsigned*>(window + size);  // by position: the number of the last element
    for (int i = threadIdx.x; i < size; i += window_threads) last[i] = 0;
    __syncthreads();
    each_of_window<T, Key>(sorted, begin, end, [&](int at, unsigned number, auto) { atomicMax(last + at, number); });
    __syncthreads();
    each_of_window<T, Key>(sorted, begin, end, [&](int at, unsigned number, auto value) {
      if (last[at] == number) __builtin_memcpy(window + at, &value, sizeof value);
    });
  } else {
    __syncthreads();
    each_of_window<T, Key>(sorted, begin, end,
                           [&](int at, unsigned, auto value) { update_shared<T, op>(window + at, value); });
  }
  __syncthreads();
  move_window<T, true>(table + first, window, elements);
}

template <class T, Op op, class Key>
void run_windows(const Move& m, Stream stream) {
  const auto count = static_cast<std::size_t>(m.count);
  constexpr int log = window_log<T>;
  const int bits = std::bit_width(static_cast<std::uint64_t>(m.capacity - 1));
  const std::int64_t windows = (m.capacity + (1 << log) - 1) >> log;
  const bool as_they_are =
      m.wide == (sizeof(Key) == 8) && (m.oob == OutOfRange::drop || m.oob == OutOfRange::undefined);
  const Scratch made(as_they_are ? 0 : count * sizeof(Key), stream), keys(count * sizeof(Key), stream),
      values(count * sizeof(T), stream), begins(static_cast<std::size_t>(windows + 1) * 8, stream);
  if (!as_they_are || m.oob == OutOfRange::undefined)
    slots_as_keys<Key><<<blocks_for((m.count + warp - 1) / warp), block_threads, 0, stream>>>(m, made.as<Key>());
  check_launch("scatter: slots");
  const void* unsorted = as_they_are ? m.idx : made.as<void>();
  stable_sort({.keys_in = unsorted,
               .keys_out = keys.as<void>(),
               .values_in = m.moved,
               .values_out = values.as<void>(),
               .count = m.count,
               .key_bytes = static_cast<int>(sizeof(Key)),
               .value_bytes = static_cast<int>(sizeof(T)),
               .begin_bit = log,
               .end_bit = bits},
              stream);
  const Sorted sorted{keys.as<Key>(), values.as<T>(), m.count, m.capacity};
  const Key mask = bits >= 8 * static_cast<int>(sizeof(Key)) ? ~Key{0} : (Key{1} << bits) - 1;
  find_windows<Key><<<blocks_for(windows / warp + 1), block_threads, 0, stream>>>(sorted, log, mask, windows,
                                                                                  begins.as<std::int64_t>());
  constexpr int shared = op == Op::None ? window_bytes + 4 * (1 << log) : window_bytes;
  allow_shared(reinterpret_cast<const void*>(update_window<T, op, Key>), shared);
  update_window<T, op, Key><<<static_cast<unsigned>(windows), window_threads, shared, stream>>>(
      reinterpret_cast<T*>(m.table), sorted, begins.as<std::int64_t>());
  check_launch("scatter by windows of the table");
}

template <class T>
void run_updates(const Move& m, Op op, Stream stream) {
  if constexpr (sizeof(T) == 2 || sizeof(T) == 4) {
    if (op == Op::Add) run_windows<T, Op::Add, std::uint32_t>(m, stream);
    if (op == Op::Max) run_windows<T, Op::Max, std::uint32_t>(m, stream);
    if (op == Op::Min) run_windows<T, Op::Min, std::uint32_t>(m, stream);
  }
}

}  // namespace

bool windows_pay(const Move& m, std::int64_t element_bytes) {
  // Sorting takes about 15 ps per element, a window in shared memory 0.5 ps per byte, a random update 64 ps.
  constexpr std::int64_t many = 1 << 22, large = 64 << 20;
  const bool dense = m.row_bytes == element_bytes && m.table_step == element_bytes && m.moved_step == element_bytes;
  const bool aligned = (reinterpret_cast<std::uintptr_t>(m.table) | reinterpret_cast<std::uintptr_t>(m.moved)) %
                           static_cast<std::uintptr_t>(element_bytes) ==
                       0;
  return dense && aligned && (element_bytes == 2 || element_bytes == 4) && m.count >= many && m.count < (1ll << 32) &&
         m.capacity * element_bytes >= large && m.capacity <= (1ll << 32) - 1 &&
         m.count >= m.capacity * element_bytes / 64;
}

void update_by_windows(const Move& m, Update update, Stream stream) {
  if (update.op == Op::None)
    return m.row_bytes == 2 ? run_windows<std::uint16_t, Op::None, std::uint32_t>(m, stream)
                            : run_windows<std::uint32_t, Op::None, std::uint32_t>(m, stream);
  with_updatable(update.dtype, [&]<class T>() { run_updates<T>(m, update.op, stream); });
}

}  // namespace ptox::cuda
