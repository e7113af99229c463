// SPDX-License-Identifier: Apache-2.0
// A block on a GPU: a thread block, its shared memory and the GPU's atomics.
#pragma once

#include "pto/cuda/state.hpp"
#include "pto/cuda/update.hpp"

namespace pto::instr::cuda {

/// The block that this thread belongs to, and the location of its UB during one instruction.
class Block {
 public:
  PTO_INTERNAL Block()
      : ub_(state().ub),
        any_(reinterpret_cast<const std::byte*>(state().launch.result)),
        in_shared_(state().in_shared) {}

  PTO_INTERNAL static Count tid() { return threadIdx.x; }
  PTO_INTERNAL static Count threads() { return blockDim.x; }
  PTO_INTERNAL static State& state() {
    __attribute__((shared)) static State s;
    return s;
  }
  PTO_INTERNAL static std::byte* shared_ub() {
    extern __attribute__((shared)) __attribute__((aligned(128))) std::byte pto_ub[];
    return pto_ub;
  }
  PTO_INTERNAL std::byte* ub() const { return ub_; }

  /// A barrier: what any thread did before, including its asynchronous copies into UB, is visible to all threads after.
  PTO_INTERNAL static void sync() {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
  }
  /// The same, and all asynchronous stores are complete too.
  PTO_INTERNAL static void finish() {
    if (stores_whole() && tid() < storing_threads) wait_stored<0>();
    sync();
  }

  /// Ends a copy: everything that was fetched since the last call counts as one copy for wait_fetched.
  PTO_INTERNAL static void end_fetch() { asm volatile("cp.async.commit_group;" ::: "memory"); }
  /// Waits until at most the latest `stay` copies into UB, fewer than four, are in progress.
  PTO_INTERNAL static void wait_fetched(int stay) {
    by_number(stay, [](auto n) { asm volatile("cp.async.wait_group %0;" ::"n"(decltype(n)::value) : "memory"); });
  }

  /// Copies one piece of a row into UB, asynchronously if UB is in shared memory; null gives zeros. The piece is there
  /// after a wait for its copy, or after the next sync.
  template <class V>
  PTO_INTERNAL void fetch(std::byte* to, const std::byte* from) const {
    if (in_shared_)
      fetch_shared<sizeof(V)>(to, from);
    else
      *reinterpret_cast<V*>(to) = from ? *reinterpret_cast<const V*>(from) : V{};
  }

