// SPDX-License-Identifier: Apache-2.0
// The operations that update signals, compare signals, and combine elements of several ranks.
#pragma once

#include <cstdint>

namespace pto::comm {

enum class NotifyOp : std::uint8_t { AtomicAdd = 0, Set = 1 };
enum class WaitCmp : std::uint8_t { EQ, NE, GT, GE, LT, LE };
enum class ReduceOp : std::uint8_t { Sum, Max, Min };

constexpr const char* name(WaitCmp cmp) {
  constexpr const char* names[] = {"EQ", "NE", "GT", "GE", "LT", "LE"};
  return names[static_cast<int>(cmp)];
}
constexpr bool compares(std::int32_t signal, WaitCmp cmp, std::int32_t value) {
  switch (cmp) {
    case WaitCmp::EQ:
      return signal == value;
    case WaitCmp::NE:
      return signal != value;
    case WaitCmp::GT:
      return signal > value;
    case WaitCmp::GE:
      return signal >= value;
    case WaitCmp::LT:
      return signal < value;
    default:
      return signal <= value;
  }
}

}  // namespace pto::comm
