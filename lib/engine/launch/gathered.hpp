// SPDX-License-Identifier: Apache-2.0
// Merges the results of several launches into one report.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/memory/owners.hpp"
#include "engine/report/findings.hpp"
#include "engine/report/launch_time.hpp"

namespace ptox {

/// The names of the kernels of a report without repeats, at most eight.
class KernelNames {
 public:
  void add(const std::string& name) {
    if (std::find(names_.begin(), names_.end(), name) != names_.end()) return;
    more_ = names_.size() == most;
    if (!more_) names_.push_back(name);
  }
  bool empty() const { return names_.empty(); }
  std::string text() const {
    std::string all;
    for (const std::string& name : names_) all += (all.empty() ? "" : ", ") + name;
    return all.empty() ? plain_calls : all + (more_ ? ", ..." : "");
  }
  static constexpr const char* plain_calls = "plain calls";

 private:
  static constexpr std::size_t most = 8;
  std::vector<std::string> names_;
  bool more_ = false;
};

/// The results of several launches, merged into one report.
struct Gathered {
  int blocks = 1;  ///< of the largest launch
  KernelNames kernels;
  FindingLog log;
  OwnerLog owners;
  UbMap launch_map;  ///< of one launch, preferably one that reported a tile without room
  LaunchTime time;

  /// `target` is that of the merged report. Findings of launches on another target receive the field `target`.
  void add(const Report& report, const Target& target) {
    const bool elsewhere = report.target() != target.name;
    blocks = std::max(blocks, report.blocks());
    kernels.add(report.kernel());
    if (!elsewhere &&
        (report.has(FindingKind::ub_overflow) || report.has(FindingKind::ub_budget) || launch_map.owners.empty()))
      launch_map = report.ub_map();
    for (Finding f : report.findings()) {
      if (elsewhere) f.where.emplace_back(FindingField::target, report.target());
      log.add(std::move(f));
    }
    if (!elsewhere) ptox::add(time, report.time());  // cycles of two machines have no meaningful sum
  }
  bool empty() const {
    return kernels.empty() && log.empty() && owners.empty() && launch_map.owners.empty() && time.total == 0;
  }
  std::size_t findings() const { return log.size(); }
  /// Returns everything merged so far and empties this object.
  Report take(const Target& target) {
    Gathered all = std::exchange(*this, {});
    if (all.launch_map.owners.empty()) all.launch_map = ub_map(target, 0, all.owners);
    return Report(target.name, all.kernels.text(), all.blocks, all.log.take(), std::move(all.launch_map),
                  std::move(all.time));
  }
};

}  // namespace ptox
