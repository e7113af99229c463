// SPDX-License-Identifier: Apache-2.0
// Reports wrong operands of an instruction on a GPU.
#pragma once

#include <type_traits>

#include "pto/cuda/found.hpp"
#include "pto/isa/all.hpp"

namespace pto::instr::cuda {

template <class I, class... After>
constexpr int position_in(instr::InstructionList<I, After...>) {
  return 0;
}
template <class I, class First, class... Rest>
constexpr int position_in(instr::InstructionList<First, Rest...>)
  requires(!std::is_same_v<I, First>)
{
  return 1 + position_in<I>(instr::InstructionList<Rest...>{});
}
/// The position of the instruction in AllInstructions.
template <class I>
inline constexpr int number_of = position_in<I>(instr::AllInstructions{});

template <class I>
AICORE Finding finding(Found::Kind kind, const char* name, const typename I::Operands& o) {
  static_assert(sizeof o <= Found::most_operands);
  return {.kind = kind, .name = name, .instruction = number_of<I>, .operands = &o, .operand_bytes = sizeof o};
}
/// Rare, hence not inlined. Takes the operands by value, so that those of the caller can stay in registers.
template <class I>
AICORE __attribute__((noinline)) void report_illegal(typename I::Operands o, instr::Site site) {
  report(finding<I>(Found::Kind::illegal, "", o), site);
}
AICORE __attribute__((noinline)) inline void report_null(int instruction, const char* name, std::int64_t elements,
                                                         instr::Site site) {
  report({.kind = Found::Kind::null_tensor, .name = name, .instruction = instruction, .value = {elements}}, site);
}

}  // namespace pto::instr::cuda
