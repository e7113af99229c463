// SPDX-License-Identifier: Apache-2.0
// Collects tile placements that need more UB than a launch provides, the largest of each call site.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/report/findings.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

/// A tile placement that exceeds the UB budget of the launch. Findings are made at the end of the launch, because a
/// loop may need more with each iteration.
struct Need {
  std::string_view cause;   ///< distinguishes needs of one call site; a string literal
  const char* instruction;  ///< "tassign", or "tile" for one that auto mode places
  pto::instr::Site site;
  int block;
  std::int64_t bytes;        ///< of UB that are needed
  std::int64_t most;         ///< largest possible dynUBufSize at that point; less than `bytes`: none is enough
  std::string what, remedy;  ///< text before and after the advised dynUBufSize
  std::int64_t count = 1;
};

/// The largest need of each call site and cause, with the number of all of them.
class NeedLog {
 public:
  /// Whether this need is larger than the known one of the site; otherwise counts it as a repeat.
  bool is_new(std::string_view cause, const pto::instr::Site& site, std::int64_t bytes);
  void add(Need need);
  void merge(NeedLog&& other);
  /// Reports the needs as findings and empties the log. Each advises a dynUBufSize that is enough for all needs that
  /// one value can satisfy.
  void report_to(FindingLog& log);

 private:
  Need* find(std::string_view cause, const pto::instr::Site& site);
  std::int64_t enough_for(const Need& need) const;
  std::vector<Need> needs_;
};

}  // namespace ptox
