// SPDX-License-Identifier: Apache-2.0
#include <sstream>
#include <stdexcept>

#include "bench/gpu/tile.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench::gpu {

namespace {

using namespace pto;

/// Tiles of `rows` rows of `width` elements.
template <class T, int rows, int width>
struct Tiles {
  using Table = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, width>, Stride<width, width, width, width, 1>>;
  using Rows = GlobalTensor<T, Shape<1, 1, 1, rows, width>, Stride<rows * width, rows * width, rows * width, width, 1>>;
  using Indices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, rows>, Stride<rows, rows, rows, rows, 1>>;
  using DataTile = Tile<TileType::Vec, T, rows, width>;
  using IndexTile = Tile<TileType::Vec, std::int32_t, 1, rows>;
};

AICORE void after(pipe_t first, pipe_t then) {
  set_flag(first, then, EVENT_ID0);
  wait_flag(first, then, EVENT_ID0);
}

/// out[i, :] = table[idx[i], :]
template <class T, int rows, int width>
__global__ AICORE void gather(__gm__ T* table_data, std::int64_t table_rows, __gm__ T* out,
                              __gm__ const std::int32_t* indices, std::int64_t tiles) {
  using K = Tiles<T, rows, width>;
  typename K::Table table(table_data, {table_rows});
  typename K::DataTile data;
  typename K::IndexTile idx;
  for (std::int64_t tile = get_block_idx(); tile < tiles; tile += get_block_num()) {
    typename K::Indices these(const_cast<std::int32_t*>(indices) + tile * rows);
    typename K::Rows there(out + tile * rows * width);
    TLOAD(idx, these);
    after(PIPE_MTE2, PIPE_V);
    MGATHER<Coalesce::Row, GatherOOB::Zero>(data, table, idx);
    after(PIPE_V, PIPE_MTE3);
    TSTORE(there, data);
    after(PIPE_MTE3, PIPE_V);
    after(PIPE_V, PIPE_MTE2);
  }
}

/// table[idx[i], :] = src[i, :], or +=
template <class T, int rows, int width, ScatterAtomicOp op>
__global__ AICORE void scatter(__gm__ T* table_data, std::int64_t table_rows, __gm__ T* src,
                               __gm__ const std::int32_t* indices, std::int64_t tiles) {
  using K = Tiles<T, rows, width>;
  typename K::Table table(table_data, {table_rows});
  typename K::DataTile data;
  typename K::IndexTile idx;
  for (std::int64_t tile = get_block_idx(); tile < tiles; tile += get_block_num()) {
    typename K::Indices these(const_cast<std::int32_t*>(indices) + tile * rows);
    typename K::Rows here(src + tile * rows * width);
    TLOAD(idx, these);
    TLOAD(data, here);
    after(PIPE_MTE2, PIPE_V);
    MSCATTER<Coalesce::Row, op, ScatterOOB::Skip, ScatterConflict::Default>(table, data, idx);
    after(PIPE_V, PIPE_MTE2);
  }
}

template <class T, int rows, auto kernel>
void run(const Case& c, const Buffers& b) {
  Device dev(target::cuda);
  constexpr std::int64_t most_blocks = 4224;  // 32 for each multiprocessor of an H200
  const std::int64_t tiles = c.count / rows;
  const Report report = dev.launch<kernel>({.blocks = static_cast<int>(tiles < most_blocks ? tiles : most_blocks)},
                                           static_cast<T*>(b.table), c.rows, static_cast<T*>(b.moved), b.idx, tiles);
  if (report.clean()) return;
  std::ostringstream text;
  text << report;
  throw std::runtime_error(text.str());
}

using Run = void (*)(const Case&, const Buffers&);

template <class T, int rows, int width>
Run run_with(Work work) {
  if (work == Work::gather) return run<T, rows, gather<T, rows, width>>;
  if (work == Work::scatter) return run<T, rows, scatter<T, rows, width, ScatterAtomicOp::None>>;
  return run<T, rows, scatter<T, rows, width, ScatterAtomicOp::Add>>;
}

Run run_of(const Case& c) {
  if (!c.by_rows() || c.order == Order::zipf) return nullptr;
  if (c.type == Type::f32 && c.width == 128) return run_with<float, 64, 128>(c.work);
  if (c.type == Type::f32 && c.width == 16) return run_with<float, 64, 16>(c.work);
  if (c.type == Type::bf16 && c.width == 4096) return run_with<bfloat16_t, 8, 4096>(c.work);
  return nullptr;
}

}  // namespace

bool has_tiles(const Case& c) { return run_of(c) != nullptr; }
void by_tiles(const Case& c, const Buffers& b) { run_of(c)(c, b); }

}  // namespace ptox::bench::gpu
