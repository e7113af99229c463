// SPDX-License-Identifier: Apache-2.0
// How does a host program move indexed rows and elements that lie in the memory of a GPU?
#pragma once

#include "ptox/ops.hpp"

struct CUstream_st;

namespace ptox::cuda {

/// A cudaStream_t; null is the default stream.
using Stream = ::CUstream_st*;

namespace detail {

void gather_rows(const ptox::detail::RowsView& table, const ptox::detail::IndexView& idx,
                 const ptox::detail::RowsView& out, const GatherOptions&, Stream);
void gather(const ptox::detail::RowsView& table, const ptox::detail::IndexView& idx, const ptox::detail::RowsView& out,
            const GatherOptions&, Stream);
void scatter_rows(const ptox::detail::RowsView& table, const ptox::detail::IndexView& idx,
                  const ptox::detail::RowsView& src, pto::instr::DType, const ScatterOptions&, Stream);
void scatter(const ptox::detail::RowsView& table, const ptox::detail::IndexView& idx, const ptox::detail::RowsView& src,
             pto::instr::DType, const ScatterOptions&, Stream);

}  // namespace detail

/// out[i, :] = table[idx[i], :], as ptox::gather_rows does, on device memory: the call puts its work on the stream and
/// returns. Sizes, strides and overlaps are checked at once and throw std::invalid_argument. Indices are known to the
/// device alone: one that is out of range under Undefined reads nothing and gives zeros, and the next `synchronize` of
/// that stream throws. `threads` does not count here.
template <class T, ptox::detail::Indices Idx, ptox::detail::Writable U>
  requires ptox::detail::SameElement<T, U>
void gather_rows(Rows<T> table, const Idx& idx, Rows<U> out, GatherOptions options = {}, Stream stream = nullptr) {
  detail::gather_rows(ptox::detail::view(table), ptox::detail::indices(idx), ptox::detail::view(out), options, stream);
}

/// out[i] = table[idx[i]]; as gather_rows. Spans over device memory.
template <ptox::detail::Contiguous Table, ptox::detail::Indices Idx, ptox::detail::Contiguous Out>
  requires ptox::detail::SameElement<ptox::detail::ElementOf<const Table>, ptox::detail::ElementOf<Out>> &&
           ptox::detail::Writable<ptox::detail::ElementOf<Out>>
void gather(const Table& table, const Idx& idx, Out&& out, GatherOptions options = {}, Stream stream = nullptr) {
  detail::gather(ptox::detail::elements(table), ptox::detail::indices(idx), ptox::detail::elements(out), options,
                 stream);
}

/// table[idx[i], :] = src[i, :], or +=, max, min. The call needs all of the table: nobody else may read or write it
/// meanwhile, nor the up to 3 bytes around it that share an aligned word of 4 (updates of 8 and 16 bits exchange
/// words). Some calls take device memory of their own, up to some 24 bytes an index. With ScatterConflict::Last, which
/// is the default, rows that meet are taken in source order: the bytes are those of ptox::scatter_rows, every time (a
/// NaN stays one, its bits may differ). With Default they are taken as they come, which is faster: of rows that meet
/// each 16 bytes are from one of them (each element, where addresses, strides or rows are no multiples of 16), and a
/// sum of floats depends on the order. Where very many rows lead to few, parts of them are added up first, as floats:
/// such sums of half and bfloat16_t are rounded less often, and one part that leaves the type's range is infinite. What
/// is smaller than the smallest normal float counts as zero. An undefined index updates nothing; see gather_rows.
template <ptox::detail::Writable T, ptox::detail::Indices Idx, class U>
  requires ptox::detail::SameElement<T, U>
void scatter_rows(Rows<T> table, const Idx& idx, Rows<U> src, ScatterOptions options = {}, Stream stream = nullptr) {
  detail::scatter_rows(ptox::detail::view(table), ptox::detail::indices(idx), ptox::detail::view(src),
                       ptox::detail::dtype<T>(), options, stream);
}

/// table[idx[i]] = src[i], or +=, max, min; as scatter_rows.
template <ptox::detail::Contiguous Table, ptox::detail::Indices Idx, ptox::detail::Contiguous Src>
  requires ptox::detail::SameElement<ptox::detail::ElementOf<Table>, ptox::detail::ElementOf<const Src>> &&
           ptox::detail::Writable<ptox::detail::ElementOf<Table>>
void scatter(Table&& table, const Idx& idx, const Src& src, ScatterOptions options = {}, Stream stream = nullptr) {
  using T = std::remove_const_t<ptox::detail::ElementOf<Table>>;
  detail::scatter(ptox::detail::elements(table), ptox::detail::indices(idx), ptox::detail::elements(src),
                  ptox::detail::dtype<T>(), options, stream);
}

/// Waits for the stream. Throws std::out_of_range about the first index of a call on it that was out of range under
/// Undefined since the last `synchronize`, and std::runtime_error for what the driver says. The stream is one of the
/// current device; of its calls, on all streams, the latest 4096 are remembered.
void synchronize(Stream stream = nullptr);

/// Calls keep the device memory they work in for the next one; this gives it back.
void release_memory();

}  // namespace ptox::cuda
