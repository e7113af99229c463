// SPDX-License-Identifier: Apache-2.0
// How do rows meet rows of the table: summed, the larger, the smaller? Element by element as combine.hpp says.
// Internal to the file of each level, as vectors.hpp is.
#pragma once

#include "cpu/scatters.hpp"

namespace ptox {
namespace {

/// Where it is a choice, `wins` says whether the value takes the place of the old one; a NaN never does.
struct Add {
  static constexpr bool sum = true;
};
struct Max {
  static constexpr bool sum = false;
  template <class V>
  static PTOX_INLINE auto wins(V value, V old) {
    return value > old;
  }
};
struct Min {
  static constexpr bool sum = false;
  template <class V>
  static PTOX_INLINE auto wins(V value, V old) {
    return value < old;
  }
};

template <class Op, class V>
PTOX_INLINE V combined(V old, V value) {
  if constexpr (Op::sum)
    return sum_of(old, value);
  else
    return Op::wins(value, old) ? value : old;
}

// Each combines lanes, and one element: `always` stores, else a value that does not win leaves its place alone, so that
// the next one for that place need not wait.

/// Elements that the vectors know; integers are summed as unsigned ones, which wrap.
template <class T, class Op>
struct Native {
  static constexpr bool sum = Op::sum;
  static constexpr int size = sizeof(T);
  template <int lanes>
  static PTOX_INLINE void combine(std::byte* to, const std::byte* from) {
    using V = Vector<T, lanes>;
    store(to, combined<Op>(load<V>(to), load<V>(from)));
  }
  template <bool always>
  static PTOX_INLINE void one(std::byte* to, const std::byte* from) {
    const T old = load<T>(to), value = load<T>(from);
    if constexpr (Op::sum || always)
      store(to, combined<Op>(old, value));
    else if (Op::wins(value, old))
      store(to, value);
  }
};

/// Halves are widened to float, which holds them and their order exactly; a sum is rounded once. By fours and more.
template <class Op>
struct F16 {
  static constexpr bool sum = Op::sum;
  static constexpr int size = 2;
  template <int lanes>
  static PTOX_INLINE void combine(std::byte* to, const std::byte* from) {
    if constexpr (lanes > word_lanes)
      combine<lanes / 2>(to, from), combine<lanes / 2>(to + lanes, from + lanes);
    else
      store(to, of<lanes>(load<Halves<lanes>>(to), load<Halves<lanes>>(from)));
  }
  template <bool always>
  static PTOX_INLINE void one(std::byte* to, const std::byte* from) {
    const Halves<8> old = load_half<0>(to), value = load_half<0>(from);
    const float a = widen_first_f16(old), b = widen_first_f16(value);
    if constexpr (Op::sum)
      store(to, narrow_one_f16(sum_of(a, b)));
    else if constexpr (always)
      store(to, Op::wins(b, a) ? value[0] : old[0]);
    else if (Op::wins(b, a))
      store(to, value[0]);
  }

 private:
  template <int lanes>
  static PTOX_INLINE Halves<lanes> of(Halves<lanes> old, Halves<lanes> value) {
    const Floats<lanes> a = widen_f16<lanes>(old), b = widen_f16<lanes>(value);
    if constexpr (Op::sum)
      return narrow_f16<lanes>(sum_of(a, b));
    else
      return choose(__builtin_convertvector(Op::wins(b, a), Vector<std::int16_t, lanes>), value, old);
  }
};

/// The bits of a float whose upper half is the sum, rounded to nearest, ties to even; a NaN stays one, quiet.
template <class W, class F>
PTOX_INLINE W rounded_bf16(F sum) {
  const W bits = as<W>(sum), rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  return sum != sum ? bits | 0x400000u : rounded;
}

/// A bfloat16 is the upper half of a float. Two of them share a word: the upper one is a float but for its lower bits.
template <class Op>
struct BF16 {
  static constexpr bool sum = Op::sum;
  static constexpr int size = 2;
  template <int lanes>
  static PTOX_INLINE void combine(std::byte* to, const std::byte* from) {
    using W = Words<lanes / 2>;
    const W old = load<W>(to), value = load<W>(from), upper = W{} + 0xffff0000u;
    const W high = of<W, Floats<lanes / 2>>(old & upper, value & upper);
    const W low = of<W, Floats<lanes / 2>>(old << 16, value << 16);
    store(to, (high & upper) | low >> 16);
  }
  template <bool always>
  static PTOX_INLINE void one(std::byte* to, const std::byte* from) {
    const auto old = as<Words<4>>(load_half<1>(to)), value = as<Words<4>>(load_half<1>(from));
    if constexpr (Op::sum || always)
      store(to, as<Halves<8>>(of<Words<4>, Floats<4>>(old, value))[1]);
    else if (Op::wins(as<Floats<4>>(value)[0], as<Floats<4>>(old)[0]))
      store(to, as<Halves<8>>(value)[1]);
  }

