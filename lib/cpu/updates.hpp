// SPDX-License-Identifier: Apache-2.0
// Combines rows with rows of the table by sum, maximum or minimum, element by element as in combine.hpp. Internal to
// the file of each level, like vectors.hpp.
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

/// The bits of a float whose upper half is the sum, rounded to nearest, ties to even. Of addends without lower halves a
/// NaN has none either, and is quiet: rounding leaves it.
template <class W, class F>
PTOX_INLINE W rounded_bf16(F sum) {
  const W bits = as<W>(sum);
  return bits + 0x7fffu + ((bits >> 16) & 1u);
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

/// How many rows before its turn a row is fetched by a loop that goes line by line, into the second cache and into the
/// nearest.
struct LinesAhead {
  /// Bytes of the data, which the hardware fetches late beside so much else.
  static constexpr std::int64_t data = 1024;

  std::int64_t rows, near;
  bool split;  ///< a row may begin inside a line, or end there

  PTOX_INLINE explicit LinesAhead(const Move& m)
      : rows(least(bounded(far_bytes / m.row_bytes, 4, 64), m.count)),
        near(bounded(near_bytes / m.row_bytes, 1, 8)),
        split(!whole_lines(m.table, m.stride, m.row_bytes)) {}

 private:
  static constexpr std::int64_t far_bytes = 8192, near_bytes = 2048;
};

/// Rows [begin, end) of a move by slots, and with each a fetch of one that comes later, later[0] with the first: with
/// each line that is combined go one of that row, one of a row that is soon to come, and one of the data to come, so
/// that memory is asked evenly.
template <class E, bool placed>
[[gnu::noinline]] void update_lines(const Move& move, LinesAhead ahead, const std::uint32_t* later, std::int64_t begin,
                                    std::int64_t end) {
  const Move m = move;  // a copy, for what is written could else be taken for it
  const auto* const slots = static_cast<const std::uint32_t*>(m.slots);
  const std::int64_t last = m.count - 1, n = m.row_bytes, whole = n / line * line;
  const std::int64_t data_step = m.next ? n : m.data_stride;
  const std::byte* data = m.next ? m.next + begin * n : m.data + begin * m.data_stride + LinesAhead::data;
  for (std::int64_t i = begin; i < end; ++i, data += data_step) {
    std::byte* const to = table_row(m, slots[i]);
    const std::byte* const from = m.data + (placed ? std::int64_t{m.positions[i]} : i) * m.data_stride;
    const std::byte* const far = table_row(m, later[i - begin]);
    const std::byte* const near = table_row(m, slots[least(i + ahead.near, last)]);
    if (placed) data = m.data + m.positions[least(i + ahead.near, last)] * m.data_stride;
    for (std::int64_t k = 0; k < whole; k += line) {
      __builtin_prefetch(far + k, 0, 2), __builtin_prefetch(near + k, 0, 3), __builtin_prefetch(data + k, 0, 2);
      update_row<E>(to + k, from + k, line);
    }
    if (!ahead.split) continue;
    for (const std::int64_t at : {whole, n - 1})
      __builtin_prefetch(far + at, 0, 2), __builtin_prefetch(near + at, 0, 3);
    update_row<E>(to + whole, from + whole, n - whole);
  }
}

/// Whether rows that are far are best summed line by line: not those of four lines and more where it takes long to
/// combine one, nor in tiles those of 4 to 31. Measured where the second cache is not large, and not where it is.
template <class E>
bool by_lines(const Move& m) {
  const std::int64_t lines = m.row_bytes / line;
  if (lines < 1 || caches().large_second()) return false;
  return lines < 4 || (E::quick && (!m.following || lines > 31));
}
/// Rows of a line and more in a table that is far.
template <class E>
void update_far(const Move& m) {
  const LinesAhead ahead(m);
  const auto* const slots = static_cast<const std::uint32_t*>(m.slots);
  const std::int64_t known = m.count - ahead.rows;  // rows whose later row is the move's
  if (!m.fetched)
    for (std::int64_t i = 0; i < ahead.rows; ++i) fetch_lines<0>(table_row(m, slots[i]), m.row_bytes);
  const auto run = m.positions ? update_lines<E, true> : update_lines<E, false>;
  run(m, ahead, slots + ahead.rows, 0, known);
  const bool follows = m.following_count == m.count;
  run(m, ahead, follows ? m.following : slots + known, known, m.count);  // or a row's own, which costs nothing
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

/// Sums of rows, by short slots.
template <class E>
void update_sums(const Move& m) {
  using Slot = std::uint32_t;
  constexpr auto near = Table::near, far = Table::far;
  const auto row = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E>(to, from, n); };
  const auto few = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E, 16>(to, from, n); };
  const auto sixteen = [](std::byte* to, const std::byte* from) { E::template combine<16 / E::size>(to, from); };
  if (m.row_bytes == 16 && !m.far && !m.next && packed(m)) return each_packed<16, false, Slot>(m, sixteen);
  if (m.row_bytes <= line / 2)  // fetched once, as by a gather
    return m.far ? each_target<line / 2, Slot, far>(m, few) : each_target<line / 2, Slot, near>(m, few);
  if (!m.far) return each_target<0, Slot, near>(m, row);
  if (by_lines<E>(m)) return update_far<E>(m);
  m.row_bytes <= line ? each_target<line, Slot, far>(m, row) : each_target<0, Slot, far>(m, row);
}

template <class E, class Slot>
void update(const Move& m) {
  if (m.row_bytes == E::size) return update_elements<E, Slot>(m);
  if constexpr (sizeof(Slot) == 4 && E::sum)
    update_sums<E>(m);
  else
    each_target_by<Slot>(m, update_any_row<E>);
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
