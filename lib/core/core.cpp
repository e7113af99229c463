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
  recorder_ = installed_recorder.load(std::memory_order_relaxed);
  for (Space& s : spaces_) s.start(run.poisoned);
  if (!target_->native) {
    pipes_.start(), flags_.start(), schedule_.start(run.seed, run.block);
    time_.start(*target_, run.block, run.events);
  }
  if (!checked()) return;
  if (!run.global) own_global_ = {};
  order_.start(run.global ? run.global : &own_global_);
}

void Core::go_on() {
  for (Space& s : spaces_) s.go_on();
  flags_.start();
  pipes_.barrier(PIPE_ALL), pipes_.clear_flags();
  time_.start(*target_, run_.block);
  own_global_.cells.clear(), own_global_.cache = {};
}

void Core::finish() {
  if (target_->native) return;
  const bool done = schedule_.drain();
  cache_.clean_all();
  if (!done) return report_stuck();
  if (!checked()) return;
  order_.cache().done(run_.block);
  flags_.each_open([&](pipe_t src, pipe_t dst, event_t id, const pto::instr::Site& site) {
    report("flag-leak", Severity::error,
           "set_flag" + flag_text(src, dst, id) + " is still set at the end of the block. Wait for it", site, "leak", 1,
           {}, flag_where(src, dst, id));
  });
}

void Core::report_stuck() {
  for (const Schedule::Stuck& s : schedule_.stuck())
    report("flag-deadlock", Severity::error,
           "wait_flag" + flag_text(s.src, s.dst, s.id) + " waits for ever: nothing sets it on this path. PIPE_" +
               pto::instr::pipe_name(s.dst) + " does no more work in this block",
           s.site, "wait", 1, {}, flag_where(s.src, s.dst, s.id));
  schedule_.abandon();
}

void Core::deadlocked() {
  report_stuck();
  cache_.clean_all();
  if (in_launch()) throw BlockEnded{};
}

Where flag_where(pipe_t src, pipe_t dst, event_t id) {
  return {{"src", pto::instr::pipe_name(src)}, {"dst", pto::instr::pipe_name(dst)}, {"id", std::to_string(id)}};
}

std::string flag_text(pipe_t src, pipe_t dst, event_t id) {
  return std::string("(PIPE_") + pto::instr::pipe_name(src) + ", PIPE_" + pto::instr::pipe_name(dst) + ", EVENT_ID" +
         std::to_string(id) + ")";
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
