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
  static constexpr bool quick = true;  ///< a line is combined by few instructions
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
  static constexpr bool quick = false;
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

/// The bits of a float whose upper half is the sum, rounded to nearest, ties to even; a NaN stays one, quiet, unless
/// there is none.
template <class W, bool nan = true, class F>
PTOX_INLINE W rounded_bf16(F sum) {
  const W bits = as<W>(sum), rounded = bits + 0x7fffu + ((bits >> 16) & 1u);
  if constexpr (!nan) return rounded;
  return sum != sum ? bits | 0x400000u : rounded;
}

/// A bfloat16 is the upper half of a float. Two of them share a word: the upper one is a float but for its lower bits.
template <class Op>
struct BF16 {
  static constexpr bool sum = Op::sum;
  static constexpr bool quick = false;
  static constexpr int size = 2;
  template <int lanes>
  static PTOX_INLINE void combine(std::byte* to, const std::byte* from) {
    using W = Words<lanes / 2>;
    using F = Floats<lanes / 2>;
    const W old = load<W>(to), value = load<W>(from), upper = W{} + 0xffff0000u;
    const auto put = [=](W high, W low) PTOX_INLINED { store(to, (high & upper) | low >> 16); };
    if constexpr (Op::sum) {
      const F high = sum_of(as<F>(old & upper), as<F>(value & upper)),
              low = sum_of(as<F>(old << 16), as<F>(value << 16));
      if (any_nan<lanes / 2>(high, low)) [[unlikely]]
        return put(rounded_bf16<W>(high), rounded_bf16<W>(low));
      put(rounded_bf16<W, false>(high), rounded_bf16<W, false>(low));
    } else {
      put(of<W, F>(old & upper, value & upper), of<W, F>(old << 16, value << 16));
    }
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

/// How many rows before its turn a row is fetched by a loop that goes line by line, into the second cache and into the
/// nearest.
struct LinesAhead {
  std::int64_t rows, near;
  std::int64_t data = 1024;  ///< bytes of the data, which the hardware fetches late beside so much else
  bool split;                ///< a row may begin inside a line, or end there

  PTOX_INLINE explicit LinesAhead(const Move& m)
      : rows(bounded(far_bytes / m.row_bytes, 4, 64)),
        near(bounded(near_bytes / m.row_bytes, 1, 8)),
        split(!whole_lines(m.table, m.stride, m.row_bytes)) {
    if (m.following) rows = least(rows, m.count);  // no farther than to the row of the same number in what follows
  }

 private:
  static constexpr std::int64_t far_bytes = 8192, near_bytes = 2048;
};

/// Rows [begin, end) of a move by slots, and with row i a fetch of the row that later[i] names: with each line that is
/// combined go one of that row, one of a row that is soon to come, and one of the data to come, so that memory is asked
/// evenly.
template <class E, bool placed, class Slot>
[[gnu::noinline]] void update_lines(const Move& move, LinesAhead ahead, const Slot* later, std::int64_t begin,
                                    std::int64_t end) {
  const Move m = move;  // a copy, for what is written could else be taken for it
  const auto* const slots = static_cast<const Slot*>(m.slots);
  const std::int64_t last = m.count - 1, n = m.row_bytes, whole = n / line * line;
  const std::int64_t data_step = m.next ? n : m.data_stride;
  const std::byte* data = m.next ? m.next + begin * n : m.data + begin * m.data_stride + ahead.data;
  for (std::int64_t i = begin; i < end; ++i, data += data_step) {
    std::byte* const to = table_row(m, slots[i]);
    const std::byte* const from = m.data + (placed ? std::int64_t{m.positions[i]} : i) * m.data_stride;
    const std::byte *const far = table_row(m, later[i]), *const near = table_row(m, slots[least(i + ahead.near, last)]);
    if (placed) data = m.data + m.positions[least(i + ahead.near, last)] * m.data_stride;
    for (std::int64_t k = 0; k < whole; k += line) {
      __builtin_prefetch(far + k, 0, 2), __builtin_prefetch(near + k, 0, 3), __builtin_prefetch(data + k, 0, 2);
      update_row<E>(to + k, from + k, line);
    }
    if (!ahead.split) continue;
    __builtin_prefetch(far + n - 1, 0, 2), __builtin_prefetch(near + n - 1, 0, 3);
    update_row<E>(to + whole, from + whole, n - whole);
  }
}

/// Whether rows that are far are best summed line by line: where a line takes long, long rows are not, and in tiles
/// those of some lines are not. Measured where the second cache is not large, and not where it is.
template <class E>
bool by_lines(const Move& m) {
  const std::int64_t lines = m.row_bytes / line;
  const bool some = lines >= 4 && (!E::quick || (m.following && lines < 32));
  return lines >= 1 && !some && !caches().large_second();
}
/// Rows of a line and more in a table that is far.
template <class E, class Slot>
void update_far(const Move& m) {
  const LinesAhead ahead(m);
  const auto* const slots = static_cast<const Slot*>(m.slots);
  const std::int64_t known = m.count > ahead.rows ? m.count - ahead.rows : 0;  // rows whose later row is the move's
  if (!m.fetched)
    for (std::int64_t i = 0; i < m.count - known; ++i) fetch_lines<0>(table_row(m, slots[i]), m.row_bytes);
  const auto run = m.positions ? update_lines<E, true, Slot> : update_lines<E, false, Slot>;
  run(m, ahead, slots + ahead.rows, 0, known);
  const Slot* after = slots;  // a row's own, which costs nothing
  if constexpr (sizeof(Slot) == sizeof *m.following)
    if (m.following_count == m.count) after = m.following - known;
  run(m, ahead, after, known, m.count);
}

/// A row as a function, for loops that are compiled once for all elements: rare ones, and there are many.
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

/// Rows of 16 bytes in a table that is near: of so little each instruction is felt.
template <class E, class Slot>
[[gnu::noinline]] void update_sixteen(const Move& m) {
  std::byte* const table = m.table;
  const std::byte* from = m.data;
  const auto* const slots = static_cast<const Slot*>(m.slots);
  const std::int64_t stride = m.stride, step = m.data_stride, count = m.count;
#pragma GCC unroll 4
  for (std::int64_t i = 0; i < count; ++i, from += step)
    E::template combine<16 / E::size>(table + static_cast<std::int64_t>(slots[i]) * stride, from);
}

template <class E, class Slot>
void update(const Move& m) {
  if (m.row_bytes == E::size) return update_elements<E, Slot>(m);
  const auto row = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E>(to, from, n); };
  if constexpr (sizeof(Slot) > 4 || !E::sum) return each_target_by<Slot>(m, update_any_row<E>);
  const auto few = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E, 16>(to, from, n); };
  constexpr auto near = Table::near, far = Table::far;
  if (m.row_bytes == 16 && !m.far && !m.positions && !m.next) return update_sixteen<E, Slot>(m);
  if (m.row_bytes <= line / 2)  // fetched once, as by a gather
    return m.far ? each_target<line / 2, Slot, far>(m, few) : each_target<line / 2, Slot, near>(m, few);
  if (!m.far) return each_target<0, Slot, near>(m, row);
  if (by_lines<E>(m)) return update_far<E, Slot>(m);
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
