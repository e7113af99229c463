// SPDX-License-Identifier: Apache-2.0
// What `ptox c++` writes in place of kernel<<<numBlocks, dynUBufSize, stream>>>(args...).
//
// This header includes little, because a rewritten file includes it first, before its own macros.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace ptox::detail {

/// The operands of a launch; they are validated where it runs.
struct DefaultLaunch {
  const char* kernel;  ///< as the source spells it
  std::int64_t blocks, dyn_ub_bytes;
  int most_threads;
};

/// Runs `call(self)` once per block on the default device and returns when all blocks are done. Findings go to the
/// report of the process. Throws what the kernel throws, and std::invalid_argument for invalid operands.
void launch_default(const DefaultLaunch& launch, void (*call)(void*), void* self);

template <class T>
std::int64_t blocks_of(T value) {
  static_assert(std::is_integral_v<T> || std::is_enum_v<T>, "numBlocks, the first operand of <<<>>>, is a number");
  return static_cast<std::int64_t>(value);
}

template <class T>
std::int64_t dyn_ub_bytes_of(T value) {
  constexpr bool number = std::is_integral_v<T> || std::is_enum_v<T>;
  static_assert(number || std::is_null_pointer_v<T> || std::is_pointer_v<T>,
                "dynUBufSize, the second operand of <<<>>>, is a number of bytes, 0 or nullptr");
  if constexpr (number) return static_cast<std::int64_t>(value);
  return 0;
}

/// A kernel with the operands between <<< and >>>; calling it with the kernel's arguments launches it. The arguments
/// are evaluated once, by the caller, and every block receives copies.
template <class Kernel>
struct LaunchSyntax {
  Kernel kernel;
  DefaultLaunch launch;

  template <class... Args>
  void operator()(Args... args) {
    auto call = [&] { kernel(args...); };
    using Call = decltype(call);
    launch_default(launch, [](void* self) { (*static_cast<Call*>(self))(); }, std::addressof(call));
  }
};

#ifdef PTO_CPU_MAX_THREADS
#define PTOX_MOST_THREADS PTO_CPU_MAX_THREADS
#else
#define PTOX_MOST_THREADS 0
#endif

/// `name` is the kernel's source text. The stream and operands after it are ignored, because a launch is complete when
/// it returns.
template <class Kernel, class Blocks, class Bytes = std::nullptr_t, class Stream = std::nullptr_t,
          class Last = std::nullptr_t>
LaunchSyntax<Kernel> on_default_device(const char* name, Kernel kernel, Blocks blocks, Bytes dyn_ub_bytes = {},
                                       const Stream& = {}, const Last& = {}) {
  return {kernel, {name, blocks_of(blocks), dyn_ub_bytes_of(dyn_ub_bytes), PTOX_MOST_THREADS}};
}

/// A launch whose kernel is still to come: the operands between <<< and >>>, and `call`, which calls the kernel that it
/// is given with the arguments of the launch.
template <class Call>
struct LaunchOfAnyKernel {
  DefaultLaunch launch;
  Call call;

  /// `kernel ->* launch`: found by argument-dependent lookup. The operator binds like a postfix operator, except to
  /// what is postfix itself, so `table.kernels[i] ->* launch` needs no parentheses.
  template <class Kernel>
  friend void operator->*(Kernel&& kernel, LaunchOfAnyKernel self) {
    auto call = [&] { self.call(kernel); };
    using Whole = decltype(call);
    launch_default(self.launch, [](void* whole) { (*static_cast<Whole*>(whole))(); }, std::addressof(call));
  }
};

struct LaunchOperands {
  DefaultLaunch launch;

  template <class... Args>
  auto operator()(Args... args) const {
    auto call = [args...](auto& kernel) mutable { kernel(args...); };
    return LaunchOfAnyKernel<decltype(call)>{launch, call};
  }
};

/// The operands of a launch whose kernel is an expression: `kernel ->* launch_operands(...)(args)`.
template <class Blocks, class Bytes = std::nullptr_t, class Stream = std::nullptr_t, class Last = std::nullptr_t>
LaunchOperands launch_operands(const char* name, Blocks blocks, Bytes dyn_ub_bytes = {}, const Stream& = {},
                               const Last& = {}) {
  return {{name, blocks_of(blocks), dyn_ub_bytes_of(dyn_ub_bytes), PTOX_MOST_THREADS}};
}

#undef PTOX_MOST_THREADS

}  // namespace ptox::detail
