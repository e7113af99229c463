// SPDX-License-Identifier: Apache-2.0
// What does one small MGATHER cost? A launch of many, and plain loops that move the same bytes.
#pragma once

#include <cstdint>
#include <cstring>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench::w9 {

inline constexpr int rows = 8, width = 32, table_rows = 2048;

using Table = pto::GlobalTensor<float, pto::Shape<1, 1, 1, table_rows, width>,
                                pto::Stride<table_rows * width, table_rows * width, table_rows * width, width, 1>>;
template <int R, int C>
using Indices = pto::GlobalTensor<std::int32_t, pto::Shape<1, 1, 1, R, C>, pto::Stride<R * C, R * C, R * C, C, 1>>;
using DataTile = pto::Tile<pto::TileType::Vec, float, rows, width>;
template <int R, int C>
using IndexTile = pto::Tile<pto::TileType::Vec, std::int32_t, R, C>;

/// `calls` gathers of 8 rows of 128 bytes; `out` takes the last one.
inline void rows_by_tiles(float* out, float* table_data, std::int32_t* indices, std::int64_t calls) {
  Table table(table_data);
  Indices<1, rows> these(indices);
  pto::GlobalTensor<float, pto::Shape<1, 1, 1, rows, width>, pto::Stride<256, 256, 256, width, 1>> there(out);
  DataTile dst;
  IndexTile<1, rows> idx;
  pto::TLOAD(idx, these);
  for (std::int64_t k = 0; k < calls; ++k) pto::MGATHER<pto::Coalesce::Row>(dst, table, idx);
  pto::TSTORE(there, dst);
}

/// `calls` gathers of 8 x 32 elements; `out` takes the last one.
inline void elements_by_tiles(float* out, float* table_data, std::int32_t* indices, std::int64_t calls) {
  Table table(table_data);
  Indices<rows, width> these(indices);
  pto::GlobalTensor<float, pto::Shape<1, 1, 1, rows, width>, pto::Stride<256, 256, 256, width, 1>> there(out);
  DataTile dst;
  IndexTile<rows, width> idx;
  pto::TLOAD(idx, these);
  for (std::int64_t k = 0; k < calls; ++k) pto::MGATHER<pto::Coalesce::Elem>(dst, table, idx);
  pto::TSTORE(there, dst);
}

/// The same bytes by a loop that knows every extent. The compiler must not see through the calls.
[[gnu::noinline]] inline void rows_once(float* out, const float* table, const std::int32_t* indices) {
  for (int r = 0; r < rows; ++r) std::memcpy(out + r * width, table + std::int64_t{indices[r]} * width, width * 4);
}
[[gnu::noinline]] inline void elements_once(float* out, const float* table, const std::int32_t* indices) {
  for (int i = 0; i < rows * width; ++i) out[i] = table[indices[i]];
}
inline void rows_by_loop(float* out, const float* table, const std::int32_t* indices, std::int64_t calls) {
  for (std::int64_t k = 0; k < calls; ++k) {
    rows_once(out, table, indices);
    asm volatile("" ::: "memory");
  }
}
inline void elements_by_loop(float* out, const float* table, const std::int32_t* indices, std::int64_t calls) {
  for (std::int64_t k = 0; k < calls; ++k) {
    elements_once(out, table, indices);
    asm volatile("" ::: "memory");
  }
}

}  // namespace ptox::bench::w9
