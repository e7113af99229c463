// SPDX-License-Identifier: Apache-2.0
// Kernels that move many rows tile by tile: load indices, move rows by index, load or store rows.
#pragma once

#include <cstdint>

#include "pto/pto-inst.hpp"

namespace ptox::bench {

/// Kernels for tables of float rows of `row_bytes` bytes; `count` rows in all, a multiple of 64.
template <int row_bytes>
struct TileKernels {
  static constexpr int tile_rows = 64, width = row_bytes / 4;

  using Table =
      pto::GlobalTensor<float, pto::Shape<1, 1, 1, pto::DYNAMIC, width>, pto::Stride<width, width, width, width, 1>>;
  using Block = pto::GlobalTensor<float, pto::Shape<1, 1, 1, tile_rows, width>,
                                  pto::Stride<tile_rows * width, tile_rows * width, tile_rows * width, width, 1>>;
  using Row = pto::GlobalTensor<float, pto::Shape<1, 1, 1, 1, width>, pto::Stride<width, width, width, width, 1>>;
  using Indices = pto::GlobalTensor<std::int32_t, pto::Shape<1, 1, 1, 1, tile_rows>,
                                    pto::Stride<tile_rows, tile_rows, tile_rows, tile_rows, 1>>;
  using DataTile = pto::Tile<pto::TileType::Vec, float, tile_rows, width>;
  using RowTile = pto::Tile<pto::TileType::Vec, float, 1, width>;
  using IndexTile = pto::Tile<pto::TileType::Vec, std::int32_t, 1, tile_rows>;

  static void after(pipe_t first, pipe_t then) {
    set_flag(first, then, EVENT_ID0);
    wait_flag(first, then, EVENT_ID0);
  }

  /// The rows of `count` that this block moves: whole tiles.
  struct Part {
    std::int64_t begin, end;
    explicit Part(std::int64_t count) {
      const std::int64_t tiles = count / tile_rows, blocks = get_block_num(), block = get_block_idx();
      begin = tiles * block / blocks * tile_rows, end = tiles * (block + 1) / blocks * tile_rows;
    }
  };

  /// out[i, :] = table[idx[i], :]
  static void gather(float* out, float* table_data, std::int64_t table_rows, std::int32_t* indices,
                     std::int64_t count) {
    Table table(table_data, {table_rows});
    DataTile rows;
    IndexTile idx;
    const Part part(count);
    for (std::int64_t first = part.begin; first < part.end; first += tile_rows) {
      Indices these(indices + first);
      Block there(out + first * width);
      pto::TLOAD(idx, these);
      after(PIPE_MTE2, PIPE_V);
      pto::MGATHER<pto::Coalesce::Row>(rows, table, idx);
      after(PIPE_V, PIPE_MTE3);
      pto::TSTORE(there, rows);
      after(PIPE_MTE3, PIPE_V);
      after(PIPE_V, PIPE_MTE2);
    }
  }

  /// Requests the table rows that an index tile names by TPREFETCH.
  static void prefetch_rows(float* table_data, RowTile& scratch, IndexTile& idx) {
    const std::int32_t* index = idx.data();
    for (int r = 0; r < tile_rows; ++r) {
      Row row(table_data + std::int64_t{index[r]} * width);
      pto::TPREFETCH(scratch, row);
    }
  }

  /// The same with two index tiles: the indices of the next tile are loaded before the rows of this one are moved, and
  /// with `asks` their rows are prefetched by TPREFETCH.
  template <bool asks>
  static void gather_ahead(float* out, float* table_data, std::int64_t table_rows, std::int32_t* indices,
                           std::int64_t count) {
    Table table(table_data, {table_rows});
    DataTile rows;
    RowTile scratch;
    IndexTile idx[2];
    const Part part(count);
    const auto tile_of = [&](std::int64_t first) -> IndexTile& { return idx[first / tile_rows % 2]; };
    const auto load = [&](std::int64_t first) {
      Indices these(indices + first);
      if (first < part.end) pto::TLOAD(tile_of(first), these);
    };
    const auto prefetch = [&](std::int64_t first) {
      if (asks && first < part.end) prefetch_rows(table_data, scratch, tile_of(first));
    };
    load(part.begin), prefetch(part.begin);
    for (std::int64_t first = part.begin, next; first < part.end; first = next) {
      next = first + tile_rows;
      Block there(out + first * width);
      load(next), prefetch(next);
      after(PIPE_MTE2, PIPE_V);
      pto::MGATHER<pto::Coalesce::Row>(rows, table, tile_of(first));
      after(PIPE_V, PIPE_MTE3);
      pto::TSTORE(there, rows);
      after(PIPE_MTE3, PIPE_V);
      after(PIPE_V, PIPE_MTE2);
    }
  }

  /// table[idx[i], :] op= src[i, :]
  template <pto::ScatterAtomicOp op>
  static void scatter(float* table_data, std::int64_t table_rows, float* src, std::int32_t* indices,
                      std::int64_t count) {
    Table table(table_data, {table_rows});
    DataTile rows;
    IndexTile idx;
    const Part part(count);
    for (std::int64_t first = part.begin; first < part.end; first += tile_rows) {
      Indices these(indices + first);
      Block from(src + first * width);
      pto::TLOAD(idx, these);
      pto::TLOAD(rows, from);
      after(PIPE_MTE2, PIPE_V);
      pto::MSCATTER<pto::Coalesce::Row, op>(table, rows, idx);
      after(PIPE_V, PIPE_MTE2);
    }
  }
};

}  // namespace ptox::bench
