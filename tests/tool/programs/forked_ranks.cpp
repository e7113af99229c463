// SPDX-License-Identifier: Apache-2.0
// A program that forks its ranks itself, several times in turn, after it has launched a kernel. It is not a rank.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "broadcast.hpp"

__global__ AICORE void nothing() {}

/// Stores a tile half of which is outside the window of the last rank.
__global__ AICORE void leaves_the_window(__gm__ Context* ctx) {
  using Block = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;
  Block dst(reinterpret_cast<float*>(ctx->windowsIn[ctx->rankNum - 1] + ctx->winSize - 512));
  Tile<TileType::Vec, float, 8, 32> tile;
  TEXPANDS(tile, 1.0f);
  pipe_barrier(PIPE_ALL);
  TSTORE(dst, tile);
}

int leave_the_window(const HcclRootInfo& root, uint32_t ranks, uint32_t rank) {
  HcclComm comm = nullptr;
  void* device = nullptr;
  if (HcclCommInitRootInfo(ranks, &root, rank, &comm) != HCCL_SUCCESS) return -1;
  HcclAllocComResourceByTiling(comm, nullptr, nullptr, &device);
  if (rank == 0) leaves_the_window<<<1, nullptr, nullptr>>>(static_cast<Context*>(device));
  HcclBarrier(comm, nullptr);
  return HcclCommDestroy(comm);
}

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 3;
  const std::string mode = argc > 2 ? argv[2] : "";
  int failed = 0;
  for (int turn = 0; turn < 3; ++turn) {
    nothing<<<1, nullptr, nullptr>>>();
    HcclRootInfo root;
    if (HcclGetRootInfo(&root) != HCCL_SUCCESS) return 2;
    std::vector<pid_t> processes;
    for (int rank = 0; rank < ranks; ++rank)
      if (processes.push_back(fork()); processes.back() == 0) {
        const auto of = static_cast<uint32_t>(ranks), self = static_cast<uint32_t>(rank);
        const auto die = [&] {
          if (mode == "die" && rank == ranks - 1) _exit(5);
        };
        return (mode == "leave" ? leave_the_window(root, of, self) : broadcast_from_rank_0(root, of, self, die)) ? 3
                                                                                                                 : 0;
      }
    for (const pid_t process : processes) {  // in the order of the ranks: those that end earlier are zombies meanwhile
      int status = 0;
      waitpid(process, &status, 0);
      failed += status != 0;
    }
  }
  std::printf("%d of the ranks failed\n", failed);
  return failed ? 4 : 0;
}
