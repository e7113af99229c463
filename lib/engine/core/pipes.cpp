// SPDX-License-Identifier: Apache-2.0
#include "engine/core/pipes.hpp"

namespace ptox {

Clock Pipes::issued() const {
  Clock c = known(PIPE_S);
  c[PIPE_S] = now_[PIPE_S];
  return c;
}

void Pipes::enter(pipe_t pipe, const Clock& issued) {
  if (pipe != PIPE_S) known(pipe).join(issued);
}

bool Pipes::before(Agent agent, std::uint32_t time, pipe_t pipe) const {
  return pipe_of_agent(agent) == pipe || known(pipe)[agent] >= time;
}

void Pipes::set(pipe_t src, pipe_t dst, event_t id) {
  Clock c = known(src);
  c[src] = now_[src];
  if (src == PIPE_S) c[scalar_stores] = now_[scalar_stores];
  flag(src, dst, id).push_back(c);
}

void Pipes::wait(pipe_t src, pipe_t dst, event_t id) {
  Flag& f = flag(src, dst, id);
  known(dst).join(f.front());
  f.erase(f.begin());
}

void Pipes::barrier(pipe_t pipe) {
  if (pipe != PIPE_ALL) return;  // work within one pipe is always in order
  for (Clock& c : known_) c = now_;
}

}  // namespace ptox
