// SPDX-License-Identifier: Apache-2.0
// NPUMemoryModel: selects the machine model on which plain calls run.
#pragma once

#include "pto/tile/layout.hpp"

namespace pto {

/// Selects the target of plain calls. The environment variable PTOX_TARGET takes precedence.
class NPUMemoryModel {
 public:
  static NPUMemoryModel& Instance();
  /// Plain calls run on the model of that machine from now on.
  void Initialize(NPUArch arch);
  /// Plain calls run on the default target again; the buffers of every thread are reset.
  void Clear();
};

}  // namespace pto

#define NPU_MEMORY_INIT(arch) ::pto::NPUMemoryModel::Instance().Initialize(arch)
#define NPU_MEMORY_CLEAR() ::pto::NPUMemoryModel::Instance().Clear()
