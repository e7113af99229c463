// SPDX-License-Identifier: Apache-2.0
// Times NumPy and PyTorch for the same job in a child process that runs Python, if it is available.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/python.hpp"
#include "bench/turns.hpp"
#include "bench/work.hpp"
#include "process.hpp"

namespace ptox::bench {

/// A Python process that runs peers.py and ends with this object.
class Peers {
 public:
  Peers();

  /// The versions, such as "numpy 2.1, torch 2.4", or why they are missing and how to install them.
  const std::string& sentence() const { return python_.sentence(); }

  /// Prepares a job and returns the ways of the peers that can do it; torch on 1 thread and on `threads`. The ways are
  /// valid until `close`.
  std::vector<Way> open(const Work&, std::span<const std::int32_t> idx, int threads);
  /// The same for small gathers of Work::count indices; the time of a run is that of `calls` gathers.
  std::vector<Way> open_tiny(const Work&, std::span<const std::int32_t> idx, std::int64_t calls);
  void close();

 private:
  std::string save(std::span<const std::int32_t> idx) const;
  double run(const std::string& peer, int threads);

  tool::TemporaryFolder folder_;
  Python python_;
};

}  // namespace ptox::bench
