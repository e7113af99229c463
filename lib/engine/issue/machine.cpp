// SPDX-License-Identifier: Apache-2.0
#include "engine/issue/machine.hpp"

#include <string>
#include <utility>

#include "engine/system/random.hpp"

namespace ptox {

std::int64_t Machine::permuted(std::int64_t k, std::int64_t n) {
  if (order_size_ != n) {
    order_size_ = n;
    Random random(core_.run().seed ^ (static_cast<std::uint64_t>(site_.line()) << 32));
    for (std::int64_t i = 0; i < n; ++i) order_[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    for (std::int64_t i = n - 1; i > 0; --i)
      std::swap(order_[static_cast<std::size_t>(i)], order_[random.below(static_cast<std::uint64_t>(i) + 1)]);
  }
  return order_[static_cast<std::size_t>(k)];
}

namespace {

bool a_pipe(pipe_t p) { return p >= PIPE_S && p <= PIPE_FIX && p != PIPE_ALL; }

}  // namespace

bool Machine::known_flag(const char* who, pipe_t src, pipe_t dst, event_t id) {
  if (target().native) return false;
  const bool pipes = a_pipe(src) && a_pipe(dst), fine = pipes && id >= 0 && id <= 7;
  if (!fine)
    core_.report({.kind = FindingKind::flag_id,
                  .message = std::string(who) + "(PIPE_" + pto::instr::pipe_name(src) + ", PIPE_" +
                             pto::instr::pipe_name(dst) + ", " + std::to_string(id) + "): " +
                             (pipes ? "ids are 0 to 7"
                                    : "a flag is from one pipe, PIPE_S to PIPE_FIX, to another; PIPE_ALL is none"),
                  .where = flag_where(who, src, dst, id),
                  .cause = flag_text(src, dst, id)},
                 site_);
  return fine;
}

void Machine::set_flag(pipe_t src, pipe_t dst, event_t id) {
  if (!known_flag("set_flag", src, dst, id)) return;
  say_still_set("set_flag", "", src, dst, id);
  core_.flags().set(src, dst, id, site_);
  core_.schedule().set(src, dst, id, site_);
}

void Machine::wait_flag(pipe_t src, pipe_t dst, event_t id) {
  if (!known_flag("wait_flag", src, dst, id)) return;
  core_.flags().wait(src, dst, id);
  if (core_.schedule().wait(src, dst, id, site_)) return;
  const std::string flag = flag_text(src, dst, id);
  if (core_.schedule().queued_set(src, dst, id))
    return core_.deadlocked(" before wait_flag" + flag + " of line " + std::to_string(site_.line()) +
                            ", which the kernel itself waits for");
  core_.report({.kind = FindingKind::flag_deadlock,
                .message = "wait_flag" + flag + " waits forever: nothing has set it on this path." +
                           core_.unmatched_text(src, dst, site_) + " The block ends here",
                .where = flag_where("wait_flag", src, dst, id),
                .cause = flag},
               site_);
  core_.end();
}

void Machine::barrier(pipe_t pipe) {
  if (target().native) return core_.publish_stores();
  if (pipe < PIPE_S || pipe > PIPE_FIX)
    return core_.report({.kind = FindingKind::flag_id,
                         .message = "pipe_barrier: there is no pipe " + std::to_string(pipe),
                         .where = {{FindingField::instruction, "pipe_barrier"}, {FindingField::given, pipe}}},
                        site_);
  if (pipe == PIPE_ALL && !core_.schedule().drain())
    return core_.deadlocked(" before pipe_barrier(PIPE_ALL) of line " + std::to_string(site_.line()));
  core_.pipes().barrier(pipe);
  if (pipe == PIPE_ALL && core_.checked() && core_.run().blocks == 1) core_.order().forget_global();
  core_.time().barrier(pipe, site_);
}

void Machine::clean_cache(const volatile void* addr, cache_line_t kind) {
  if (target().native) return core_.publish_stores();
  core_.schedule().drain();
  if (kind == ENTIRE_DATA_CACHE)
    core_.cache().clean_all();
  else
    core_.cache().clean(const_cast<const std::byte*>(static_cast<const volatile std::byte*>(addr)));
  if (!core_.checked()) return;
  if (kind == ENTIRE_DATA_CACHE)
    core_.order().cache().clean_all(core_.run().block);
  else if (addr)
    core_.order().cache().clean_line(core_.run().block, reinterpret_cast<std::uint64_t>(addr));
}

void Machine::memory_barrier(mem_dsb_t kind) {
  if (target().native) return core_.publish_stores();
  if (core_.checked() && kind != DSB_UB) core_.order().cache().publish(core_.run().block);
}

void Machine::say_still_set(const char* instruction, const char* sets, pipe_t src, pipe_t dst, event_t id) {
  const pto::instr::Site* before = core_.flags().open(src, dst, id);
  if (!before || !core_.checked()) return;
  const std::string flag = flag_text(src, dst, id);
  Where where = flag_where(instruction, src, dst, id);
  where.emplace_back(FindingField::other_file, before->file_name());
  where.emplace_back(FindingField::other_line, before->line());
  core_.report({.kind = FindingKind::flag_reuse,
                .message = std::string(instruction) + sets + flag + " while it is still set since " +
                           call_text("set_flag", *before, site_) + ". Wait for it first, or use another id",
                .where = std::move(where),
                .cause = flag},
               site_);
}

void Machine::own_pair(const char* mnemonic, pipe_t src, pipe_t dst) {
  if (core_.ended()) return;
  say_still_set(mnemonic, " by itself sets ", src, dst, EVENT_ID0);
  core_.schedule().set(src, dst, Pipes::own_id, site_);
  if (core_.schedule().wait(src, dst, Pipes::own_id, site_)) return;
  core_.deadlocked(std::string(" before ") + mnemonic + " of line " + std::to_string(site_.line()) +
                   ", which waits for PIPE_" + pto::instr::pipe_name(src) + " by itself");
}

}  // namespace ptox
