// SPDX-License-Identifier: Apache-2.0
#include "loops/level.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace ptox {

namespace {

#if defined(__x86_64__)
// __builtin_cpu_supports of clang 14 knows neither feature. The operating system supports both where it supports AVX2
// or AVX-512, which is checked with the built-in function.
bool has_f16c() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
[[maybe_unused]] bool has_avx512fp16() {
  constexpr unsigned bit = 1u << 23;  // EDX of leaf 7
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & bit);
}
#endif

std::vector<Level> found() {
  std::vector<Level> all{Level::baseline};
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
  if (avx2) all.push_back(Level::avx2);
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    all.push_back(Level::avx512);
#if defined(PTOX_AVX512FP16)
  if (all.back() == Level::avx512 && has_avx512fp16()) all.push_back(Level::avx512fp16);
#endif
#elif defined(__aarch64__)
  all.push_back(Level::neon);
#endif
  return all;
}

Level first() {
  const Level best = levels().back();
  const char* wanted = std::getenv("PTOX_SIMD");
  if (!wanted || !*wanted) return best;
  for (const Level l : levels())
    if (std::string_view(wanted) == name(l)) return l;
  std::fprintf(stderr, "ptox: PTOX_SIMD is '%s', this machine has", wanted);
  for (const Level l : levels()) std::fprintf(stderr, " %s", name(l));
  std::fprintf(stderr, "; ignored\n");
  return best;
}

std::atomic<Level>& current() {
  static std::atomic<Level> level = first();
  return level;
}

}  // namespace

const char* name(Level l) {
  constexpr const char* names[] = {"baseline", "avx2", "avx512", "avx512fp16", "neon"};
  return names[static_cast<int>(l)];
}

std::span<const Level> levels() {
  static const std::vector<Level> all = found();
  return all;
}

Level level() { return current().load(std::memory_order_relaxed); }

void force_level(Level wanted) {
  for (const Level l : levels())
    if (l == wanted) return current().store(wanted, std::memory_order_relaxed);
  throw std::invalid_argument(std::string("this machine has no ") + name(wanted));
}

}  // namespace ptox
