// SPDX-License-Identifier: Apache-2.0
// What was found so far, repeats counted once?
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pto/tile/place.hpp"
#include "ptox/report.hpp"

namespace ptox {

/// How far the offenders of one finding reach: the message gets "(n more, up to high)" before its tail.
struct Spread {
  std::uint64_t high = 0;
  std::string tail;
};

/// Names and values that place a finding; numbers are written as such.
using Where = std::vector<std::pair<std::string, std::string>>;

/// Findings of one core or one launch. Two of the same id, call site and cause are one with a count.
class FindingLog {
 public:
  /// `cause` tells findings of one call site apart: a rule's label, an operand's name.
  void add(std::string_view id, Severity, std::string message, const pto::instr::Site&, std::string_view cause,
           int block, std::int64_t count = 1, Spread spread = {}, Where where = {});
  /// One of a finished launch; the same words at the same place are one.
  void add(Finding finding);
  void merge(FindingLog&& other);
  bool empty() const { return entries_.empty(); }
  bool has(std::string_view id) const;
  /// Takes out what a race at the same line explains: bytes that were not there yet, or not from that tile.
  void drop_symptoms();
  /// In order of block, file and line, then of discovery; leaves the log empty.
  std::vector<Finding> take();

 private:
  struct Entry {
    Finding finding;
    std::string cause;
    std::size_t order = 0;
    Spread spread;
  };
  void add(Entry&& entry);
  std::vector<Entry> entries_;
};

}  // namespace ptox
