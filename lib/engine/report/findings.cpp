// SPDX-License-Identifier: Apache-2.0
#include "engine/report/findings.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace ptox {

namespace {

/// The value of that field, empty where there is none.
const std::string& text_of(const Finding& f, FindingField field) {
  static const std::string none;
  const std::string* text = f.text(field);
  return text ? *text : none;
}
bool same_text(const Finding& a, const Finding& b, FindingField field) {
  return text_of(a, field) == text_of(b, field);
}

std::int64_t* high_of(Finding& f) { return const_cast<std::int64_t*>(f.number(FindingField::high)); }

}  // namespace

void FindingLog::add(FindingDraft draft, const pto::instr::Site& site, int block) {
  Finding f{.kind = draft.kind,
            .message = std::move(draft.message),
            .file = site.file_name(),
            .line = site.line(),
            .block = block,
            .count = draft.count,
            .where = std::move(draft.where)};
  add(Entry{.finding = std::move(f), .cause = std::move(draft.cause), .advice = std::move(draft.advice)});
}

void FindingLog::add(Finding finding) {
  std::string cause = finding.message;
  add(Entry{.finding = std::move(finding), .cause = std::move(cause), .complete = true});
}

void FindingLog::add(Entry&& entry) {
  for (Entry& e : entries_) {
    const bool same = e.finding.line == entry.finding.line && e.finding.kind == entry.finding.kind &&
                      e.cause == entry.cause && e.finding.file == entry.finding.file &&
                      same_text(e.finding, entry.finding, FindingField::instruction) &&
                      same_text(e.finding, entry.finding, FindingField::target);
    if (!same) continue;
    const std::int64_t count = e.finding.count + entry.finding.count;
    std::int64_t *high = high_of(e.finding), *other_high = high_of(entry.finding);
    if (high && other_high) *high = *other_high = std::max(*high, *other_high);
    if (entry.finding.block < e.finding.block) {
      e.finding = std::move(entry.finding);
      e.advice = std::move(entry.advice);
    }
    e.finding.count = count;
    return;
  }
  entry.order = entries_.size();
  entries_.push_back(std::move(entry));
}

void FindingLog::drop_symptoms() {
  const auto explained = [&](const Entry& symptom) {
    const Finding& f = symptom.finding;
    if (f.kind != FindingKind::uninit_read && f.kind != FindingKind::ub_clobber) return false;
    return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) {
      return e.finding.kind == FindingKind::race && e.finding.line == f.line && e.finding.file == f.file;
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

bool FindingLog::has(FindingKind kind) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.finding.kind == kind; });
}

/// Appends the number of repeats and the advice to the message.
void FindingLog::complete(Entry& e) {
  Finding& f = e.finding;
  if (const std::int64_t* high = f.number(FindingField::high); high && f.count > 1) {
    const std::int64_t more = f.count - 1;
    f.message += " (" + std::to_string(more) + " more, up to " + std::to_string(*high) + ")";
    f.where.emplace_back(FindingField::more, more);
  }
  f.message += e.advice;
}

std::vector<Finding> FindingLog::take() {
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.finding.block, a.finding.file, a.finding.line, a.order) <
           std::tie(b.finding.block, b.finding.file, b.finding.line, b.order);
  });
  std::vector<Finding> out;
  for (Entry& e : entries_) {
    if (!e.complete) complete(e);
    out.push_back(std::move(e.finding));
  }
  entries_.clear();
  return out;
}

}  // namespace ptox
