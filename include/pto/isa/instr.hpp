// SPDX-License-Identifier: Apache-2.0
// The parts of an instruction: operands, numbered rules, a reference meaning, effects.
//
// An instruction is a struct with
//   mnemonic                    its name in assembly, docs and messages
//   Operands                    plain data: TileDesc, TensorDesc, policies
//   OperandList                 Fields<...>: name, role and member of each tile and tensor
//   Rules                       RuleList<...>: what each target accepts
//   meaning(machine, operands)  the equation as a loop; every faster body is tested against it
//   by_region(machine, operands)       optional: the meaning by whole rows or columns; false where elements are needed
//   pipes(target, operands)     the pipes that execute it; without it the instruction only orders others
//   effects(machine, operands, sink)   which pipe reads and writes which bytes
//   samples(visit)              operands that the legality tables of the manual show
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pto/isa/host_move.hpp"
#include "pto/tile/desc.hpp"
#include "pto/tile/place.hpp"
#include "pto/tile/target.hpp"

namespace pto::instr {

using ptox::Target;
using ptox::TargetMask;

/// Builds a message in a fixed buffer. Text that does not fit is cut off.
class Text {
 public:
  Text& operator<<(const char* s);
  Text& operator<<(std::int64_t n);
  Text& operator<<(int n) { return *this << static_cast<std::int64_t>(n); }
  Text& operator<<(DType d) { return *this << name(d); }
  Text& operator<<(TileType t) { return *this << name(t); }
  Text& operator<<(BLayout b) { return *this << name(b); }
  Text& operator<<(SLayout s) { return *this << name(s); }
  Text& operator<<(Layout l) { return *this << name(l); }
  const char* c_str() const { return chars_; }

