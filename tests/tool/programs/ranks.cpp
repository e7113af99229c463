// SPDX-License-Identifier: Apache-2.0
// A program of several ranks, written as host programs for NPUs are: rank 0 broadcasts a tile to the windows of all
// ranks. Its argument is a fault, which the last rank has.
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "broadcast.hpp"
#include "mpi.hpp"

/// One group of ranks, from its root info to its end. Returns the number of wrong elements, or -1 if it failed.
int run_group(int rank, int ranks, const std::string& fault) {
  const bool faulty = rank == ranks - 1;
  HcclRootInfo root;
  if (rank == 0 && HcclGetRootInfo(&root) != HCCL_SUCCESS) return -1;
  broadcast_bytes(&root, sizeof root);
  if (faulty && fault == "never") std::exit(0);
  const uint32_t as = faulty && fault == "twice" ? 0 : static_cast<uint32_t>(rank);
  const uint32_t of = static_cast<uint32_t>(ranks + (faulty && fault == "other_number"));
  return broadcast_from_rank_0(root, of, as, [&] {
    HcclComm again = nullptr;
    if (faulty && fault == "join_again") HcclCommInitRootInfo(of, &root, as, &again);
    if (faulty && fault == "exit") std::exit(0);
    if (faulty && fault == "throw") throw std::runtime_error("on purpose");
    if (faulty && fault == "kill") std::raise(SIGKILL);
    if (faulty && fault == "hang") pause();
  });
}

int main(int argc, char** argv) {
  const std::string fault = argc > 1 ? argv[1] : "";
  const auto [rank, ranks] = start_mpi(&argc, &argv);
  for (int group = 0; group < 2; ++group)
    if (const int wrong = run_group(rank, ranks, fault)) {
      std::printf("rank %d of %d: %d wrong\n", rank, ranks, wrong);
      return 2;
    }
  std::printf("rank %d of %d: right\n", rank, ranks);
  mpi<int()>("MPI_Finalize")();
  if (rank == ranks - 1 && fault == "hang_at_end") pause();
}
