// SPDX-License-Identifier: Apache-2.0
#include "bench/bench.hpp"

#include <iterator>
#include <utility>

namespace ptox::bench {

namespace {

std::vector<Bench> made() {
  std::vector<Bench> out = workloads();
  for (Bench& b : tiny_tiles()) out.push_back(std::move(b));
  const Bench others[] = {
      {"hostile",
       "indices that are all the same, sorted, reversed, two, Zipf, in a window: still no worse than the plain loop?",
       Needs::plain, hostile_orders},
      {"sentinel", "-1 at 0, 50 and 99 % of the indices, skipped or zeroed: what does that cost, or save?",
       Needs::plain, sentinels},
      {"tile", "a kernel that goes tile by tile: how far from the whole-tensor functions?", Needs::plain, tile_path},
      {"sizes", "from a thousand to a hundred million: where does the cost of one jump?", Needs::plain, sizes},
      {"widths", "rows of 1 byte to 16 KiB: where does the cost of one jump?", Needs::plain, widths},
      {"rare", "calls that are made rarely: does a default call cost more than one on one thread?", Needs::nothing,
       rare_calls},
      {"sharded", "a table over two ranks: as fast as one process has it on one thread?", Needs::nothing,
       sharded_tables},
      {"check", "how much longer does a checked run of a model take?", Needs::nothing, checked_lookup},
      {"dense", "what does an instruction on a dense tile cost on a model, unchecked and checked?", Needs::nothing,
       dense_tiles},
      {"unchecked", "what does an unchecked run on the host pay for the checker's existence?", Needs::nothing,
       unchecked_host},
  };
  out.insert(out.end(), std::begin(others), std::end(others));
  return out;
}

}  // namespace

const std::vector<Bench>& all() {
  static const std::vector<Bench> benches = made();
  return benches;
}

}  // namespace ptox::bench
