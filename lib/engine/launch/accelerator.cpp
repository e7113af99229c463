// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/accelerator.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/core/budget.hpp"
#include "engine/memory/registry.hpp"
#include "engine/system/at_fork.hpp"

namespace ptox {

const Accelerator* linked_accelerator = nullptr;

const Accelerator& accelerator() {
  if (!linked_accelerator)
    throw std::invalid_argument("cuda: its library is not linked. Link ptox::cuda, built where nvcc is");
  return *linked_accelerator;
}

namespace {

struct Memory {
  std::mutex mutex;
  std::set<const void*> all;
};
Memory& memory() {
  static Memory* m = for_good(&Memory::mutex);
  return *m;
}

constexpr std::int64_t kib = 1024;
constexpr std::int64_t rounded(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }

/// Bytes of shared memory for tiles of each block: the requested size, otherwise what blocks of earlier launches of the
/// kernel used, rounded up to a KiB, otherwise the limit.
std::int64_t ub_bytes_of(const LaunchOptions& options, const detail::Job& job, std::int64_t limit) {
  if (options.dyn_ub_bytes) return static_cast<std::int64_t>(std::min(options.dyn_ub_bytes, std::size_t(limit)));
  const std::int64_t used = job.ub_used->load(std::memory_order_relaxed);
  return used < 0 ? limit : std::min(rounded(used, kib), limit);
}

/// Threads per block: a power of two from 64 to 1024, as large as possible so that all blocks that fit into the shared
/// memory of a multiprocessor can be resident at once.
int threads_of(const AcceleratorLimits& limits, std::int64_t ub_bytes) {
  constexpr int fewest = 64, most = 1024;
  const std::int64_t blocks = std::max<std::int64_t>(1, limits.processor_bytes / (ub_bytes + limits.own_bytes));
  int threads = most;
  while (threads > fewest && threads * blocks > limits.processor_threads) threads /= 2;
  return threads;
}

void raise(std::atomic<std::int64_t>& to, std::int64_t value) {
  for (std::int64_t seen = to.load(); seen < value && !to.compare_exchange_weak(seen, value);) {
  }
}

std::vector<pto::instr::cuda::Allocation> known_allocations() {
  std::vector<pto::instr::cuda::Allocation> known;
  for (const Extent& e : Registry::instance().all()) known.push_back({e.begin, e.bytes, e.reach()});
  return known;
}

void check_dyn_ub(const Target& target, const LaunchOptions& options, FindingLog& log) {
  if (options.dyn_ub_bytes <= target.ub_bytes) return;
  log.add({.kind = FindingKind::ub_budget,
           .message = "launch: dynUBufSize is " + std::to_string(options.dyn_ub_bytes) + ", at most " +
                      std::to_string(target.ub_bytes) +
                      " bytes are available. Launch with dynUBufSize = " + std::to_string(target.ub_bytes) + " or less",
           .where = {{FindingField::instruction, "launch"},
                     {FindingField::dyn_ub_bytes, options.dyn_ub_bytes},
                     {FindingField::capacity, target.ub_bytes}}});
}

}  // namespace

bool is_accelerator_memory(const void* p) {
  std::lock_guard lock(memory().mutex);
  return memory().all.contains(p);
}
void remember_accelerator_memory(const void* p) {
  std::lock_guard lock(memory().mutex);
  memory().all.insert(p);
}
void forget_accelerator_memory(const void* p) {
  std::lock_guard lock(memory().mutex);
  memory().all.erase(p);
}

Report launch_on_accelerator(const Target& type, Check check, const LaunchOptions& options, const detail::Job& job) {
  if (!job.entry)
    throw std::invalid_argument("launch: " + job.kernel + " was compiled for the host; " + type.name +
                                " runs what nvcc compiles, by launch<kernel>");
  const AcceleratorLimits limits = accelerator().limits(job.entry);
  Target target = type;  // with the UB that this device has
  target.ub_bytes = static_cast<std::size_t>(limits.ub_bytes);
  const std::int64_t ub = ub_bytes_of(options, job, limits.ub_bytes);
  const bool checked = check == Check::all;
  const auto allocations = checked ? known_allocations() : std::vector<pto::instr::cuda::Allocation>{};
  const auto result = std::make_unique<pto::instr::cuda::LaunchResult>();
  accelerator().launch(job,
                       {.blocks = options.blocks,
                        .threads = threads_of(limits, ub),
                        .ub_bytes = ub,
                        .ub_limit = limits.ub_bytes,
                        .checked = checked,
                        .allocations = allocations},
                       *result);
  raise(*job.ub_used, static_cast<std::int64_t>(result->used));
  SiteBook sites;
  FindingLog log;
  OwnerLog owners;
  report_found(target, *result, sites, log, owners);
  check_dyn_ub(target, options, log);
  UbMap map = ub_map(target, 0, owners);
  map.used = static_cast<std::int64_t>(result->used);
  return Report(type.name, job.kernel, options.blocks, log.take(), std::move(map));
}

}  // namespace ptox
