// SPDX-License-Identifier: Apache-2.0
#include "cuda/hot.cuh"

namespace ptox::cuda {

namespace {

constexpr int sample = 4096, places = 8192, threads = 1024;
constexpr int often = 8;  // occurrences in the sample that make a row hot: one update in 512

__device__ std::uint64_t mixed(std::int64_t slot) { return static_cast<std::uint64_t>(slot) * 0x9e3779b97f4a7c15ull; }
constexpr int place_bits = 13;
static_assert(places == 1 << place_bits);

/// Counts of sampled slots by hash value. Slots with the same hash value share a count, which is therefore an upper
/// bound: cheap, and sufficient to show that no slot occurs often.
struct Sketch {
  alignas(16) int counts[places];

  __device__ void clear() {
    for (int i = threadIdx.x; i < places / 4; i += threads) reinterpret_cast<int4*>(counts)[i] = {};
  }
  __device__ void add(std::int64_t slot) { atomicAdd(counts + (mixed(slot) >> (64 - place_bits)), 1); }
  /// Whether a count in this thread's part of the table reaches `often`.
  __device__ bool any_often() const {
    int most = 0;
    for (int i = threadIdx.x; i < places / 4; i += threads) {
      const int4 four = reinterpret_cast<const int4*>(counts)[i];
      most = max(most, max(max(four.x, four.y), max(four.z, four.w)));
    }
    return most >= often;
  }
};

/// A hash table of the sampled slots with the number of occurrences of each.
struct Counts {
  unsigned long long keys[places];  ///< slot + 1, 0: free
  int counts[places];
  int found;
  int candidates[sample / often];

  __device__ void clear() {
    for (int i = threadIdx.x; i < places; i += threads) keys[i] = 0, counts[i] = 0;
    if (threadIdx.x == 0) found = 0;
  }
  __device__ void add(std::int64_t slot) {
    const auto key = static_cast<unsigned long long>(slot) + 1;
    auto at = static_cast<unsigned>(mixed(slot) >> (64 - place_bits));
    for (unsigned long long seen; (seen = atomicCAS(keys + at, 0ull, key)) != 0 && seen != key;) at = (at + 1) % places;
    atomicAdd(counts + at, 1);
  }
  __device__ void find_candidates() {
    for (int i = threadIdx.x; i < places; i += threads)
      if (counts[i] >= often) candidates[atomicAdd(&found, 1)] = i;
  }
  /// The position of a candidate in the order of decreasing counts.
  __device__ int rank(int which) const {
    const int mine = counts[candidates[which]];
    int before = 0;
    for (int other = 0; other < found; ++other) {
      const int its = counts[candidates[other]];
      before += its > mine || (its == mine && other < which);
    }
    return before;
  }
};

__global__ void __launch_bounds__(threads) count_sample(Move m, int most, Hot* hot) {
  extern __shared__ uint4 memory[];
  Slot slots[sample / threads];
#pragma unroll
  for (int k = 0; k < sample / threads; ++k) slots[k] = slot_of(m, (k * threads + threadIdx.x) * (m.count / sample));
  auto& sketch = *reinterpret_cast<Sketch*>(memory);
  sketch.clear();
  __syncthreads();
  for (const Slot slot : slots)
    if (slot.valid()) sketch.add(slot.at);
  __syncthreads();
  if (!__syncthreads_or(sketch.any_often())) {
    if (threadIdx.x == 0) hot->count = 0;
    return;
  }
  auto& c = *reinterpret_cast<Counts*>(memory);
  c.clear();
  __syncthreads();
  for (const Slot slot : slots)
    if (slot.valid()) c.add(slot.at);
  __syncthreads();
  c.find_candidates();
  __syncthreads();
  if (threadIdx.x == 0) hot->count = min(c.found, most);
  for (int i = threadIdx.x; i < c.found; i += threads)
    if (const int rank = c.rank(i); rank < most)
      hot->slots[rank] = static_cast<std::int64_t>(c.keys[c.candidates[i]] - 1);
}

}  // namespace

void find_hot(const Move& m, int most, Hot* hot, CUstream_st* stream) {
  allow_shared(reinterpret_cast<const void*>(count_sample), static_cast<int>(sizeof(Counts)));
  count_sample<<<1, threads, sizeof(Counts), stream>>>(m, most, hot);
  check_launch("a sample of the indices");
}

}  // namespace ptox::cuda
