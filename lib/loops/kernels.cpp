// SPDX-License-Identifier: Apache-2.0
#include "loops/kernels.hpp"

namespace ptox {

namespace {

const Kernels& kernels_of(Level l) {
  switch (l) {
#if defined(__x86_64__)
    case Level::avx2:
      return avx2_kernels();
    case Level::avx512:
      return avx512_kernels();
#if defined(PTOX_AVX512FP16)
    case Level::avx512fp16:
      return avx512fp16_kernels();
#endif
#elif defined(__aarch64__)
    case Level::neon:
      return neon_kernels();
#endif
    default:
      return baseline_kernels();
  }
}

}  // namespace

const Kernels& kernels() { return kernels_of(level()); }

}  // namespace ptox
