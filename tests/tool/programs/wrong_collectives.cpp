// SPDX-License-Identifier: Apache-2.0
// A program of three ranks whose collective is called wrongly, in the way that its argument names. Rank 0 calls it.
#include <string>

#include "broadcast.hpp"
#include "mpi.hpp"

using Block = GlobalTensor<float, Shape<1, 1, 1, -1, cols>, Stride<1, 1, 1, cols, 1>>;

/// The faults, as numbers that a kernel can take.
enum class Fault { nonroot, root, shape, small_source, other_source, divisible, timeout, dead_rank };
constexpr const char* faults[] = {"nonroot",      "root",      "shape",   "small_source",
                                  "other_source", "divisible", "timeout", "dead_rank"};

__global__ AICORE void scatter_wrongly(__gm__ float* src, __gm__ Context* ctx, Fault fault) {
  const int ranks = static_cast<int>(ctx->rankNum);
  Block parts[64];
  for (int r = 0; r < ranks; ++r)
    parts[r] = Block(reinterpret_cast<float*>(ctx->windowsIn[r]), {fault == Fault::shape && r == 2 ? 15 : rows});
  const int root = fault == Fault::nonroot ? 1 : fault == Fault::root ? 7 : 0;
  comm::ParallelGroup<Block> group(parts, ranks, root);
  if (fault == Fault::other_source) src = reinterpret_cast<float*>(ctx->windowsIn[1] + 65536);
  Block all(src, {fault == Fault::small_source ? rows : ranks * rows});
  Tile<TileType::Vec, float, rows, cols> tile;
  Tile<TileType::Vec, float, 12, cols> uneven;
  comm::Signal signal(reinterpret_cast<int32_t*>(ctx->windowsIn[0] + 131072));
  if (fault == Fault::timeout || fault == Fault::dead_rank)
    comm::TWAIT(signal, 1, comm::WaitCmp::EQ);
  else if (fault == Fault::divisible)
    comm::TSCATTER(group, all, uneven);
  else
    comm::TSCATTER(group, all, tile);
}

int main(int argc, char** argv) {
  Fault fault{};
  while (std::string(faults[static_cast<int>(fault)]) != argv[1])
    fault = static_cast<Fault>(static_cast<int>(fault) + 1);
  const auto [rank, ranks] = start_mpi(&argc, &argv);
  HcclRootInfo root;
  if (rank == 0 && HcclGetRootInfo(&root) != HCCL_SUCCESS) return 3;
  broadcast_bytes(&root, sizeof root);
  HcclComm comm = nullptr;
  if (HcclCommInitRootInfo(static_cast<uint32_t>(ranks), &root, static_cast<uint32_t>(rank), &comm) != HCCL_SUCCESS)
    return 3;
  void *context = nullptr, *src = nullptr;
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  HcclAllocComResourceByTiling(comm, stream, nullptr, &context);
  aclrtMalloc(&src, static_cast<std::size_t>(ranks * elements) * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  if (HcclBarrier(comm, stream) != HCCL_SUCCESS) return 3;
  if (rank == 2 && fault == Fault::dead_rank) return 0;
  if (rank == 0)
    scatter_wrongly<<<1, nullptr, stream>>>(static_cast<float*>(src), static_cast<Context*>(context), fault);
  return aclrtSynchronizeStream(stream) != ACL_SUCCESS || HcclBarrier(comm, stream) != HCCL_SUCCESS;
}
