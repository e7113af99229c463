// SPDX-License-Identifier: Apache-2.0
// The processes of an MPI job run as ranks, share memory on a node, and end together.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "comm/group/member.hpp"
#include "comm/on_ranks.hpp"
#include "engine/system/pool.hpp"
#include "launched.hpp"
#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"

namespace {

using namespace std::chrono_literals;
using comm_test::job_size;
using ptox::Engine;
using ptox::Rank;
using ptox::RanksError;

int nodes() {
  const char* value = std::getenv("PTOX_MPI_NODES");
  return value ? std::min(std::atoi(value), job_size()) : 1;
}

TEST(mpi_group, n_is_the_world_and_every_rank_gets_all_answers) {
  for (int n : {1, 7}) {
    const std::vector<int> ids = ptox::run_ranks(n, Engine::mpi, [](Rank& r) { return 10 * r.id() + r.size(); });
    ASSERT_EQ(static_cast<int>(ids.size()), job_size());
    for (int i = 0; i < job_size(); ++i) EXPECT_EQ(ids[static_cast<std::size_t>(i)], 10 * i + job_size());
  }
  const auto words = ptox::run_ranks(
      1, Engine::mpi, [](Rank& r) { return std::string(static_cast<std::size_t>(10000 * r.id()), 'x'); });
  for (int i = 0; i < job_size(); ++i) EXPECT_EQ(words[static_cast<std::size_t>(i)].size(), 10000u * i);
}

TEST(mpi_group, a_rank_gets_its_share_of_the_cores_it_is_bound_to) {
  const auto bound = ptox::run_ranks(1, Engine::mpi, [](Rank&) {
    std::string cores;
    cpu_set_t set;
    EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
    for (int core = 0; core < CPU_SETSIZE; ++core) cores += CPU_ISSET(core, &set) ? '1' : '0';
    return cores;
  });
  ptox::run_ranks(1, Engine::mpi, [&](Rank& r) {
    const std::string& mine = bound[static_cast<std::size_t>(r.id())];
    int sharers = 0;
    for (const std::string& other : bound) {
      bool overlap = false;
      for (std::size_t core = 0; core < other.size(); ++core)
        overlap = overlap || (other[core] == '1' && mine[core] == '1');
      sharers += overlap;
    }
    const int cores = static_cast<int>(std::count(mine.begin(), mine.end(), '1'));
    EXPECT_EQ(ptox::most_threads(), std::max(1, cores / sharers)) << cores << " cores, " << sharers << " ranks";
  });
}

TEST(mpi_group, memory_is_zeroed_and_mapped_on_the_node_alone) {
  ptox::run_ranks(1, Engine::mpi, [](Rank& r) {
    std::vector<ptox::Symmetric<int>> all;
    for (std::int64_t count : {100, 5000, 300000, 1, 2000000}) {
      all.push_back(r.symmetric<int>(count));
      for (int v : all.back().span()) ASSERT_EQ(v, 0);
      EXPECT_EQ(all.back().data(), all.back().at(r.id()));
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back().data()) % 512, 0u);
    }
    EXPECT_EQ(ptox::comm::current_member()->unmapped(), nodes() > 1);
    EXPECT_THROW(all[0].at(r.size()), std::out_of_range);
    r.barrier();
    for (const auto& memory : all)
      for (int k = 0; k < r.size(); ++k)
        if (!ptox::comm::current_member()->remote(memory.at(k)) && r.id() == 0) memory.at(k)[0] = k + 1;
    r.barrier();
    for (const auto& memory : all) EXPECT_TRUE(nodes() > 1 || memory[0] == r.id() + 1) << memory[0];
  });
}

/// The group ends by a finding of that kind with those words at every rank, and another one runs afterwards.
template <class F>
void expect_end(std::optional<ptox::FindingKind> kind, const std::vector<std::string>& parts, F f,
                const ptox::RanksOptions& options = {}) {
  try {
    ptox::run_ranks(1, Engine::mpi, f, options);
    ADD_FAILURE() << "the group did not end early";
  } catch (const RanksError& e) {
    EXPECT_EQ(e.kind(), kind) << e.what();
    for (const std::string& part : parts)
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << part << " in: " << e.what();
  }
  ptox::run_ranks(1, Engine::mpi, [](Rank& r) { r.barrier(); });
}

TEST(mpi_group, a_rank_that_throws_ends_the_others_with_its_words) {
  for (int thrower : {0, job_size() - 1})
    expect_end(std::nullopt, {"rank " + std::to_string(thrower), "no bread left"}, [=](Rank& r) {
      if (r.id() == thrower) throw std::logic_error("no bread left");
      r.barrier();
    });
}

TEST(mpi_group, a_rank_that_returned_comes_to_no_barrier) {
  expect_end(ptox::FindingKind::comm_dead_rank, {"rank 1", "returned", "barrier"}, [](Rank& r) {
    r.barrier();
    if (r.id() != 1) r.barrier();
  });
}

TEST(mpi_group, ranks_that_ask_for_different_memory_are_told_both_sizes) {
  expect_end(ptox::FindingKind::comm_shape, {"64", "128"}, [](Rank& r) {
    r.symmetric<float>(r.id() == 0 ? 16 : 32);
    r.barrier();
  });
}

TEST(mpi_group, a_wait_past_its_deadline_says_what_it_saw) {
  expect_end(ptox::FindingKind::comm_timeout, {"twait at rank 1", "is 5", "GE 6", "300 ms"},
             [](Rank& r) {
               const auto flag = r.symmetric<std::int32_t>(1);
               flag[0] = 5;
               r.barrier();
               if (r.id() == 1)
                 ptox::ignore_findings(r.device().launch({}, [&] {
                   pto::comm::Signal mine(flag.data());
                   pto::comm::TWAIT(mine, 6, pto::comm::WaitCmp::GE);
                 }));
               const auto begin = std::chrono::steady_clock::now();
               while (std::chrono::steady_clock::now() - begin < 350ms) {
               }
               r.barrier();
             },
             {.deadline = 300ms});
}

TEST(mpi_group, memory_that_is_not_there_is_said) {
  expect_end(std::nullopt, {"symmetric_bytes"}, [](Rank& r) { r.symmetric<std::byte>(1 << 20); },
             {.symmetric_bytes = 1 << 16});
}

}  // namespace
