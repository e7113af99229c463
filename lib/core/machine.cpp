// SPDX-License-Identifier: Apache-2.0
#include "core/machine.hpp"

#include <string>
#include <utility>

#include "core/random.hpp"

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
  const bool fine = id >= 0 && id <= 7 && a_pipe(src) && a_pipe(dst);
  if (!fine)
    core_.report("flag-id", Severity::error,
                 std::string(who) + "(PIPE_" + pto::instr::pipe_name(src) + ", PIPE_" + pto::instr::pipe_name(dst) +
                     "): id is " + std::to_string(id) + ", ids are 0 to 7 between two pipes",
                 site_, who, 1, {}, flag_where(src, dst, id));
  return fine;
}

void Machine::set_flag(pipe_t src, pipe_t dst, event_t id) {
  if (!known_flag("set_flag", src, dst, id) || still_set("set_flag", src, dst, id, "set")) return;
  core_.flags().set(src, dst, id, site_);
  core_.schedule().set(src, dst, id, site_);
}

void Machine::wait_flag(pipe_t src, pipe_t dst, event_t id) {
  if (!known_flag("wait_flag", src, dst, id)) return;
  core_.flags().wait(src, dst, id);
  if (core_.schedule().wait(src, dst, id, site_)) return;
  core_.report(
      "flag-deadlock", Severity::error,
      "wait_flag" + flag_text(src, dst, id) + " waits for ever: nothing has set it on this path. The block ends here",
      site_, "wait", 1, {}, flag_where(src, dst, id));
  core_.deadlocked();
}

void Machine::barrier(pipe_t pipe) {
  if (target().native) return;
  if (pipe == PIPE_ALL && !core_.schedule().drain()) core_.deadlocked();
  core_.pipes().barrier(pipe);
  core_.time().barrier(pipe, site_);
}

void Machine::clean_cache(const volatile void* addr, cache_line_t kind) {
  if (target().native) return;
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
  if (core_.ordered() && kind != DSB_UB) core_.order().cache().publish(core_.run().block);
}

bool Machine::still_set(const std::string& who, pipe_t src, pipe_t dst, event_t id, const char* cause) {
  const pto::instr::Site* before = core_.flags().open(src, dst, id);
  if (before && core_.checked())
    core_.report("flag-reuse", Severity::error,
                 who + flag_text(src, dst, id) + " while it is still set since line " + std::to_string(before->line()) +
                     ". Wait for it first, or use another id",
                 site_, cause, 1, {}, flag_where(src, dst, id));
  return before;
}

void Machine::own_pair(const char* mnemonic, pipe_t src, pipe_t dst) {
  if (still_set(std::string(mnemonic) + " by itself sets ", src, dst, EVENT_ID0, mnemonic)) return;
  core_.schedule().set(src, dst, Pipes::own_id, site_);
  if (!core_.schedule().wait(src, dst, Pipes::own_id, site_)) core_.deadlocked();
}

}  // namespace ptox
