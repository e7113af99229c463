// SPDX-License-Identifier: Apache-2.0
// A program of several ranks, written as host programs for NPUs are: rank 0 broadcasts a tile to the windows of all
// ranks. Its argument is a fault, which the last rank has.
#include <dlfcn.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "broadcast.hpp"

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
  return broadcast_from_rank_0(root, of, as, [&] {
    if (faulty && fault == "exit") std::exit(0);
    if (faulty && fault == "throw") throw std::runtime_error("on purpose");
    if (faulty && fault == "kill") std::raise(SIGKILL);
    if (faulty && fault == "hang") pause();
  });
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
