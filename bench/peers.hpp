// SPDX-License-Identifier: Apache-2.0
// Times of NumPy and PyTorch for the same job, measured by a child process where it exists.
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

/// A Python that runs peers.py for as long as this lives.
class Peers {
 public:
  Peers();

  /// "numpy 2.1, torch 2.4", or why there are none and how to get them.
  const std::string& sentence() const { return python_.sentence(); }

  /// The ways of the peers that can do the job: torch with 1 thread and with `threads`. They last until `close`.
  std::vector<Way> open(const Work&, std::span<const std::int32_t> idx, int threads);
  /// The same for small gathers, `count` indices a call; a run is `calls` of them.
  std::vector<Way> open_tiny(const Work&, std::span<const std::int32_t> idx, std::int64_t calls);
  void close();

 private:
  std::string save(std::span<const std::int32_t> idx) const;
  double run(const std::string& peer, int threads);

  tool::TemporaryFolder folder_;
  Python python_;
};

}  // namespace ptox::bench
