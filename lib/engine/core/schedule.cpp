// SPDX-License-Identifier: Apache-2.0
#include "engine/core/schedule.hpp"

#include <utility>

#include "engine/core/core.hpp"

namespace ptox {

void Schedule::start(std::uint64_t seed, int block) {
  abandon();
  seeded_ = seed != 0 && !core_.target().native;
  random_ = Random(seed + 0x632be59bd9b4e019u * static_cast<std::uint64_t>(block));
  if (!seeded_) return;
  for (std::uint32_t& s : speed_) s = 1u << random_.below(6);
  haste_ = static_cast<std::uint32_t>(random_.below(8));
}

IssuePoint Schedule::issue_point() const { return {core_.pipes().issued(), core_.time().now(), core_.step()}; }

void Schedule::enter(pipe_t pipe) { core_.pipes().enter(pipe, core_.pipes().issued()); }

void Schedule::post(pipe_t pipe, Site site, Work run) {
  add(pipe, {Kind::work, pipe, pipe, 0, site, issue_point(), std::move(run)});
}

void Schedule::set(pipe_t src, pipe_t dst, event_t id, Site site) {
  add(src, {Kind::set, src, dst, id, site, issue_point(), {}});
}

bool Schedule::wait(pipe_t src, pipe_t dst, event_t id, Site site) {
  const Task task{Kind::wait, src, dst, id, site, issue_point(), {}};
  if (dst != PIPE_S) return add(dst, task), true;
  while (!core_.pipes().is_set(src, dst, id)) {
    const pipe_t next = pick();
    if (next < 0) return false;
    step(next);
  }
  perform(dst, task);
  return true;
}

void Schedule::add(pipe_t pipe, Task task) {
  const bool held = task.kind == Kind::wait && !core_.pipes().is_set(task.src, task.dst, task.id);
  if (pipe == PIPE_S || (!seeded_ && queue(pipe).empty() && !held)) {
    perform(pipe, task);
  } else {
    queue(pipe).push_back(std::move(task));
    ++queued_;
  }
  if (seeded_)
    wander();
  else if (queued_)
    drain();
  if (queue(pipe).size() > deepest_queue && !drain()) core_.deadlocked(" before the queue is full");
}

bool Schedule::can_step(pipe_t pipe) const {
  if (queue(pipe).empty()) return false;
  const Task& t = queue(pipe).front();
  return t.kind != Kind::wait || core_.pipes().is_set(t.src, t.dst, t.id);
}

void Schedule::step(pipe_t pipe) {
  const Task task = std::move(queue(pipe).front());
  queue(pipe).pop_front();
  --queued_;
  perform(pipe, task);
}

void Schedule::perform(pipe_t pipe, const Task& task) {
  core_.pipes().enter(pipe, task.issued.clock);
  const std::uint32_t at_hand = core_.step();
  core_.resume(task.issued.step);
  if (task.kind == Kind::work)
    task.run(task.issued.cycle);
  else if (task.kind == Kind::set)
    core_.pipes().set(task.src, task.dst, task.id),
        core_.time().set(task.src, task.dst, task.id, task.site, task.issued.cycle);
  else
    core_.pipes().wait(task.src, task.dst, task.id),
        core_.time().wait(task.src, task.dst, task.id, task.site, task.issued.cycle);
  core_.resume(at_hand);
}

pipe_t Schedule::pick() {
  std::array<pipe_t, pipes> ready;
  std::size_t count = 0;
  std::uint64_t total = 0;
  for (pipe_t p = 0; p < pipes && queued_; ++p)
    if (can_step(p)) ready[count++] = p, total += speed_[static_cast<std::size_t>(p)];
  if (count == 0) return -1;
  if (!seeded_) return ready[0];
  std::uint64_t at = random_.below(total);
  for (std::size_t i = 0;; ++i) {
    const std::uint32_t speed = speed_[static_cast<std::size_t>(ready[i])];
    if (at < speed) return ready[i];
    at -= speed;
  }
}

void Schedule::wander() {
  if (core_.run().turn) core_.run().turn->pass();
  for (pipe_t p = 0; p < pipes; ++p)
    while (queue(p).size() > longest_queue && can_step(p)) step(p);
  while (random_.below(8) < haste_) {
    const pipe_t next = pick();
    if (next < 0) return;
    step(next);
  }
}

bool Schedule::drain() {
  for (pipe_t next; queued_ && (next = pick()) >= 0;) step(next);
  return queued_ == 0;
}

std::vector<Schedule::Stuck> Schedule::stuck() const {
  std::vector<Stuck> all;
  for (const auto& q : queues_) {
    if (q.empty()) continue;
    const Task& t = q.front();
    all.push_back({t.src, t.dst, t.id, t.site, queued_set(t.src, t.dst, t.id)});
  }
  return all;
}

const Schedule::Site* Schedule::queued_set(pipe_t src, pipe_t dst, event_t id) const {
  for (const Task& t : queue(src))
    if (t.kind == Kind::set && t.dst == dst && t.id == id) return &t.site;
  return nullptr;
}

void Schedule::abandon() {
  for (auto& q : queues_) q.clear();
  queued_ = 0;
}

}  // namespace ptox
