// SPDX-License-Identifier: Apache-2.0
// The list of benchmarks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/result.hpp"

namespace ptox::bench {

class Peers;

/// What the user wants of every bench.
struct Settings {
  int rounds = 0;      ///< 0: what the bench thinks right
  int threads = 1;     ///< all of them
  bool quick = false;  ///< sizes cut down: to see that it works, not to be quoted
  Peers* peers = nullptr;

  int rounds_or(int usual) const { return rounds > 0 ? rounds : quick ? 3 : usual; }
};

/// Takes each result as it is ready.
using Sink = std::function<void(Result)>;

/// What a bench compares with: nothing, plain loops, or numpy and torch as well. Those of the last kind run when
/// nothing is named.
enum class Needs { nothing, plain, peers };

/// One name of the command line, with what it asks.
struct Bench {
  std::string name, question;
  Needs needs;
  std::function<void(const Settings&, const Sink&)> run;
};

/// All of them, in the order in which they run.
const std::vector<Bench>& all();

std::vector<Bench> workloads();
std::vector<Bench> tiny_tiles();
void hostile_orders(const Settings&, const Sink&);
void sentinels(const Settings&, const Sink&);
void tile_path(const Settings&, const Sink&);
void sizes(const Settings&, const Sink&);
void widths(const Settings&, const Sink&);
void rare_calls(const Settings&, const Sink&);
void sharded_tables(const Settings&, const Sink&);
void checked_lookup(const Settings&, const Sink&);
void unchecked_host(const Settings&, const Sink&);

}  // namespace ptox::bench
