// SPDX-License-Identifier: Apache-2.0
// Chooses the machine that plain calls run on.
#pragma once

#include "pto/tile/layout.hpp"

namespace pto {

/// Chooses the target of plain calls; PTOX_TARGET from outside wins.
class NPUMemoryModel {
 public:
  static NPUMemoryModel& Instance();
  /// Plain calls run on that machine's model from now on.
  void Initialize(NPUArch arch);
  /// Plain calls run on the default target again; every thread's buffers start afresh.
  void Clear();
};

}  // namespace pto

#define NPU_MEMORY_INIT(arch) ::pto::NPUMemoryModel::Instance().Initialize(arch)
#define NPU_MEMORY_CLEAR() ::pto::NPUMemoryModel::Instance().Clear()
