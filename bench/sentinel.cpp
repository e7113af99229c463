// SPDX-License-Identifier: Apache-2.0
// Measures the cost of indices that are -1 under Zero and Skip, compared with a job whose indices are all valid.
#include <algorithm>
#include <cstring>
#include <memory>

#include "bench/bench.hpp"
#include "bench/ways.hpp"

namespace ptox::bench {

namespace {

struct Subject {
  const char* name;
  Work work;
};

std::vector<Subject> subjects(bool quick) {
  const std::int64_t rows = quick ? 1 << 14 : 1 << 20, elements = quick ? 1 << 20 : 64 << 20;
  return {{"gather rows of 512 B", {Move::gather, Number::f32, rows, 128, rows}},
          {"gather rows of 64 B", {Move::gather, Number::f32, rows, 16, 4 * rows}},
          {"scatter rows of 512 B", {Move::scatter, Number::f32, rows, 128, rows, Order::permutation}},
          {"add rows of 512 B", {Move::add, Number::f32, rows, 128, rows}},
          {"gather elements", {Move::gather, Number::f32, elements, 0, elements / 4}},
          {"add elements", {Move::add, Number::f32, elements, 0, elements / 4}},
          {"add elements of bf16", {Move::add, Number::bf16, elements, 0, elements / 4}}};
}

/// Runs the plain loop for each valid index; in a gather the rows of the other indices are zero.
void expected_result(const Job& job, PlainLoop loop) {
  const Work& w = job.work();
  for (std::int64_t i = 0; i < w.count; ++i) {
    std::byte* moved = job.moved() + i * w.row_bytes();
    const std::int32_t* idx = job.idx().data() + i;
    if (*idx >= 0)
      loop(job.table(), idx, moved, 1, w.columns());
    else if (w.move == Move::gather)
      std::memset(moved, 0, static_cast<std::size_t>(w.row_bytes()));
  }
}

void verify(const Job& job, int threads) {
  job.compare([&] { expected_result(job, any_loop(job.work())); }, [&] { job.ours(threads, true); },
              job.work().loop_name() + " with -1 among the indices");
}

/// All ways share one set of buffers; each copies its own indices there before it is timed.
void run(const Subject& s, const Settings& settings, const Sink& sink) {
  const Job job(s.work);
  const std::vector<std::int32_t> valid(job.idx().begin(), job.idx().end());
  const auto way = [&](const std::string& name, double share, bool drop) {
    const auto idx = std::make_shared<std::vector<std::int32_t>>(valid);
    drop_share(*idx, share, 4);
    return Way{name, [&job, idx, drop] {
                 std::copy(idx->begin(), idx->end(), job.idx().begin());
                 return seconds_of([&] { job.ours(1, drop); });
               }};
  };
  Ways ways{way("all valid, Undefined", 0, false)};
  for (const int percent : {0, 50, 99}) {
    ways.push_back(way(std::to_string(percent) + " % are -1", percent / 100.0, true));
    ways.back().run();
    verify(job, settings.threads);
  }
  Result r{"sentinel", s.name, s.work.by_rows() ? "row" : "element", static_cast<double>(s.work.count), {}};
  r.series = in_turns(ways, settings.rounds_or(7));
  sink(std::move(r));
}

}  // namespace

void sentinels(const Settings& settings, const Sink& sink) {
  for (const Subject& s : subjects(settings.quick)) run(s, settings, sink);
}

}  // namespace ptox::bench
