// SPDX-License-Identifier: Apache-2.0
// Straightforward kernels: one thread for each 16 bytes or each element.
#pragma once

#include <cstdint>

#include "bench/gpu/cases.hpp"

struct CUstream_st;

namespace ptox::bench::gpu {

/// The buffers of a case, all in device memory.
struct Buffers {
  void* table;
  void* moved;
  const std::int32_t* idx;
};

/// Launches the straight kernel for a case on the stream. Returns true; there is a kernel for each kind of work.
bool straight(const Case&, const Buffers&, CUstream_st*);

/// Fills every element with a whole number from 0 to 3, or bytes with any number; the same for the same seed.
void fill(void* data, std::int64_t elements, Type, std::uint64_t seed, CUstream_st*);

/// The number of 32-bit words that differ; -1 if a CUDA call fails.
std::int64_t differing(const void* a, const void* b, std::int64_t bytes, CUstream_st*);

/// Copies by a kernel; `bytes` is a multiple of 16.
void copy(void* to, const void* from, std::int64_t bytes, CUstream_st*);

}  // namespace ptox::bench::gpu
