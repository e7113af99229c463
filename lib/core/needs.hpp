// SPDX-License-Identifier: Apache-2.0
// The bytes that a launch lacked, at the worst of each call site.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/findings.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

/// Something asked for more than the launch gave. What a loop asks for at last is what a launch must give, so that a
/// finding is made when the launch is over.
struct Need {
  std::string_view cause;   ///< tells needs of one call site apart; a literal
  const char* instruction;  ///< tassign, or tile for one that auto mode places
  pto::instr::Site site;
  int block;
  std::int64_t bytes;        ///< asked for
  std::int64_t most;         ///< that a dynUBufSize could give then; less than `bytes`: none helps
  std::string what, remedy;  ///< before and after the dynUBufSize that helps
  std::int64_t count = 1;
};

/// The largest need of each call site, with the number of all.
class NeedLog {
 public:
  /// Whether the site has not asked for as much before; counts it otherwise.
  bool is_new(std::string_view cause, const pto::instr::Site& site, std::int64_t bytes);
  void add(Need need);
  void merge(NeedLog&& other);
  /// Makes findings of them, each with the dynUBufSize that is enough for all that one can be enough for.
  void report_to(FindingLog& log);

 private:
  Need* find(std::string_view cause, const pto::instr::Site& site);
  std::int64_t enough_for(const Need& need) const;
  std::vector<Need> needs_;
};

}  // namespace ptox
