// SPDX-License-Identifier: Apache-2.0
// Runs the blocks of a launch: on the host on several threads, on a machine model one at a time, either in order or
// interleaved by the seed.
#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/core/budget.hpp"
#include "engine/core/core.hpp"
#include "engine/core/rank.hpp"
#include "engine/core/turns.hpp"
#include "engine/launch/accelerator.hpp"
#include "engine/launch/plain.hpp"
#include "engine/system/at_fork.hpp"
#include "engine/system/pool.hpp"
#include "engine/system/random.hpp"
#include "loops/caches.hpp"
#include "observe/launch_time.hpp"
#include "ptox/device.hpp"
#include "ptox/ranks.hpp"

namespace ptox {

namespace {

/// Cores that are kept for later launches, because their buffers are expensive to create.
struct CoreShelf {
  std::mutex mutex;
  std::vector<std::unique_ptr<Core>> cores;
};

CoreShelf& shelf() {
  static CoreShelf* s = for_good(&CoreShelf::mutex);  // never destroyed: destructors of static objects may launch
  return *s;
}

std::unique_ptr<Core> borrow_core(const Target& target, Check check) {
  {
    std::lock_guard lock(shelf().mutex);
    for (auto& core : shelf().cores)
      if (&core->target() == &target) {
        std::unique_ptr<Core> taken = std::move(core);
        core = std::move(shelf().cores.back());
        shelf().cores.pop_back();
        taken->set_check(check);
        return taken;
      }
  }
  return std::make_unique<Core>(target, check);
}

void return_core(std::unique_ptr<Core> core) {
  std::lock_guard lock(shelf().mutex);
  shelf().cores.push_back(std::move(core));
}

/// A launch in progress: the blocks that are left, the findings, and the exception of the lowest block that threw.
class Launch {
 public:
  Launch(const Target& target, Check check, const LaunchOptions& options, const detail::Job& job)
      : target_(target), check_(check), options_(options), job_(job), order_(static_cast<std::size_t>(options.blocks)) {
    std::iota(order_.begin(), order_.end(), 0);
    if (!target.native && options.seed != 0) shuffle();
  }

  void run() {
    if (!target_.native && options_.seed != 0 && options_.blocks > 1 && !in_launch()) return run_by_turns();
    const int threads = target_.native && !in_launch() ? launch_threads(options_.blocks, job_.most_threads) : 1;
    cache_share_ = caches().last / 2 / threads;  // the other half is for what blocks read
    run_on_threads(threads, [](void* self, int) { static_cast<Launch*>(self)->work(); }, this);
  }
  std::vector<Finding> findings() {
    needs_.report_to(log_);
    if (check_ == Check::all) check_launch(target_, options_, log_);
    if (options_.seed != 0) log_.drop_symptoms();
    return log_.take();
  }
  UbMap ub() { return ub_map(target_, options_.dyn_ub_bytes, owners_); }
  LaunchTime time() { return joined(std::move(times_)); }
  std::exception_ptr thrown() const { return thrown_; }

 private:
  void shuffle() {
    Random random(options_.seed);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
  }

  /// Runs up to eight blocks concurrently on threads of their own; one of them executes at a time.
  void run_by_turns() {
    constexpr int most_under_way = 8;
    const int threads = under_way_ = std::min(options_.blocks, most_under_way);
    Turns turns(threads, options_.seed);
    const auto worker = [&](int me) {
      const Turn turn(turns, me);
      work(&turn);
    };
    std::vector<std::jthread> others;
    for (int i = 1; i < threads; ++i) {
      try {
        others.emplace_back(worker, i);
      } catch (const std::system_error&) {  // the host has no more threads: fewer blocks are interleaved
        turns.leave(i);
      }
    }
    worker(0);
  }

