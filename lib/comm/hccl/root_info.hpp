// SPDX-License-Identifier: Apache-2.0
// The content of an HcclRootInfo: where a process finds the memory of a group of ranks.
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <string>

namespace ptox::comm::hccl {

/// The memory is an anonymous file of the process that opened the group. Other processes open it by its descriptor in
/// /proc, so that no name outlives the processes.
struct RootInfo {
  std::array<char, 16> magic{};
  std::array<char, 48> machine{};     ///< identifies the running kernel, so that a rank on another machine is noticed
  std::int64_t process = 0;           ///< that opened the group
  std::uint64_t process_started = 0;  ///< a process with this number but another start is not the same one
  std::int64_t descriptor = -1;
  std::uint64_t inode = 0;  ///< of the file; a descriptor with another inode was reused
};

/// The root info for a file that this process has open.
RootInfo describe_file(int descriptor);

/// The result of open_file: a descriptor, or the reason why there is none.
struct OpenedFile {
  int descriptor = -1;
  std::string why{};
};
OpenedFile open_file(const RootInfo& info);

/// When a process started, in clock ticks since the machine booted; 0 if it has ended or never existed.
std::uint64_t start_of(pid_t process);

}  // namespace ptox::comm::hccl
