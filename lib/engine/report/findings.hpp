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
  Where where{};        ///< has the instruction, so that two instructions of one line have separate findings
  std::string cause{};  ///< distinguishes findings of one instruction: the label of a rule, the name of an operand
  std::int64_t count = 1;
  /// What to do, appended after the number of repeats. If `where` has the field `high`, the message gives the repeats
  /// as "(n more, up to high)" before it.
  std::string advice{};
};

/// Findings of one core or one launch. Findings of the same kind, call site, instruction and cause are merged into one
/// with a count.
class FindingLog {
 public:
  void add(FindingDraft draft, const pto::instr::Site& site, int block);
  /// Adds a finding of a finished launch, with its message as the cause.
  void add(Finding finding);
  void merge(FindingLog&& other);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  bool has(FindingKind kind) const;
  /// Removes uninitialised reads and clobbered tiles at lines that also have a race, which explains them.
  void drop_symptoms();
  /// The findings sorted by block, file, line and order of discovery. Empties the log.
  std::vector<Finding> take();

 private:
  struct Entry {
    Finding finding;
    std::string cause;
    std::string advice{};
    bool complete = false;  ///< the message already contains the repeats and the advice
    std::size_t order = 0;
  };
  void add(Entry&& entry);
  static void complete(Entry& entry);
  std::vector<Entry> entries_;
};

}  // namespace ptox
