// SPDX-License-Identifier: Apache-2.0
// The list of benchmarks.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/result.hpp"

namespace ptox::bench {

class Peers;

/// Options of the command line that apply to all benchmarks.
struct Settings {
  int rounds = 0;      ///< 0: the default of the benchmark
  int threads = 1;     ///< for the runs on several threads
  bool quick = false;  ///< small sizes, which show that a benchmark works; the times mean nothing
  Peers* peers = nullptr;

  int rounds_or(int usual) const { return rounds > 0 ? rounds : quick ? 3 : usual; }
};

/// Receives each result as soon as it is measured.
using Sink = std::function<void(Result)>;

/// What a benchmark compares with: nothing, plain loops, or NumPy and PyTorch as well. Without names on the command
/// line those of the last kind run.
enum class Needs { nothing, plain, peers };

/// A benchmark: its name on the command line and the question that it answers.
struct Bench {
  std::string name, question;
  Needs needs;
  std::function<void(const Settings&, const Sink&)> run;
};

/// All benchmarks, in the order in which they run.
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
void dense_tiles(const Settings&, const Sink&);
void unchecked_host(const Settings&, const Sink&);

}  // namespace ptox::bench
