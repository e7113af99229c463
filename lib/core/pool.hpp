// SPDX-License-Identifier: Apache-2.0
// Which threads run the blocks of a launch?
#pragma once

namespace ptox {

/// Threads that a launch of `blocks` blocks uses: the machine's, capped by `most` when positive and by the
/// environment's PTO_CPU_MAX_THREADS.
int launch_threads(int blocks, int most);

/// Calls work(self, worker) on up to `threads` threads at once, the caller's being worker 0, and returns when all are
/// done. The work is shared: one worker alone does all of it.
void run_on_threads(int threads, void (*work)(void* self, int worker), void* self);

}  // namespace ptox
