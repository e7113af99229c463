// SPDX-License-Identifier: Apache-2.0
// A child process that runs a Python script and answers each line with one line.
#pragma once

#include <sys/types.h>

#include <string>

namespace ptox::bench {

/// Runs `script`, a file in bench_folder(), until the object is destroyed, with the Python that the environment's
/// PTOX_PEERS names, else with `otherwise`, else with the one that bench/peers.sh installs.
class Python {
 public:
  explicit Python(const std::string& script, const std::string& otherwise = "");
  ~Python();
  Python(const Python&) = delete;
  Python& operator=(const Python&) = delete;

  /// Whether the script is running and has its libraries.
  bool there() const { return channel_ >= 0; }
  /// The versions of its libraries, such as "numpy 2.1, torch 2.4", or why they are missing and how to install them.
  const std::string& sentence() const { return sentence_; }
  /// Sends a line and returns the answer; empty if there is no child or it has exited.
  std::string ask(const std::string& line);
  /// Sends a line and returns the answer as seconds. If it is not a number, prints it to stderr and returns 0.
  double seconds(const std::string& line, const std::string& peer);

 private:
  bool start(const std::string& python, const std::string& script);

  int channel_ = -1;
  pid_t child_ = -1;
  std::string sentence_, unread_;
};

}  // namespace ptox::bench
