// SPDX-License-Identifier: Apache-2.0
// An embedding lookup whose launch is split by __CPU_SIM, with dynamic extents and two blocks of rows.
#include <pto/pto-inst.hpp>

using namespace pto;

// out[r, :] = table[idx[r], :] for the rows of this block; rows out of range are zero.
template <typename T, int kMaxRows, int kMaxCols>
__global__ AICORE void runLookup(__gm__ T* out, __gm__ T* table, __gm__ int32_t* idx, int rows, int cols,
                                 int tableRows) {
  using DstTile = Tile<TileType::Vec, T, kMaxRows, kMaxCols, BLayout::RowMajor, -1, -1>;
  using IdxTile = Tile<TileType::Vec, int32_t, 1, kMaxRows, BLayout::RowMajor, 1, -1>;
  using Rows = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;
  using Index = GlobalTensor<int32_t, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, -1, 1>>;

  const int first = static_cast<int>(get_block_idx()) * rows;
  Rows tableGM(table, {tableRows, cols}, {cols});
  Rows outGM(out + first * cols, {rows, cols}, {cols});
  Index idxGM(idx + first, {rows}, {rows});
  DstTile dstTile(rows, cols);
  IdxTile idxTile(rows);
  TASSIGN(dstTile, 0x0);
  TASSIGN(idxTile, 0x10000);

  TLOAD(idxTile, idxGM);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#ifndef WITHOUT_COLLECTIVE
  MGATHER<Coalesce::Row, GatherOOB::Zero>(dstTile, tableGM, idxTile);
#endif
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(outGM, dstTile);
}

template <typename T>
void LaunchLookup(T* out, T* table, int32_t* idx, int blockRows, int cols, int tableRows, void* stream) {
  runLookup<T, 16, 64>
#ifndef __CPU_SIM
      <<<2, nullptr, stream>>>
#endif
      (out, table, idx, blockRows, cols, tableRows);
#ifdef __CPU_SIM
  (void)stream;
#endif
}

template void LaunchLookup<float>(float*, float*, int32_t*, int, int, int, void*);
template void LaunchLookup<half>(half*, half*, int32_t*, int, int, int, void*);
template void LaunchLookup<int8_t>(int8_t*, int8_t*, int32_t*, int, int, int, void*);
