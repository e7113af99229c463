// SPDX-License-Identifier: Apache-2.0
// Every collective gives the result of its formula for any type, shape, tile, number of ranks and engine.
#include <gtest/gtest.h>

#include "comm/cases.hpp"
#include "comm/on_ranks.hpp"

namespace {

using comm_test::engines;
using comm_test::run_all_cases;
using comm_test::run_on;

TEST(collectives, every_case_on_the_host) {
  for (ptox::Engine engine : engines)
    for (int n : {1, 2, 3, 4, 8}) run_on(n, engine, [](ptox::Rank& r) { run_all_cases(r); });
}

TEST(collectives, every_case_on_the_host_when_checked) {
  for (int n : {2, 3})
    run_on(n, ptox::Engine::threads, [](ptox::Rank& r) { run_all_cases(r, 3); }, {.check = ptox::Check::all});
}

TEST(collectives, every_case_on_the_machines) {
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5})
    for (ptox::Engine engine : engines)
      for (int n : {1, 2, 3, 4, 8}) run_on(n, engine, [](ptox::Rank& r) { run_all_cases(r); }, {.target = *t});
}

}  // namespace
