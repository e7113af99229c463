// SPDX-License-Identifier: Apache-2.0
// Records findings of a block, which the host reports.
#pragma once

#include "pto/cuda/block.hpp"
#include "pto/tile/place.hpp"

namespace pto::instr::cuda {

namespace detail {

template <int most>
AICORE inline void copy_text(char (&to)[most], const char* from) {
  int i = 0;
  for (; from[i] && i < most - 1; ++i) to[i] = from[i];
  to[i] = 0;
}
AICORE inline bool same_text(const char* a, const char* b, int most) {
  for (int i = 0; i < most - 1; ++i) {
    if (a[i] != b[i]) return false;
    if (!a[i]) return true;
  }
  return true;
}
}  // namespace detail

/// A finding before it is recorded. Found::Kind states what `value` contains.
struct Finding {
  Found::Kind kind;
  const char* name = "";
  std::int32_t instruction = -1;
  std::int64_t value[Found::most_values] = {};
  const void* operands = nullptr;
  int operand_bytes = 0;
  unsigned long long count = 1;
};

namespace detail {

AICORE inline bool same_finding(const Found& a, const Finding& f, instr::Site site) {
  return a.kind == f.kind && a.instruction == f.instruction && a.line == site.line() &&
         same_text(a.name, f.name, Found::most_name) && same_text(a.file, site.file_name(), Found::most_file);
}

AICORE inline void write(Found& to, const Finding& f, instr::Site site) {
  to.kind = f.kind, to.instruction = f.instruction, to.line = site.line(), to.count = f.count;
  to.block = static_cast<std::int32_t>(blockIdx.x);
  copy_text(to.name, f.name);
  copy_text(to.file, site.file_name());
  for (int i = 0; i < Found::most_values; ++i) to.value[i] = f.value[i];
  for (int i = 0; i < f.operand_bytes; ++i) to.operands[i] = static_cast<const std::byte*>(f.operands)[i];
}

}  // namespace detail

/// Records a finding; called by all threads of a block. Findings of the same kind at one call site share an entry,
/// which counts them.
AICORE __attribute__((noinline)) inline void report(const Finding& f, instr::Site site) {
  if (Block::tid() != 0) return;
  LaunchResult& result = *Block::state().launch.result;
  atomicExch(&result.any_found, 1u);
  for (Found& found : result.found) {
    const std::uint32_t state = atomicCAS(&found.state, 0u, 1u);
    __threadfence();
    if (state == 0) {
      detail::write(found, f, site);
      __threadfence();
      atomicExch(&found.state, 2u);
      return;
    }
    if (state == 2 && detail::same_finding(found, f, site)) return void(atomicAdd(&found.count, f.count));
  }
  atomicAdd(&result.left_out, 1ull);
}

}  // namespace pto::instr::cuda
