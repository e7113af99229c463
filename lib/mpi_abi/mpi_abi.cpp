// SPDX-License-Identifier: Apache-2.0
// A library with the C ABI of MPICH, for host programs that load MPI by dlopen and use it to find each other. It does
// not use the ptox library, because the program has its own copy of it.
#include "mpi_abi.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

namespace {

using ptox::mpi_abi::Shared;

constexpr int success = 0, error = 15;  // MPI_ERR_OTHER of MPICH

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text && *text ? std::atoi(text) : otherwise;
}

struct World {
  int rank = number("PTOX_RANK", 0), size = number("PTOX_RANKS", 1);
  Shared* shared = map();
  bool initialised = false, finalised = false;

  static Shared* map() {
    const int file = number(ptox::mpi_abi::memory_variable, -1);
    void* p = file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    return p == MAP_FAILED ? nullptr : static_cast<Shared*>(p);
  }
  bool usable() const { return size == 1 || shared; }
};

World& world() {
  static World w;
  return w;
}

/// Ends the process with a sentence that names the ranks that have not come.
[[noreturn]] void never_came(const char* call, std::uint32_t round, int waited_ms) {
  World& w = world();
  std::fflush(stdout);
  // One call writes the sentence, so that those of several ranks do not mix.
  std::string missing;
  for (int r = 0; r < w.size; ++r)
    if (w.shared->rounds[r].load() <= round) missing += (missing.empty() ? "rank " : ", rank ") + std::to_string(r);
  std::fprintf(stderr, "%s: rank %d waited %d ms for %s (--deadline)\n", call, w.rank, waited_ms, missing.c_str());
  std::exit(1);
}

/// Waits for all processes, at most PTOX_DEADLINE milliseconds.
void barrier(const char* call) {
  World& w = world();
  if (w.size == 1) return;
  Shared& s = *w.shared;
  const std::uint32_t round = s.round.load();
  s.rounds[w.rank].store(round + 1);
  if (s.arrived.fetch_add(1) + 1 == static_cast<std::uint32_t>(w.size)) {
    s.arrived.store(0);
    s.round.fetch_add(1);
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&s.round), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
    return;
  }
  const int most_ms = number("PTOX_DEADLINE", 60'000);
  const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(most_ms);
  while (s.round.load() == round) {
    if (std::chrono::steady_clock::now() >= until) never_came(call, round, most_ms);
    const timespec step{.tv_sec = 0, .tv_nsec = 100'000'000};
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&s.round), FUTEX_WAIT, round, &step, nullptr, 0);
  }
}

/// The size of a basic datatype, which its handle contains.
std::size_t size_of(int datatype) { return (static_cast<unsigned>(datatype) >> 8) & 0xff; }

int refused(const char* call, const char* sentence) {
  std::fprintf(stderr, "%s: %s\n", call, sentence);
  return error;
}

}  // namespace

extern "C" {

int MPI_Init(int*, char***) {
  World& w = world();
  if (!w.usable())
    return refused("MPI_Init", "this library of ptox is for programs that `ptox check --ranks N` starts");
  w.initialised = true;
  barrier("MPI_Init");
  return success;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  if (provided) *provided = required;
  return MPI_Init(argc, argv);
}
int MPI_Initialized(int* flag) { return *flag = world().initialised, success; }
int MPI_Finalized(int* flag) { return *flag = world().finalised, success; }
int MPI_Finalize() {
  barrier("MPI_Finalize");
  world().finalised = true;
  return success;
}
int MPI_Comm_rank(int, int* rank) { return *rank = world().rank, success; }
int MPI_Comm_size(int, int* size) { return *size = world().size, success; }
int MPI_Barrier(int) {
  barrier("MPI_Barrier");
  return success;
}
int MPI_Bcast(void* data, int count, int datatype, int root, int) {
  World& w = world();
  if (root < 0 || root >= w.size) return refused("MPI_Bcast", "the root is not a rank");
  if (size_of(datatype) == 0 || count < 0) return refused("MPI_Bcast", "count or datatype is invalid");
  if (w.size == 1) return success;
  const std::size_t bytes = size_of(datatype) * static_cast<std::size_t>(count);
  for (std::size_t at = 0; at < bytes; at += Shared::most_bytes) {
    const std::size_t part = std::min(bytes - at, Shared::most_bytes);
    if (w.rank == root) std::memcpy(w.shared->data, static_cast<char*>(data) + at, part);
    barrier("MPI_Bcast");
    if (w.rank != root) std::memcpy(static_cast<char*>(data) + at, w.shared->data, part);
    barrier("MPI_Bcast");
  }
  return success;
}
int MPI_Abort(int, int code) { std::_Exit(code ? code : 1); }
}
