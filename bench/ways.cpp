// SPDX-License-Identifier: Apache-2.0
#include "bench/ways.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <utility>

#include "bench/limits.hpp"

namespace ptox::bench {

namespace {

/// The number of runs in which about 4 MB are moved, at most 4096.
int repeats(const Work& w) {
  const std::int64_t bytes = w.count * (w.row_bytes() + 16);
  return static_cast<int>(std::clamp<std::int64_t>((std::int64_t{4} << 20) / bytes, 1, 4096));
}

/// A maximum or minimum changes nothing when it is repeated, so the table is reset before each run, which is not timed.
Way way(const Job& job, std::string name, Kind kind, int threads, std::function<void()> run) {
  const Move move = job.work().move;
  if (move != Move::max && move != Move::min)
    return timed(std::move(name), std::move(run), kind, threads, repeats(job.work()));
  const auto afresh = [&job, run = std::move(run)] {
    job.reset();
    return seconds_of(run);
  };
  return {std::move(name), afresh, kind, threads};
}

std::atomic<std::uint64_t> seen;  // so that the compiler does not remove the reads

Way copy_way(const Job& job, int threads) {
  const Work& w = job.work();
  const bool fits = w.table_bytes() >= w.moved_bytes();
  const auto other = std::make_shared<Region>(fits ? 0 : w.moved_bytes(), w.pages);
  std::byte* const table = fits ? job.table() : other->data();
  if (!fits) std::fill_n(table, other->bytes(), std::byte{1});
  const auto run = [&job, other, table, threads] {
    const bool gather = job.work().move == Move::gather;
    stream_copy(gather ? job.moved() : table, gather ? table : job.moved(), job.work().moved_bytes(), threads);
  };
  return timed("copy", run, Kind::limit, threads, repeats(w));
}

Way lines_way(const Job& job, int threads) {
  const std::string pages = job.work().pages == Pages::small ? ", 4 KiB pages" : "";
  const auto run = [&job, threads] { seen += read_lines(job.table(), job.work().row_bytes(), job.idx(), threads); };
  return timed("lines" + pages, run, Kind::limit, threads, repeats(job.work()));
}

}  // namespace

Ways& operator+=(Ways& all, Ways more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
  return all;
}

Ways our_ways(const Job& job, int threads) {
  Ways out{way(job, "ours", Kind::ours, 1, [&job] { job.ours(1); })};
  if (threads > 1) out.push_back(way(job, "ours", Kind::ours, threads, [&job, threads] { job.ours(threads); }));
  return out;
}

Ways plain_ways(const Job& job) {
  Ways out;
  for (const PlainLoops& loops : plain_loops())
    if (const PlainLoop loop = loops.find(job.work().loop_name()))
      out.push_back(way(job, loops.compiler, Kind::plain, 1, [&job, loop] { job.plain(loop); }));
  return out;
}

Ways limit_ways(const Job& job, int threads) {
  const Work& w = job.work();
  const bool writes_only = w.move == Move::scatter && w.row_bytes() % 64 == 0;
  Ways out;
  for (const int t : threads > 1 ? std::vector{1, threads} : std::vector{1}) {
    if (w.by_rows() || w.move == Move::gather) out.push_back(copy_way(job, t));
    if (!writes_only) out.push_back(lines_way(job, t));
  }
  return out;
}

PlainLoop any_loop(const Work& w) {
  for (const PlainLoops& loops : plain_loops())
    if (const PlainLoop loop = loops.find(w.loop_name())) return loop;
  throw std::runtime_error("no compiler here has a plain loop for " + w.loop_name());
}

}  // namespace ptox::bench
