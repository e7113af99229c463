// SPDX-License-Identifier: Apache-2.0
#include "observe/trace.hpp"

#include <algorithm>
#include <cstdio>
#include <set>

#include "engine/core/pipes.hpp"
#include "engine/report/quoted.hpp"

namespace ptox {

namespace {

/// The processes (blocks) and threads (pipes) whose names have been written. Later launches use those of the first.
using Named = std::set<std::pair<int, int>>;

/// Writes the events of a block. Numbers of processes and threads begin at 1, because viewers reserve 0.
class TraceWriter {
 public:
  TraceWriter(std::string& out, const std::string& target, const BlockTime& block, std::int64_t arrows, Named& named)
      : out_(out), target_(target), block_(block), arrows_(arrows), named_(named) {
    for (const CallTime& c : block.calls)
      at_.push_back(c.file.empty() ? "\"\"" : quoted(c.file + ":" + std::to_string(c.line)));
  }

  void write() {
    if (named_.insert({block_.block, -1}).second) process();
    if (block_.begin) ub({});  // UB that the launch before used is free
    for (const TimeEvent& e : block_.events) {
      used_[e.pipe] = true;
      if (e.kind == TimeEvent::Kind::work) work(e);
      if (e.kind == TimeEvent::Kind::set || e.kind == TimeEvent::Kind::wait) flag(e);
      if (e.kind == TimeEvent::Kind::ub) ub(e);
    }
    for (pipe_t p = 0; p < static_cast<pipe_t>(pipe_count); ++p)
      if (used_[static_cast<std::size_t>(p)] && named_.insert({block_.block, p}).second) thread(p);
  }

 private:
  /// Begins an event: {"ph": ..., "pid": ..., "tid": ...
  void begin(const char* phase, int pipe) {
    out_ += out_.back() == '[' ? "\n{\"ph\": \"" : ",\n{\"ph\": \"";
    out_ += phase;
    out_ += "\", \"pid\": " + std::to_string(block_.block + 1) + ", \"tid\": " + std::to_string(pipe + 1);
  }
  /// One cycle is shown as one nanosecond; the unit of the format is microseconds.
  void time(const char* key, std::uint64_t cycles) {
    char text[40];
    std::snprintf(text, sizeof text, "\": %llu.%03llu", static_cast<unsigned long long>(cycles / 1000),
                  static_cast<unsigned long long>(cycles % 1000));
    out_ += ", \"";
    out_ += key;
    out_ += text;
  }
  void count(const char* key, std::int64_t n) {
    if (n) out_ += ", \"" + std::string(key) + "\": " + std::to_string(n);
  }
  void name(const std::string& text) { out_ += ", \"name\": " + quoted(text); }
  void slice(const TimeEvent& e, const std::string& label) {
    begin("X", e.pipe);
    time("ts", block_.begin + e.begin);
    time("dur", e.end - e.begin);
    name(label);
    out_ += ", \"args\": {\"at\": " + at_[e.call];
  }

  void process() {
    begin("M", 0);
    out_ += ", \"name\": \"process_name\", \"args\": {\"name\": " +
            quoted(target_ + " block " + std::to_string(block_.block) + " (estimate)") + "}}";
  }
  void thread(pipe_t p) {
    begin("M", p);
    out_ += ", \"name\": \"thread_name\", \"args\": {\"name\": \"" + std::string(pto::instr::pipe_name(p)) + "\"}}";
    begin("M", p);
    out_ += ", \"name\": \"thread_sort_index\", \"args\": {\"sort_index\": " + std::to_string(p) + "}}";
  }
  void work(const TimeEvent& e) {
    slice(e, block_.calls[e.call].mnemonic);
    count("bytes", e.bytes);
    count("rows", e.rows);
    count("transfers", e.transfers);
    count("lines", e.lines);
    out_ += "}}";
  }
  /// A slice, and one end of an arrow that is attached to it.
  void flag(const TimeEvent& e) {
    const bool set = e.kind == TimeEvent::Kind::set;
    const std::string pair = std::string(pto::instr::pipe_name(e.src)) + " to " + pto::instr::pipe_name(e.dst) +
                             (e.id < Pipes::own_id ? " " + std::to_string(e.id) : " own");
    slice(e, (set ? "set " : "wait ") + pair);
    out_ += "}}";
    begin(set ? "s" : "f", e.pipe);
    time("ts", block_.begin + (set ? e.begin : e.end - 1));  // inside the slice: a wait ends in its last cycle
    name("flag");
    out_ += ", \"cat\": \"flag\", \"id\": " + std::to_string(arrows_ + e.arrow);  // viewers require an integer
    out_ += set ? "}" : ", \"bp\": \"e\"}";
  }
  void ub(const TimeEvent& e) {
    begin("C", PIPE_S);
    time("ts", block_.begin + e.begin);
    out_ += ", \"name\": \"UB\", \"args\": {\"bytes\": " + std::to_string(e.bytes) + "}}";
  }

  std::string& out_;
  const std::string& target_;
  const BlockTime& block_;
  std::int64_t arrows_;  ///< number of arrows in the blocks before this one
  Named& named_;
  std::vector<std::string> at_;
  bool used_[pipe_count] = {};
};

}  // namespace

Trace::Trace(std::string target, std::vector<BlockTime> blocks)
    : target_(std::move(target)), blocks_(std::move(blocks)) {
  for (const BlockTime& b : blocks_) events_ += b.events.size(), cut_ = cut_ || b.cut;
}

void Trace::append(BlockTime block) {
  const std::size_t room = Timeline::most_events - std::min(events_, Timeline::most_events);
  cut_ = cut_ || block.cut || block.events.size() > room;
  block.events.resize(std::min(block.events.size(), room));
  if (block.events.empty()) return;  // so that the number of blocks is bounded too
  events_ += block.events.size();
  blocks_.push_back(std::move(block));
}

void Trace::append(const Trace& next, std::uint64_t begin) {
  for (BlockTime b : next.blocks_) {
    b.begin += begin;
    append(std::move(b));
  }
}

std::string Trace::json() const {
  std::string out = "{\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"target\": " + quoted(target_) +
                    ", \"time\": \"an estimate by a model, not measured; 1 ns is one cycle\", \"cut\": \"" +
                    (cut_ ? "yes: later events are missing" : "no") + "\"},\n\"traceEvents\": [";
  std::int64_t arrows = 0;
  Named named;
  for (const BlockTime& b : blocks_) {
    TraceWriter(out, target_, b, arrows, named).write();
    arrows += b.arrows;
  }
  return out + "]}\n";
}

}  // namespace ptox
