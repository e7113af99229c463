// SPDX-License-Identifier: Apache-2.0
// What did a launch find?
#pragma once

#include <cstdint>
#include <iosfwd>
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
};
std::ostream& operator<<(std::ostream&, const Finding&);

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
  int blocks() const { return blocks_; }
  std::uint64_t cycles() const { return 0; }

  /// Who owned which bytes of UB; empty on the host.
  const UbMap& ub_map() const { return ub_map_; }

  std::string json() const;
  std::string sarif() const;
  /// Throws std::invalid_argument when the file cannot be written.
  void write_json(const std::string& path) const;
  void write_sarif(const std::string& path) const;

 private:
  std::string target_ = "cpu", kernel_;
  int blocks_ = 0;
  std::vector<Finding> findings_;
  UbMap ub_map_;
};
std::ostream& operator<<(std::ostream&, const Report&);

}  // namespace ptox
