// SPDX-License-Identifier: Apache-2.0
// MSCATTER from a Vec tile to global memory, one kernel for each case.
#include <pto/pto-inst.hpp>

#include "cases.hpp"

using namespace pto;

template <typename T, typename TIdx, Coalesce kMode, ScatterAtomicOp kAtomic, ScatterOOB kOob, int kRows, int kCols,
          int kTableRows>
AICORE inline void RunMScatter(__gm__ T* table, __gm__ T* src, __gm__ TIdx* idx) {
  constexpr int kIdxRows = kMode == Coalesce::Row ? 1 : kRows, kIdxCols = kMode == Coalesce::Row ? kRows : kCols;
  constexpr int kPadded = (kIdxCols + 7) / 8 * 8;
  using SrcTile = Tile<TileType::Vec, T, kRows, kCols, BLayout::RowMajor, kRows, kCols>;
  using IdxTile = Tile<TileType::Vec, TIdx, kIdxRows, kPadded, BLayout::RowMajor, kIdxRows, kIdxCols>;
  using Table = GlobalTensor<T, Shape<1, 1, 1, kTableRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
  using Index = GlobalTensor<TIdx, Shape<1, 1, 1, kIdxRows, kIdxCols>, Stride<1, 1, 1, kIdxCols, 1>>;
  using Source = GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;

  Table tableGM(table);
  Index idxGM(idx);
  Source srcGM(src);
  SrcTile srcTile;
  IdxTile idxTile;
  TASSIGN(srcTile, 0x0);
  TASSIGN(idxTile, 0x10000);

  TLOAD(srcTile, srcGM);
  TLOAD(idxTile, idxGM);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
#ifndef WITHOUT_COLLECTIVE
  if constexpr (kAtomic == ScatterAtomicOp::None) {
    MSCATTER<kMode, ScatterAtomicOp::None, kOob>(tableGM, srcTile, idxTile);
  } else {
    MSCATTER<kAtomic, kOob>(tableGM, srcTile, idxTile);  // the shape of the index tile tells rows from elements
  }
#endif
}

#define KERNEL(NAME, T, HOST, TIDX, MODE, ATOMIC, OOB, ...)                                                       \
  extern "C" __global__ AICORE void runMSCATTER_##NAME(__gm__ T* table, __gm__ T* src, __gm__ TIDX* idx) {        \
    RunMScatter<T, TIDX, Coalesce::MODE, ScatterAtomicOp::ATOMIC, ScatterOOB::OOB, __VA_ARGS__>(table, src, idx); \
  }                                                                                                               \
  void LaunchMSCATTER_##NAME(uint8_t* table, uint8_t* src, uint8_t* idx, void* stream) {                          \
    runMSCATTER_##NAME<<<1, nullptr, stream>>>(reinterpret_cast<T*>(table), reinterpret_cast<T*>(src),            \
                                               reinterpret_cast<TIDX*>(idx));                                     \
  }

MSCATTER_CASES(KERNEL)
#ifndef REGISTER_BASE
MSCATTER_A2A3_CASES(KERNEL)
#endif
#ifndef MEMORY_BASE
MSCATTER_A5_CASES(KERNEL)
#endif
#if !defined(MEMORY_BASE) && !defined(REGISTER_BASE)
MSCATTER_CPU_CASES(KERNEL)
#endif
