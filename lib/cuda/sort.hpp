// SPDX-License-Identifier: Apache-2.0
// What is sorted on the GPU? Knows nothing of our element types, whose names CUB's headers take.
#pragma once

#include <cstdint>

struct CUstream_st;

namespace ptox::cuda {

/// Stable, by bits [begin_bit, end_bit) of the keys.
struct SortJob {
  const void* keys_in;
  void* keys_out;
  const void* values_in;
  void* values_out;
  std::int64_t count;
  int key_bytes;    ///< 4 or 8
  int value_bytes;  ///< 1, 2, 4 or 8
  int begin_bit, end_bit;
};
void stable_sort(const SortJob&, CUstream_st* stream);

}  // namespace ptox::cuda
