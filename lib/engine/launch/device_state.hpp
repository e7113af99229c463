// SPDX-License-Identifier: Apache-2.0
// Whether a launch of this process failed, for the functions of the ACL runtime that wait for launches.
#pragma once

#include <string>

namespace ptox {

/// Prints the sentence, the first time, and makes device_failed() true.
void fail_device(const std::string& sentence);
bool device_failed();
/// The sentence of the failure; empty if there is none.
std::string device_failure();
/// Forgets the failure, as resetting the device or joining another group of ranks does.
void reset_device();

}  // namespace ptox
