// SPDX-License-Identifier: Apache-2.0
#include "engine/core/rank.hpp"

#include <atomic>
#include <utility>

#include "engine/core/core.hpp"

namespace ptox {

namespace {

constinit thread_local RankView* rank_of_thread = nullptr;
constinit std::atomic<RankView*> rank_of_process = nullptr;

}  // namespace

RankView* current_rank() {
  if (launched_core) return launched_core->run().rank;
  return rank_of_thread ? rank_of_thread : process_rank();
}

void set_process_rank(RankView* rank) { rank_of_process = rank; }
RankView* process_rank() { return rank_of_process.load(); }

RankScope::RankScope(RankView* rank) : before_(std::exchange(rank_of_thread, rank)) {}
RankScope::~RankScope() { rank_of_thread = before_; }

}  // namespace ptox
