// SPDX-License-Identifier: Apache-2.0
// The interface of an accelerator on which launches run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/findings.hpp"
#include "core/owners.hpp"
#include "core/site_book.hpp"
#include "pto/cuda/launch_data.hpp"
#include "ptox/device.hpp"

namespace ptox {

/// What a kernel can have on the device.
struct AcceleratorLimits {
  std::int64_t ub_bytes = 0;         ///< of shared memory for tiles, beside the kernel's own
  std::int64_t own_bytes = 0;        ///< that each block takes besides its tiles
  std::int64_t processor_bytes = 0;  ///< of shared memory, for all blocks on a processor
  int processor_threads = 0;         ///< at once
};

/// How a launch is laid out.
struct AcceleratorLaunch {
  int blocks = 1, threads = 1;
  std::int64_t ub_bytes = 0, ub_limit = 0;
  bool checked = false;
  std::span<const pto::instr::cuda::Allocation>
      allocations{};  ///< where checked: all that are known, in order of addresses
};

/// A library that drives the device registers one. Its functions throw std::invalid_argument, or std::runtime_error for
/// what the device says, with a sentence.
struct Accelerator {
  /// Zeroed bytes that the device and, between launches, the host can use.
  void* (*allocate)(std::size_t bytes);
  void (*free)(void*) noexcept;
  AcceleratorLimits (*limits)(const void* entry);
  /// Runs all blocks and returns when they are done; `result` is what they left.
  void (*launch)(const detail::Job& job, const AcceleratorLaunch& launch, pto::instr::cuda::LaunchResult& result);
};

/// Null until one is linked.
extern const Accelerator* linked_accelerator;
/// The same, or a sentence thrown.
const Accelerator& accelerator();

/// Whether `p` came from the accelerator's `allocate`, through gm_alloc.
bool is_accelerator_memory(const void* p);
void remember_accelerator_memory(const void* p);
void forget_accelerator_memory(const void* p);

/// Runs the blocks of a launch there.
Report launch_on_accelerator(const Target& target, Check check, const LaunchOptions& options, const detail::Job& job);

/// Makes findings, in the words of every target, of what blocks found. `target` has the device's UB; call sites live in
/// `sites`.
void report_found(const Target& target, const pto::instr::cuda::LaunchResult& result, SiteBook& sites, FindingLog& log,
                  OwnerLog& owners);

}  // namespace ptox
