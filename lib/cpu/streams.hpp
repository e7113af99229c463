// SPDX-License-Identifier: Apache-2.0
// How fast non-temporal stores are on this machine.
#pragma once

namespace ptox {

struct Streams {
  /// One core waits for them longer than for lines that leave the caches by themselves, so that only what comes from
  /// far away does well beside them. Measured: a line took 9 ns on an Intel machine whose second cache holds 1 MiB,
  /// where words that are gathered by the instruction for it waited for each line as well; 2 to 3 ns elsewhere.
  bool slow = false;
  /// Two cores write no more of them than one. Measured on an AMD machine.
  bool filled_by_one = false;
};

const Streams& streams();
/// For tests, while nothing is moved: from now on these, or, null, those of the machine.
void force_streams(const Streams* wanted);

}  // namespace ptox