  static constexpr Count storing_threads = 32;  ///< the first threads, which start bulk stores and wait for them
  /// Whether the GPU has bulk stores: asynchronous stores of whole rows.
  PTO_INTERNAL static constexpr bool stores_whole() {
#if __CUDA_ARCH__ >= 900
    return true;
#else
    return false;
#endif
  }
  PTO_INTERNAL bool can_store_whole() const { return stores_whole() && in_shared_; }
  /// A proxy fence: a bulk store that starts after the next barrier reads what threads wrote to UB before, and
  /// overwrites what they wrote to global memory.
  PTO_INTERNAL static void show_to_stores() {
#if __CUDA_ARCH__ >= 900
    if (state().wrote[tid() / 32])
      asm volatile("fence.proxy.async;" ::: "memory");
    else
      asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
  }
  /// Records that threads store to global memory directly, which the next TSTORE has to include in its fence.
  PTO_INTERNAL static void note_written() {
    if (tid() % 32 == 0) state().wrote[tid() / 32] = 1;
    __syncwarp();
  }
  /// Starts a bulk store of `bytes` out of UB; called by one of the storing threads. Addresses and `bytes` are
  /// multiples of 16.
  PTO_INTERNAL static void store_whole([[maybe_unused]] std::byte* to, [[maybe_unused]] const std::byte* from,
                                       [[maybe_unused]] Count bytes) {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(__cvta_generic_to_global(to)),
                 "r"(static_cast<unsigned>(__cvta_generic_to_shared(from))), "r"(bytes)
                 : "memory");
#endif
  }
  /// Ends a copy: the bulk stores of this storing thread since its last call count as one copy for the waits.
  PTO_INTERNAL static void end_store() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#endif
  }
  /// Waits until all copies out of UB but the latest `stay` have been read from UB.
  PTO_INTERNAL static void wait_read(int stay) {
    by_number(stay, [](auto n) { wait_read<decltype(n)::value>(); });
  }
  /// Waits until all copies out of UB but the latest `stay` are complete.
  PTO_INTERNAL static void wait_stored(int stay) {
    by_number(stay, [](auto n) { wait_stored<decltype(n)::value>(); });
  }

  PTO_INTERNAL static void prefetch(const std::byte* from) {
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(from)));
  }

  PTO_INTERNAL static void atomic_max(std::uint32_t* at, std::uint32_t value) { atomicMax(at, value); }
  PTO_INTERNAL static void atomic_or(std::uint32_t* at, std::uint32_t value) { atomicOr(at, value); }
  PTO_INTERNAL static void atomic_add(std::uint32_t* at, std::uint32_t value) { atomicAdd(at, value); }

  template <class U>
  PTO_INTERNAL static U load(const U* at) {
    return *static_cast<const volatile U*>(at);
  }
  PTO_INTERNAL static std::uint32_t exchange_if(std::uint32_t* at, std::uint32_t expected, std::uint32_t value) {
    return atomicCAS(at, expected, value);
  }
  PTO_INTERNAL static std::uint16_t exchange_if(std::uint16_t* at, std::uint16_t expected, std::uint16_t value) {
    std::uint16_t found;
    asm volatile("atom.cas.b16 %0, [%1], %2, %3;" : "=h"(found) : "l"(at), "h"(expected), "h"(value) : "memory");
    return found;
  }
  /// Operates on the aligned word that holds the byte and keeps its other three bytes.
  PTO_INTERNAL static std::uint8_t exchange_if(std::uint8_t* at, std::uint8_t expected, std::uint8_t value) {
    const std::uint64_t address = reinterpret_cast<std::uint64_t>(at);
    auto* const word = reinterpret_cast<std::uint32_t*>(address & ~std::uint64_t{3});
    const std::uint32_t shift = static_cast<std::uint32_t>(address & 3) * 8, mask = 0xFFu << shift;
    for (std::uint32_t seen = load(word);;) {
      if ((seen & mask) >> shift != expected) return static_cast<std::uint8_t>((seen & mask) >> shift);
      const std::uint32_t next = (seen & ~mask) | static_cast<std::uint32_t>(value) << shift;
      const std::uint32_t found = atomicCAS(word, seen, next);
      if (found == seen) return expected;
      seen = found;
    }
  }

  /// Updates an element by an atomic instruction of the GPU; false, without effect, if there is none for it.
  template <class T>
  PTO_INTERNAL static bool update_natively(ScatterAtomicOp op, std::byte* to, T value) {
    if constexpr (std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>)
      return update_integer(op, reinterpret_cast<T*>(to), value);
    else if constexpr (std::is_same_v<T, float>)
      return op == ScatterAtomicOp::Add && add_float(reinterpret_cast<float*>(to), value);
    else if constexpr (std::is_same_v<T, half>)
      return op == ScatterAtomicOp::Add && add_half(to, value.bits());
    else if constexpr (std::is_same_v<T, bfloat16_t>)
      return op == ScatterAtomicOp::Add && add_bfloat16(to, value.bits());
    else
      return false;
  }
  /// Whether sixteen bytes of elements of that type can be added by one instruction.
  PTO_INTERNAL static bool adds_quads(instr::DType d) {
#if __CUDA_ARCH__ >= 900
    return d == instr::DType::f32 || d == instr::DType::f16 || d == instr::DType::bf16;
#else
    return false;
#endif
  }
  /// Adds sixteen bytes of elements; false, without effect, if one of them must be added by itself.
  PTO_INTERNAL static bool add_quad([[maybe_unused]] instr::DType d, [[maybe_unused]] std::byte* to,
                                    [[maybe_unused]] const Quad& q) {
#if __CUDA_ARCH__ >= 900
    const auto at = __cvta_generic_to_global(to);
    if (d == instr::DType::f32) {
      const auto f = std::bit_cast<Floats>(q);
      if (!(plain(f.x[0]) && plain(f.x[1]) && plain(f.x[2]) && plain(f.x[3]))) return false;
      asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at), "f"(f.x[0]), "f"(f.x[1]),
                   "f"(f.x[2]), "f"(f.x[3])
                   : "memory");
      return true;
    }
    if (d == instr::DType::f16)
      asm volatile("red.relaxed.gpu.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(q.word[0]),
                   "r"(q.word[1]), "r"(q.word[2]), "r"(q.word[3])
                   : "memory");
    else
      asm volatile("red.relaxed.gpu.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(q.word[0]),
                   "r"(q.word[1]), "r"(q.word[2]), "r"(q.word[3])
                   : "memory");
    return true;
