// SPDX-License-Identifier: Apache-2.0
// Checks that an instruction stays inside the allocations that hold its tensors.
#pragma once

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "engine/issue/machine.hpp"
#include "engine/memory/registry.hpp"
#include "pto/isa/effect.hpp"

namespace ptox {

/// The allocations of an instruction's tensors, looked up once.
class BoundsWatch {
 public:
  void tensor(const char* name, const pto::instr::TensorDesc& t) {
    if (count_ < tensors_.size()) tensors_[count_++] = {name, Registry::instance().find(t.base)};
  }
  /// Checks the range of an effect; counts ranges that leave their allocation and remembers the first.
  void see(const pto::instr::Effect& e);
  /// Sets the ranges that a block on an accelerator found outside: the first of them, and how many.
  void count(const char* operand, std::int64_t first_byte, std::int64_t last_byte, std::size_t allocated,
             std::int64_t times);
  /// Returns true if every range was inside; otherwise reports a finding.
  bool report(Core& core, const char* mnemonic, pto::instr::Site site) const;

 private:
  struct Known {
    const char* name = nullptr;
    std::optional<Extent> extent;
  };
  std::array<Known, 4> tensors_;
  std::size_t count_ = 0;
  std::int64_t outside_ = 0;
  const char* operand_ = nullptr;
  std::int64_t first_byte_ = 0, last_byte_ = 0;
  std::uintptr_t begin_ = 0;  ///< address of the allocation; 0: not known here
  std::size_t allocated_ = 0;
};

/// Whether every byte of global memory that the instruction accesses is inside the allocation of its tensor. Otherwise
/// it must not run.
template <class I>
bool within_bounds(Core& core, const typename I::Operands& o, const std::vector<pto::instr::Effect>& effects,
                   pto::instr::Site site) {
  BoundsWatch watch;
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, pto::instr::TensorDesc>) watch.tensor(F::name, d);
  });
  for (const pto::instr::Effect& e : effects) watch.see(e);
  return watch.report(core, I::mnemonic, site);
}

}  // namespace ptox
