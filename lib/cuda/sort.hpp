// SPDX-License-Identifier: Apache-2.0
// Sorts on the GPU. Does not use the element types of ptox, because the headers of CUB define the same names.
#pragma once

#include <cstdint>

struct CUstream_st;

namespace ptox::cuda {

/// A stable sort of pairs of keys and values by bits [begin_bit, end_bit) of the keys.
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
