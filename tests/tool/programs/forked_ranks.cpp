// SPDX-License-Identifier: Apache-2.0
// A program that forks its ranks itself, several times in turn, after it has launched a kernel. It is not a rank.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "broadcast.hpp"

__global__ AICORE void nothing() {}

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 3;
  int failed = 0;
  for (int turn = 0; turn < 3; ++turn) {
    nothing<<<1, nullptr, nullptr>>>();
    HcclRootInfo root;
    if (HcclGetRootInfo(&root) != HCCL_SUCCESS) return 2;
    for (int rank = 0; rank < ranks; ++rank)
      if (fork() == 0)
        return broadcast_from_rank_0(root, static_cast<uint32_t>(ranks), static_cast<uint32_t>(rank), [] {}) ? 3 : 0;
    for (int status = 0; wait(&status) > 0;) failed += status != 0;
  }
  std::printf("%d of the ranks failed\n", failed);
  return failed ? 4 : 0;
}
