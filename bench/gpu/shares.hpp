// SPDX-License-Identifier: Apache-2.0
// Prints results of a GPU as shares of what a copy moves in the same time.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "bench/gpu/cases.hpp"
#include "bench/report.hpp"

namespace ptox::bench::gpu {

/// A case with what was timed, and how fast a copy is on this device.
struct Measured {
  Case about;
  Result result;
  double copy_rate;  ///< bytes a second, read and written counted

  /// Share of the copy's rate, 0 when it was not timed.
  double share(const std::string& way) const;
};

void print_heading(std::FILE*);
void print(std::FILE*, const Measured&);

/// A group of bars for each case. False when the file cannot be written.
bool write_chart(const std::string& path, const std::string& device, const std::vector<Measured>&);

}  // namespace ptox::bench::gpu
