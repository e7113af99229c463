// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters of rows and elements in the memory of a GPU, for host programs.
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

/// out[i, :] = table[idx[i], :] like ptox::gather_rows, on device memory. The call enqueues its work on the stream and
/// returns. Sizes, strides and overlaps are checked immediately and throw std::invalid_argument. Indices are only known
/// on the device: for an index that is out of range under Undefined, nothing is read, the output is zero, and the next
/// `synchronize` of that stream throws. `threads` is ignored.
template <class T, ptox::detail::Indices Idx, ptox::detail::Writable U>
  requires ptox::detail::SameElement<T, U>
void gather_rows(Rows<T> table, const Idx& idx, Rows<U> out, GatherOptions options = {}, Stream stream = nullptr) {
  detail::gather_rows(ptox::detail::view(table), ptox::detail::indices(idx), ptox::detail::view(out), options, stream);
}

/// out[i] = table[idx[i]], like gather_rows. The ranges are spans over device memory.
template <ptox::detail::Contiguous Table, ptox::detail::Indices Idx, ptox::detail::Contiguous Out>
  requires ptox::detail::SameElement<ptox::detail::ElementOf<const Table>, ptox::detail::ElementOf<Out>> &&
           ptox::detail::Writable<ptox::detail::ElementOf<Out>>
void gather(const Table& table, const Idx& idx, Out&& out, GatherOptions options = {}, Stream stream = nullptr) {
  detail::gather(ptox::detail::elements(table), ptox::detail::indices(idx), ptox::detail::elements(out), options,
                 stream);
}

/// table[idx[i], :] = src[i, :], or +=, max, min. The call has exclusive use of the table: no other work may read or
/// write it at the same time, nor the up to 3 bytes around it that share an aligned word of 4 bytes (updates of 8 and
/// 16 bits exchange words). Some calls allocate device memory, up to about 24 bytes per index. With
/// ScatterConflict::Last, the default, updates of the same row are applied in source order: the bytes are always those
/// of ptox::scatter_rows (a NaN stays a NaN, its bits may differ). With Default they are applied in any order, which is
/// faster: if several source rows go to one table row, each 16 bytes come from one of them (each element, if addresses,
/// strides or rows are not multiples of 16), and a sum of floats depends on the order. If very many source rows go to
/// few table rows, partial sums are formed first, as floats: such sums of half and bfloat16_t are rounded less often,
/// and a partial sum that exceeds the range of the type is infinite. Values below the smallest normal float count as
/// zero. An index that is out of range under Undefined updates nothing; see gather_rows.
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

/// Waits for the stream, which belongs to the current device. Throws std::out_of_range for the first index that was out
/// of range under Undefined in a call on the stream since the last `synchronize`, and std::runtime_error for errors of
/// the driver. Only the latest 4096 calls on all streams of the device are tracked.
void synchronize(Stream stream = nullptr);

/// Calls keep their temporary device memory for the next call; this function frees it.
void release_memory();

}  // namespace ptox::cuda
