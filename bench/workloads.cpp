// SPDX-License-Identifier: Apache-2.0
// Measures the functions for whole tensors (workloads W1 to W8), compared with the plain loop, NumPy, PyTorch and the
// limits of memory.
#include <algorithm>
#include <iterator>

#include "bench/bench.hpp"
#include "bench/peers.hpp"
#include "bench/ways.hpp"

namespace ptox::bench {

namespace {

constexpr std::int64_t Ki = 1024, Mi = Ki * Ki;

struct Case {
  const char* name;
  const char* question;
  Work work;
};

constexpr Work row_gather(std::int64_t width, std::int64_t count, Order order = Order::uniform) {
  return {Move::gather, Number::f32, Mi, width, count, order};
}
constexpr Work row_add(Number number) { return {Move::add, number, Mi, 128, Mi, Order::zipf}; }
constexpr Work elements(Move move, Number number) { return {move, number, 64 * Mi, 0, 16 * Mi}; }

const Case cases[] = {
    {"w1", "gather 1 Mi rows of 512 B, f32, anywhere in 1 Mi rows", row_gather(128, Mi)},
    {"w1-zipf", "the same with few rows requested often (Zipf 1.05)", row_gather(128, Mi, Order::zipf)},
    {"w2-64", "gather 4 Mi rows of 64 B from 1 Mi", row_gather(16, 4 * Mi)},
    {"w2-16", "gather 4 Mi rows of 16 B from 1 Mi", row_gather(4, 4 * Mi)},
    {"w3", "gather 16 Mi elements, f32, from 64 Mi", elements(Move::gather, Number::f32)},
    {"w3-4k",
     "the same on pages of 4 KiB",
     {Move::gather, Number::f32, 64 * Mi, 0, 16 * Mi, Order::uniform, Pages::small}},
    {"w3-64ki", "gather 16 Mi elements from a table of 64 Ki", {Move::gather, Number::f32, 64 * Ki, 0, 16 * Mi}},
    {"w4",
     "scatter 1 Mi rows of 512 B to a permutation of 1 Mi",
     {Move::scatter, Number::f32, Mi, 128, Mi, Order::permutation}},
    {"w5", "add 1 Mi rows of 512 B, f32, Zipf 1.05", row_add(Number::f32)},
    {"w6", "add 16 Mi elements, f32, to 64 Mi", elements(Move::add, Number::f32)},
    {"w7", "the maximum of 16 Mi elements, i32, in 64 Mi", elements(Move::max, Number::i32)},
    {"w8-row-f16", "add 1 Mi rows of 128 f16, Zipf 1.05", row_add(Number::f16)},
    {"w8-row-bf16", "add 1 Mi rows of 128 bf16, Zipf 1.05", row_add(Number::bf16)},
    {"w8-elem-f16", "add 16 Mi elements, f16, to 64 Mi", elements(Move::add, Number::f16)},
    {"w8-elem-bf16", "add 16 Mi elements, bf16, to 64 Mi", elements(Move::add, Number::bf16)},
};

Work cut(Work w) {
  w.count = std::max(w.count / 64, 16 * Ki);
  w.rows = std::min(w.rows, std::max(w.rows / 64, 16 * Ki));
  return w;
}

void run(const Case& c, const Settings& settings, const Sink& sink) {
  const Job job(settings.quick ? cut(c.work) : c.work);
  job.verify(any_loop(job.work()), settings.threads);
  Ways ways = our_ways(job, settings.threads);
  ways += plain_ways(job);
  if (settings.peers) ways += settings.peers->open(job.work(), job.idx(), settings.threads);
  ways += limit_ways(job, settings.threads);
  Result r{"workloads", c.name, job.work().by_rows() ? "row" : "element", static_cast<double>(job.work().count), {}};
  r.about = c.question;
  r.series = in_turns(ways, settings.rounds_or(9));
  if (settings.peers) settings.peers->close();
  sink(std::move(r));
}

}  // namespace

std::vector<Bench> workloads() {
  std::vector<Bench> out;
  for (const Case& c : cases)
    out.push_back({c.name, c.question, Needs::peers, [&c](const Settings& s, const Sink& sink) { run(c, s, sink); }});
  return out;
}

}  // namespace ptox::bench
