// SPDX-License-Identifier: Apache-2.0
// The report of a launch: findings, estimated time, use of UB.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pto/tile/version.hpp"
#include "ptox/finding.hpp"
#include "ptox/ub_map.hpp"

namespace ptox {

class Trace;

/// The estimated time of a launch on the modelled machine, in cycles; 0 on the host. `total` is the time of the block
/// that ends last; the other numbers are the cycles in which its pipes are busy.
struct LaunchTime {
  std::uint64_t total = 0, s = 0, v = 0, mte2 = 0, mte3 = 0;
  std::vector<std::string> hints;  ///< suggestions for a faster kernel, with the file and line of the call
  std::shared_ptr<Trace> trace;    ///< covers all blocks; several launches are appended one after another
};

namespace detail {
class Unread;
}

/// The outcome of a launch, or of the plain calls of a program.
///
/// A report with errors that is destroyed unread prints itself to stderr. A report is read when one of its accessors is
/// called, when it is printed with <<, and when it is written to a file. Copies share this state: reading any one of
/// them is enough, and where all of them stay unread the last one to be destroyed prints, so that the errors appear
/// once. A moved-from report prints nothing.
class [[nodiscard]] Report {
 public:
  Report() = default;
  Report(std::string target, std::string kernel, int blocks, std::vector<Finding> findings, UbMap ub_map = {},
         LaunchTime time = {});

  /// Whether there is neither an error nor a warning.
  [[nodiscard]] bool clean() const;
  [[nodiscard]] const std::vector<Finding>& findings() const { return read(), findings_; }
  /// Whether there is a finding of that kind, which may be given by its id.
  [[nodiscard]] bool has(FindingKind kind) const;
  [[nodiscard]] bool has(const std::string& id) const;
  [[nodiscard]] const std::string& target() const { return read(), target_; }
  [[nodiscard]] const std::string& kernel() const { return read(), kernel_; }
  void set_kernel(std::string name) { kernel_ = std::move(name); }
  [[nodiscard]] int blocks() const { return read(), blocks_; }
  /// Estimated cycles until the last block ends; 0 on the host.
  [[nodiscard]] std::uint64_t cycles() const { return read(), time_.total; }
  [[nodiscard]] const LaunchTime& time() const { return read(), time_; }
  void set_time(LaunchTime time) { time_ = std::move(time); }
  /// Suggestions for a faster kernel. They are not findings and do not affect clean().
  [[nodiscard]] const std::vector<std::string>& hints() const { return read(), time_.hints; }

  /// The owners of the bytes of UB; empty on the host.
  [[nodiscard]] const UbMap& ub_map() const { return read(), ub_map_; }

  [[nodiscard]] std::string json() const;
  [[nodiscard]] std::string sarif() const;
  /// Throws std::invalid_argument when the file cannot be written.
  void write_json(const std::string& path) const;
  void write_sarif(const std::string& path) const;
  /// For ui.perfetto.dev or chrome://tracing: blocks, pipes, instructions, flags as arrows, UB use.
  void write_trace(const std::string& path) const;

 private:
  /// Marks this report and all its copies as read.
  void read() const noexcept;
  std::string json_text() const;
  std::string sarif_text() const;

  std::string target_ = "cpu", kernel_;
  LaunchTime time_;
  int blocks_ = 0;
  std::vector<Finding> findings_;
  UbMap ub_map_;
  std::shared_ptr<detail::Unread> unread_;  ///< shared by all copies; nullptr if there is no error
};
std::ostream& operator<<(std::ostream&, const Report&);

}  // namespace ptox
