// SPDX-License-Identifier: Apache-2.0
#include "core/pool.hpp"

#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>

namespace ptox {

namespace {

/// Threads that wait for a job and run it together; started when first needed, waiting until the process ends.
class Pool {
 public:
  void run(int threads, void (*work)(void*, int), void* self) {
    std::unique_lock one_at_a_time(busy_, std::try_to_lock);
    if (!one_at_a_time) return work(self, 0);  // another launch has the threads, perhaps one that waits for this
    {
      std::lock_guard lock(mutex_);
      start(threads - 1);
      threads = std::min(threads, started_ + 1);
      work_ = work, self_ = self, wanted_ = threads, running_ = threads - 1;
      std::fegetenv(&rounding_);
      ++generation_;
    }
    wake_.notify_all();
    work(self, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  /// So many workers, or as many as the system gives: the others' work is done by those that are there.
  void start(int workers) {
    try {
      for (; started_ < workers; ++started_) std::thread([this, w = started_ + 1] { serve(w); }).detach();
    } catch (const std::system_error&) {
    }
  }

  void serve(int worker) {
    std::uint64_t seen = 0;
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [&] { return generation_ != seen && worker < wanted_; });
      seen = generation_;
      lock.unlock();
      std::fesetenv(&rounding_);  // as the caller rounds, and flushes, so that threads make no difference
      work_(self_, worker);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_, done_;
  void (*work_)(void*, int) = nullptr;
  void* self_ = nullptr;
  int started_ = 0, wanted_ = 0, running_ = 0;
  std::uint64_t generation_ = 0;
  std::fenv_t rounding_{};
};

int most_threads() {
  static const int cap = std::max(1u, std::thread::hardware_concurrency());  // some microseconds to ask
  const char* text = std::getenv("PTO_CPU_MAX_THREADS");
  if (!text) return cap;
  if (const int n = std::atoi(text); n > 0) return n;
  std::fprintf(stderr, "ptox: PTO_CPU_MAX_THREADS is '%s', it is a number from 1 on; it does not count\n", text);
  return cap;
}

}  // namespace

int launch_threads(int blocks, int most) {
  const int threads = std::min(blocks, most_threads());
  return most > 0 ? std::min(threads, most) : threads;
}

void run_on_threads(int threads, void (*work)(void*, int), void* self) {
  static const pid_t owner = getpid();
  if (threads <= 1 || getpid() != owner) return work(self, 0);  // a forked child has none of the threads
  static Pool* pool = new Pool;
  pool->run(threads, work, self);
}

}  // namespace ptox
