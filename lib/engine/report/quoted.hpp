// SPDX-License-Identifier: Apache-2.0
// Writes a text as a JSON string.
#pragma once

#include <sstream>
#include <string>

namespace ptox {

inline std::string quoted(const std::string& s) {
  std::ostringstream out;
  out << '"';
  for (const char c : s) {
    if (c == '"' || c == '\\')
      out << '\\' << c;
    else if (c == '\n')
      out << "\\n";
    else if (static_cast<unsigned char>(c) < 0x20)
      out << ' ';
    else
      out << c;
  }
  out << '"';
  return out.str();
}

}  // namespace ptox
