// SPDX-License-Identifier: Apache-2.0
#include "core/findings.hpp"

#include <algorithm>

namespace ptox {

void FindingLog::add(std::string_view id, Severity severity, std::string message, const pto::Site& site,
                     std::string_view cause, int block, std::int64_t count) {
  Finding f{std::string(id), severity, std::move(message), site.file_name(), static_cast<int>(site.line()), block, count};
  add(Entry{std::move(f), std::string(cause)});
}

namespace {

/// The instruction that a message begins with.
std::string_view subject(const std::string& message) { return std::string_view(message).substr(0, message.find_first_of(" :")); }

}  // namespace

void FindingLog::add(Entry&& entry) {
  for (Entry& e : entries_) {
    const bool same = e.finding.line == entry.finding.line && e.finding.id == entry.finding.id && e.cause == entry.cause &&
                      subject(e.finding.message) == subject(entry.finding.message) && e.finding.file == entry.finding.file;
    if (!same) continue;
    const std::int64_t total = e.finding.count + entry.finding.count;
    if (entry.finding.block < e.finding.block) e.finding = std::move(entry.finding);
    e.finding.count = total;
    return;
  }
  entries_.push_back(std::move(entry));
}

void FindingLog::merge(FindingLog&& other) {
  for (Entry& e : other.entries_) add(std::move(e));
  other.entries_.clear();
}

std::vector<Finding> FindingLog::take() {
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.finding.block != b.finding.block ? a.finding.block < b.finding.block : a.finding.line < b.finding.line;
  });
  std::vector<Finding> out;
  for (Entry& e : entries_) out.push_back(std::move(e.finding));
  entries_.clear();
  return out;
}

}  // namespace ptox
