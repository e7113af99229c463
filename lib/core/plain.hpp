// SPDX-License-Identifier: Apache-2.0
// The default device: instructions outside a launch run on it, and the process reports what they found.
#pragma once

#include "core/core.hpp"

namespace ptox {

/// The thread's own core: block 0 of 1 of the default device. Its launch begins with the first use.
Core& plain_core();
/// The same if the thread has one, without making it.
Core* existing_plain_core();
/// Ends the thread's plain launch, if one is under way: findings go to the process's report.
void end_plain_launch() noexcept;

/// What plain calls run on, as a device for launches; its target and checks as the environment or the program chose.
Device default_device();
/// PTOX_SEED, or 0.
std::uint64_t default_seed();
/// Findings of a launch on the default device join those of plain calls.
void add_to_plain_report(const Report& report);

// Where PTOX_REPORT is set, as it is by `ptox check`, the report of the process is about all launches: those of Device
// as well, and what take_plain_report gave to the program. Elsewhere these are the program's affair.

bool keeps_launch_reports();
/// Findings of a launch on any other device join the report of the process, where that is about all launches.
void add_to_launch_report(const Report& report);
/// As take_plain_report, for a caller that adds it to a report elsewhere.
Report move_plain_report();
/// What add_to_launch_report added, and what take_plain_report took.
Report take_launch_report();
/// What is printed and written when the process ends.
Report take_process_report();

namespace detail {

/// Runs a launch whose report the caller adds, or drops.
struct DefaultDevice {
  static Report run(Device device, const LaunchOptions& options, const Job& job);
};

}  // namespace detail

}  // namespace ptox
