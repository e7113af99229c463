// SPDX-License-Identifier: Apache-2.0
// A case on the GPU with its buffers and the implementations that are timed.
#pragma once

#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/gpu/straight.hpp"
#include "bench/turns.hpp"

namespace ptox::bench::gpu {

/// Throws std::runtime_error with CUDA's message if the code is not cudaSuccess.
void check(int code);

/// Device memory from one large allocation, because the speed of a small table depends on its address. Objects have to
/// be destroyed in reverse order.
class Memory {
 public:
  explicit Memory(std::int64_t bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::int64_t bytes_;
};

/// Calls `run` twice and returns the seconds that the device needs for the second call's work on the default stream.
double device_seconds(const std::function<void()>& run);

class Job {
 public:
  explicit Job(const Case&);

  const std::vector<std::int32_t>& idx() const { return host_idx_; }
  /// ptox, ptox in source order if the case writes to the table, the tile kernel if the case has one, and the straight
  /// kernel.
  std::vector<Way> ways() const;
  /// The number of words in which the results of ptox differ from those of the straight kernel. 0 if the result is not
  /// unique: sums of 16-bit floats, whose rounding depends on the order, and plain scatters of several rows to one
  /// slot.
  std::int64_t wrong_words() const;

 private:
  bool writes_table() const { return case_.work != Work::gather; }
  Buffers buffers() const;
  void reset() const;
  void ours(bool in_order) const;
  std::int64_t differs_from_straight(const std::function<void()>& way) const;

  Case case_;
  std::vector<std::int32_t> host_idx_;
  Memory table_, moved_, idx_;
};

/// Times the fastest copy within the device; `bytes` is set to the bytes that it reads and writes.
Series copy_ceiling(int rounds, bool quick, double& bytes);

}  // namespace ptox::bench::gpu
