// SPDX-License-Identifier: Apache-2.0
// Device: launches kernels on a target and allocates the global memory that they use.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "ptox/report.hpp"
#include "ptox/target.hpp"
#ifdef __CUDACC__
#include "pto/cuda/run_block.hpp"
#endif

namespace ptox {

enum class Check : std::uint8_t { off, all };

struct DeviceOptions {
  /// If empty, the environment variable PTOX_CHECK decides; if that is unset, checks are off on cpu and cuda and all on
  /// a2a3 and a5.
  std::optional<Check> check = std::nullopt;
};

struct LaunchOptions {
  int blocks = 1;
  std::size_t dyn_ub_bytes = 0;  ///< dynUBufSize: bytes of UB that the launch requests; 0: the default of the target
  std::uint64_t seed = 0;        ///< selects an order of blocks and pipes; 0: PTOX_SEED if set, else they run in order
  bool direct = false;           ///< models a direct call of the kernel, which does not set up SIMT lanes
};

/// Whether launches in this translation unit can run on `target`: nvcc compiles for accelerators, other compilers for
/// all other targets.
static constexpr bool compiled_for(const Target& target) {
#ifdef __CUDACC__
  return target.accelerator;
#else
  return !target.accelerator;
#endif
}

/// The target of plain calls and of a Device that is made without one: the one that the environment variable
/// PTOX_TARGET names (`ptox check --target` sets it), otherwise the one that NPUMemoryModel selected, otherwise cpu.
const Target& default_target();

namespace detail {

/// Allocates `count` elements of global memory, zeroed and 512-byte aligned, and registers the extent with the checker.
/// Memory of an accelerator is allocated on the device; the host may read and write it between launches.
void* gm_alloc(std::int64_t count, std::size_t element_bytes, const Target& target = target::cpu);
/// Frees memory of gm_alloc. Returns true for nullptr, and false if the pointer is not the start of such memory.
bool gm_free(void*) noexcept;

/// A kernel with its arguments. `call(self)` runs one block; it allocates no memory.
struct Job {
  void (*call)(void*) = nullptr;  ///< nullptr: compiled for an accelerator
  void* self = nullptr;
  std::string kernel{};
  const void* entry = nullptr;                   ///< entry function on an accelerator; nullptr: compiled for the host
  void** arguments = nullptr;                    ///< of `entry`; the first is filled in by the launch
  std::atomic<std::int64_t>* ub_used = nullptr;  ///< most UB bytes of a block so far; -1: no launch yet
#ifdef PTO_CPU_MAX_THREADS
  int most_threads = PTO_CPU_MAX_THREADS;
#else
  int most_threads = 0;  ///< upper limit; 0: the number of cores
#endif
};

struct DefaultDevice;

/// The value of the environment variable PTOX_CHECK; if that is unset, Device::default_check.
Check default_check(const Target& target);

/// The name of a kernel given as a template argument, as the compiler spells it.
template <auto kernel>
std::string kernel_name() {
  const std::string text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("kernel = ") + 9;
  const std::size_t end = std::min(text.find(';', begin), text.rfind(']'));
  const std::size_t name = text[begin] == '&' ? begin + 1 : begin;
  return text.substr(name, end - name);
}

#ifndef __CUDACC__
template <class F>
Job job_of(F& f, std::string kernel) {
  Job job;
  job.call = [](void* self) { (*static_cast<F*>(self))(); };
  job.self = std::addressof(f);
  job.kernel = std::move(kernel);
  return job;
}
#endif

}  // namespace detail

/// Owns an allocation in global memory, whose extent the checker knows; the destructor frees it.
template <class T>
class [[nodiscard]] Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer(T* data, std::int64_t count) : data_(data), count_(count) {}
  Buffer(Buffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~Buffer() { detail::gm_free(data_); }

  T* data() const { return data_; }
  std::int64_t size() const { return count_; }
  std::span<T> span() const { return {data_, static_cast<std::size_t>(count_)}; }
  T& operator[](std::int64_t i) const { return data_[i]; }
  T* begin() const { return data_; }
  T* end() const { return data_ + count_; }

 private:
  T* data_;
  std::int64_t count_;
};

/// Runs kernels on one target, given at construction: the host, a machine model or a GPU.
class Device {
 public:
  /// The device on which plain calls run, with default_target().
  Device();
  explicit Device(const Target& target, DeviceOptions options = {})
      : target_(&target), check_(options.check ? *options.check : detail::default_check(target)) {}

  static constexpr Check default_check(const Target& target) {
    return target.native || target.accelerator ? Check::off : Check::all;
  }
  const Target& target() const { return *target_; }
  Check check() const { return check_; }

  /// `count` zeroed elements of global memory. Throws std::invalid_argument when count is negative or too large.
  template <class T>
  Buffer<T> alloc(std::int64_t count) {
    return {static_cast<T*>(detail::gm_alloc(count, sizeof(T), *target_)), count};
  }
  /// Makes host memory usable as global memory of known extent. The checker uses the extent until `forget` or the end
  /// of the process. The caller keeps the ownership. Throws std::invalid_argument when `data` is null.
  template <class T>
  void adopt(T* data, std::int64_t count) {
    adopt_bytes(data, count, sizeof(T));
  }
  /// Removes the extent of adopted memory from the checker.
  void forget(const void* data);

  /// Runs `kernel(args...)` once per block and returns when all blocks are done. An exception thrown by the kernel ends
  /// its block and is rethrown at the end; if several blocks throw, the one of the lowest block. A report with errors
  /// that is destroyed unread prints itself to stderr.
#ifdef __CUDACC__
  template <auto kernel, class... Args>
  [[nodiscard, gnu::always_inline]] Report launch(const LaunchOptions& options, Args... args) {
    pto::instr::cuda::Arguments<Args...> arguments(args...);
    detail::Job job;
    job.kernel = detail::kernel_name<kernel>();
    job.entry = reinterpret_cast<const void*>(&pto::instr::cuda::run_block<kernel, Args...>);
    job.arguments = arguments.pointers;
    job.ub_used = &pto::instr::cuda::ub_used<kernel, Args...>;
    return run(options, job);
  }
#else
  template <auto kernel, class... Args>
  [[nodiscard]] Report launch(const LaunchOptions& options, Args... args) {
    auto call = [&] { kernel(args...); };
    return run(options, detail::job_of(call, detail::kernel_name<kernel>()));
  }
  template <class F, class... Args>
    requires std::is_invocable_v<F&, Args&...>
  [[nodiscard]] Report launch(const LaunchOptions& options, F kernel, Args... args) {
    auto call = [&] { kernel(args...); };
    return run(options, detail::job_of(call, "kernel"));
  }
#endif

 private:
  friend struct detail::DefaultDevice;
  void adopt_bytes(const void* data, std::int64_t count, std::size_t element_bytes);
  [[nodiscard]] Report run(const LaunchOptions& options, const detail::Job& job);
  /// Like `run`, but without the default seed, and the report is not added to that of the process.
  [[nodiscard]] Report run_alone(const LaunchOptions& options, const detail::Job& job);

  const Target* target_;
  Check check_;
};

/// Returns the findings that the plain calls and the <<<>>> launches of this process have made so far, and removes
/// them, so that they are not printed at exit.
[[nodiscard]] Report take_plain_report();

}  // namespace ptox
