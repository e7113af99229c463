// SPDX-License-Identifier: Apache-2.0
// The share of its sizes that a long test takes in a build with the thread sanitizer.
#pragma once

namespace ptox {

/// The thread sanitizer makes loops over memory about ten times slower. A test that repeats one kind of case for
/// hundreds of sizes takes there every `size_step`-th of the larger ones; no kind of case is left out.
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
