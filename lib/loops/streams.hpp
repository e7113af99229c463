// SPDX-License-Identifier: Apache-2.0
// How fast non-temporal stores are on this machine.
#pragma once

namespace ptox {

/// Properties of non-temporal stores, by which calls decide whether to use them.
struct Streams {
  /// A core waits longer for them than for lines that the caches write back, so that they pay only beside random
  /// accesses to a far table. Measured: a line took 9 ns on an Intel machine with 1 MiB of L2, where gather
  /// instructions waited for each line as well; 2 to 3 ns elsewhere.
  bool slow = false;
  /// One core saturates memory with them, so that two cores are not faster. Measured on an AMD machine.
  bool filled_by_one = false;
};

const Streams& streams();
/// For tests: replaces the properties from now on; nullptr restores those of the machine. No move may be running.
void force_streams(const Streams* wanted);

}  // namespace ptox
