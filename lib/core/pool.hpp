// SPDX-License-Identifier: Apache-2.0
// The threads that run the blocks of a launch and the parts of a call on whole tensors.
#pragma once

#include <atomic>
#include <cstdint>

namespace ptox {

/// Threads that this process uses at most: the machine's cores or the environment's PTO_CPU_MAX_THREADS, divided by
/// the processes that share the machine.
int most_threads();
/// The same without the division.
int machine_threads();
/// From now on this process is one of so many that share the machine's cores.
void share_machine(int processes);

/// Threads that a launch of `blocks` blocks uses: most_threads(), capped by `most` when positive.
int launch_threads(int blocks, int most);

/// Calls work(self, worker) on up to `threads` threads at once, the caller's being worker 0, and returns when all are
/// done. The work is shared: one worker alone does all of it. A thread that has not woken when the caller is done is
/// not waited for.
void run_on_threads(int threads, void (*work)(void* self, int worker), void* self);

/// How many threads run_on_threads has woken, or tried to, in this process.
std::int64_t woken_threads();

/// How many threads the calls on whole tensors use now; 0 in a forked child.
inline std::atomic<int> threads_at_work{0};

}  // namespace ptox
