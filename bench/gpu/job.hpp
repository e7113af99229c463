// SPDX-License-Identifier: Apache-2.0
// A case on the GPU with its buffers and the ways of doing it.
#pragma once

#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/gpu/straight.hpp"
#include "bench/turns.hpp"

namespace ptox::bench::gpu {

/// Throws std::runtime_error with the driver's words.
void check(int code);

/// Device memory, from one large piece: how fast a small table is depends on where it lies. Given back in reverse
/// order.
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

/// Seconds that the device takes for what `run` puts on the default stream, the second time.
double device_seconds(const std::function<void()>& run);

class Job {
 public:
  explicit Job(const Case&);

  const std::vector<std::int32_t>& idx() const { return host_idx_; }
  /// Ours, ours in source order where that is another thing, the tile path where the case has it, and a straight
  /// kernel.
  std::vector<Way> ways() const;
  /// How many words of our result are not those of the straight kernel; 0 where sums of 16 bits are rounded on the way.
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

/// Bytes a second of the fastest copy within the device, read and written counted.
Series copy_ceiling(int rounds, bool quick, double& bytes);

}  // namespace ptox::bench::gpu
