// SPDX-License-Identifier: Apache-2.0
// Appends text and numbers to messages of limited length.
#include <cstdio>
#include <cstring>

#include "pto/isa/instr.hpp"

namespace pto::instr {

Text& Text::operator<<(const char* s) {
  const int room = static_cast<int>(sizeof chars_) - 1 - size_;
  const int n = static_cast<int>(std::strlen(s));
  const int taken = n < room ? n : room;
  std::memcpy(chars_ + size_, s, static_cast<std::size_t>(taken));
  size_ += taken;
  return *this;
}

Text& Text::operator<<(std::int64_t n) {
  if (n == unknown) return *this << "?";
  char digits[24];
  std::snprintf(digits, sizeof digits, "%lld", static_cast<long long>(n));
  return *this << digits;
}

}  // namespace pto::instr
