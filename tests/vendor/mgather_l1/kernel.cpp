// SPDX-License-Identifier: Apache-2.0
// MGATHER from global memory into L1. On a2a3, which -DMEMORY_BASE names, L1 is copied to global memory; on cpu it is
// moved to a Vec tile.
#include <pto/pto-inst.hpp>

#include "cases.hpp"

using namespace pto;

#ifdef MEMORY_BASE
const bool kOutIsNz = true;

// Stores the valid rows of each column of blocks.
template <typename TileData>
AICORE inline void StoreL1(__gm__ typename TileData::DType* out, typename TileData::TileDType __in__ src) {
  constexpr uint16_t kC0 = 32 / sizeof(typename TileData::DType);
  constexpr uint16_t kBursts = TileData::Cols / kC0, kBurstLength = TileData::ValidRow;
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  copy_cbuf_to_gm(out, __cce_get_tile_ptr(src), 0, kBursts, kBurstLength, TileData::Rows - kBurstLength, 0);
}

#define STORE(TILE, OUT) StoreL1<std::remove_reference_t<decltype(TILE)>>(OUT, TILE.data())
#else
const bool kOutIsNz = false;

template <typename TileData>
AICORE inline void StoreVec(__gm__ typename TileData::DType* out, TileData& src) {
  using T = typename TileData::DType;
  constexpr int kRows = TileData::ValidRow, kCols = TileData::Cols;
  Tile<TileType::Vec, T, TileData::Rows, kCols, BLayout::RowMajor, kRows, kCols> vecTile;
  GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>> outGM(out);
  TASSIGN(vecTile, 0x0);
  pipe_barrier(PIPE_ALL);
  TMOV(vecTile, src);
  pipe_barrier(PIPE_ALL);
  TSTORE(outGM, vecTile);
}

#define STORE(TILE, OUT) StoreVec(OUT, TILE)
#endif

template <typename T, Coalesce kMode, GatherOOB kOob, int kRows, int kCols, int kValidRows, int kTableRows>
AICORE inline void RunMGatherL1(__gm__ T* out, __gm__ T* table, __gm__ int32_t* idx, __gm__ T* scratch) {
  constexpr int kIdxRows = kMode == Coalesce::Row ? 1 : kValidRows;
  constexpr int kIdxCols = kMode == Coalesce::Row ? kValidRows : kCols;
  using L1Tile = Tile<TileType::Mat, T, kRows, kCols, BLayout::ColMajor, kValidRows, kCols, SLayout::RowMajor, 512>;
  GlobalTensor<T, Shape<1, 1, 1, kTableRows, kCols>, Stride<1, 1, 1, kCols, 1>> tableGM(table);
  GlobalTensor<int32_t, Shape<1, 1, 1, kIdxRows, kIdxCols>, Stride<1, 1, 1, kIdxCols, 1>> idxGM(idx);
  GlobalTensor<T, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>> scratchGM(scratch);
  L1Tile l1Tile;
  TASSIGN(l1Tile, 0x1000);
#ifndef WITHOUT_COLLECTIVE
  if constexpr (kMode == Coalesce::Row) {
    MGATHER<Coalesce::Row, kOob>(l1Tile, tableGM, idxGM);
  } else {
    MGATHER<Coalesce::Elem, kOob>(l1Tile, tableGM, idxGM, scratchGM);
  }
#endif
  STORE(l1Tile, out);
}

#define KERNEL(NAME, T, HOST, MODE, OOB, ...)                                                                 \
  __global__ AICORE void runMGATHER_L1_##NAME(__gm__ T* out, __gm__ T* table, __gm__ int32_t* idx,            \
                                              __gm__ T* scratch) {                                            \
    RunMGatherL1<T, Coalesce::MODE, GatherOOB::OOB, __VA_ARGS__>(out, table, idx, scratch);                   \
  }                                                                                                           \
  void LaunchMGATHER_L1_##NAME(uint8_t* out, uint8_t* table, int32_t* idx, uint8_t* scratch, void* stream) {  \
    runMGATHER_L1_##NAME<<<1, nullptr, stream>>>(reinterpret_cast<T*>(out), reinterpret_cast<T*>(table), idx, \
                                                 reinterpret_cast<T*>(scratch));                              \
  }

MGATHER_L1_CASES(KERNEL)
