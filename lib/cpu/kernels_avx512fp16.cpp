// SPDX-License-Identifier: Apache-2.0
// The loops for AVX-512 with FP16: as for AVX-512, and sums of halves by the instructions for them, which round as a
// sum of floats that is rounded once does. Built with the flags for them, where the compiler knows those.
#if defined(__AVX512FP16__)
#include "cpu/updates.hpp"

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
