// SPDX-License-Identifier: Apache-2.0
// Device memory between guard bytes, which detect writes outside the operands of a call.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace ptox::testing {

inline void ok(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(code));
}

/// Elements in device memory with `guard` bytes of 0xa5 before and after them.
template <class T>
class Guarded {
 public:
  explicit Guarded(const std::vector<T>& host, std::size_t shift = 0) : count_(host.size()), shift_(shift * sizeof(T)) {
    ok(cudaMalloc(reinterpret_cast<void**>(&memory_), bytes() + 2 * guard + shift_));
    ok(cudaMemset(memory_, 0xa5, bytes() + 2 * guard + shift_));
    put(host);
  }
  Guarded(const Guarded&) = delete;
  ~Guarded() { cudaFree(memory_); }

  T* data() const { return reinterpret_cast<T*>(memory_ + guard + shift_); }
  std::span<T> span() const { return {data(), count_}; }
  /// Copies all elements and synchronises, so that every stream sees them: cudaMemcpy may return before the last bytes
  /// have arrived.
  void put(const std::vector<T>& host) const {
    ok(cudaMemcpy(data(), host.data(), bytes(), cudaMemcpyHostToDevice));
    ok(cudaStreamSynchronize(nullptr));
  }
  std::vector<T> get() const {
    std::vector<T> host(count_);
    ok(cudaMemcpy(host.data(), data(), bytes(), cudaMemcpyDeviceToHost));
    return host;
  }
  bool guards_stand() const {
    return stands(memory_, guard + shift_) && stands(memory_ + guard + shift_ + bytes(), guard);
  }

 private:
  static constexpr std::size_t guard = 4096;
  std::size_t bytes() const { return count_ * sizeof(T); }
  static bool stands(const std::byte* from, std::size_t n) {
    std::vector<std::uint8_t> found(n);
    ok(cudaMemcpy(found.data(), from, n, cudaMemcpyDeviceToHost));
    return found == std::vector<std::uint8_t>(n, 0xa5);
  }
  std::byte* memory_ = nullptr;
  std::size_t count_, shift_;
};

}  // namespace ptox::testing
