// SPDX-License-Identifier: Apache-2.0
// The default device, on which instructions outside a launch run, and the report of the process about them.
#pragma once

#include "engine/core/core.hpp"

namespace ptox {

/// The thread's core for plain calls: block 0 of 1 on the default device. Starts the launch of these calls if none is
/// in progress.
Core& plain_core();
/// The same, or nullptr if the thread has none yet.
Core* existing_plain_core();
/// Ends the launch of the thread's plain calls, if one is in progress, and adds its findings to the report of the
/// process.
void end_plain_launch() noexcept;

/// The estimated cycles of all launches and plain calls of the process so far that were made without a Device.
std::uint64_t estimated_cycles();
/// Records that this process is one of several ranks, which print and write reports of their own.
void set_rank_of_process(int rank, int ranks);
/// Records that the process uses ptox, so that it writes the report that PTOX_REPORT asks for.
void note_use();
/// The device on which plain calls run. The environment or the program chose its target and checks.
Device default_device();
/// Plain calls run on this target from now on, with new buffers, unless the environment has chosen one.
void choose_default_target(const Target& target);
/// The value of the environment variable PTOX_SEED, or 0.
std::uint64_t default_seed();
/// Adds the findings of a launch on the default device to those of plain calls.
void add_to_plain_report(const Report& report);

// If PTOX_REPORT is set, as by `ptox check`, the report of the process covers all launches: also those by Device, and
// those whose findings take_plain_report returned to the program. Otherwise it leaves these to the program.

bool keeps_launch_reports();
/// Adds the findings of a launch by Device to the report of the process if that covers all launches; otherwise does
/// nothing.
void add_to_launch_report(const Report& report);
/// Like take_plain_report, but the report of the process does not keep the findings: the caller adds them to another
/// report.
Report move_plain_report();
/// Returns and removes what add_to_launch_report added and what take_plain_report returned.
Report take_launch_report();
/// Removes the file of the findings so far, in a rank whose findings another process reports.
void discard_report_file();
/// Returns and removes the report that is printed and written when the process ends.
Report take_process_report();

namespace detail {

/// Runs a launch without adding its report to that of the process.
struct DefaultDevice {
  static Report run(Device device, const LaunchOptions& options, const Job& job);
};

}  // namespace detail

}  // namespace ptox
