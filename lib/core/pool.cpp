// SPDX-License-Identifier: Apache-2.0
#include "core/pool.hpp"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

namespace ptox {

namespace {

/// Threads that wait for a job and run it together; started when first needed, joined at exit.
class Pool {
 public:
  ~Pool() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void run(int threads, void (*work)(void*, int), void* self) {
    std::lock_guard one_at_a_time(busy_);
    {
      std::lock_guard lock(mutex_);
      for (int w = static_cast<int>(threads_.size()) + 1; w < threads; ++w) threads_.emplace_back([this, w] { serve(w); });
      work_ = work, self_ = self, wanted_ = threads, running_ = threads - 1;
      ++generation_;
    }
    wake_.notify_all();
    work(self, 0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return running_ == 0; });
  }

 private:
  void serve(int worker) {
    std::uint64_t seen = 0;
    for (std::unique_lock lock(mutex_);;) {
      wake_.wait(lock, [&] { return over_ || (generation_ != seen && worker < wanted_); });
      if (over_) return;
      seen = generation_;
      lock.unlock();
      work_(self_, worker);
      lock.lock();
      if (--running_ == 0) done_.notify_one();
    }
  }

  std::mutex busy_, mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  void (*work_)(void*, int) = nullptr;
  void* self_ = nullptr;
  int wanted_ = 0, running_ = 0;
  std::uint64_t generation_ = 0;
  bool over_ = false;
};

int most_threads() {
  int cap = std::max(1u, std::thread::hardware_concurrency());
  if (const char* text = std::getenv("PTO_CPU_MAX_THREADS"))
    if (const int n = std::atoi(text); n > 0) cap = n;
  return cap;
}

}  // namespace

int launch_threads(int blocks, int most) {
  const int threads = std::min(blocks, most_threads());
  return most > 0 ? std::min(threads, most) : threads;
}

void run_on_threads(int threads, void (*work)(void*, int), void* self) {
  if (threads <= 1) return work(self, 0);
  static Pool pool;
  pool.run(threads, work, self);
}

}  // namespace ptox
