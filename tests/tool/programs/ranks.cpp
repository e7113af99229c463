// SPDX-License-Identifier: Apache-2.0
// A program of several ranks, written as host programs for NPUs are: rank 0 broadcasts a tile to the windows of all
// ranks. Its argument is a fault, which the last rank has.
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <pto/comm/comm_types.hpp>
#include <pto/pto-inst.hpp>
#include <stdexcept>
#include <string>

#include "acl/acl.h"
#include "hccl/hccl.h"
using namespace pto;

struct Context {
  uint64_t workSpace, workSpaceSize;
  uint32_t rankId, rankNum;
  uint64_t winSize, windowsIn[64], windowsOut[64];
};
constexpr int rows = 16, cols = 32, elements = rows * cols;

__global__ AICORE void broadcast(__gm__ float* src, __gm__ float* window, __gm__ Context* ctx) {
  using Block = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;
  Block parts[64];
  for (uint32_t r = 0; r < ctx->rankNum; ++r) {
    const uint64_t offset = reinterpret_cast<uint64_t>(window) - ctx->windowsIn[ctx->rankId];
    parts[r] = Block(reinterpret_cast<float*>(ctx->windowsIn[r] + offset));
  }
  comm::ParallelGroup<Block> group(parts, static_cast<int>(ctx->rankNum), static_cast<int>(ctx->rankId));
  Block src_gm(src);
  Tile<TileType::Vec, float, rows, cols> tile;
#ifndef WITHOUT_COLLECTIVE
  comm::TBROADCAST(group, src_gm, tile);
#endif
}

template <class F>
F* mpi(const char* name) {
  static void* const library = dlopen(std::getenv("MPI_LIB_PATH"), RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}

/// One group of ranks, from its root info to its end. Returns the number of wrong elements, or -1 if it failed.
int run_group(int rank, int ranks, const std::string& fault) {
  constexpr int world = 0x44000000, mpi_char = 0x4c000101;
  const bool faulty = rank == ranks - 1;
  HcclRootInfo root;
  if (rank == 0 && HcclGetRootInfo(&root) != HCCL_SUCCESS) return -1;
  mpi<int(void*, int, int, int, int)>("MPI_Bcast")(&root, sizeof root, mpi_char, 0, world);
  if (faulty && fault == "never") std::exit(0);
  const uint32_t as = faulty && fault == "twice" ? 0 : static_cast<uint32_t>(rank);
  const uint32_t of = static_cast<uint32_t>(ranks + (faulty && fault == "other_number"));
  HcclComm comm = nullptr;
  if (HcclCommInitRootInfo(of, &root, as, &comm) != HCCL_SUCCESS) return -1;
  void *device = nullptr, *src = nullptr;
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  HcclAllocComResourceByTiling(comm, stream, nullptr, &device);
  Context context;
  aclrtMemcpy(&context, sizeof context, device, sizeof context, ACL_MEMCPY_DEVICE_TO_HOST);
  auto* window = reinterpret_cast<float*>(context.windowsIn[rank] + 4096);
  aclrtMalloc(&src, elements * sizeof(float), ACL_MEM_MALLOC_HUGE_FIRST);
  for (int i = 0; i < elements; ++i) static_cast<float*>(src)[i] = static_cast<float>(i + 1);
  if (HcclBarrier(comm, stream) != HCCL_SUCCESS) return -1;
  if (faulty && fault == "exit") std::exit(0);
  if (faulty && fault == "throw") throw std::runtime_error("on purpose");
  if (faulty && fault == "kill") std::raise(SIGKILL);
  if (faulty && fault == "hang") pause();
  if (rank == 0) broadcast<<<1, nullptr, stream>>>(static_cast<float*>(src), window, static_cast<Context*>(device));
  if (aclrtSynchronizeStream(stream) != ACL_SUCCESS || HcclBarrier(comm, stream) != HCCL_SUCCESS) return -1;
  int wrong = 0;
  for (int i = 0; i < elements; ++i) wrong += window[i] != static_cast<float>(i + 1);
  aclrtFree(src);
  aclrtDestroyStream(stream);
  HcclCommDestroy(comm);
  return wrong;
}

int main(int argc, char** argv) {
  constexpr int world = 0x44000000;
  const std::string fault = argc > 1 ? argv[1] : "";
  int rank = 0, ranks = 0;
  mpi<int(int*, char***)>("MPI_Init")(&argc, &argv);
  mpi<int(int, int*)>("MPI_Comm_rank")(world, &rank);
  mpi<int(int, int*)>("MPI_Comm_size")(world, &ranks);
  for (int group = 0; group < 2; ++group)
    if (const int wrong = run_group(rank, ranks, fault)) {
      std::printf("rank %d of %d: %d wrong\n", rank, ranks, wrong);
      return 2;
    }
  std::printf("rank %d of %d: right\n", rank, ranks);
  mpi<int()>("MPI_Finalize")();
}
