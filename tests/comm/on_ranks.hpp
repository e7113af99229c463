// SPDX-License-Identifier: Apache-2.0
// How does a test run on ranks, and learn of what failed there?
#pragma once

#include <gtest/gtest.h>

#include "ptox/ranks.hpp"

namespace comm_test {

inline constexpr ptox::Engine engines[] = {ptox::Engine::threads, ptox::Engine::processes};
inline const char* name(ptox::Engine e) { return e == ptox::Engine::threads ? "threads" : "processes"; }

/// Runs f on each rank; what a forked rank expected in vain fails the test here.
template <class F>
void run_on(int n, ptox::Engine engine, F f, const ptox::RanksOptions& options = {}) {
  const auto failed =
      ptox::run_ranks(n, engine, [&f](ptox::Rank& r) { return f(r), ::testing::Test::HasFailure(); }, options);
  for (bool one : failed) EXPECT_FALSE(one) << "on " << n << " " << name(engine) << ", see above";
}

}  // namespace comm_test
