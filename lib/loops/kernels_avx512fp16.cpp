// SPDX-License-Identifier: Apache-2.0
// The loops for AVX-512 with FP16: those for AVX-512, except that sums of halves use the FP16 instructions, which give
// the same results as sums of floats that are rounded once. Built with these flags if the compiler supports them.
#if defined(__AVX512FP16__)
#include "loops/updates.hpp"

namespace ptox {

const Kernels& avx512fp16_kernels() {
  static const Kernels k = [] {
    constexpr int add = 0, f16 = static_cast<int>(pto::instr::DType::f16);
    Kernels all = avx512_kernels();
    all.update[false][add][f16] = update<Native<_Float16, Add>, std::uint32_t>;
    all.update[true][add][f16] = update<Native<_Float16, Add>, std::uint64_t>;
    return all;
  }();
  return k;
}

}  // namespace ptox
#endif
