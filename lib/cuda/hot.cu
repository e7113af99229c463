// SPDX-License-Identifier: Apache-2.0
#include "cuda/hot.cuh"

namespace ptox::cuda {

namespace {

constexpr int sample = 4096, places = 8192, threads = 1024;
constexpr int often = 8;  // of the sample: one update in 512

/// Slots of a sample and how often each was seen.
struct Counts {
  unsigned long long keys[places];  ///< slot + 1, 0: free
  int counts[places];
  int found;
  int candidates[sample / often];

  __device__ void add(std::int64_t slot) {
    const auto key = static_cast<unsigned long long>(slot) + 1;
    unsigned at = static_cast<unsigned>((key * 0x9e3779b97f4a7c15ull) >> 51);
    for (unsigned long long seen; (seen = atomicCAS(keys + at, 0ull, key)) != 0 && seen != key;) at = (at + 1) % places;
    atomicAdd(counts + at, 1);
  }
  /// How many candidates come before this one.
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
  extern __shared__ unsigned long long memory[];
  auto& c = *reinterpret_cast<Counts*>(memory);
  Slot slots[sample / threads];
#pragma unroll
  for (int k = 0; k < sample / threads; ++k) slots[k] = slot_of(m, (k * threads + threadIdx.x) * (m.count / sample));
  for (int i = threadIdx.x; i < places; i += threads) c.keys[i] = 0, c.counts[i] = 0;
  if (threadIdx.x == 0) c.found = 0;
  __syncthreads();
  for (const Slot slot : slots)
    if (slot.valid()) c.add(slot.at);
  __syncthreads();
  for (int i = threadIdx.x; i < places; i += threads)
    if (c.counts[i] >= often) c.candidates[atomicAdd(&c.found, 1)] = i;
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
