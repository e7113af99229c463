// SPDX-License-Identifier: Apache-2.0
// Finds launches by <<<>>> in a source and rewrites them for a stock compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptox::tool {

/// What is wrong with a source, and in which of its lines, from 1.
struct Complaint {
  int line;
  std::string sentence;
};

struct Rewritten {
  std::string text;      ///< as many lines as the source; the source itself when it launches nothing
  int launches = 0;      ///< that were replaced
  int first_launch = 0;  ///< its line, from 1; 0 when there is none
  std::optional<Complaint> complaint = std::nullopt;
};

/// Puts a call of ptox::detail::on_default_device in place of each `kernel<<<operands>>>`; the arguments behind it
/// stay. Comments, literals and directives other than #define are left alone. Takes any bytes.
Rewritten rewrite_launches(std::string_view source);

}  // namespace ptox::tool
