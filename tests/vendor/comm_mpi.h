// SPDX-License-Identifier: Apache-2.0
// Loads an MPI library with the C ABI of MPICH at run time, and the six calls of it that tests use.
#pragma once

#ifdef __CPU_SIM
#include "pto/common/cpu_stub.hpp"
#else

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

using CommMpiDatatype = int;
constexpr int COMM_MPI_WORLD = 0x44000000;
constexpr CommMpiDatatype COMM_MPI_CHAR = 0x4c000101;

struct CommMpiLibrary {
  void* handle = nullptr;
  int (*init)(int*, char***) = nullptr;
  int (*rank)(int, int*) = nullptr;
  int (*size)(int, int*) = nullptr;
  int (*bcast)(void*, int, CommMpiDatatype, int, int) = nullptr;
  int (*barrier)(int) = nullptr;
  int (*finalize)() = nullptr;

  // Open MPI has the same names but pointers as handles, so it is not accepted.
  bool Open(const char* name) {
    handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    if (handle != nullptr && dlsym(handle, "ompi_mpi_comm_world") != nullptr) {
      dlclose(handle);
      handle = nullptr;
    }
    return handle != nullptr;
  }

  template <typename Function>
  bool Find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(handle, name));
    return function != nullptr;
  }

  bool Load() {
    if (const char* path = std::getenv("MPI_LIB_PATH")) {
      if (!Open(path)) return false;
    } else if (!Open("libmpich.so.12") && !Open("libmpich.so") && !Open("libmpi.so.12") && !Open("libmpi.so")) {
      return false;
    }
    return Find(init, "MPI_Init") && Find(rank, "MPI_Comm_rank") && Find(size, "MPI_Comm_size") &&
           Find(bcast, "MPI_Bcast") && Find(barrier, "MPI_Barrier") && Find(finalize, "MPI_Finalize");
  }
};

inline CommMpiLibrary g_commMpi;

inline bool CommMpiInit(int* argc, char*** argv) {
  if (!g_commMpi.Load()) {
    std::fprintf(stderr, "comm_mpi: no MPI library with the ABI of MPICH; set MPI_LIB_PATH\n");
    return false;
  }
  return g_commMpi.init(argc, argv) == 0;
}

inline int CommMpiRank() {
  int rank = -1;
  return g_commMpi.rank(COMM_MPI_WORLD, &rank) == 0 ? rank : -1;
}

inline int CommMpiSize() {
  int size = 0;
  return g_commMpi.size(COMM_MPI_WORLD, &size) == 0 ? size : 0;
}

inline bool CommMpiBcast(void* data, int count, CommMpiDatatype type, int root) {
  return g_commMpi.bcast(data, count, type, root, COMM_MPI_WORLD) == 0;
}

inline bool CommMpiBarrier() { return g_commMpi.barrier(COMM_MPI_WORLD) == 0; }

inline void CommMpiFinalize() { g_commMpi.finalize(); }

#define SKIP_IF_RANKS_LT(n)   \
  if (CommMpiSize() >= (n)) { \
  } else                      \
    GTEST_SKIP() << "needs " << (n) << " ranks"

#endif  // __CPU_SIM
