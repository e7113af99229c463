// SPDX-License-Identifier: Apache-2.0
// The findings of a core or a launch so far, with repeats counted.
#pragma once

#include <string>
#include <vector>

#include "pto/tile/place.hpp"
#include "ptox/report.hpp"

namespace ptox {

using Where = std::vector<FindingValue>;

/// A finding as an observer or the engine describes it; the call site and the block are added by the log.
struct FindingDraft {
  FindingKind kind;
  std::string message;  ///< the sentence up to the number of repeats
  Where where{};        ///< with the instruction, so that two instructions of one line have findings of their own
  std::string cause{};  ///< tells findings of one instruction apart: the label of a rule, the name of an operand
  std::int64_t count = 1;
  /// What to do, after the number of repeats. Where the values have a field `high`, the message tells repeats as
  /// "(n more, up to high)" before it.
  std::string advice{};
};

/// Findings of one core or one launch. Two of the same kind, call site, instruction and cause are one with a count.
class FindingLog {
 public:
  void add(FindingDraft draft, const pto::instr::Site& site, int block);
  /// Adds one of a finished launch. Two with the same kind, call site, instruction and message are one.
  void add(Finding finding);
  void merge(FindingLog&& other);
  bool empty() const { return entries_.empty(); }
  bool has(FindingKind kind) const;
  /// Removes what a race at the same line explains: bytes that were not there yet, or not from that tile.
  void drop_symptoms();
  /// In order of block, file and line, then of discovery; leaves the log empty.
  std::vector<Finding> take();

 private:
  struct Entry {
    Finding finding;
    std::string cause;
    std::string advice{};
    bool complete = false;  ///< the message tells the repeats already, and what to do
    std::size_t order = 0;
  };
  void add(Entry&& entry);
  static void complete(Entry& entry);
  std::vector<Entry> entries_;
};

}  // namespace ptox
