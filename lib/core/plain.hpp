// SPDX-License-Identifier: Apache-2.0
// Where do instructions run that no launch surrounds?
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

}  // namespace ptox
