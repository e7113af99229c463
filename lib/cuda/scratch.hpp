// SPDX-License-Identifier: Apache-2.0
// Temporary device memory for work on a stream, checks of CUDA calls, and attributes of the device.
#pragma once

#include <cstddef>

struct CUstream_st;

namespace ptox::cuda {

/// Device memory for work that is enqueued on the stream while this object lives. It is freed in stream order, after
/// that work.
class Scratch {
 public:
  /// Throws std::runtime_error when the device is out of memory.
  Scratch(std::size_t bytes, CUstream_st* stream);
  Scratch(const Scratch&) = delete;
  ~Scratch();
  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  void* data_ = nullptr;
  CUstream_st* stream_;
};

/// Throws std::runtime_error with the text of the CUDA error if a call failed; `what` describes the call.
void check_cuda(int code, const char* what);
/// The same for the latest kernel launch.
void check_launch(const char* what);

/// Allows a kernel to use that much dynamic shared memory on the current device.
void allow_shared(const void* kernel, int bytes);
/// The number of multiprocessors of the current device, and the maximum shared memory of a block.
int processors();
int shared_bytes();

}  // namespace ptox::cuda