 private:
  template <class W, class F>
  static PTOX_INLINE W of(W old, W value) {
    const F a = as<F>(old), b = as<F>(value);
    if constexpr (Op::sum)
      return rounded_bf16<W>(sum_of(a, b));
    else
      return Op::wins(b, a) ? value : old;
  }
};

/// One row by pieces of a vector, half a vector and so on down to single elements.
template <class E, int bytes = vector_bytes>
PTOX_INLINE void update_row(std::byte* to, const std::byte* from, std::int64_t n) {
  for (; n >= bytes; n -= bytes, to += bytes, from += bytes) E::template combine<bytes / E::size>(to, from);
  if constexpr (bytes > 16)
    update_row<E, bytes / 2>(to, from, n);
  else
    for (; n > 0; n -= E::size, to += E::size, from += E::size) E::template one<true>(to, from);
}

/// The same as a function, for loops that are compiled once for all elements: rare ones, and there are many.
template <class E>
[[gnu::noinline]] void update_any_row(std::byte* to, const std::byte* from, std::int64_t n) {
  update_row<E>(to, from, n);
}
using RowUpdate = void (*)(std::byte* to, const std::byte* from, std::int64_t n);
template <class Slot>
[[gnu::noinline]] void each_target_by(const Move& m, RowUpdate row) {
  each_target<0, Slot>(m, [row, n = m.row_bytes](std::byte* to, const std::byte* from) { row(to, from, n); });
}

template <class E, class Slot>
void update_elements(const Move& m) {
  const auto always = [](std::byte* to, const std::byte* from) { E::template one<true>(to, from); };
  if (!packed(m) && !m.paired) return each_target<E::size, Slot>(m, always);
  if constexpr (!E::sum)
    if (!m.paired && to_few_places<Slot>(m))
      return each_packed<E::size, false, Slot>(
          m, [](std::byte* to, const std::byte* from) { E::template one<false>(to, from); });
  each_packed<E::size, Slot>(m, always);
}

template <class E, class Slot>
void update(const Move& m) {
  if (m.row_bytes == E::size) return update_elements<E, Slot>(m);
  const auto row = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E>(to, from, n); };
  if constexpr (sizeof(Slot) > 4 || !E::sum) return each_target_by<Slot>(m, update_any_row<E>);
  const auto few = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E, 16>(to, from, n); };
  constexpr auto near = Table::near, far = Table::far;
  if (m.row_bytes <= line / 2)  // fetched once, as by a gather
    return m.far ? each_target<line / 2, Slot, far>(m, few) : each_target<line / 2, Slot, near>(m, few);
  if (!m.far) return each_target<0, Slot, near>(m, row);
  m.row_bytes <= line ? each_target<line, Slot, far>(m, row) : each_target<0, Slot, far>(m, row);
}

/// The loops of one operation, by dtype: sums of integers do not ask for the sign, and 8-bit floats are only moved.
template <class Op, class Slot>
void set_updates(MoveLoop (&loops)[15]) {
  using pto::instr::DType;
  const auto set = [&](DType d, MoveLoop loop) { loops[static_cast<int>(d)] = loop; };
  const auto set_integer = [&]<class S, class U>(DType of_signed, DType of_unsigned, S, U) {
    set(of_unsigned, update<Native<U, Op>, Slot>);
    if constexpr (Op::sum)
      set(of_signed, update<Native<U, Op>, Slot>);
    else
      set(of_signed, update<Native<S, Op>, Slot>);
  };
  set_integer(DType::i8, DType::u8, std::int8_t{}, std::uint8_t{});
  set_integer(DType::i16, DType::u16, std::int16_t{}, std::uint16_t{});
  set_integer(DType::i32, DType::u32, std::int32_t{}, std::uint32_t{});
  set_integer(DType::i64, DType::u64, std::int64_t{}, std::uint64_t{});
  set(DType::f16, update<F16<Op>, Slot>);
  set(DType::bf16, update<BF16<Op>, Slot>);
  set(DType::f32, update<Native<float, Op>, Slot>);
  set(DType::f64, update<Native<double, Op>, Slot>);
}

}  // namespace
}  // namespace ptox
