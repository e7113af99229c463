// SPDX-License-Identifier: Apache-2.0
// A kernel that needs more than the default part of UB, with its launch wrapper.
#include <pto/pto-inst.hpp>

#include "wide_gather.hpp"

using namespace pto;

namespace wide {

/// out[b][r, c] = table[indices[b][r, c]] for block b
template <typename T, int R, int C, int N>
__global__ AICORE void run_gather(__gm__ T* out, __gm__ T* table, __gm__ int32_t* indices) {
  using Block = Shape<1, 1, 1, R, C>;
  using Rows = Stride<1, 1, 1, C, 1>;
  GlobalTensor<T, Block, Rows> outGM(out + get_block_idx() * R * C);
  GlobalTensor<int32_t, Block, Rows> idxGM(indices + get_block_idx() * R * C);
  GlobalTensor<T, Shape<1, 1, 1, 1, N>, Stride<1, 1, 1, N, 1>> tableGM(table);
  Tile<TileType::Vec, T, R, C> dst;
  Tile<TileType::Vec, int32_t, R, C> idx;
  TASSIGN(dst, 0);
  TASSIGN(idx, R * C * sizeof(T));
  TLOAD(idx, idxGM);
  pipe_barrier(PIPE_ALL);
  MGATHER<Coalesce::Elem, GatherOOB::Undefined>(dst, tableGM, idx);
  pipe_barrier(PIPE_ALL);
  TSTORE(outGM, dst);
}

}  // namespace wide

void launch_wide(float* out, float* table, int32_t* indices, bool declared, void* stream) {
  constexpr uint32_t kDynUbBytes = kRows * kCols * (sizeof(float) + sizeof(int32_t));
  const uint32_t numBlocks = kBlocks;
  if (declared)
    wide::run_gather<float, kRows, kCols, kTable><<<numBlocks, kDynUbBytes, stream>>>(out, table, indices);
  else
    // without a size, as in kernel<<<numBlocks, nullptr, stream>>>
    wide::run_gather<float, kRows, kCols, kTable><<<numBlocks,
                                                    nullptr,  // the default
                                                    stream>>>(out, table, indices);
}

void launch_narrow(float* out, float* table, int32_t* indices, void* stream) {
  const auto kernel = &wide::run_gather<float, 8, 8, kTable>;
  kernel<<<1, 0, stream>>>(out, table, indices), kernel<<<1>>>(out, table, indices);
}
