// SPDX-License-Identifier: Apache-2.0
// What tests do with the report of a launch whose results they look at elsewhere.
#pragma once

#include <sstream>
#include <stdexcept>

#include "ptox/report.hpp"

namespace ptox {

/// Throws with the report's text when there is an error or a warning; an exception fails a test in any rank or process.
inline void require_clean(const Report& report) {
  if (report.clean()) return;
  std::ostringstream text;
  text << report;
  throw std::runtime_error("a launch has findings:\n" + text.str());
}

/// For launches that end another way, by an exception or with the group of ranks: their findings are not the subject.
inline void ignore_findings(const Report& report) { static_cast<void>(report.findings()); }

}  // namespace ptox
