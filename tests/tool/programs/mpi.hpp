// SPDX-License-Identifier: Apache-2.0
// The functions of MPI that host programs load at run time, from the library that MPI_LIB_PATH names.
#pragma once

#include <dlfcn.h>

#include <cstdlib>

constexpr int mpi_world = 0x44000000, mpi_char = 0x4c000101;  // handles of MPICH

template <class F>
F* mpi(const char* name) {
  static void* const library = dlopen(std::getenv("MPI_LIB_PATH"), RTLD_NOW);
  return reinterpret_cast<F*>(dlsym(library, name));
}

struct MpiRank {
  int rank = 0, ranks = 0;
};
inline MpiRank start_mpi(int* argc, char*** argv) {
  MpiRank of;
  mpi<int(int*, char***)>("MPI_Init")(argc, argv);
  mpi<int(int, int*)>("MPI_Comm_rank")(mpi_world, &of.rank);
  mpi<int(int, int*)>("MPI_Comm_size")(mpi_world, &of.ranks);
  return of;
}
/// Sends bytes of rank 0 to all ranks.
inline void broadcast_bytes(void* data, int bytes) {
  mpi<int(void*, int, int, int, int)>("MPI_Bcast")(data, bytes, mpi_char, 0, mpi_world);
}
