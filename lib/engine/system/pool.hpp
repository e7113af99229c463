// SPDX-License-Identifier: Apache-2.0
// The threads that run the blocks of a launch and the parts of a call on whole tensors.
#pragma once

#include <atomic>
#include <cstdint>

namespace ptox {

/// The maximum number of threads of this process: the cores that it may run on, or the environment variable
/// PTO_CPU_MAX_THREADS, divided by the number of processes that share the machine.
int most_threads();
/// The same without the division.
int machine_threads();
/// The number of cores that the process may run on, by the affinity mask that it was started with.
int cores_of_this_process();
/// Sets the number of processes that share the machine's cores.
void share_machine(int processes);

/// The number of threads for a launch of `blocks` blocks: most_threads(), at most `blocks`, and at most `most` if that
/// is positive.
int launch_threads(int blocks, int most);

/// Calls work(self, worker) on up to `threads` threads concurrently, with the caller as worker 0, and returns when all
/// calls have ended. The workers have to distribute the work dynamically: the caller may be the only one, and a thread
/// that has not woken up when the caller is done is not waited for.
void run_on_threads(int threads, void (*work)(void* self, int worker), void* self);

/// How many threads run_on_threads has notified in this process.
std::int64_t woken_threads();

/// How many threads calls on whole tensors are using at this moment; reset to 0 in a forked child.
inline std::atomic<int> threads_at_work{0};

}  // namespace ptox
