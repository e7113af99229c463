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

/// False where no straight kernel of ours does it.
bool straight(const Case&, const Buffers&, CUstream_st*);

/// Whole numbers from 0 to 3 in every element, the same for the same seed.
void fill(void* data, std::int64_t elements, Type, std::uint64_t seed, CUstream_st*);

/// How many 32-bit words differ.
std::int64_t differing(const void* a, const void* b, std::int64_t bytes, CUstream_st*);

/// A copy of that many bytes by a kernel.
void copy(void* to, const void* from, std::int64_t bytes, CUstream_st*);

}  // namespace ptox::bench::gpu
