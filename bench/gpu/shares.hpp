// SPDX-License-Identifier: Apache-2.0
// Prints and draws the results of a GPU as shares of the rate of a copy.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/report.hpp"

namespace ptox::bench::gpu {

/// A case with its result and the rate of a copy on this device.
struct Measured {
  Case about;
  Result result;
  double copy_rate;  ///< bytes per second, read and written

  /// The rate of a way as a share of the copy's; 0 if the way was not timed.
  double share(const std::string& way) const;
};

void print_heading(std::FILE*);
void print(std::FILE*, const Measured&);

/// Draws a group of bars for each case. Returns false if the file cannot be written.
bool write_chart(const std::string& path, const std::string& device, const std::vector<Measured>&);

}  // namespace ptox::bench::gpu
