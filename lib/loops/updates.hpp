// SPDX-License-Identifier: Apache-2.0
// Combines rows with rows of the table by sum, maximum or minimum, element by element as in combine.hpp. Internal to
// the file of each level, like vectors.hpp.
#pragma once

#include "loops/scatters.hpp"

namespace ptox {
namespace {

// Operations. `wins`, for maximum and minimum: whether the value replaces the old one, which a NaN never does.

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

// Element types. `combine` updates a vector of lanes, `one` a single element. With `always`, `one` stores in any case;
// otherwise it does not store a value that does not win, so that the next update of the same element does not wait for
// the store.

/// Elements with native vector arithmetic; integers are summed as unsigned ones, which wrap.
template <class T, class Op>
struct Native {
  static constexpr bool sum = Op::sum;
  static constexpr bool quick = true;  ///< combining a line takes few instructions
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

/// Halves are widened to float, which represents them exactly and keeps their order; a sum is rounded once. At least
/// four lanes are combined at a time.
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

/// The bits of a float whose upper half is the sum, rounded to nearest, ties to even. The lower halves of the addends
/// are zero; then that of a NaN sum is zero too, and it is quiet, so that rounding does not change it.
template <class W, class F>
PTOX_INLINE W rounded_bf16(F sum) {
  const W bits = as<W>(sum);
  return bits + 0x7fffu + ((bits >> 16) & 1u);
}

/// A bfloat16 is the upper half of a float. Two of them share a 32-bit word, in which the upper one becomes a float
/// when the lower bits are cleared.
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

/// Combines a row in pieces of a vector, then of half a vector, and so on down to 16 bytes, then single elements.
template <class E, int bytes = vector_bytes>
PTOX_INLINE void update_row(std::byte* to, const std::byte* from, std::int64_t n) {
  for (; n >= bytes; n -= bytes, to += bytes, from += bytes) E::template combine<bytes / E::size>(to, from);
  if constexpr (bytes > 16)
    update_row<E, bytes / 2>(to, from, n);
  else
    for (; n > 0; n -= E::size, to += E::size, from += E::size) E::template one<true>(to, from);
}

/// Prefetch distances of the loop that updates rows line by line: `rows` into L2, `near` into L1, both in rows.
struct LinesAhead {
  /// Distance in bytes for the data; the hardware prefetcher is late beside so many other loads.
  static constexpr std::int64_t data = 1024;

  std::int64_t rows, near;
  bool split;  ///< a row may begin or end inside a cache line

  PTOX_INLINE explicit LinesAhead(const Move& m)
      : rows(least(bounded(far_bytes / m.row_bytes, 4, 64), m.count)),
        near(bounded(near_bytes / m.row_bytes, 1, 8)),
        split(!whole_lines(m.table, m.stride, m.row_bytes)) {}

 private:
  static constexpr std::int64_t far_bytes = 8192, near_bytes = 2048;
};

/// Combines rows [begin, end) of a move. Row `begin + k` also prefetches the row of slot later[k]. With each line that
/// is combined it prefetches one line of that row into L2, one line of a row that is combined soon into L1, and one
/// line of data, so that requests to memory are evenly spaced.
template <class E, bool placed>
[[gnu::noinline]] void update_lines(const Move& move, LinesAhead ahead, const std::uint32_t* later, std::int64_t begin,
                                    std::int64_t end) {
  const Move m = move;  // local copy: byte stores may alias `move`
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

/// Whether far rows are summed line by line: not rows of four lines and more if combining a line takes many
/// instructions, nor rows of 4 to 31 lines in tiles. Measured only on machines where L2 is not large, and used only
/// there.
template <class E>
bool by_lines(const Move& m) {
  const std::int64_t lines = m.row_bytes / line;
  if (lines < 1 || caches().large_second()) return false;
  return lines < 4 || (E::quick && (!m.following || lines > 31));
}
/// Sums rows of at least a line in a far table, line by line.
template <class E>
void update_far(const Move& m) {
  const LinesAhead ahead(m);
  const auto* const slots = static_cast<const std::uint32_t*>(m.slots);
  const std::int64_t known = m.count - ahead.rows;  // rows that prefetch a row of this move
  if (!m.fetched)
    for (std::int64_t i = 0; i < ahead.rows; ++i) fetch_lines<0>(table_row(m, slots[i]), m.row_bytes);
  const auto run = m.positions ? update_lines<E, true> : update_lines<E, false>;
  run(m, ahead, slots + ahead.rows, 0, known);
  const bool follows = m.following_count == m.count;
  run(m, ahead, follows ? m.following : slots + known, known, m.count);  // or its own row, at no cost
}

/// The update of a row as a function, for loops that are compiled once for all element types: rare ones, to limit their
/// number.
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

/// Sums of rows with 32-bit slots.
template <class E>
void update_sums(const Move& m) {
  using Slot = std::uint32_t;
  constexpr auto near = Table::near, far = Table::far;
  const auto row = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E>(to, from, n); };
  const auto few = [n = m.row_bytes](std::byte* to, const std::byte* from) { update_row<E, 16>(to, from, n); };
  const auto sixteen = [](std::byte* to, const std::byte* from) { E::template combine<16 / E::size>(to, from); };
  if (m.row_bytes == 16 && !m.far && !m.next && packed(m)) return each_packed<16, false, Slot>(m, sixteen);
  if (m.row_bytes <= line / 2)  // prefetched into L2 only, as in a gather
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

/// Sets the loops of one operation by dtype. Sums of signed and unsigned integers are the same; 8-bit floats have none.
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
