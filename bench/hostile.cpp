// SPDX-License-Identifier: Apache-2.0
// Measures access patterns in which ptox might be slower than the plain loop.
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
  return {{"gather rows", {Move::gather, Number::f32, rows, 128, rows}},
          {"gather rows of 16 B", {Move::gather, Number::f32, rows, 4, 4 * rows}},
          {"scatter rows", {Move::scatter, Number::f32, rows, 128, rows}},
          {"add rows", {Move::add, Number::f32, rows, 128, rows}},
          {"add rows of 16 B", {Move::add, Number::f32, rows, 4, 4 * rows}},
          {"min rows", {Move::min, Number::f32, rows, 128, rows}},
          {"gather elements", {Move::gather, Number::f32, elements, 0, elements / 4}},
          {"scatter elements", {Move::scatter, Number::f32, elements, 0, elements / 4}},
          {"add elements", {Move::add, Number::f32, elements, 0, elements / 4}},
          {"add elements of f16", {Move::add, Number::f16, elements, 0, elements / 4}},
          {"add elements of bf16", {Move::add, Number::bf16, elements, 0, elements / 4}},
          {"max elements of i32", {Move::max, Number::i32, elements, 0, elements / 4}}};
}

}  // namespace

void hostile_orders(const Settings& settings, const Sink& sink) {
  for (const Subject& s : subjects(settings.quick))
    for (const Order order :
         {Order::all_same, Order::two_hot, Order::sorted, Order::reversed, Order::zipf, Order::window}) {
      Work w = s.work;
      w.order = order;
      const Job job(w);
      job.verify(any_loop(w), settings.threads);
      Ways ways = our_ways(job, settings.threads);
      ways += plain_ways(job);
      Result r{"hostile",
               s.name + std::string(", ") + name(order),
               w.by_rows() ? "row" : "element",
               static_cast<double>(w.count),
               {}};
      r.series = in_turns(ways, settings.rounds_or(7));
      sink(std::move(r));
    }
}

}  // namespace ptox::bench
