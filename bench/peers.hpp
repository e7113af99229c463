// SPDX-License-Identifier: Apache-2.0
// What do numpy and torch take for the same job? A child process answers, where there is one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/turns.hpp"
#include "bench/work.hpp"
#include "process.hpp"

namespace ptox::bench {

/// A Python that runs peers.py for as long as this lives: $PTOX_PEERS, or the one that bench/peers.sh makes.
class Peers {
 public:
  Peers();
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// "numpy 2.1, torch 2.4", or why there are none and how to get them.
  const std::string& sentence() const { return sentence_; }

  /// The ways of the peers that can do the job: torch with 1 thread and with `threads`. They last until `close`.
  std::vector<Way> open(const Work&, std::span<const std::int32_t> idx, int threads);
  /// The same for small gathers, `count` indices a call; a run is `calls` of them.
  std::vector<Way> open_tiny(const Work&, std::span<const std::int32_t> idx, std::int64_t calls);
  void close();

 private:
  bool start(const std::string& python, const std::string& script);
  std::string save(std::span<const std::int32_t> idx) const;
  std::string ask(const std::string& line);
  double run(const std::string& peer, int threads);

  tool::TemporaryFolder folder_;
  int channel_ = -1;
  pid_t child_ = -1;
  std::string sentence_, unread_;
};

}  // namespace ptox::bench
