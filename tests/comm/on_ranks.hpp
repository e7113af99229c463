// SPDX-License-Identifier: Apache-2.0
// Runs a test on ranks and collects the failures.
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

/// How many ranks mpirun started; 0: none.
inline int job_size() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

/// Runs f on each rank; what a forked rank expected in vain fails the test here. On MPI, where
/// the job has that many.
template <class F>
void run_on(int n, ptox::Engine engine, F f, const ptox::RanksOptions& options = {}) {
  if (engine == ptox::Engine::mpi && n != job_size()) return;  // another job's
  const auto failed =
      ptox::run_ranks(n, engine, [&f](ptox::Rank& r) { return f(r), ::testing::Test::HasFailure(); }, options);
  for (bool one : failed) EXPECT_FALSE(one) << "on " << n << " " << name(engine) << ", see above";
}

}  // namespace comm_test
