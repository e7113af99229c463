// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/straight.hpp"

namespace ptox::bench::gpu {

namespace {

constexpr int threads = 256;

unsigned blocks_for(std::int64_t work) { return static_cast<unsigned>((work + threads - 1) / threads); }

__device__ std::int64_t me() { return std::int64_t{blockIdx.x} * threads + threadIdx.x; }

__device__ void add16(uint4* p, uint4 v, Type type) {
#if __CUDA_ARCH__ >= 900
  if (type == Type::f32)
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(__uint_as_float(v.x)),
                 "f"(__uint_as_float(v.y)), "f"(__uint_as_float(v.z)), "f"(__uint_as_float(v.w))
                 : "memory");
  else if (type == Type::f16)
    asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
                 "r"(v.w)
                 : "memory");
  else
    asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z),
                 "r"(v.w)
                 : "memory");
#endif
}

/// Moves rows of 2^log units of 16 bytes, one unit for each thread.
template <Work work>
__global__ void __launch_bounds__(threads)
    by_rows(uint4* table, uint4* moved, const std::int32_t* idx, std::int64_t units, int log, Type type) {
  const std::int64_t u = me();
  if (u >= units) return;
  const std::int64_t row = u >> log, unit = u & ((1 << log) - 1);
  uint4* there = table + (static_cast<std::int64_t>(idx[row]) << log) + unit;
  if constexpr (work == Work::gather) moved[u] = *there;
  if constexpr (work == Work::scatter) *there = moved[u];
  if constexpr (work == Work::add) add16(there, moved[u], type);
}

template <Work work>
__global__ void __launch_bounds__(threads)
    by_elements(float* table, float* moved, const std::int32_t* idx, std::int64_t count) {
  const std::int64_t i = me();
  if (i >= count) return;
  if constexpr (work == Work::gather) moved[i] = table[idx[i]];
  if constexpr (work == Work::scatter) table[idx[i]] = moved[i];
  if constexpr (work == Work::add) atomicAdd(table + idx[i], moved[i]);
  if constexpr (work == Work::max)  // floats that are not negative have the order of their bits
    atomicMax(reinterpret_cast<int*>(table) + idx[i], __float_as_int(moved[i]));
}

__device__ std::uint32_t mixed(std::uint64_t i, std::uint64_t seed) {
  std::uint64_t z = i + seed * 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull, z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>(z ^ (z >> 31));
}

__global__ void __launch_bounds__(threads) fill_with(void* data, std::int64_t elements, Type type, std::uint64_t seed) {
  const std::int64_t i = me();
  if (i >= elements) return;
  const auto value = static_cast<float>(mixed(static_cast<std::uint64_t>(i), seed) % 4);
  const std::uint32_t bits = __float_as_uint(value);
  const std::uint16_t halves[] = {0x0000, 0x3c00, 0x4000, 0x4200};
  if (type == Type::f32) static_cast<float*>(data)[i] = value;
  if (type == Type::bf16) static_cast<std::uint16_t*>(data)[i] = static_cast<std::uint16_t>(bits >> 16);
  if (type == Type::f16) static_cast<std::uint16_t*>(data)[i] = halves[static_cast<int>(value)];
  if (type == Type::u8)
    static_cast<std::uint8_t*>(data)[i] = static_cast<std::uint8_t>(mixed(static_cast<std::uint64_t>(i), seed));
}

__global__ void __launch_bounds__(threads)
    count_differing(const std::uint32_t* a, const std::uint32_t* b, std::int64_t words, unsigned long long* found) {
  const std::int64_t i = me();
  if (i < words && a[i] != b[i]) atomicAdd(found, 1ull);
}

__global__ void __launch_bounds__(threads) copy_units(uint4* to, const uint4* from, std::int64_t units) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * 8 + threadIdx.x;
  uint4 held[8];
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (first + k * threads < units) held[k] = __ldcs(from + first + k * threads);
#pragma unroll
  for (int k = 0; k < 8; ++k)
    if (first + k * threads < units) __stcs(to + first + k * threads, held[k]);
}

template <Work work>
void run(const Case& c, const Buffers& b, CUstream_st* stream) {
  if (!c.by_rows()) {
    by_elements<work><<<blocks_for(c.count), threads, 0, stream>>>(static_cast<float*>(b.table),
                                                                   static_cast<float*>(b.moved), b.idx, c.count);
    return;
  }
  int log = 0;
  while ((std::int64_t{16} << log) < c.row_bytes()) ++log;
  by_rows<work><<<blocks_for(c.count << log), threads, 0, stream>>>(
      static_cast<uint4*>(b.table), static_cast<uint4*>(b.moved), b.idx, c.count << log, log, c.type);
}

}  // namespace

bool straight(const Case& c, const Buffers& b, CUstream_st* stream) {
  if (c.work == Work::gather) run<Work::gather>(c, b, stream);
  if (c.work == Work::scatter) run<Work::scatter>(c, b, stream);
  if (c.work == Work::add) run<Work::add>(c, b, stream);
  if (c.work == Work::max) run<Work::max>(c, b, stream);
  return true;
}

void fill(void* data, std::int64_t elements, Type type, std::uint64_t seed, CUstream_st* stream) {
  fill_with<<<blocks_for(elements), threads, 0, stream>>>(data, elements, type, seed);
}

std::int64_t differing(const void* a, const void* b, std::int64_t bytes, CUstream_st* stream) {
  unsigned long long *found = nullptr, answer = 0;
  if (cudaMallocAsync(&found, sizeof *found, stream) != cudaSuccess) return -1;
  cudaMemsetAsync(found, 0, sizeof *found, stream);
  count_differing<<<blocks_for(bytes / 4), threads, 0, stream>>>(
      static_cast<const std::uint32_t*>(a), static_cast<const std::uint32_t*>(b), bytes / 4, found);
  cudaMemcpyAsync(&answer, found, sizeof answer, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(found, stream);
  if (cudaStreamSynchronize(stream) != cudaSuccess) return -1;
  return static_cast<std::int64_t>(answer);
}

void copy(void* to, const void* from, std::int64_t bytes, CUstream_st* stream) {
  const std::int64_t units = bytes / 16;
  copy_units<<<blocks_for((units + 7) / 8), threads, 0, stream>>>(static_cast<uint4*>(to),
                                                                  static_cast<const uint4*>(from), units);
}

}  // namespace ptox::bench::gpu
