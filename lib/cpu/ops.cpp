// SPDX-License-Identifier: Apache-2.0
// How are whole tensors moved? Inputs are checked first; then the plain loop.
#include "ptox/ops.hpp"

#include <cstring>
#include <stdexcept>
#include <string>

#include "core/combine.hpp"
#include "pto/isa/table.hpp"

namespace ptox::detail {

namespace {

std::uint64_t at(const IndexView& idx, std::int64_t i) {
  return idx.wide ? static_cast<const std::uint64_t*>(idx.data)[i] : static_cast<const std::uint32_t*>(idx.data)[i];
}

std::int64_t slot(std::uint64_t index, std::int64_t rows, pto::instr::OutOfRange policy) {
  const auto capacity = static_cast<std::uint64_t>(rows);
  if (index < capacity) return static_cast<std::int64_t>(index);
  if (policy == pto::instr::OutOfRange::drop) return -1;
  if (policy == pto::instr::OutOfRange::undefined || rows == 0)
    throw std::out_of_range("index " + std::to_string(index) + " of " + std::to_string(rows));
  return static_cast<std::int64_t>(policy == pto::instr::OutOfRange::clamp ? capacity - 1 : index % capacity);
}

}  // namespace

void gather_rows(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  for (std::int64_t i = 0; i < idx.count; ++i) {
    const std::int64_t s = slot(at(idx, i), table.rows, pto::instr::out_of_range(o.oob));
    std::byte* to = out.data + i * out.stride * out.size;
    const auto n = static_cast<std::size_t>(out.width * out.size);
    if (s < 0)
      std::memset(to, 0, n);
    else
      std::memcpy(to, table.data + s * table.stride * table.size, n);
  }
}
void gather(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_rows(table, idx, out, o);
}
void scatter_rows(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions& o) {
  pto::instr::with_type(dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < idx.count; ++i) {
      const std::int64_t s = slot(at(idx, i), table.rows, pto::instr::out_of_range(o.oob));
      if (s < 0) continue;
      for (std::int64_t c = 0; c < src.width * src.size; c += static_cast<std::int64_t>(sizeof(T)))
        combine<T>(o.op, table.data + s * table.stride * table.size + c, src.data + i * src.stride * src.size + c);
    }
  });
}
void scatter(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
             const ScatterOptions& o) {
  scatter_rows(table, idx, src, dtype, o);
}

}  // namespace ptox::detail
