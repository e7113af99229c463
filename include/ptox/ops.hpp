// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters of rows and elements of whole tensors, for host programs.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <span>
#include <type_traits>

#include "pto/isa/policy.hpp"
#include "pto/tile/dtype.hpp"
#include "pto/tile/version.hpp"

namespace ptox {

/// Rows in memory; consecutive rows are `stride` elements apart.
template <class T>
struct Rows {
  T* data;
  std::int64_t rows, width;
  std::int64_t stride = width;
};
template <class T>
Rows(T*, std::int64_t, std::int64_t) -> Rows<T>;
template <class T>
Rows(T*, std::int64_t, std::int64_t, std::int64_t) -> Rows<T>;

/// A range as rows of `width` elements; throws std::invalid_argument when its size is not a multiple of `width`.
template <std::ranges::contiguous_range R>
auto rows_of(R& range, std::integral auto width);

/// `threads`: the largest number of threads to use. 0: the cores that no other call is using, at most the environment
/// variable PTO_CPU_MAX_THREADS; a rank that is a process uses its share of the cores. A call uses fewer threads if
/// more would not make it faster, and with 0 only the calling thread if the work takes less time than waking another
/// one. The result does not depend on the number of threads: the sum of two NaNs is the NaN of the table, made quiet.
///
/// `oob`: indices are unsigned numbers of their own width. Wrap of a negative index therefore differs between indices
/// of 32 and of 64 bits, unless the number of rows is a power of two: in a table of 1000 rows, -1 is row 295 as a
/// 32-bit index and row 615 as a 64-bit index.
struct GatherOptions {
  pto::GatherOOB oob = pto::GatherOOB::Undefined;
  int threads = 0;
};
struct ScatterOptions {
  pto::ScatterAtomicOp op = pto::ScatterAtomicOp::None;
  pto::ScatterOOB oob = pto::ScatterOOB::Undefined;
  pto::ScatterConflict conflict = pto::ScatterConflict::Last;
  int threads = 0;
};

namespace detail {

/// A tensor as plain data for the engine.
struct RowsView {
  std::byte* data;
  std::int64_t rows, width, stride;  ///< in elements
  std::int64_t size;                 ///< bytes of an element
};
struct IndexView {
  const void* data;
  std::int64_t count;
  bool wide, is_signed;  ///< 64-bit indices; messages print them as signed numbers
};

void gather_rows(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions&);
void gather(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions&);
/// `dtype` is used only for updates.
void scatter_rows(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions&);
void scatter(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
             const ScatterOptions&);

template <class I>
concept Index = std::same_as<I, std::int32_t> || std::same_as<I, std::uint32_t> || (std::integral<I> && sizeof(I) == 8);
template <class R>
concept Contiguous = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;
template <class R>
concept Indices = Contiguous<R> && Index<std::remove_cv_t<std::ranges::range_value_t<R>>>;
template <class R>
using ElementOf = std::remove_reference_t<std::ranges::range_reference_t<R>>;
template <class A, class B>
concept SameElement = std::same_as<std::remove_const_t<A>, std::remove_const_t<B>> && std::is_trivially_copyable_v<A>;
template <class T>
concept Writable = !std::is_const_v<T>;

template <class T>
RowsView view(const Rows<T>& r) {
  auto* data = const_cast<std::remove_const_t<T>*>(r.data);
  return {reinterpret_cast<std::byte*>(data), r.rows, r.width, r.stride, static_cast<std::int64_t>(sizeof(T))};
}
/// A range as rows of one element.
template <Contiguous R>
RowsView elements(R& r) {
  return view(Rows{std::ranges::data(r), static_cast<std::int64_t>(std::ranges::size(r)), 1, 1});
}
template <Indices R>
IndexView indices(const R& r) {
  using I = std::ranges::range_value_t<R>;
  return {std::ranges::data(r), static_cast<std::int64_t>(std::ranges::size(r)), sizeof(I) == 8, std::is_signed_v<I>};
}
/// The engine's element type for T. Integers are mapped by size and sign. Types that support only moves are mapped to
/// hif8.
template <class T>
constexpr pto::instr::DType dtype() {
  using pto::instr::DType;
  if constexpr (pto::instr::Element<T>) {
    return pto::instr::dtype_of<T>;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8) {
    constexpr DType of[][2] = {
        {DType::i8, DType::u8}, {DType::i16, DType::u16}, {DType::i32, DType::u32}, {DType::i64, DType::u64}};
    return of[sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3][std::is_unsigned_v<T>];
  } else {
    return DType::hif8;
  }
}

std::int64_t narrow(const std::int64_t* from, std::int32_t* to, std::int64_t count);
std::int64_t narrow(const std::int64_t* from, std::uint32_t* to, std::int64_t count);
/// These throw std::invalid_argument.
[[noreturn]] void refuse_narrow(std::int64_t from, std::int64_t to);
[[noreturn]] void refuse_rows(std::int64_t count, std::int64_t width);

}  // namespace detail

template <std::ranges::contiguous_range R>
auto rows_of(R& range, std::integral auto width) {
  const auto count = static_cast<std::int64_t>(std::ranges::size(range)), w = static_cast<std::int64_t>(width);
  if (w <= 0 || count % w != 0) detail::refuse_rows(count, w);
  return Rows{std::ranges::data(range), count / w, w};
}

/// out[i, :] = table[idx[i], :]. Indices are int32, uint32 or 64-bit, read as unsigned. Throws std::invalid_argument
/// when sizes do not agree or operands overlap, and std::out_of_range, with position and value, when an index is out of
/// range under Undefined (or the table has no row to clamp or wrap to); nothing is written then. The bytes do not
/// depend on the number of threads.
template <class T, detail::Indices Idx, detail::Writable U>
  requires detail::SameElement<T, U>
void gather_rows(Rows<T> table, const Idx& idx, Rows<U> out, GatherOptions options = {}) {
  detail::gather_rows(detail::view(table), detail::indices(idx), detail::view(out), options);
}

/// out[i] = table[idx[i]]; as gather_rows.
template <detail::Contiguous Table, detail::Indices Idx, detail::Contiguous Out>
  requires detail::SameElement<detail::ElementOf<const Table>, detail::ElementOf<Out>> &&
           detail::Writable<detail::ElementOf<Out>>
void gather(const Table& table, const Idx& idx, Out&& out, GatherOptions options = {}) {
  detail::gather(detail::elements(table), detail::indices(idx), detail::elements(out), options);
}

/// table[idx[i], :] = src[i, :], or +=, max, min. Updates of the same row are applied in source order, so the last one
/// wins and sums are those of one plain loop, with any number of threads. Throws as gather_rows does.
template <detail::Writable T, detail::Indices Idx, class U>
  requires detail::SameElement<T, U>
void scatter_rows(Rows<T> table, const Idx& idx, Rows<U> src, ScatterOptions options = {}) {
  detail::scatter_rows(detail::view(table), detail::indices(idx), detail::view(src), detail::dtype<T>(), options);
}

/// table[idx[i]] = src[i], or +=, max, min; as scatter_rows.
template <detail::Contiguous Table, detail::Indices Idx, detail::Contiguous Src>
  requires detail::SameElement<detail::ElementOf<Table>, detail::ElementOf<const Src>> &&
           detail::Writable<detail::ElementOf<Table>>
void scatter(Table&& table, const Idx& idx, const Src& src, ScatterOptions options = {}) {
  using T = std::remove_const_t<detail::ElementOf<Table>>;
  detail::scatter(detail::elements(table), detail::indices(idx), detail::elements(src), detail::dtype<T>(), options);
}

/// to[i] = from[i], for kernels, whose indices have 32 bits: `to` is int32_t or uint32_t. A value that does not fit
/// becomes all ones (-1), which is out of range for every table that 32 bits can index. Returns how many did not fit.
template <detail::Contiguous From, detail::Contiguous To>
  requires std::same_as<std::remove_cv_t<detail::ElementOf<const From>>, std::int64_t> &&
           (std::same_as<detail::ElementOf<To>, std::int32_t> || std::same_as<detail::ElementOf<To>, std::uint32_t>)
std::int64_t narrow_indices(const From& from, To&& to) {
  const auto count = static_cast<std::int64_t>(std::ranges::size(from));
  if (count != static_cast<std::int64_t>(std::ranges::size(to)))
    detail::refuse_narrow(count, static_cast<std::int64_t>(std::ranges::size(to)));
  return detail::narrow(std::ranges::data(from), std::ranges::data(to), count);
}

}  // namespace ptox
