// SPDX-License-Identifier: Apache-2.0
// Devices: where a kernel runs, and on which memory.
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
  /// Left out: the variable PTOX_CHECK, else off on cpu and cuda, all on a2a3 and a5.
  std::optional<Check> check = std::nullopt;
};

struct LaunchOptions {
  int blocks = 1;
  std::size_t dyn_ub_bytes = 0;
  std::uint64_t seed = 0;  ///< 0: the variable PTOX_SEED, else blocks and pipes run in order
  bool direct = false;
};

/// Whether launches in this file can run there: nvcc compiles for accelerators, other compilers for the rest.
static constexpr bool compiled_for(const Target& target) {
#ifdef __CUDACC__
  return target.accelerator;
#else
  return !target.accelerator;
#endif
}

namespace detail {

/// Global memory of `bytes` bytes, zeroed, 512-byte aligned, its extent known to the checker; an accelerator's is its
/// own, and the host's to read and write between launches.
void* gm_alloc(std::int64_t count, std::size_t element_bytes, const Target& target = target::cpu);
/// Null is fine; false when it is not the start of such memory.
bool gm_free(void*) noexcept;

/// A kernel with its arguments, called once a block; no allocation a block.
struct Job {
  void (*call)(void*) = nullptr;  ///< null: compiled for an accelerator
  void* self = nullptr;
  std::string kernel{};
  const void* entry = nullptr;                   ///< of a thread block on an accelerator; null: compiled for the host
  void** arguments = nullptr;                    ///< of the entry; the first is the launch's own
  std::atomic<std::int64_t>* ub_used = nullptr;  ///< what blocks of earlier launches used of UB, -1: there were none
#ifdef PTO_CPU_MAX_THREADS
  int most_threads = PTO_CPU_MAX_THREADS;
#else
  int most_threads = 0;  ///< 0: as many as the machine has
#endif
};

struct DefaultDevice;

/// PTOX_CHECK, else Device::default_check.
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

/// Global memory with a known extent, given back when destroyed.
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

/// One machine, or the host: its target is a value, chosen here.
class Device {
 public:
  /// The target that the variable PTOX_TARGET names, which `ptox check --target` sets, else cpu: where plain calls run.
  Device();
  explicit Device(const Target& target, DeviceOptions options = {})
      : target_(&target), check_(options.check ? *options.check : detail::default_check(target)) {}

  static constexpr Check default_check(const Target& target) {
    return target.native || target.accelerator ? Check::off : Check::all;
  }
  const Target& target() const { return *target_; }
  Check check() const { return check_; }

  /// `count` zeroed elements of global memory. Throws when count is negative or too large.
  template <class T>
  Buffer<T> alloc(std::int64_t count) {
    return {static_cast<T*>(detail::gm_alloc(count, sizeof(T), *target_)), count};
  }
  /// Host memory as global memory, its extent known to the checker until the process ends or `forget`. Throws when
  /// null.
  template <class T>
  void adopt(T* data, std::int64_t count) {
    adopt_bytes(data, count, sizeof(T));
  }
  /// The extent of adopted memory is no longer known.
  void forget(const void* data);

  /// Runs `kernel(args...)` once a block; returns when all blocks are done. A kernel's own exception ends its block and
  /// is rethrown then. Read the report: one with errors that nobody reads prints itself to stderr when it is destroyed.
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
  /// The same, with a report that stays out of that of the process.
  [[nodiscard]] Report run_alone(const LaunchOptions& options, const detail::Job& job);

  const Target* target_;
  Check check_;
};

/// What the plain calls and the <<<>>> launches of this process found so far; they are then forgotten, and not printed
/// at exit.
[[nodiscard]] Report take_plain_report();

}  // namespace ptox
