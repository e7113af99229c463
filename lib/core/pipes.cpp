// SPDX-License-Identifier: Apache-2.0
#include "core/pipes.hpp"

namespace ptox {

/// What comes before everything that S issues from now on.
Clock Pipes::issued() const {
  Clock c = known(PIPE_S);
  c[PIPE_S] = now_[PIPE_S];
  return c;
}

std::uint32_t Pipes::advance(pipe_t pipe, bool stores) {
  if (pipe != PIPE_S) known(pipe).join(issued());
  return ++now_[agent_of(pipe, stores)];
}

bool Pipes::before(Agent agent, std::uint32_t time, pipe_t pipe) const {
  return pipe_of_agent(agent) == pipe || known(pipe)[agent] >= time;
}

Pipes::Outcome Pipes::set(pipe_t src, pipe_t dst, event_t id, pto::instr::Site site) {
  Flag& f = flag(src, dst, id);
  if (f.set) return Outcome::already_set;
  if (src != PIPE_S) known(src).join(issued());
  f = {true, known(src), site};
  f.clock[src] = now_[src];
  if (src == PIPE_S) f.clock[scalar_stores] = now_[scalar_stores];
  return Outcome::done;
}

Pipes::Outcome Pipes::wait(pipe_t src, pipe_t dst, event_t id) {
  Flag& f = flag(src, dst, id);
  if (!f.set) return Outcome::never_set;
  f.set = false;
  known(dst).join(f.clock);
  return Outcome::done;
}

void Pipes::barrier(pipe_t pipe) {
  if (pipe != PIPE_ALL) return;  // within a pipe everything is in order anyway
  for (Clock& c : known_) c = now_;
}

const pto::instr::Site* Pipes::set_at(pipe_t src, pipe_t dst, event_t id) const {
  return flag(src, dst, id).set ? &flag(src, dst, id).site : nullptr;
}

}  // namespace ptox
