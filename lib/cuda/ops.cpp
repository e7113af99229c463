// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>
#include <string>

#include "cuda/kernels.hpp"
#include "cuda/offences.hpp"
#include "ptox/cuda.hpp"

namespace ptox::cuda::detail {

namespace {

using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using pto::instr::DType;
using ptox::detail::Call;
using ptox::detail::IndexView;
using ptox::detail::RowsView;

/// The distance of rows in bytes. The stride of a single row is ignored.
std::int64_t step_of(const RowsView& r) { return (r.rows > 1 ? r.stride : r.width) * r.size; }

Move move_of(const Call& c, OutOfRange oob, Stream stream) {
  Move m;
  m.table = c.table.data, m.moved = c.moved.data, m.idx = c.idx.data;
  m.count = c.idx.count, m.capacity = c.table.rows;
  m.row_bytes = c.table.width * c.table.size, m.table_step = step_of(c.table), m.moved_step = step_of(c.moved);
  m.wide = c.idx.wide, m.oob = oob;
  const bool leads_nowhere = oob == OutOfRange::undefined || (oob != OutOfRange::drop && m.capacity == 0);
  if (leads_nowhere && m.count > 0) m.offence = note_call(c, stream);
  return m;
}

bool order_counts(DType d, const ScatterOptions& o) {
  const bool inexact = d == DType::f16 || d == DType::bf16 || d == DType::f32 || d == DType::f64;
  return o.conflict == ScatterConflict::Last && (o.op == ScatterAtomicOp::None || inexact);
}

void update(const Move& m, Update u, Stream stream) {
  if (u.op == ScatterAtomicOp::Add && small_pays(m, u.dtype)) return add_to_small(m, u.dtype, stream);
  if (u.op == ScatterAtomicOp::Add) return update_add(m, u.dtype, stream);
  u.op == ScatterAtomicOp::Max ? update_max(m, u.dtype, stream) : update_min(m, u.dtype, stream);
}

/// Stores the last row of each slot. The last positions are found first, unless that takes more memory than sorting.
void store_last(Move m, Stream stream) {
  constexpr std::int64_t most = (1ll << 32) - 2, winner_bytes = 4, sorting_bytes = 24, small_bytes = 4 << 20;
  if (m.capacity * winner_bytes > std::max(small_bytes, m.count * sorting_bytes) || m.count > most)
    return update_in_order(m, {DType::u8, ScatterAtomicOp::None}, stream);
  const auto bytes = static_cast<std::size_t>(m.capacity) * sizeof(std::uint32_t);
  const Scratch winners(bytes, stream);
  if (bytes > 0) check_cuda(cudaMemsetAsync(winners.as<void>(), 0, bytes, stream), "clearing memory");
  find_winners(m, winners.as<std::uint32_t>(), stream);
  m.winners = winners.as<std::uint32_t>();
  store(m, stream);
}

void apply(const Call& c, const Move& m, DType dtype, const ScatterOptions& o, Stream stream) {
  const Update u{dtype, o.op};
  const bool stores = o.op == ScatterAtomicOp::None;
  const bool windows = !c.by_row && windows_pay(m, c.table.size);
  if (windows && (stores || !order_counts(dtype, o))) return update_by_windows(m, u, stream);
  if (!order_counts(dtype, o)) return stores ? store(m, stream) : update(m, u, stream);
  stores ? store_last(m, stream) : update_in_order(m, u, stream);
}

void refuse_misaligned(const Call& c, const char* name, const void* data, std::int64_t size) {
  const auto past = reinterpret_cast<std::uintptr_t>(data) % static_cast<std::uintptr_t>(size);
  if (past != 0)
    throw std::invalid_argument(std::string(c.name) + ": " + name + " is " + std::to_string(past) +
                                " past a multiple of its element's " + std::to_string(size) +
                                " bytes; a GPU needs such a multiple");
}
void check_index(const Call& c) { refuse_misaligned(c, "idx", c.idx.data, c.idx.wide ? 8 : 4); }
void check_aligned(const Call& c, const ScatterOptions& o) {
  check_index(c);
  if (o.op == ScatterAtomicOp::None) return;
  refuse_misaligned(c, "table", c.table.data, c.table.size);
  refuse_misaligned(c, c.moved_name, c.moved.data, c.moved.size);
}

void scatter_checked(const Call& c, DType dtype, const ScatterOptions& o, Stream stream) {
  check_operands(c), ptox::detail::check_options(c.name, o, dtype), check_aligned(c, o);
  if (c.idx.count == 0) return;
  apply(c, move_of(c, pto::instr::out_of_range(o.oob), stream), dtype, o, stream);
}

void gather_checked(const Call& c, const GatherOptions& o, Stream stream) {
  check_operands(c), ptox::detail::check_options(c.name, o), check_index(c);
  if (c.idx.count == 0) return;
  const Move m = move_of(c, pto::instr::out_of_range(o.oob), stream);
  small_pays(m) ? gather_from_small(m, stream) : cuda::gather(m, stream);
}

}  // namespace

void gather_rows(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o,
                 Stream stream) {
  gather_checked({"ptox::cuda::gather_rows", "out", table, idx, out, true, true}, o, stream);
}
void gather(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o, Stream stream) {
  gather_checked({"ptox::cuda::gather", "out", table, idx, out, false, true}, o, stream);
}
void scatter_rows(const RowsView& table, const IndexView& idx, const RowsView& src, DType dtype,
                  const ScatterOptions& o, Stream stream) {
  scatter_checked({"ptox::cuda::scatter_rows", "src", table, idx, src, true, false}, dtype, o, stream);
}
void scatter(const RowsView& table, const IndexView& idx, const RowsView& src, DType dtype, const ScatterOptions& o,
             Stream stream) {
  scatter_checked({"ptox::cuda::scatter", "src", table, idx, src, false, false}, dtype, o, stream);
}

}  // namespace ptox::cuda::detail
