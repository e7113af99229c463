// SPDX-License-Identifier: Apache-2.0
// Temporary memory for the work on a stream, and errors of the driver.
#pragma once

#include <cstddef>

struct CUstream_st;

namespace ptox::cuda {

/// Device memory for work that is put on the stream while this lives; given back behind that work.
class Scratch {
 public:
  /// Throws std::runtime_error when the device has no more.
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

/// Throws std::runtime_error with the driver's words when a call failed; `what` was being done.
void check_cuda(int code, const char* what);
/// The same for the launch just made.
void check_launch(const char* what);

/// Lets a kernel have that much dynamic shared memory on the current device.
void allow_shared(const void* kernel, int bytes);
/// How many multiprocessors the current device has, and how much shared memory a block may ask for.
int processors();
int shared_bytes();

}  // namespace ptox::cuda