  /// Runs blocks until none is left.
  void work(const Turn* turn = nullptr) {
    std::unique_ptr<Core> core = borrow_core(target_, check_);
    {
      const CoreScope scope(*core);
      for (std::size_t k; (k = next_.fetch_add(1)) < order_.size();) run_block(*core, order_[k], turn);
    }
    {
      std::lock_guard lock(mutex_);
      log_.merge(std::move(core->log()));
      owners_.merge(std::move(core->space(pto::TileType::Vec).owners()));
      needs_.merge(std::move(core->space(pto::TileType::Vec).needs()));
    }
    return_core(std::move(core));
  }

  void run_block(Core& core, int block, const Turn* turn) {
    core.start({.block = block,
                .blocks = options_.blocks,
                .seed = options_.seed,
                .dyn_ub_bytes = options_.dyn_ub_bytes,
                .direct = options_.direct,
                .global = target_.native ? nullptr : &global_,
                .turn = turn,
                .events = events_left(),
                .cache_bytes = cache_share_,
                .rank = rank_});
    const Ended ended{*this, core};
    try {
      job_.call(job_.self);
      core.finish();
    } catch (...) {
      core.publish_stores();
      core.schedule().drain(), core.end();  // instructions issued before the exception are executed
      std::lock_guard lock(mutex_);
      if (!thrown_ || block < thrown_block_) thrown_ = std::current_exception(), thrown_block_ = block;
    }
  }

  struct Ended {
    Launch& launch;
    Core& core;
    ~Ended() { launch.keep_time(core); }
  };
  std::size_t events_left() {
    std::lock_guard lock(mutex_);
    const std::size_t left = Timeline::most_events - std::min(events_, Timeline::most_events);
    return under_way_ > 1 ? left / static_cast<std::size_t>(under_way_) : left;
  }
  void keep_time(Core& core) {
    if (target_.native) return;
    core.time().finish();
    std::lock_guard lock(mutex_);
    times_.push_back(core.time().take());
    events_ += times_.back().events.size();
  }

  const Target& target_;
  Check check_;
  const LaunchOptions& options_;
  const detail::Job& job_;
  std::vector<int> order_;
  std::atomic<std::size_t> next_ = 0;
  std::mutex mutex_;
  FindingLog log_;
  std::vector<BlockTime> times_;
  std::size_t events_ = 0;
  int under_way_ = 1;
  std::int64_t cache_share_ = 0;
  RankView* rank_ = current_rank();
  OwnerLog owners_;
  NeedLog needs_;
  GlobalWatch global_;
  std::exception_ptr thrown_;
  int thrown_block_ = 0;
};

}  // namespace

Report Device::run_alone(const LaunchOptions& options, const detail::Job& job) {
  if (options.blocks < 1)
    throw std::invalid_argument("launch: blocks is " + std::to_string(options.blocks) + "; it must be at least 1");
  if (target_->accelerator) return launch_on_accelerator(*target_, check_, options, job);
  if (!job.call)
    throw std::invalid_argument("launch: " + job.kernel + " was compiled by nvcc, for cuda; " + target_->name +
                                " runs what a C++ compiler compiles");
  Launch launch(*target_, check_, options, job);
  launch.run();
  const auto report = [&] {
    return Report(target_->name, job.kernel, options.blocks, launch.findings(), launch.ub(), launch.time());
  };
  if (launch.thrown()) {
    const Report until_then = report();  // prints itself if nothing reads it
    if (keeps_launch_reports()) add_to_launch_report(until_then);
    try {
      std::rethrow_exception(launch.thrown());
    } catch (const RanksError&) {
      static_cast<void>(until_then.clean());  // the finding is the exception, which ends the group of ranks
      if (process_rank() && !keeps_launch_reports()) add_to_plain_report(until_then);
      throw;
    }
  }
  return report();
}

Report Device::run(const LaunchOptions& options, const detail::Job& job) {
  LaunchOptions chosen = options;
  if (chosen.seed == 0) chosen.seed = default_seed();
  Report report = run_alone(chosen, job);
  add_to_launch_report(report);
  return report;
}

}  // namespace ptox
