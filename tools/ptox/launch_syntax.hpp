// SPDX-License-Identifier: Apache-2.0
// Finds launches by <<<>>> in a source and rewrites them for a stock compiler.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ptox::tool {

/// An error in a source, and its line, from 1.
struct Complaint {
  int line;
  std::string sentence;
};

struct Rewritten {
  std::string text;      ///< same number of lines as the source; equal to it if it has no launch
  int launches = 0;      ///< number of launches that were replaced
  int first_launch = 0;  ///< line of the first launch, from 1; 0: none
  std::optional<Complaint> complaint = std::nullopt;
};

/// Replaces each `kernel<<<operands>>>` by a call of ptox::detail::on_default_device; the arguments that follow remain.
/// Comments, literals and directives other than #define are left unchanged. Accepts any bytes.
Rewritten rewrite_launches(std::string_view source);

}  // namespace ptox::tool
