// SPDX-License-Identifier: Apache-2.0
#include "observe/timeline.hpp"

#include <algorithm>
#include <utility>

#include "engine/core/pipes.hpp"

namespace ptox {

using pto::instr::Site;

void Timeline::start(const Target& target, int block, std::size_t events) {
  timing_ = timing_of(target);
  most_ = events;
  free_ = {};
  fired_.clear(), keys_.clear();
  last_call_ = 0;
  ub_bytes_ = 0;
  block_ = {};
  block_.target = &target, block_.block = block;
}

std::uint32_t Timeline::call(const char* mnemonic, Site site, pipe_t pipe, pipe_t other) {
  const Key key{mnemonic, site.file_name(), site.line(), pipe, other};
  if (last_call_ < keys_.size() && keys_[last_call_] == key) return last_call_;
  const auto found = std::find(keys_.begin(), keys_.end(), key);
  last_call_ = static_cast<std::uint32_t>(found - keys_.begin());
  if (found != keys_.end()) return last_call_;
  keys_.push_back(key);
  CallTime c;
  c.mnemonic = mnemonic, c.file = site.file_name(), c.line = site.line();
  c.pipe = pipe == PIPE_ALL ? PIPE_S : pipe, c.other = other;
  block_.calls.push_back(std::move(c));
  return last_call_;
}

TimeEvent* Timeline::keep(TimeEvent::Kind kind, pipe_t pipe, std::uint64_t begin, std::uint64_t end,
                          std::uint32_t call) {
  if (block_.events.size() >= most_) {
    block_.cut = true;
    return nullptr;
  }
  TimeEvent e;
  e.kind = kind, e.pipe = static_cast<std::uint8_t>(pipe), e.begin = begin, e.end = end, e.call = call;
  return &block_.events.emplace_back(e);
}

void Timeline::slice(pipe_t pipe, std::uint64_t begin, std::uint64_t end, std::uint32_t call, const Work* work) {
  TimeEvent* e = keep(TimeEvent::Kind::work, pipe, begin, end, call);
  if (!e || !work) return;
  e->bytes = work->gm_bytes();
  e->transfers = static_cast<std::uint32_t>(work->transfers), e->rows = static_cast<std::uint32_t>(work->rows);
  e->lines = static_cast<std::uint32_t>(work->lines);
}

void Timeline::arrow(TimeEvent::Kind kind, pipe_t pipe, std::uint64_t begin, std::uint64_t end, std::uint32_t call,
                     const Fired& flag) {
  TimeEvent* e = keep(kind, pipe, begin, end, call);
  if (!e) return;
  e->arrow = flag.arrow;
  e->src = static_cast<std::uint8_t>(flag.src), e->dst = static_cast<std::uint8_t>(flag.dst);
  e->id = static_cast<std::uint8_t>(flag.id);
}

namespace {

/// Adds an execution to a call. The first one also sets the fields of Work that are not counts.
void add(CallTime& c, pipe_t pipe, const Work& work) {
  c.pipe = pipe;
  ++c.count;
  c.count == 1 ? c.work = work : (c.work.add(work), c.work);
}

}  // namespace

void Timeline::scalar(const char* mnemonic, Site site, std::uint64_t cycles, const Work* work) {
  if (!timing_ || !cycles) return;
  const std::uint32_t number = call(mnemonic, site);
  CallTime& c = block_.calls[number];
  const bool all = !work || work->scalar_path;  // otherwise another pipe does the rest of the work
  if (all) add(c, PIPE_S, work ? *work : Work{});
  (all ? c.cycles : c.scalar_cycles) += cycles;
  slice(PIPE_S, now(), now() + cycles, number, work);
  free(PIPE_S) += cycles;
  block_.busy[PIPE_S] += cycles;
}

void Timeline::work(pipe_t pipe, const char* mnemonic, Site site, const Cost& cost, std::uint64_t issued,
                    const Work* work) {
  if (!timing_ || pipe == PIPE_S) return;
  const std::uint32_t number = call(mnemonic, site);
  const std::uint64_t begin = std::max(free(pipe), issued - std::min(issued, cost.scalar));
  const std::uint64_t end = std::max(begin + cost.pipe, issued);
  add(block_.calls[number], pipe, work ? *work : Work{});
  block_.calls[number].cycles += cost.pipe;
  block_.busy[static_cast<std::size_t>(pipe)] += cost.pipe;
  slice(pipe, begin, end, number, work);
  free(pipe) = end;
}

void Timeline::set(pipe_t src, pipe_t dst, event_t id, Site site, std::uint64_t issued) {
  if (!timing_) return;
  const std::uint64_t begin = src == PIPE_S ? now() : std::max(free(src), issued);
  free(src) = begin + static_cast<std::uint64_t>(timing_->flag_cycles);
  fired_.push_back({src, dst, id, free(src), ++block_.arrows});
  arrow(TimeEvent::Kind::set, src, begin, free(src), call("set_flag", site), fired_.back());
}

void Timeline::wait(pipe_t src, pipe_t dst, event_t id, Site site, std::uint64_t issued) {
  if (!timing_) return;
  const auto flag = std::find_if(fired_.begin(), fired_.end(),
                                 [&](const Fired& f) { return f.src == src && f.dst == dst && f.id == id; });
  if (flag == fired_.end()) return;
  const std::uint64_t begin = dst == PIPE_S ? now() : std::max(free(dst), issued), met = std::max(begin, flag->time);
  free(dst) = met + static_cast<std::uint64_t>(timing_->flag_cycles);
  const std::uint32_t number = call(id < Pipes::own_id ? "wait_flag" : "own wait", site, dst, src);
  CallTime& c = block_.calls[number];
  c.cycles += met - begin, ++c.count;
  arrow(TimeEvent::Kind::wait, dst, begin, free(dst), number, *flag);
  fired_.erase(flag);
}

void Timeline::barrier(pipe_t pipe, Site site) {
  if (!timing_ || pipe != PIPE_ALL) return;
  const std::uint64_t begin = now();
  free(PIPE_S) = *std::max_element(free_.begin(), free_.end());
  if (now() == begin) return;
  const std::uint32_t number = call("pipe_barrier", site);
  block_.calls[number].cycles += now() - begin, ++block_.calls[number].count;
  keep(TimeEvent::Kind::work, PIPE_S, begin, now(), number);
}

void Timeline::ub_use(std::int64_t bytes) {
  if (!timing_ || bytes == ub_bytes_) return;
  ub_bytes_ = bytes;
  if (TimeEvent* e = keep(TimeEvent::Kind::ub, PIPE_S, now(), now(), 0)) e->bytes = bytes;
}

void Timeline::finish() { block_.end = *std::max_element(free_.begin(), free_.end()); }

BlockTime Timeline::take() {
  keys_.clear(), fired_.clear();
  last_call_ = 0;
  return std::exchange(block_, {});
}

}  // namespace ptox
