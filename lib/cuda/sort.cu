// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_radix_sort.cuh>

#include "cuda/scratch.hpp"
#include "cuda/sort.hpp"

namespace ptox::cuda {

namespace {

template <class Key, class Value>
void sort(const SortJob& job, CUstream_st* stream) {
  const auto run = [&](void* temp, std::size_t& bytes) {
    return cub::DeviceRadixSort::SortPairs(temp, bytes, static_cast<const Key*>(job.keys_in),
                                           static_cast<Key*>(job.keys_out), static_cast<const Value*>(job.values_in),
                                           static_cast<Value*>(job.values_out), job.count, job.begin_bit, job.end_bit,
                                           stream);
  };
  std::size_t bytes = 0;
  check_cuda(run(nullptr, bytes), "asking how much memory a sort takes");
  const Scratch temp(bytes, stream);
  check_cuda(run(temp.as<void>(), bytes), "sorting by slot");
}

template <class Key>
void sort(const SortJob& job, CUstream_st* stream) {
  switch (job.value_bytes) {
    case 1:
      return sort<Key, std::uint8_t>(job, stream);
    case 2:
      return sort<Key, std::uint16_t>(job, stream);
    case 4:
      return sort<Key, std::uint32_t>(job, stream);
    default:
      return sort<Key, std::uint64_t>(job, stream);
  }
}

}  // namespace

void stable_sort(const SortJob& job, CUstream_st* stream) {
  job.key_bytes == 4 ? sort<std::uint32_t>(job, stream) : sort<std::uint64_t>(job, stream);
}

}  // namespace ptox::cuda
