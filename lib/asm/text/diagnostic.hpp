// SPDX-License-Identifier: Apache-2.0
// Diagnostics about a file, with their positions.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "ptox/report.hpp"

namespace ptox::assembly {

/// The textual form of a file: MLIR syntax, or the bare statements of the manuals (`as`).
enum class TextForm { detect, mlir, as };

struct SourcePlace {
  std::string file;
  int line = 0, column = 0;
};

struct Diagnostic {
  Severity severity = Severity::error;
  std::string message;
  SourcePlace place;
  FindingKind kind = FindingKind::syntax;  ///< the kind used in reports: `illegal` if a rule of the target is broken
  std::string rule{};                      ///< label of the broken rule, for example C3
};

class Diagnostics {
 public:
  static constexpr std::size_t most_chars = 2000;  ///< a longer message (it may quote the file) is truncated

  void add(Severity severity, std::string message, SourcePlace place, FindingKind kind = FindingKind::syntax,
           std::string rule = {}) {
    if (message.size() > most_chars) message = message.substr(0, most_chars) + "...";
    all_.push_back({severity, std::move(message), std::move(place), kind, std::move(rule)});
  }
  void error(std::string message, SourcePlace place, FindingKind kind = FindingKind::syntax, std::string rule = {}) {
    add(Severity::error, std::move(message), std::move(place), kind, std::move(rule));
  }
  /// Adds an error that is caused by the command line and not by the file.
  void usage_error(std::string message) {
    error(std::move(message), {}, FindingKind::usage);
    usage_ = true;
  }
  bool usage() const { return usage_; }
  const std::vector<Diagnostic>& all() const { return all_; }
  bool has(Severity severity) const {
    for (const Diagnostic& d : all_)
      if (d.severity == severity) return true;
    return false;
  }
  bool has_errors() const { return has(Severity::error); }
  /// All diagnostics, one per line.
  std::string text() const;
  /// Turns the warnings added so far into errors.
  void make_strict() {
    for (Diagnostic& d : all_)
      if (d.severity == Severity::warning) d.severity = Severity::error;
  }

 private:
  std::vector<Diagnostic> all_;
  bool usage_ = false;
};

/// Prints `file:line:col: error: message`.
std::ostream& operator<<(std::ostream& out, const Diagnostic& d);

}  // namespace ptox::assembly
