// SPDX-License-Identifier: Apache-2.0
#include "core/findings.hpp"

#include <algorithm>
#include <tuple>

namespace ptox {

namespace {

/// The instruction that a message begins with.
std::string_view subject(const std::string& message) {
  return std::string_view(message).substr(0, message.find_first_of(" :("));
}

}  // namespace

void FindingLog::add(std::string_view id, Severity severity, std::string message, const pto::instr::Site& site,
                     std::string_view cause, int block, std::int64_t count, Spread spread, Where where) {
  if (where.empty()) where = {{"instruction", std::string(subject(message))}};
  Finding f{std::string(id), severity, std::move(message), site.file_name(), static_cast<int>(site.line()),
            block,           count,    std::move(where)};
  add(Entry{std::move(f), std::string(cause), 0, std::move(spread)});
}

void FindingLog::add(Finding finding) {
  std::string words = finding.message;
  add(Entry{std::move(finding), std::move(words), 0, {}});
}

void FindingLog::add(Entry&& entry) {
  for (Entry& e : entries_) {
    const bool same = e.finding.line == entry.finding.line && e.finding.id == entry.finding.id &&
                      e.cause == entry.cause && subject(e.finding.message) == subject(entry.finding.message) &&
                      e.finding.file == entry.finding.file;
    if (!same) continue;
    const std::int64_t total = e.finding.count + entry.finding.count;
    const std::uint64_t high = std::max(e.spread.high, entry.spread.high);
    if (entry.finding.block < e.finding.block) {
      e.finding = std::move(entry.finding);
      e.spread = std::move(entry.spread);
    }
    e.finding.count = total;
    e.spread.high = high;
    return;
  }
  entry.order = entries_.size();
  entries_.push_back(std::move(entry));
}

void FindingLog::drop_symptoms() {
  const auto explained = [&](const Entry& symptom) {
    if (symptom.finding.id != "uninit-read" && symptom.finding.id != "ub-clobber") return false;
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
      return e.finding.id == "race" && e.finding.line == symptom.finding.line && e.finding.file == symptom.finding.file;
    });
  };
  std::vector<Entry> kept;
  for (const Entry& e : entries_)
    if (!explained(e)) kept.push_back(e);
  entries_ = std::move(kept);
}

void FindingLog::merge(FindingLog&& other) {
  for (Entry& e : other.entries_) add(std::move(e));
  other.entries_.clear();
}

bool FindingLog::has(std::string_view id) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.finding.id == id; });
}

std::vector<Finding> FindingLog::take() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.finding.block, a.finding.file, a.finding.line, a.order) <
           std::tie(b.finding.block, b.finding.file, b.finding.line, b.order);
  });
  std::vector<Finding> out;
  for (Entry& e : entries_) {
    if (!e.spread.tail.empty() && e.finding.count > 1)
      e.finding.message +=
          " (" + std::to_string(e.finding.count - 1) + " more, up to " + std::to_string(e.spread.high) + ")";
    e.finding.message += e.spread.tail;
    out.push_back(std::move(e.finding));
  }
  entries_.clear();
  return out;
}

}  // namespace ptox
