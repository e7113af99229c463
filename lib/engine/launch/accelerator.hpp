// SPDX-License-Identifier: Apache-2.0
// The interface of an accelerator on which launches run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/memory/owners.hpp"
#include "engine/report/findings.hpp"
#include "engine/report/site_book.hpp"
#include "pto/cuda/launch_data.hpp"
#include "ptox/device.hpp"

namespace ptox {

/// The resources that a kernel can use on the device.
struct AcceleratorLimits {
  std::int64_t ub_bytes = 0;         ///< shared memory of a block that tiles can use
  std::int64_t own_bytes = 0;        ///< shared memory that each block uses besides its tiles
  std::int64_t processor_bytes = 0;  ///< shared memory of a multiprocessor, for all of its blocks
  int processor_threads = 0;         ///< threads of the kernel that can be resident on a multiprocessor
};

/// The dimensions, UB sizes in bytes, and checks of a launch.
struct AcceleratorLaunch {
  int blocks = 1, threads = 1;
  std::int64_t ub_bytes = 0, ub_limit = 0;
  bool checked = false;
  std::span<const pto::instr::cuda::Allocation>
      allocations{};  ///< if `checked`: all registered allocations, by address
};

/// The functions of a library that drives a device. They throw std::invalid_argument, or std::runtime_error for an
/// error that the device reports.
struct Accelerator {
  /// Allocates zeroed memory that the device can access, and between launches also the host.
  void* (*allocate)(std::size_t bytes);
  void (*free)(void*) noexcept;
  AcceleratorLimits (*limits)(const void* entry);
  /// Runs all blocks and returns when they are done; `result` receives their findings and the UB that they used.
  void (*launch)(const detail::Job& job, const AcceleratorLaunch& launch, pto::instr::cuda::LaunchResult& result);
};

/// nullptr unless the library of an accelerator is linked.
extern const Accelerator* linked_accelerator;
/// The linked accelerator. Throws std::invalid_argument if there is none.
const Accelerator& accelerator();

/// Whether gm_alloc allocated `p` by the accelerator's `allocate`.
bool is_accelerator_memory(const void* p);
void remember_accelerator_memory(const void* p);
void forget_accelerator_memory(const void* p);

/// Runs a launch on the linked accelerator. Throws std::invalid_argument if the kernel was compiled for the host.
Report launch_on_accelerator(const Target& target, Check check, const LaunchOptions& options, const detail::Job& job);

/// Converts what blocks found into findings, with the same text as on other targets, and adds them to `log` and the
/// placements of tiles to `owners`. `target.ub_bytes` is the limit of the device. `sites` stores the call sites and has
/// to outlive `owners`.
void report_found(const Target& target, const pto::instr::cuda::LaunchResult& result, SiteBook& sites, FindingLog& log,
                  OwnerLog& owners);

}  // namespace ptox
