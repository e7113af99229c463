// SPDX-License-Identifier: Apache-2.0
// TEXPANDS: fills a tile with one scalar.
#pragma once

#include <limits>
#include <type_traits>

#include "pto/isa/effect.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// Converts the scalar to the element type. A floating-point value outside the range of an integer type saturates, and
/// NaN becomes zero.
template <class T, class S>
constexpr T as_element(S scalar) {
  if constexpr (std::is_integral_v<T> && std::is_floating_point_v<S>) {
    using L = std::numeric_limits<T>;
    if (!(scalar == scalar)) return T{};
    if (scalar <= static_cast<S>(L::min())) return L::min();
    if (scalar >= static_cast<S>(L::max())) return L::max();
  }
  return static_cast<T>(scalar);
}

/// dst[r, c] = scalar
struct Texpands {
  static constexpr auto mnemonic = "texpands";
  struct Scalar {
    std::uint64_t bits = 0;  ///< the element's bit pattern
  };
  struct Operands {
    TileDesc dst;
    Scalar policy;
  };
  using Dst = Field<"dst", Role::out, &Operands::dst>;
  using OperandList = Fields<Dst>;

  struct c1_in_vec : located<TileType::Vec, Dst> {
    PTO_RULE("C1", "dst is a Vec tile")
  };
  struct c2_valid : valid_region<Dst> {
    PTO_RULE("C2", "valid extents are at least 1 and at most the padded ones")
  };
  using Rules = RuleList<c1_in_vec, c2_valid>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    walk(o.dst.valid_rows, o.dst.valid_cols, o.dst.valid_cols,
         [&](std::int64_t r, std::int64_t c) { m.set(m.at(o.dst, r, c), o.dst.dtype, o.policy.bits); });
  }

  template <class M>
  static bool by_region(M& m, const Operands& o) {
    return m.fill_region(o.dst, 0, 0, o.dst.valid_rows, o.dst.valid_cols, o.policy.bits);
  }

  static constexpr IndexedPipes pipes(const Target& t, const Operands&) { return all_on(t, PIPE_V); }

  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    touch(m, sink, pipes(m.target(), o).data, Access::write, Dst::name, o.dst, 0, o.dst.valid_rows, o.dst.valid_cols);
  }

  template <class V>
  static void samples(V&& visit) {
    for (DType d : all_dtypes) visit("Element type", name(d), Operands{sample_tile(d, 8, 32), {}});
  }
};

}  // namespace pto::instr

namespace pto {

/// Fills the valid region of `dst` with `scalar`, converted to its element type.
template <instr::TileOperand Dst, class S, PTO_EVENT_TYPES>
  requires std::is_convertible_v<S, typename Dst::DType>
AICORE RecordEvent TEXPANDS(Dst& dst, S scalar, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  const auto value = instr::as_element<typename Dst::DType>(scalar);
  instr::Texpands::Scalar pattern;
  __builtin_memcpy(&pattern.bits, &value, sizeof value);
  instr::issue_with<instr::Texpands>(site, pattern, dst);
  return {site};
}

}  // namespace pto
