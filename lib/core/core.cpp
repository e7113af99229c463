// SPDX-License-Identifier: Apache-2.0
#include "core/core.hpp"

#include <atomic>

#include "core/plain.hpp"
#include "pto/isa/sync.hpp"

namespace ptox {

namespace {

constinit thread_local Core* launched = nullptr;
constinit std::atomic<std::uint64_t> next_epoch = 1;

}  // namespace

Core::Core(const Target& target, Check check) : target_(&target), check_(check) {
  for (int i = 0; i < space_count; ++i) spaces_[static_cast<std::size_t>(i)].set_bytes(space_bytes(target, i));
}

void Core::start(const BlockRun& run) {
  run_ = run;
  epoch_ = next_epoch.fetch_add(1, std::memory_order_relaxed);
  for (Space& s : spaces_) s.start(run.poisoned);
  if (!checked()) return;
  pipes_.start();
  if (!run.global) own_global_ = {};
  order_.start(run.global ? run.global : &own_global_);
}

void Core::finish() {
  if (!ordered()) return;
  pipes_.each_set([&](pipe_t src, pipe_t dst, event_t id, const pto::instr::Site& site) {
    report("flag-leak", Severity::error,
           "set_flag(PIPE_" + std::string(pto::instr::pipe_name(src)) + ", PIPE_" + pto::instr::pipe_name(dst) +
               ", EVENT_ID" + std::to_string(id) + ") is still set at the end of the block. Wait for it",
           site, "leak");
  });
}

Core& current_core() { return launched ? *launched : plain_core(); }
Core* existing_core() { return launched ? launched : existing_plain_core(); }
bool in_launch() { return launched != nullptr; }

CoreScope::CoreScope(Core& core) : before_(launched) { launched = &core; }
CoreScope::~CoreScope() { launched = before_; }

}  // namespace ptox

namespace pto::instr::detail {
const Target& current_target() { return ptox::current_core().target(); }
}  // namespace pto::instr::detail

int get_block_idx() { return ptox::current_core().run().block; }
int get_block_num() { return ptox::current_core().run().blocks; }
int get_coreid() { return ptox::current_core().run().block; }
