// SPDX-License-Identifier: Apache-2.0
// How does this machine take lines that are written past the caches?
#pragma once

namespace ptox {

struct Streams {
  /// One core waits for them longer than for lines that leave the caches by themselves: only what comes from memory
  /// itself does well beside them. Measured: a line took 9 ns where they are slow, 2 to 3 elsewhere.
  bool slow = false;
  /// The instruction that gathers words waits until all lines before it are in memory, as it does where microcode
  /// keeps others from seeing what it read: a tenth of the speed.
  bool hold_gathers = false;
  /// Two cores write no more of them than one.
  bool filled_by_one = false;
};

/// Found out when first asked, which takes some ten microseconds.
const Streams& streams();
/// For tests, while nothing is moved: from now on these, or, null, those of the machine.
void force_streams(const Streams* wanted);

}  // namespace ptox
