// SPDX-License-Identifier: Apache-2.0
// Reduces the number of sizes that long tests use in a build with the thread sanitizer.
#pragma once

namespace ptox {

/// The thread sanitizer makes loops over memory about ten times slower. Tests that repeat a case for hundreds of sizes
/// then use only every `size_step`-th of the larger sizes; no kind of case is omitted.
#if defined(__SANITIZE_THREAD__)  // g++
inline constexpr int size_step = 7;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr int size_step = 7;
#else
inline constexpr int size_step = 1;
#endif
#else
inline constexpr int size_step = 1;
#endif

}  // namespace ptox