 private:
  char chars_[480] = {};
  int size_ = 0;
};

/// A string that can be a template argument.
template <std::size_t N>
struct FixedString {
  char chars[N] = {};
  constexpr FixedString(const char (&s)[N]) {
    for (std::size_t i = 0; i < N; ++i) chars[i] = s[i];
  }
};

enum class Role : std::uint8_t { in, out, inout, scratch };

/// One operand: its name in the manual, its role, and the member of Operands that holds it.
template <FixedString Name, Role role_, auto Member>
struct Field {
  static constexpr const char* name = Name.chars;
  static constexpr Role role = role_;
  template <class O>
  static constexpr auto& of(O& operands) {
    return operands.*Member;
  }
};

template <class... F>
struct Fields {
  /// Calls visit(field, descriptor) for each operand in order.
  template <class O, class V>
  static constexpr void each(O& operands, V&& visit) {
    (visit(F{}, F::of(operands)), ...);
  }
};

/// The policy of an instruction that has none.
struct NoPolicy {};

/// The number of a rule and its sentence.
struct Label {
  const char* code;
  const char* sentence;
};

// Defines the label of a rule, and a static assertion with the same text.
#define PTO_RULE(code, sentence)                              \
  static constexpr ::pto::instr::Label label{code, sentence}; \
  template <bool holds>                                       \
  struct Stated {                                             \
    static_assert(holds, code ": " sentence);                 \
  };

template <class... R>
struct RuleList {
  /// Calls visit.template operator()<Rule>() for each rule in order.
  template <class V>
  static constexpr void each(V&& visit) {
    (visit.template operator()<R>(), ...);
  }
  template <class O>
  static constexpr bool hold(const Target& t, const O& operands) {
    return (R::holds(t, operands) && ...);
  }
};

/// Instantiated for each rule that is checked at compile time. If the rule is broken, compilers print the name of this
/// type, which contains the name of the rule, before the text of its static assertion.
template <class Rule, bool holds>
struct Require : Rule::template Stated<holds> {};

/// The targets on which `operands` break no rule. An unknown extent breaks no rule.
template <class I>
constexpr TargetMask legal_on(const typename I::Operands& operands) {
  TargetMask mask = 0;
  for (const Target* t : ptox::target::all)
    if (I::Rules::hold(*t, operands)) mask |= ptox::bit(*t);
  return mask;
}

namespace detail {

#ifdef PTO_TARGET
inline constexpr const Target& compiled_for = ptox::target::PTO_TARGET;
inline constexpr bool target_given = true;
#elif defined(__CUDACC__)
inline constexpr const Target& compiled_for = ptox::target::cuda;
inline constexpr bool target_given = true;
#else
inline constexpr const Target& compiled_for = ptox::target::cpu;
inline constexpr bool target_given = false;
#endif

template <class I, const typename I::Operands& operands, const Target& t, class... R>
constexpr void require_each(RuleList<R...>) {
  (..., (void)sizeof(Require<R, R::holds(t, operands)>));
}

/// Makes broken rules compile errors: those of PTO_TARGET if it is defined; otherwise, if no target accepts the
/// operands, those of cpu.
template <class I, const typename I::Operands& operands, TargetMask legal>
constexpr void require_rules() {
  if constexpr (target_given)
    require_each<I, operands, compiled_for>(typename I::Rules{});
  else if constexpr (legal == 0)
    require_each<I, operands, ptox::target::cpu>(typename I::Rules{});
}

}  // namespace detail

/// Infers what the call leaves open, such as Coalesce, before rules are checked.
template <class I>
constexpr typename I::Operands resolved(typename I::Operands operands) {
  if constexpr (requires { I::resolve(operands); }) I::resolve(operands);
  return operands;
}

namespace detail {

template <class Op>
constexpr bool open_operand = !std::remove_cvref_t<Op>::type_desc().is_static();

template <class Op>
AICORE auto descriptor(Op& op, Site site) {
  if constexpr (requires { op.desc(site); })
    return op.desc(site);
  else
    return op.desc();
}

}  // namespace detail

#ifndef __CUDACC__

/// The only entry point of the engine: it checks legality, reports findings, runs observers and executes the
/// instruction. Defined for every instruction of all.hpp. `legal` is the set of targets on which the operand types are
/// legal. If `open`, the rules are checked again with the run-time extents.
template <class I>
void issue(const typename I::Operands& operands, TargetMask legal, bool open, Site site);

/// The compile-time constants of a call whose operand types are static. At run time only the place of each operand is
/// added, in the order of the operands: the byte offset of a tile, the address of a tensor.
template <class I>
struct CallSite {
  typename I::Operands type;
  TargetMask legal;
  HostMove move;
};

/// Like `issue`, for such a call. An unchecked block on the host executes the body directly.
template <class I>
void issue_at(ptox::Core* core, const CallSite<I>& call, const std::int64_t* where, Site site);

/// Executes the body of the host. Preconditions: the thread runs an unchecked block on the host, and the operands break
/// no rule. Returns false if nothing was executed, because the body cannot handle the operands.
template <class I>
bool run_here(ptox::Core& core, const HostMove& move, const std::int64_t* where);

namespace detail {

/// The place of an operand: the byte offset of a tile, the address of a tensor.
template <class Op>
std::int64_t where(Op& op, Site site) {
  if constexpr (requires { op.offset(site); })
    return op.offset(site);
  else
    return reinterpret_cast<std::int64_t>(op.data());
}

/// In an unchecked block on the host, executes operands that break no rule directly. Returns false if the call has to
/// go through `issue`.
template <class I, class... Ops>
bool run_open(const typename I::Operands& operands, Site site, Ops&... ops) {
  if constexpr (requires { I::host_move(operands); })
    if (here.bare && I::Rules::hold(ptox::target::cpu, operands)) [[likely]] {
      const std::int64_t at[] = {where(ops, site)...};
      return run_here<I>(*here.core, I::host_move(operands), at);
    }
  return false;
}

/// Issues a call with extents that are known only at run time.
template <class I, auto policy, class... Ops>
void issue_open(const typename I::Operands& type, TargetMask legal, Site site, Ops&... ops) {
  typename I::Operands operands{descriptor(ops, site)..., policy};
  if constexpr (requires { I::resolve(operands); }) I::resolve(operands);
  if constexpr (requires { operands.policy.one_static; }) operands.policy.one_static = type.policy.one_static;
  if (!run_open<I>(operands, site, ops...)) issue<I>(operands, legal, true, site);
}

/// Issues a call whose operand types are static. In an unchecked block on the host, TPREFETCH bypasses the engine.
template <class I, const typename I::Operands& type, TargetMask legal, class... Ops>
void issue_closed(Site site, Ops&... ops) {
  static constexpr HostMove move = legal & ptox::bit(ptox::target::cpu) ? I::host_move(type) : HostMove{};
  static constexpr CallSite<I> call{type, legal, move};
  const std::int64_t at[] = {where(ops, site)...};
  if constexpr (requires { I::ask_for(move, nullptr, nullptr); })
    if (here.bare && move.kind == HostMove::Kind::rows && at[0] >= 0 && at[1]) [[likely]]
      return I::ask_for(move, reinterpret_cast<const void*>(at[1]), here.hints);
  issue_at<I>(here.core, call, at, site);
}

}  // namespace detail

/// Issues an instruction with typed operands. The targets that accept the types are determined here, once per call
/// site, at compile time.
template <class I, auto policy, class... Ops>
void issue_typed(Site site, Ops&... ops) {
  static constexpr typename I::Operands type = resolved<I>({std::remove_cvref_t<Ops>::type_desc()..., policy});
  constexpr TargetMask legal = legal_on<I>(type);
  detail::require_rules<I, type, legal>();
  if constexpr ((detail::open_operand<Ops> || ...)) {
    detail::issue_open<I, policy>(type, legal, site, ops...);
  } else if constexpr (requires { I::host_move(type); }) {
    detail::issue_closed<I, type, legal>(site, ops...);
  } else {
    typename I::Operands operands{detail::descriptor(ops, site)..., policy};
    if constexpr (requires { I::resolve(operands); }) operands.policy = type.policy;
    issue<I>(operands, legal, false, site);
  }
}

/// Like issue_typed, with one operand that is a run-time value. Rules are checked with its default value.
template <class I, class Extra, class... Ops>
void issue_with(Site site, const Extra& extra, Ops&... ops) {
  static constexpr typename I::Operands type{std::remove_cvref_t<Ops>::type_desc()..., Extra{}};
  constexpr TargetMask legal = legal_on<I>(type);
  detail::require_rules<I, type, legal>();
  issue<I>({detail::descriptor(ops, site)..., extra}, legal, (detail::open_operand<Ops> || ...), site);
}

#else

// For kernels that nvcc compiles; defined in pto/cuda, which pto-inst.hpp includes after the instructions.
template <class I>
PTO_INTERNAL void issue(const typename I::Operands& operands, TargetMask legal, bool open, Site site);
template <class I, auto policy, class... Ops>
PTO_INTERNAL void issue_typed(Site site, Ops&... ops);
template <class I, class Extra, class... Ops>
PTO_INTERNAL void issue_with(Site site, const Extra& extra, Ops&... ops);

#endif

}  // namespace pto::instr
