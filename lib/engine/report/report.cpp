// SPDX-License-Identifier: Apache-2.0
// Prints reports as text, also a report with errors that is destroyed unread.
#include "ptox/report.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <ostream>
#include <sstream>

#include "engine/report/launch_time.hpp"

namespace ptox {

namespace detail {

/// The text of a report with errors, printed to stderr when its last copy is destroyed and none has been read.
class Unread {
 public:
  explicit Unread(std::string text) : text_(std::move(text)) {}
  Unread(const Unread&) = delete;
  Unread& operator=(const Unread&) = delete;
  ~Unread() {
    if (read_.load(std::memory_order_relaxed) || getpid() != process_) return;
    try {
      std::cerr << text_ << std::flush;
    } catch (...) {  // NOLINT(bugprone-empty-catch): a destructor can do nothing about a stream that throws
    }
  }
  void read() noexcept { read_.store(true, std::memory_order_relaxed); }

 private:
  std::string text_;
  std::atomic<bool> read_ = false;
  pid_t process_ = getpid();  ///< a forked child has a copy of the report; only the process that made it prints it
};

}  // namespace detail

Report::Report(std::string target, std::string kernel, int blocks, std::vector<Finding> findings, UbMap ub_map,
               LaunchTime time)
    : target_(std::move(target)),
      kernel_(std::move(kernel)),
      time_(std::move(time)),
      blocks_(blocks),
      findings_(std::move(findings)),
      ub_map_(std::move(ub_map)) {
  const bool errors =
      std::any_of(findings_.begin(), findings_.end(), [](const Finding& f) { return f.severity == Severity::error; });
  if (!errors) return;
  std::ostringstream text;
  text << *this;
  unread_ = std::make_shared<detail::Unread>(text.str());
}

void Report::read() const noexcept {
  if (unread_) unread_->read();
}

bool Report::clean() const {
  read();
  return std::none_of(findings_.begin(), findings_.end(),
                      [](const Finding& f) { return f.severity != Severity::note; });
}

bool Report::has(FindingKind kind) const {
  read();
  return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& f) { return f.kind == kind; });
}

bool Report::has(const std::string& id) const {
  read();
  return std::any_of(findings_.begin(), findings_.end(), [&](const Finding& f) { return name(f.kind) == id; });
}

namespace {

/// The number of repeats, the block, and the target if it differs from that of the report, unless the message contains
/// them.
std::string times_text(const Finding& f, bool blocks) {
  const std::int64_t* more = f.number(FindingField::more);
  const bool counted = f.count > 1 && !(more && *more + 1 == f.count);
  std::string text = counted ? std::to_string(f.count) + " times" : "";
  if (blocks && !f.has(FindingField::block))
    text += (counted ? ", first in block " : "in block ") + std::to_string(f.block);
  if (const std::string* target = f.text(FindingField::target)) text += (text.empty() ? "on " : ", on ") + *target;
  return text.empty() ? "" : " (" + text + ")";
}

void print(std::ostream& out, const Finding& f, bool blocks) {
  if (!f.file.empty()) out << f.file << ':' << f.line << ": ";
  out << name(f.severity) << ": [" << f.kind << "] " << f.message << times_text(f, blocks && !f.file.empty());
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Finding& f) {
  print(out, f, false);
  return out;
}

std::ostream& operator<<(std::ostream& out, const Report& r) {
  for (const Finding& f : r.findings()) print(out, f, r.blocks() > 1), out << '\n';
  if (r.has(FindingKind::ub_overflow) || r.has(FindingKind::ub_budget)) out << r.ub_map();
  const auto errors = std::count_if(r.findings().begin(), r.findings().end(),
                                    [](const Finding& f) { return f.severity == Severity::error; });
  const auto warnings = std::count_if(r.findings().begin(), r.findings().end(),
                                      [](const Finding& f) { return f.severity == Severity::warning; });
  for (const std::string& hint : r.hints()) out << hint << '\n';
  out << time_line(r.time());
  out << r.target() << ", " << r.blocks() << (r.blocks() == 1 ? " block: " : " blocks: ");
  if (r.clean()) return out << "clean\n";
  return out << errors << (errors == 1 ? " error, " : " errors, ") << warnings
             << (warnings == 1 ? " warning\n" : " warnings\n");
}

}  // namespace ptox
