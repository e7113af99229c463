// SPDX-License-Identifier: Apache-2.0
#include "cuda/gpu/run_on_gpu.hpp"
#include "pto/pto-inst.hpp"

namespace ptox::cuda_test {

/// Issues one instruction by its descriptors; the whole UB is loaded before and stored afterwards.
template <class I>
AICORE void one_instruction(typename I::Operands o, std::uint8_t* ub, std::int64_t bytes) {
  pto::Tile<pto::TileType::Vec, std::uint8_t, 1, 190 * 1024> all;
  TASSIGN(all, 0);
  std::uint8_t* at = all.data();
  for (std::int64_t i = threadIdx.x; i < bytes; i += blockDim.x) at[i] = ub[i];
  pto::instr::issue<I>(o, static_cast<TargetMask>(~0u), true, pto::instr::Site::current());
  at = all.data();
  for (std::int64_t i = threadIdx.x; i < bytes; i += blockDim.x) ub[i] = at[i];
}

template <class I>
Report run_on_gpu(typename I::Operands o, Bytes& ub, Bytes& gm, const GpuOptions& options) {
  static Device unchecked(target::cuda), checked(target::cuda, {.check = Check::all});
  static auto gpu_ub = unchecked.alloc<std::uint8_t>(256 * 1024), gpu_gm = unchecked.alloc<std::uint8_t>(8 << 20);
  std::copy(ub.begin(), ub.end(), gpu_ub.begin());
  std::copy(gm.begin(), gm.end(), gpu_gm.begin());
  I::OperandList::each(o, [&]<class D>(auto, D& d) {
    if constexpr (std::is_same_v<D, TensorDesc>) d.base = gpu_gm.data() + options.base;
  });
  Device& dev = options.check == Check::all ? checked : unchecked;
  const Report report = dev.launch<one_instruction<I>>({.dyn_ub_bytes = options.dyn_ub_bytes}, o, gpu_ub.data(),
                                                       static_cast<std::int64_t>(ub.size()));
  std::copy(gpu_ub.begin(), gpu_ub.begin() + ub.size(), ub.begin());
  std::copy(gpu_gm.begin(), gpu_gm.begin() + gm.size(), gm.begin());
  return report;
}

#define PTOX_ON_GPU(I) template Report run_on_gpu<I>(I::Operands, Bytes&, Bytes&, const GpuOptions&);
PTOX_ON_GPU(Mgather)
PTOX_ON_GPU(Mscatter)
PTOX_ON_GPU(Tload)
PTOX_ON_GPU(Tstore)
PTOX_ON_GPU(Tmov)
PTOX_ON_GPU(Texpands)
PTOX_ON_GPU(Tgather)
PTOX_ON_GPU(Tscatter)
PTOX_ON_GPU(Tgatherb)
PTOX_ON_GPU(TgatherMask)
PTOX_ON_GPU(TscatterMask)

}  // namespace ptox::cuda_test
