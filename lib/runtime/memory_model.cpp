// SPDX-License-Identifier: Apache-2.0
#include "pto/npu/memory_model.hpp"

#include "engine/launch/plain.hpp"

namespace pto {

NPUMemoryModel& NPUMemoryModel::Instance() {
  static NPUMemoryModel model;
  return model;
}

void NPUMemoryModel::Initialize(NPUArch arch) {
  ptox::choose_default_target(arch == NPUArch::A5 ? ptox::target::a5 : ptox::target::a2a3);
}

void NPUMemoryModel::Clear() { ptox::choose_default_target(ptox::target::cpu); }

}  // namespace pto
