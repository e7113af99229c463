// SPDX-License-Identifier: Apache-2.0
// Which instructions does the host run by code of its own?
#pragma once

#include "core/body.hpp"

namespace ptox {

template <>
struct NativeBody<pto::instr::Mgather> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::instr::Mgather::Operands&);
};
template <>
struct NativeBody<pto::instr::Mscatter> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::instr::Mscatter::Operands&);
};
template <>
struct NativeBody<pto::instr::Tload> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::instr::Tload::Operands&);
};
template <>
struct NativeBody<pto::instr::Tstore> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::instr::Tstore::Operands&);
};

}  // namespace ptox
