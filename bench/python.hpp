// SPDX-License-Identifier: Apache-2.0
// A child process that runs a Python script and answers one line for each line.
#pragma once

#include <sys/types.h>

#include <string>

namespace ptox::bench {

/// Runs `script`, a file of bench_folder(), for as long as this lives: by the Python of $PTOX_PEERS, or `otherwise`, or
/// the one that bench/peers.sh makes. A child that is gone, or was never there, answers nothing.
class Python {
 public:
  explicit Python(const std::string& script, const std::string& otherwise = "");
  ~Python();
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

  bool there() const { return channel_ >= 0; }
  /// "numpy 2.1, torch 2.4", or why there are none and how to get them.
  const std::string& sentence() const { return sentence_; }
  std::string ask(const std::string& line);
  /// The answer as a number of seconds; 0, and a sentence on the terminal, when it is none.
  double seconds(const std::string& line, const std::string& peer);

 private:
  bool start(const std::string& python, const std::string& script);

  int channel_ = -1;
  pid_t child_ = -1;
  std::string sentence_, unread_;
};

}  // namespace ptox::bench