#else
    return false;
#endif
  }
  PTO_INTERNAL void update(ScatterAtomicOp op, instr::DType d, std::byte* to, const std::byte* from) {
    update_element(*this, op, d, to, from);
  }

 private:
  /// Calls f with `stay` as a compile-time constant, which the PTX instructions require.
  template <class F>
  PTO_INTERNAL static void by_number(int stay, F&& f) {
    if (stay == 0)
      f(std::integral_constant<int, 0>{});
    else if (stay == 1)
      f(std::integral_constant<int, 1>{});
    else if (stay == 2)
      f(std::integral_constant<int, 2>{});
    else
      f(std::integral_constant<int, 3>{});
  }
  template <int stay>
  PTO_INTERNAL static void wait_read() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(stay) : "memory");
#endif
  }
  template <int stay>
  PTO_INTERNAL static void wait_stored() {
#if __CUDA_ARCH__ >= 900
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(stay) : "memory");
#endif
  }

  template <int bytes>
  PTO_INTERNAL void fetch_shared(std::byte* to, const std::byte* from) const {
    const auto shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    const std::byte* const source = from ? from : any_;
    const unsigned read = from ? bytes : 0;
    if constexpr (bytes == 16)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared), "l"(__cvta_generic_to_global(source)),
                   "r"(read)
                   : "memory");
    else
      asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(shared), "l"(__cvta_generic_to_global(source)),
                   "n"(bytes), "r"(read)
                   : "memory");
  }
  template <class T>
  PTO_INTERNAL static bool update_integer(ScatterAtomicOp op, T* to, T value) {
    if (op == ScatterAtomicOp::Add)
      atomicAdd(to, value);
    else if (op == ScatterAtomicOp::Max)
      atomicMax(to, value);
    else
      atomicMin(to, value);
    return true;
  }
  struct alignas(16) Floats {
    float x[4];
  };
  /// Whether a value may be added by the atomic unit of global memory, which treats subnormal numbers as zero. From
  /// 2^-101 on this has no effect: the value is a multiple of 2^-124, so that a subnormal number in memory does not
  /// change the sum, and no sum is subnormal.
  PTO_INTERNAL static bool plain(float value) { return value >= 0x1p-101f || value <= -0x1p-101f; }
  PTO_INTERNAL static bool add_float(float* to, float value) {
    if (value == 0) return add_zero(reinterpret_cast<std::uint32_t*>(to), value);
    if (!plain(value)) return false;
    atomicAdd(to, value);
    return true;
  }
  /// Adding a zero changes memory only if the zero is positive and memory holds a negative zero.
  PTO_INTERNAL static bool add_zero(std::uint32_t* to, float zero) {
    constexpr std::uint32_t negative = 0x80000000u;
    if (std::bit_cast<std::uint32_t>(zero) == 0 && load(to) == negative) exchange_if(to, negative, 0);
    return true;
  }
  PTO_INTERNAL static bool add_half(std::byte* to, std::uint16_t bits) {
    asm volatile("red.add.noftz.f16 [%0], %1;" ::"l"(to), "h"(bits) : "memory");
    return true;
  }
  PTO_INTERNAL static bool add_bfloat16([[maybe_unused]] std::byte* to, [[maybe_unused]] std::uint16_t bits) {
#if __CUDA_ARCH__ >= 900
    asm volatile("red.add.noftz.bf16 [%0], %1;" ::"l"(to), "h"(bits) : "memory");
    return true;
#else
    return false;
#endif
  }

  std::byte* ub_;
  const std::byte* any_;  ///< a valid global address, the source of copies that read no bytes
  bool in_shared_;
};

}  // namespace pto::instr::cuda
