// SPDX-License-Identifier: Apache-2.0
// The parts of an instruction: operands, numbered rules, a reference meaning, effects.
//
// An instruction is a struct with
//   mnemonic                    its name in assembly, docs and messages
//   Operands                    plain data: TileDesc, TensorDesc, policies
//   OperandList                 Fields<...>: name, role and member of each tile and tensor
//   Rules                       RuleList<...>: what each target accepts
//   meaning(machine, operands)  the equation as a loop; the oracle of every faster body
//   pipes(target, operands)     where it runs; without it the instruction only orders others
//   effects(machine, operands, sink)   which pipe reads and writes which bytes
//   samples(visit)              operands that the legality tables of the manual show
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "pto/isa/host_move.hpp"
#include "pto/tile/desc.hpp"
#include "pto/tile/place.hpp"
#include "ptox/target.hpp"

namespace pto::instr {

using ptox::Target;
using ptox::TargetMask;

/// A message under construction; as long as it needs to be and no longer than its buffer.
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

/// One operand: its name in the manual, what happens to it, where Operands keeps it.
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

/// A rule's number and the sentence that it stands for.
struct Label {
  const char* code;
  const char* sentence;
};

// A rule's label, and the same words for the compiler to print.
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

/// Compilers print this type's name, and with it the rule's, above the rule's own words when it is broken.
template <class Rule, bool holds>
struct Require : Rule::template Stated<holds> {};

/// The targets on which `operands` break no rule, as far as they are known.
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

/// Compile errors: the rules of PTO_TARGET when that is given, and what no target accepts, always.
template <class I, const typename I::Operands& operands, TargetMask legal>
constexpr void require_rules() {
  if constexpr (target_given)
    require_each<I, operands, compiled_for>(typename I::Rules{});
  else if constexpr (legal == 0)
    require_each<I, operands, ptox::target::cpu>(typename I::Rules{});
}

}  // namespace detail

/// Operands whose coalesce, say, is left to inference give it here, before any rule is asked.
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

/// The only door into the engine: verdict, findings, observers, body. Defined for every instruction of all.hpp.
/// `legal` holds the targets on which the operands' types are legal; with `open` set, run-time extents are judged too.
template <class I>
void issue(const typename I::Operands& operands, TargetMask legal, bool open, Site site);

/// What the compiler knows of a call whose types are closed. A run adds where each operand lies: a tile's offset, a
/// tensor's address, in the order of the operands.
template <class I>
struct CallSite {
  typename I::Operands type;
  TargetMask legal;
  HostMove move;
};

/// The same door for such a call: an unchecked block on the host goes straight on.
template <class I>
void issue_at(ptox::Core* core, const CallSite<I>& call, const std::int64_t* where, Site site);

/// The host's body at once, for a thread in an unchecked block of it and operands that break no rule; false: not done.
template <class I>
bool run_here(ptox::Core& core, const HostMove& move, const std::int64_t* where);

namespace detail {

/// The operand's part of `where`.
template <class Op>
std::int64_t where(Op& op, Site site) {
  if constexpr (requires { op.offset(site); })
    return op.offset(site);
  else
    return reinterpret_cast<std::int64_t>(op.data());
}

/// A bare block runs operands that break no rule at once; false: they go to the door.
template <class I, class... Ops>
bool run_open(const typename I::Operands& operands, Site site, Ops&... ops) {
  if constexpr (requires { I::host_move(operands); })
    if (here.bare && I::Rules::hold(ptox::target::cpu, operands)) [[likely]] {
      const std::int64_t at[] = {where(ops, site)...};
      return run_here<I>(*here.core, I::host_move(operands), at);
    }
  return false;
}

/// Operands with extents that only the run knows.
template <class I, auto policy, class... Ops>
void issue_open(const typename I::Operands& type, TargetMask legal, Site site, Ops&... ops) {
  typename I::Operands operands{descriptor(ops, site)..., policy};
  if constexpr (requires { I::resolve(operands); }) I::resolve(operands);
  if constexpr (requires { operands.policy.one_static; }) operands.policy.one_static = type.policy.one_static;
  if (!run_open<I>(operands, site, ops...)) issue<I>(operands, legal, true, site);
}

/// Operands of which only the places are open. A hint needs no engine in a bare block.
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

/// From typed operands to the engine: the verdict of every target is made here, once a call site.
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

/// The same where one operand is a run-time value, not a type: it counts as its default in the rules.
template <class I, class Extra, class... Ops>
void issue_with(Site site, const Extra& extra, Ops&... ops) {
  static constexpr typename I::Operands type{std::remove_cvref_t<Ops>::type_desc()..., Extra{}};
  constexpr TargetMask legal = legal_on<I>(type);
  detail::require_rules<I, type, legal>();
  issue<I>({detail::descriptor(ops, site)..., extra}, legal, (detail::open_operand<Ops> || ...), site);
}

#endif

}  // namespace pto::instr

#ifdef __CUDACC__
#include "pto/cuda/call.hpp"
#endif
