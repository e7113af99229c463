// SPDX-License-Identifier: Apache-2.0
#include "engine/core/core.hpp"

#include <algorithm>
#include <atomic>

#include "engine/core/rank.hpp"
#include "loops/caches.hpp"
#include "loops/kernels.hpp"
#include "loops/tiles/tile_moves.hpp"
#include "pto/isa/sync.hpp"

namespace ptox {

namespace {

constinit std::atomic<std::uint64_t> next_epoch = 1;

}  // namespace

Core::Core(const Target& target, Check check) : target_(&target), check_(check) {
  for (int i = 0; i < space_count; ++i) spaces_[static_cast<std::size_t>(i)].set_bytes(space_bytes(target, i));
}

void Core::start(const BlockRun& run) {
  run_ = run;
  unmapped_ = run.rank && run.rank->unmapped();
  epoch_ = next_epoch.fetch_add(1, std::memory_order_relaxed);
  if (launched_core == this)
    pto::instr::detail::here = {.epoch = epoch_, .bare = bare(), .hints = &hints_, .core = this};
  steps_ = step_ = 0, ended_ = false;
  recorder_ = installed_recorder.load(std::memory_order_relaxed);
  for (Space& s : spaces_) s.start(run.poisoned);
  moves_ = &tile_moves();
  stores_.start(run.cache_bytes), loads_.start(), indices_.start(), hints_.start(caches().large_second());
  if (!target_->native) {
    pipes_.start(), flags_.start(), schedule_.start(run.seed, run.block);
    if (!target_->accelerator) time_.start(*target_, run.block, run.events);
  }
  if (!checked()) return;
  if (!run.global) own_global_ = {};
  order_.start(run.global ? run.global : &own_global_);
}

void Core::go_on() {
  ended_ = false;
  for (Space& s : spaces_) s.go_on();
  flags_.start();
  pipes_.barrier(PIPE_ALL), pipes_.clear_flags();
  time_.start(*target_, run_.block);
  own_global_.cells.clear(), own_global_.cache = {};
}

void Core::publish_stores() {
  if (stores_.take_unfenced()) kernels().fence();
}

void Core::finish() {
  publish_stores();
  hints_.fetch_from(0);
  if (target_->native || ended_) return;
  if (!schedule_.drain()) return deadlocked(" on this path");
  cache_.clean_all();
  if (!checked()) return;
  order_.cache().done(run_.block);
  flags_.each_open([&](pipe_t src, pipe_t dst, event_t id, const pto::instr::Site& site) {
    const std::string flag = flag_text(src, dst, id);
    report({.kind = FindingKind::flag_leak,
            .message = "set_flag" + flag + " is still set at the end of the block. Wait for it",
            .where = flag_where("set_flag", src, dst, id),
            .cause = flag},
           site);
  });
}

/// Reports the waits for flags that nothing sets. If the set of every flag is queued behind another wait (a cycle),
/// reports all of them.
void Core::report_stuck(const std::string& because) {
  const std::vector<Schedule::Stuck> all = schedule_.stuck();
  const bool circle = std::all_of(all.begin(), all.end(), [](const Schedule::Stuck& s) { return s.set_later; });
  for (const Schedule::Stuck& s : all) {
    if (s.set_later && !circle) continue;
    const std::string flag = flag_text(s.src, s.dst, s.id);
    report({.kind = FindingKind::flag_deadlock,
            .message = "wait_flag" + flag + " waits forever: " +
                       (circle ? "its set, " + call_text("set_flag", *s.set_later, s.site) +
                                     ", is also behind a wait. Set one of them before the first wait."
                               : "nothing sets it" + because + "." + unmatched_text(s.src, s.dst, s.site)) +
                       " PIPE_" + pto::instr::pipe_name(s.dst) + " does no more work in this block",
            .where = flag_where("wait_flag", s.src, s.dst, s.id),
            .cause = flag},
           s.site);
  }
}

std::string Core::unmatched_text(pipe_t src, pipe_t dst, const pto::instr::Site& seen_from) const {
  std::string text;
  flags_.each_open([&](pipe_t s, pipe_t d, event_t id, const pto::instr::Site& site) {
    const bool akin = (s == src && d == dst) || (s == dst && d == src);
    if (akin && text.empty())
      text = " Is it " + flag_text(s, d, id) + ", which " + call_text("set_flag", site, seen_from) +
             " sets and nothing waits for?";
  });
  return text;
}

void Core::end() {
  ended_ = true;
  schedule_.abandon();
  cache_.clean_all();
}

void Core::deadlocked(const std::string& because) {
  report_stuck(because);
  end();
}

Where flag_where(const char* instruction, pipe_t src, pipe_t dst, event_t id) {
  return {{FindingField::instruction, instruction},
          {FindingField::src, pto::instr::pipe_name(src)},
          {FindingField::dst, pto::instr::pipe_name(dst)},
          {FindingField::flag, id}};
}

std::string flag_text(pipe_t src, pipe_t dst, event_t id) {
  return std::string("(PIPE_") + pto::instr::pipe_name(src) + ", PIPE_" + pto::instr::pipe_name(dst) + ", EVENT_ID" +
         std::to_string(id) + ")";
}

void report_null(Core& core, const std::string& mnemonic, const char* operand, std::int64_t elements,
                 const pto::instr::Site& site) {
  core.report({.kind = FindingKind::oob_gm,
               .message = mnemonic + ": " + operand + " has a null pointer and " + std::to_string(elements) +
                          " elements. The instruction does nothing",
               .where = {{FindingField::instruction, mnemonic},
                         {FindingField::operand, operand},
                         {FindingField::elements, elements}},
               .cause = operand},
              site);
}

bool in_launch() { return launched_core != nullptr; }

namespace {

void make_current(Core* core) {
  launched_core = core;
  pto::instr::detail::here = {};
  if (core)
    pto::instr::detail::here = {.epoch = core->epoch(), .bare = core->bare(), .hints = &core->hints(), .core = core};
}

}  // namespace

CoreScope::CoreScope(Core& core) : before_(launched_core) { make_current(&core); }
CoreScope::~CoreScope() { make_current(before_); }

}  // namespace ptox

namespace pto::instr::detail {
const Target& current_target() { return ptox::current_core().target(); }
event_t free_id(pipe_t src, pipe_t dst, event_t wanted) {
  constexpr event_t ids = 8;
  for (event_t i = 0; i < ids && wanted >= 0 && wanted < ids; ++i)
    if (!ptox::current_core().flags().open(src, dst, (wanted + i) % ids)) return (wanted + i) % ids;
  return wanted;
}
}  // namespace pto::instr::detail

int get_block_idx() { return ptox::current_core().run().block; }
int get_block_num() { return ptox::current_core().run().blocks; }
int get_coreid() { return ptox::current_core().run().block; }
