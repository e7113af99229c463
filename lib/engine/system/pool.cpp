// SPDX-License-Identifier: Apache-2.0
#include "engine/system/pool.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cfenv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "engine/system/at_fork.hpp"

namespace ptox {

namespace {

/// The cores that this process may run on: the affinity mask of its main thread when ptox was loaded. Threads that bind
/// themselves later change neither the number of threads of other callers nor the cores of helper threads.
struct ProcessCores {
  cpu_set_t mask{};
  bool known = sched_getaffinity(getpid(), sizeof mask, &mask) == 0;  // false with more cores than CPU_SETSIZE
  int count() const {
    return std::max(1, known ? CPU_COUNT(&mask) : static_cast<int>(std::thread::hardware_concurrency()));
  }
  static const ProcessCores& get() {
    static const ProcessCores cores{};
    return cores;
  }
};
[[maybe_unused]] const ProcessCores& at_load = ProcessCores::get();

/// Threads that run one job at a time together. They are started when they are first needed, and never end before the
/// process does.
class Pool {
 public:
  void run(int threads, void (*work)(void*, int), void* self) {
    if (busy_.exchange(true)) return work(self, 0);  // used by another job, possibly one that waits for this one
    const Job job(*this, threads - 1, work, self);
    work(self, 0);
  }
  std::int64_t woken() const { return woken_; }

  /// The pool of this process. A forked child has none of the threads, so its pool is constructed again.
  static Pool& get() {
    static Pool* const pool = [] {
      auto* made = new Pool;
      hold_at_fork(ForkLock{made, [](void* p) { static_cast<Pool*>(p)->mutex_.lock(); },
                            [](void* p) { return static_cast<Pool*>(p)->mutex_.try_lock(); },
                            [](void* p) { static_cast<Pool*>(p)->mutex_.unlock(); },
                            [](void* p) { static_cast<Pool*>(p)->begin_anew(); }});
      return made;
    }();
    return *pool;
  }

 private:
  /// A job in progress: the constructor wakes helper threads, the destructor waits until none of them works on it.
  class Job {
   public:
    Job(Pool& pool, int helpers, void (*work)(void*, int), void* self) : pool_(pool) {
      helpers = pool_.post(helpers, work, self);
      for (int i = 0; i < helpers; ++i) pool_.wake_.notify_one();
    }
    ~Job() {
      std::unique_lock lock(pool_.mutex_);
      pool_.wanted_ = 0;  // helpers that have not started would find no work left
      pool_.done_.wait(lock, [&] { return pool_.running_ == 0; });
      pool_.busy_ = false;
    }
    Job(const Job&) = delete;

   private:
    Pool& pool_;
  };

  /// Publishes a job and returns the number of helpers for it.
  int post(int helpers, void (*work)(void*, int), void* self) {
    std::lock_guard lock(mutex_);
    start(helpers);
    work_ = work, self_ = self, begun_ = 0, wanted_ = std::min(helpers, started_);
    woken_ += wanted_;
    std::fegetenv(&rounding_);
    return wanted_;
  }

  /// Starts threads until there are `helpers`, or fewer if the system has no more: the existing ones then do all the
  /// work.
  void start(int helpers) {
    try {
      for (; started_ < helpers; ++started_) std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the helpers that started do the work
    }
  }

  void serve() {
    if (const ProcessCores& cores = ProcessCores::get(); cores.known)
      sched_setaffinity(0, sizeof cores.mask, &cores.mask);  // the thread that starts helpers may be bound to one core
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [&] { return begun_ < wanted_; });
      const int worker = ++begun_;
      ++running_;
      lock.unlock();
      std::fesetenv(&rounding_);  // the caller's rounding and denormal modes: same results on all threads
      work_(self_, worker);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  /// Constructs the pool again in a forked child, whose only thread holds the mutex. The old one is not destroyed,
  /// because its condition variables would wait for threads that do not exist in the child.
  void begin_anew() {
    mutex_.unlock();  // ThreadSanitizer tracks this, not the construction below
    std::construct_at(this);
    threads_at_work = 0;
  }

  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::atomic<bool> busy_ = false;
  std::atomic<std::int64_t> woken_ = 0;
  void (*work_)(void*, int) = nullptr;
  void* self_ = nullptr;
  int started_ = 0, wanted_ = 0, begun_ = 0, running_ = 0;
  std::fenv_t rounding_{};
};

std::atomic<int> sharing_machine = 1;

}  // namespace

int cores_of_this_process() { return ProcessCores::get().count(); }

int machine_threads() {
  const int cap = cores_of_this_process();
  const char* text = std::getenv("PTO_CPU_MAX_THREADS");
  if (!text) return cap;
  if (const int n = std::atoi(text); n > 0) return n;
  std::fprintf(stderr, "ptox: PTO_CPU_MAX_THREADS is '%s', which is not a number of at least 1; it is ignored\n", text);
  return cap;
}

int most_threads() { return std::max(1, machine_threads() / sharing_machine); }

void share_machine(int processes) { sharing_machine = std::max(1, processes); }

int launch_threads(int blocks, int most) {
  const int threads = std::min(blocks, most_threads());
  return most > 0 ? std::min(threads, most) : threads;
}

void run_on_threads(int threads, void (*work)(void*, int), void* self) {
  Pool& pool = Pool::get();  // also for one thread, so that it exists before a fork
  threads <= 1 ? work(self, 0) : pool.run(threads, work, self);
}

std::int64_t woken_threads() { return Pool::get().woken(); }

}  // namespace ptox
