// SPDX-License-Identifier: Apache-2.0
// Policies of indexed moves, distinguished by their enum type and accepted in any order.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace pto {

enum class Coalesce : std::uint8_t { Row = 0, Elem = 1 };

/// What a gather reads for an index that is not less than the capacity: Clamp reads the last row or element, Wrap the
/// one at the index modulo the capacity, Zero reads nothing and yields 0.
///
/// An index is an unsigned number of its own width. So Wrap of -1 depends on the width: it is 4294967295 modulo the
/// capacity for the 32-bit indices of instructions and 18446744073709551615 modulo the capacity for the 64-bit indices
/// that ptox/ops.hpp, ptox/sharded.hpp and ptox/cuda.hpp take as well. Both are the last row only if the capacity is a
/// power of two.
enum class GatherOOB : std::uint8_t { Undefined = 0, Clamp = 1, Wrap = 2, Zero = 3 };
enum class GatherExec : std::uint8_t { Scalar = 0, Simt = 1 };
/// Where a scatter writes for an index that is not less than the capacity: Skip writes nothing; Clamp and Wrap are
/// those of GatherOOB. Wrap of a negative index depends on the width of the index as it does there.
enum class ScatterOOB : std::uint8_t { Undefined = 0, Skip = 1, Clamp = 2, Wrap = 3 };
enum class ScatterAtomicOp : std::uint8_t { None = 0, Add = 1, Max = 2, Min = 3 };
enum class ScatterConflict : std::uint8_t { Last = 0, Default = 1 };

namespace instr {

constexpr const char* name(Coalesce c) { return c == Coalesce::Row ? "Row" : "Elem"; }
constexpr const char* name(GatherOOB o) {
  constexpr const char* names[] = {"Undefined", "Clamp", "Wrap", "Zero"};
  return names[static_cast<int>(o)];
}
constexpr const char* name(ScatterOOB o) {
  constexpr const char* names[] = {"Undefined", "Skip", "Clamp", "Wrap"};
  return names[static_cast<int>(o)];
}
constexpr const char* name(ScatterAtomicOp a) {
  constexpr const char* names[] = {"None", "Add", "Max", "Min"};
  return names[static_cast<int>(a)];
}
constexpr const char* name(ScatterConflict c) { return c == ScatterConflict::Last ? "Last" : "Default"; }

/// The Coalesce of a call: written, or inferred from the valid shapes.
struct CoalesceChoice {
  Coalesce mode = Coalesce::Row;
  bool open = true;        ///< neither written nor inferred yet
  bool ambiguous = false;  ///< inferred, although the other mode would fit too
  constexpr bool row() const { return !open && mode == Coalesce::Row; }
  constexpr bool elem() const { return !open && mode == Coalesce::Elem; }
};

/// The effect of an index that is not less than the capacity, for gathers and scatters alike.
enum class OutOfRange : std::uint8_t { undefined, clamp, wrap, drop };

constexpr OutOfRange out_of_range(GatherOOB oob) {
  if (oob == GatherOOB::Clamp) return OutOfRange::clamp;
  if (oob == GatherOOB::Wrap) return OutOfRange::wrap;
  return oob == GatherOOB::Zero ? OutOfRange::drop : OutOfRange::undefined;
}
constexpr OutOfRange out_of_range(ScatterOOB oob) {
  if (oob == ScatterOOB::Clamp) return OutOfRange::clamp;
  if (oob == ScatterOOB::Wrap) return OutOfRange::wrap;
  return oob == ScatterOOB::Skip ? OutOfRange::drop : OutOfRange::undefined;
}

struct GatherPolicy {
  CoalesceChoice coalesce;
  GatherOOB oob = GatherOOB::Undefined;
  bool one_static = false;  ///< Elem with static valid extents 1x1: SIMT machines use the scalar unit
};

struct ScatterPolicy {
  CoalesceChoice coalesce;
  ScatterAtomicOp op = ScatterAtomicOp::None;
  ScatterOOB oob = ScatterOOB::Undefined;
  ScatterConflict conflict = ScatterConflict::Last;
  bool conflict_spelled = false;
  bool one_static = false;
};

namespace detail {

template <class Kind, auto P>
inline constexpr bool is_kind = std::same_as<std::remove_cv_t<decltype(P)>, Kind>;
template <class Kind, auto... P>
inline constexpr int count_kind = (0 + ... + int{is_kind<Kind, P>});

template <class Kind, auto... P>
constexpr Kind pick(Kind otherwise) {
  (
      [&] {
        if constexpr (is_kind<Kind, P>) otherwise = P;
      }(),
      ...);
  return otherwise;
}

template <auto P, class... Kinds>
inline constexpr bool one_of_kinds = (is_kind<Kinds, P> || ...);

template <auto... P>
constexpr CoalesceChoice pick_coalesce() {
  return {.mode = pick<Coalesce, P...>(Coalesce::Row), .open = count_kind<Coalesce, P...> == 0};
}

/// Every policy given is of one of these kinds, and no kind is given twice.
template <auto... P>
struct Policies {
  template <class... Kinds>
  static constexpr bool only = (one_of_kinds<P, Kinds...> && ...) && ((count_kind<Kinds, P...> <= 1) && ...);
};

}  // namespace detail

template <auto... P>
constexpr GatherPolicy gather_policy() {
  static_assert(detail::Policies<P...>::template only<Coalesce, GatherOOB>,
                "MGATHER takes at most one Coalesce and one GatherOOB");
  return {.coalesce = detail::pick_coalesce<P...>(), .oob = detail::pick<GatherOOB, P...>(GatherOOB::Undefined)};
}

template <auto... P>
constexpr ScatterPolicy scatter_policy() {
  static_assert(detail::Policies<P...>::template only<Coalesce, ScatterAtomicOp, ScatterOOB, ScatterConflict>,
                "MSCATTER takes at most one Coalesce, ScatterAtomicOp, ScatterOOB and ScatterConflict");
  return {.coalesce = detail::pick_coalesce<P...>(),
          .op = detail::pick<ScatterAtomicOp, P...>(ScatterAtomicOp::None),
          .oob = detail::pick<ScatterOOB, P...>(ScatterOOB::Undefined),
          .conflict = detail::pick<ScatterConflict, P...>(ScatterConflict::Last),
          .conflict_spelled = detail::count_kind<ScatterConflict, P...> == 1};
}

}  // namespace instr
}  // namespace pto
