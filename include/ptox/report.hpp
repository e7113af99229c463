// SPDX-License-Identifier: Apache-2.0
// What did a launch find?
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ptox/ub_map.hpp"

namespace ptox {

enum class Severity : std::uint8_t { error, warning, note };
const char* name(Severity);

/// One thing found, with the kernel's call site; repeats are counted, the first one is described.
struct Finding {
  std::string id;
  Severity severity = Severity::error;
  std::string message, file;
  int line = 0, block = 0;
  std::int64_t count = 1;
  std::vector<std::pair<std::string, std::string>> where{};  ///< names and values: instruction, operand, address …
};
std::ostream& operator<<(std::ostream&, const Finding&);

class Trace;

/// How long a launch would take on the machine: an estimate, 0 on the host. Cycles of the block that ends last, and
/// those in which its pipes are busy.
struct LaunchTime {
  std::uint64_t total = 0, s = 0, v = 0, mte2 = 0, mte3 = 0;
  std::vector<std::string> hints;  ///< what would make it faster, with the call's file and line
  std::shared_ptr<Trace> trace;    ///< of all blocks, and of several launches one after another
};

/// The outcome of a launch, or of the plain calls of a program.
class Report {
 public:
  Report() = default;
  Report(std::string target, std::string kernel, int blocks, std::vector<Finding> findings, UbMap ub_map = {})
      : target_(std::move(target)),
        kernel_(std::move(kernel)),
        blocks_(blocks),
        findings_(std::move(findings)),
        ub_map_(std::move(ub_map)) {}

  /// No error and no warning.
  bool clean() const;
  const std::vector<Finding>& findings() const { return findings_; }
  /// Whether a finding of that id is there.
  bool has(const std::string& id) const;
  const std::string& target() const { return target_; }
  const std::string& kernel() const { return kernel_; }
  void set_kernel(std::string name) { kernel_ = std::move(name); }
  int blocks() const { return blocks_; }
  /// Estimated cycles until the last block ends; 0 on the host.
  std::uint64_t cycles() const { return time_.total; }
  const LaunchTime& time() const { return time_; }
  void set_time(LaunchTime time) { time_ = std::move(time); }
  /// Never findings: a slow kernel is clean.
  const std::vector<std::string>& hints() const { return time_.hints; }

  /// Who owned which bytes of UB; empty on the host.
  const UbMap& ub_map() const { return ub_map_; }

  std::string json() const;
  std::string sarif() const;
  /// Throws std::invalid_argument when the file cannot be written.
  void write_json(const std::string& path) const;
  void write_sarif(const std::string& path) const;
  /// For ui.perfetto.dev or chrome://tracing: blocks, pipes, instructions, flags as arrows, UB use.
  void write_trace(const std::string& path) const;

 private:
  std::string target_ = "cpu", kernel_;
  LaunchTime time_;
  int blocks_ = 0;
  std::vector<Finding> findings_;
  UbMap ub_map_;
};
std::ostream& operator<<(std::ostream&, const Report&);

}  // namespace ptox
