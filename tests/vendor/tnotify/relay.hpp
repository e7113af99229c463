// SPDX-License-Identifier: Apache-2.0
// The sizes and the signals of the relay, which kernel and main share.
#pragma once

#include <cstdint>

#include "pto/comm/comm_types.hpp"

constexpr int kRelayRows = 8, kRelayCols = 32;
constexpr int32_t kRelayBefore = 10;  // the signal before it is set

// What is sent, and the threshold of a comparison that only then holds.
struct RelayValues {
  int32_t sent, threshold;
};
constexpr RelayValues RelaySignal(pto::comm::WaitCmp cmp) {
  using pto::comm::WaitCmp;
  if (cmp == WaitCmp::EQ) return {12, 12};
  if (cmp == WaitCmp::NE) return {11, kRelayBefore};
  if (cmp == WaitCmp::GT) return {12, 11};
  if (cmp == WaitCmp::GE) return {11, 11};
  if (cmp == WaitCmp::LT) return {-9, kRelayBefore};
  return {9, 9};
}
