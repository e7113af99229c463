// SPDX-License-Identifier: Apache-2.0
// Turns a call in a kernel that nvcc compiles into an instruction of its block.
#pragma once

#include "pto/isa/instr.hpp"

namespace pto::instr {

namespace detail {

/// The operands as far as the types of a call determine them: a constant that no device code reads at run time.
template <class I, auto policy, class... Ops>
inline constexpr typename I::Operands call_type = resolved<I>({Ops::type_desc()..., policy});
template <class I, class Extra, class... Ops>
inline constexpr typename I::Operands extra_call_type{Ops::type_desc()..., Extra{}};

template <class Op>
PTO_INTERNAL void describe(TileDesc& d, Op& op, Site site) {
  if constexpr (open_operand<Op>)
    d = op.desc(site);
  else
    d.offset = op.offset(site);
}
template <class Op>
PTO_INTERNAL void describe(TensorDesc& d, Op& op, Site) {
  if constexpr (open_operand<Op>)
    d = op.desc();
  else
    d.base = const_cast<std::remove_cv_t<typename Op::DType>*>(op.data());
}
/// Sets the members of the operands that are known only at run time; the others stay constant.
template <class O, class... F, class... Ops>
PTO_INTERNAL void fill(O& operands, Fields<F...>, Site site, Ops&... ops) {
  (describe(F::of(operands), ops, site), ...);
}

}  // namespace detail

/// Issues an instruction with typed operands. Violated rules of the target are compile errors; `issue` checks run-time
/// values.
template <class I, auto policy, class... Ops>
PTO_INTERNAL void issue_typed(Site site, Ops&... ops) {
  constexpr TargetMask legal = legal_on<I>(detail::call_type<I, policy, std::remove_cvref_t<Ops>...>);
  detail::require_rules<I, detail::call_type<I, policy, std::remove_cvref_t<Ops>...>, legal>();
  constexpr bool open = (detail::open_operand<Ops> || ...);
  constexpr typename I::Operands type = detail::call_type<I, policy, std::remove_cvref_t<Ops>...>;
  typename I::Operands operands = type;
  detail::fill(operands, typename I::OperandList{}, site, ops...);
  if constexpr (open && requires { I::resolve(operands); }) I::resolve(operands);
  issue<I>(operands, legal, open, site);
}

/// The same for an instruction whose policy is a run-time value.
template <class I, class Extra, class... Ops>
PTO_INTERNAL void issue_with(Site site, const Extra& extra, Ops&... ops) {
  constexpr TargetMask legal = legal_on<I>(detail::extra_call_type<I, Extra, std::remove_cvref_t<Ops>...>);
  detail::require_rules<I, detail::extra_call_type<I, Extra, std::remove_cvref_t<Ops>...>, legal>();
  constexpr typename I::Operands type = detail::extra_call_type<I, Extra, std::remove_cvref_t<Ops>...>;
  typename I::Operands operands = type;
  detail::fill(operands, typename I::OperandList{}, site, ops...);
  operands.policy = extra;
  issue<I>(operands, legal, (detail::open_operand<Ops> || ...), site);
}

}  // namespace pto::instr
