// SPDX-License-Identifier: Apache-2.0
// MGATHER from global memory into a Vec tile, one kernel for each case.
#include <pto/pto-inst.hpp>

#include "cases.hpp"

using namespace pto;

template <typename T, typename TIdx, Coalesce kMode, GatherOOB kOob, int kRows, int kCols, int kTableRows>
AICORE inline void RunMGather(__gm__ T* out, __gm__ T* table, __gm__ TIdx* idx) {
  constexpr int kIdxRows = kMode == Coalesce::Row ? 1 : kRows, kIdxCols = kMode == Coalesce::Row ? kRows : kCols;
  constexpr int kPadded = (kIdxCols + 7) / 8 * 8;
  using DstTile = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, kRows, kCols>;
  using IdxTile = Tile<TileType::Vec, TIdx, kIdxRows, kPadded, BLayout::RowMajor, kIdxRows, kIdxCols>;
  using Table = GlobalTensor<T, Shape<1, 1, 1, kTableRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
  using Index = GlobalTensor<TIdx, Shape<1, 1, 1, kIdxRows, kIdxCols>, Stride<1, 1, 1, kIdxCols, 1>>;
  using Out = GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;

  Table tableGM(table);
  Index idxGM(idx);
  Out outGM(out);
  DstTile dstTile;
  IdxTile idxTile;
  TASSIGN(dstTile, 0x0);
  TASSIGN(idxTile, 0x10000);

  TLOAD(idxTile, idxGM);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#ifndef WITHOUT_COLLECTIVE
  MGATHER<kMode, kOob>(dstTile, tableGM, idxTile);
#endif
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  TSTORE(outGM, dstTile);
}

#define KERNEL(NAME, T, HOST, TIDX, MODE, OOB, ...)                                                       \
  extern "C" __global__ AICORE void runMGATHER_##NAME(__gm__ T* out, __gm__ T* table, __gm__ TIDX* idx) { \
    RunMGather<T, TIDX, Coalesce::MODE, GatherOOB::OOB, __VA_ARGS__>(out, table, idx);                    \
  }                                                                                                       \
  void LaunchMGATHER_##NAME(uint8_t* out, uint8_t* table, uint8_t* idx, void* stream) {                   \
    runMGATHER_##NAME<<<1, nullptr, stream>>>(reinterpret_cast<T*>(out), reinterpret_cast<T*>(table),     \
                                              reinterpret_cast<TIDX*>(idx));                              \
  }

MGATHER_CASES(KERNEL)
#ifndef MEMORY_BASE
MGATHER_A5_CASES(KERNEL)
#endif
