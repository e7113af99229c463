// SPDX-License-Identifier: Apache-2.0
// Prints results as tables on a terminal, one row as soon as each is measured.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/machine.hpp"
#include "bench/result.hpp"

namespace ptox::bench {

/// Facts and settings that apply to the whole run.
struct Circumstances {
  Facts facts;
  int threads = 1;
  bool quick = false;
};

void print(const Circumstances&, std::FILE*);

/// Prints each result under the heading of its bench.
class Table {
 public:
  Table(std::FILE* out, int threads) : out_(out), threads_(threads) {}
  void add(const Result&);

 private:
  void heading(const Result&);
  void workload(const Result&);
  void point(const Result&);
  void ways(const Result&);
  std::string on_all(const Series*) const;

  std::FILE* out_;
  int threads_;
  std::string bench_, group_;
  double ratio_ = 0;
};

/// The factor by which the speedup over the plain loop falls from one point of a curve to the next, if it is more than
/// 1.5; else 0.
double fall(double ratio_before, double ratio);

/// Writes all results with the seconds of every round. Returns false if the file cannot be written.
bool write_json(const std::string& path, const Circumstances&, const std::vector<Result>&);

}  // namespace ptox::bench
