// SPDX-License-Identifier: Apache-2.0
// Runs a test on ranks and collects their failures.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>

#include "ptox/ranks.hpp"

namespace comm_test {

#ifdef PTOX_TESTS_ON_MPI  // as a program under mpirun
inline constexpr ptox::Engine engines[] = {ptox::Engine::mpi};
#else
inline constexpr ptox::Engine engines[] = {ptox::Engine::threads, ptox::Engine::processes};
#endif
inline const char* name(ptox::Engine e) {
  constexpr const char* names[] = {"threads", "processes", "mpi"};
  return names[static_cast<int>(e)];
}

/// The number of ranks that mpirun started; 0 without mpirun.
inline int job_size() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

/// Runs f on each rank. Failed expectations of a forked rank fail the test here. With MPI, f runs only if the job has n
/// ranks.
template <class F>
void run_on(int n, ptox::Engine engine, F f, const ptox::RanksOptions& options = {}) {
  if (engine == ptox::Engine::mpi && n != job_size()) return;  // a job with n ranks runs it
  const auto failed =
      ptox::run_ranks(n, engine, [&f](ptox::Rank& r) { return f(r), ::testing::Test::HasFailure(); }, options);
  for (bool one : failed) EXPECT_FALSE(one) << "on " << n << " " << name(engine) << ", see above";
}

}  // namespace comm_test
