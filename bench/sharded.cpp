// SPDX-License-Identifier: Apache-2.0
// Compares a table over two ranks with one process on one thread; ranks and process alternate in one run.
#include "ptox/sharded.hpp"

#include <chrono>
#include <cstring>
#include <stdexcept>

#include "bench/bench.hpp"
#include "bench/turns.hpp"
#include "bench/work.hpp"

namespace ptox::bench {

namespace {

constexpr int ranks = 2;

/// A rank's part of a job on a sharded table, and the whole job on a table of its own.
class Part {
 public:
  Part(Rank& rank, const Work& work)
      : rank_(rank),
        job_(work),
        table_(rank, work.rows, work.width),
        begin_(work.count * rank.id() / rank.size()),
        end_(work.count * (rank.id() + 1) / rank.size()),
        out_(gathers() ? (end_ - begin_) * work.row_bytes() : 0) {
    take_table();
  }

  /// Throws if the result of the ranks differs in any bit from that of one process.
  void verify() {
    job_.ours(1);
    ours();
    const Work& w = job_.work();
    const Rows<float> mine = table_.local();
    const bool same =
        gathers() ? same_bytes(out_.data(), job_.moved() + begin_ * w.row_bytes(), out_.bytes())
                  : same_bytes(mine.data, job_.table() + table_.first() * w.row_bytes(), mine.rows * w.row_bytes());
    if (!same)
      throw std::runtime_error(w.loop_name() + ": " + std::to_string(ranks) + " ranks differ from one process");
  }

  /// Times both ways alternately, together with the other ranks; the times of rank 0 are used. First uses the table
  /// often enough for it to be moved to huge pages, which happens once.
  std::vector<Series> measure(int rounds, const std::string& name) {
    for (int k = 0; k < 5; ++k) ours();
    const auto alone = [this] {
      rank_.barrier();
      return rank_.id() == 0 ? seconds_of([this] { job_.ours(1); }) : 0;
    };
    const auto together = [this] {
      rank_.barrier();
      const double seconds = seconds_of([this] { ours(); });
      rank_.barrier();
      return seconds;
    };
    return in_turns({{"one process", alone, Kind::reference}, {name, together}}, rounds);
  }

 private:
  bool gathers() const { return job_.work().move == Move::gather; }
  static bool same_bytes(const void* a, const void* b, std::int64_t bytes) {
    return std::memcmp(a, b, static_cast<std::size_t>(bytes)) == 0;
  }

  void take_table() {
    const std::int64_t row_bytes = job_.work().row_bytes();
    const Rows<float> mine = table_.local();
    std::memcpy(mine.data, job_.table() + table_.first() * row_bytes, static_cast<std::size_t>(mine.rows * row_bytes));
  }

  void ours() {
    const Work& w = job_.work();
    const auto idx = job_.idx().subspan(static_cast<std::size_t>(begin_), static_cast<std::size_t>(end_ - begin_));
    if (gathers()) return gather_rows(table_, idx, Rows{out_.as<float>(), end_ - begin_, w.width});
    const auto* src = reinterpret_cast<const float*>(job_.moved()) + begin_ * w.width;
    scatter_rows(table_, idx, Rows{src, end_ - begin_, w.width},
                 {.op = w.move == Move::add ? pto::ScatterAtomicOp::Add : pto::ScatterAtomicOp::None});
  }

  Rank& rank_;
  Job job_;
  Sharded<float> table_;
  std::int64_t begin_, end_;
  Region out_;
};

/// Converts the seconds to bytes, the result of a rank, and back.
std::string packed(const std::vector<Series>& series) {
  std::string bytes;
  for (const Series& s : series)
    bytes.append(reinterpret_cast<const char*>(s.seconds.data()), s.seconds.size() * sizeof(double));
  return bytes;
}
std::vector<double> unpacked(const std::string& bytes, std::size_t half) {
  std::vector<double> seconds(bytes.size() / sizeof(double) / 2);
  std::memcpy(seconds.data(), bytes.data() + half * bytes.size() / 2, bytes.size() / 2);
  return seconds;
}

struct Subject {
  const char* name;
  Work work;
};

void run(const Subject& subject, Engine engine, const Settings& settings, const Sink& sink) {
  const std::string name = std::to_string(ranks) + (engine == Engine::threads ? " threads" : " processes");
  const int rounds = settings.rounds_or(9);
  const auto body = [&](Rank& rank) {
    Part part(rank, subject.work);
    part.verify();
    return packed(part.measure(rounds, name));
  };
  try {
    const std::string answer = run_ranks(ranks, engine, body, {.deadline = std::chrono::minutes(2)}).front();
    Result r{"sharded", subject.name, "row", static_cast<double>(subject.work.count), {}};
    r.series = {{"one process", Kind::reference, 1, unpacked(answer, 0)}, {name, Kind::ours, 1, unpacked(answer, 1)}};
    sink(std::move(r));
  } catch (const RanksError& e) {
    throw Differs{e.what()};
  }
}

}  // namespace

void sharded_tables(const Settings& settings, const Sink& sink) {
  const std::int64_t rows = settings.quick ? 1 << 14 : 1 << 20;
  const Subject subjects[] = {{"gather rows (w1)", {Move::gather, Number::f32, rows, 128, rows}},
                              {"scatter rows (w4)", {Move::scatter, Number::f32, rows, 128, rows, Order::permutation}},
                              {"add rows (w5)", {Move::add, Number::f32, rows, 128, rows, Order::zipf}}};
  for (const Subject& s : subjects)
    for (const Engine engine : {Engine::processes, Engine::threads}) run(s, engine, settings, sink);
}

}  // namespace ptox::bench
