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

std::string flag_text(pipe_t src, pipe_t dst, event_t id) {
  return std::string("(PIPE_") + pto::instr::pipe_name(src) + ", PIPE_" + pto::instr::pipe_name(dst) + ", EVENT_ID" +
         std::to_string(id) + ")";
}

bool a_pipe(pipe_t p) { return p >= PIPE_S && p <= PIPE_FIX && p != PIPE_ALL; }

}  // namespace

bool Machine::known_flag(const char* who, pipe_t src, pipe_t dst, event_t id) {
  if (target().native) return false;
  const bool fine = id >= 0 && id <= 7 && a_pipe(src) && a_pipe(dst);
  if (!fine)
    core_.report("flag-id", Severity::error,
                 std::string(who) + "(PIPE_" + pto::instr::pipe_name(src) + ", PIPE_" + pto::instr::pipe_name(dst) +
                     "): id is " + std::to_string(id) + ", ids are 0 to 7 between two pipes",
                 site_, who);
  return fine && core_.ordered();
}

void Machine::set_flag(pipe_t src, pipe_t dst, event_t id) {
  if (!known_flag("set_flag", src, dst, id)) return;
  const pto::instr::Site* before = core_.pipes().set_at(src, dst, id);
  if (!before) return void(core_.pipes().set(src, dst, id, site_));
  core_.report("flag-reuse", Severity::error,
               "set_flag" + flag_text(src, dst, id) + " while it is still set since line " +
                   std::to_string(before->line()) + ". Wait for it first, or use another id",
               site_, "set");
}

void Machine::wait_flag(pipe_t src, pipe_t dst, event_t id) {
  if (!known_flag("wait_flag", src, dst, id)) return;
  if (core_.pipes().wait(src, dst, id) == Pipes::Outcome::done) return;
  core_.report(
      "flag-deadlock", Severity::error,
      "wait_flag" + flag_text(src, dst, id) + " waits for ever: nothing has set it on this path. The block ends here",
      site_, "wait");
  if (in_launch()) throw BlockEnded{};
}

void Machine::own_pair(const char* mnemonic, pipe_t src, pipe_t dst) {
  if (const pto::instr::Site* before = core_.pipes().set_at(src, dst, EVENT_ID0))
    core_.report("flag-reuse", Severity::error,
                 std::string(mnemonic) + " sets" + flag_text(src, dst, EVENT_ID0) +
                     " by itself, which is still set since line " + std::to_string(before->line()) +
                     ". Wait for it first, or use another id",
                 site_, mnemonic);
  else
    core_.pipes().set(src, dst, EVENT_ID0, site_), core_.pipes().wait(src, dst, EVENT_ID0);
}

}  // namespace ptox
