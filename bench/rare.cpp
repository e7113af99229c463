// SPDX-License-Identifier: Apache-2.0
// Measures calls that are made rarely, with default options and on one thread: worker threads sleep between them.
#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "bench/bench.hpp"
#include "bench/turns.hpp"
#include "bench/work.hpp"

namespace ptox::bench {

namespace {

/// The mean time of some calls. Before each one the process sleeps, and then makes an untimed call on one thread, so
/// that both ways find the buffers in the caches.
Way rare(std::string name, const Job& job, int threads, Kind kind) {
  constexpr int calls = 16;
  const auto run = [&job, threads] {
    double seconds = 0;
    for (int k = 0; k < calls; ++k) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      job.ours(1);
      seconds += seconds_of([&] { job.ours(threads); });
    }
    return seconds / calls;
  };
  return {std::move(name), run, kind};
}

void run(const Work& w, const Settings& settings, const Sink& sink) {
  const Job job(w);
  Result r{"rare",
           std::string(name(w.move)) + " " + std::to_string(w.count) + " x " + std::to_string(w.row_bytes()) + " B",
           w.by_rows() ? "row" : "element",
           static_cast<double>(w.count),
           {}};
  r.series = in_turns({rare("one thread", job, 1, Kind::reference), rare("default", job, 0, Kind::ours)},
                      settings.rounds_or(9));
  sink(std::move(r));
}

}  // namespace

void rare_calls(const Settings& settings, const Sink& sink) {
  for (std::int64_t n = 1 << 8; n <= (settings.quick ? 1 << 12 : 1 << 17); n *= 2)
    run({Move::gather, Number::f32, n, 128, n}, settings, sink);
  for (const Move move : {Move::gather, Move::add})
    for (std::int64_t n = 1 << 13; n <= (settings.quick ? 1 << 14 : 1 << 20); n *= 2)
      run({move, Number::f32, n, 0, n}, settings, sink);
}

}  // namespace ptox::bench
