// SPDX-License-Identifier: Apache-2.0
// Helpers for reports of launches in tests.
#pragma once

#include <sstream>
#include <stdexcept>

#include "ptox/report.hpp"

namespace ptox {

/// Throws an exception with the text of the report if it has an error or a warning. An exception fails a test in any
/// rank or process.
inline void require_clean(const Report& report) {
  if (report.clean()) return;
  std::ostringstream text;
  text << report;
  throw std::runtime_error("a launch has findings:\n" + text.str());
}

/// Marks the findings as read. For launches that end by an exception or with the group of ranks, and whose findings are
/// not tested.
inline void ignore_findings(const Report& report) { static_cast<void>(report.findings()); }

}  // namespace ptox
