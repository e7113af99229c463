// SPDX-License-Identifier: Apache-2.0
// Which instructions does the host run by code of its own?
#pragma once

#include "core/body.hpp"

namespace ptox {

template <>
struct NativeBody<pto::Mgather> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::Mgather::Operands&);
};
template <>
struct NativeBody<pto::Mscatter> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::Mscatter::Operands&);
};
template <>
struct NativeBody<pto::Tload> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::Tload::Operands&);
};
template <>
struct NativeBody<pto::Tstore> {
  static constexpr bool exists = true;
  static bool run(Core&, const pto::Tstore::Operands&);
};

}  // namespace ptox
