// SPDX-License-Identifier: Apache-2.0
// A program that links ptox::mpi and runs as an MPI job, of one rank if started alone.
#include <cstdio>

#include "ptox/ranks.hpp"

int main() {
  const auto ids = ptox::run_ranks(1, ptox::Engine::mpi, [](ptox::Rank& r) {
    r.barrier();
    return r.id();
  });
  std::printf("%d ranks\n", static_cast<int>(ids.size()));
  return ids.front() == 0 ? 0 : 1;
}
