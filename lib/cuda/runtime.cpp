// SPDX-License-Identifier: Apache-2.0
// Runs launches on an NVIDIA GPU.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <mutex>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/launch/accelerator.hpp"

namespace ptox {

namespace {

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  cudaGetLastError();  // resets the error if it can be reset
  throw std::runtime_error(std::string("cuda: ") + what + ": " + cudaGetErrorString(error));
}

/// The number of the current device; throws std::invalid_argument if there is none.
int device() {
  static std::atomic<bool> there = false;
  int count = 1, id = 0;
  const cudaError_t error = there ? cudaSuccess : cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) {
    cudaGetLastError();
    throw std::invalid_argument(std::string("no CUDA device: ") +
                                (error == cudaSuccess ? "the driver reports none" : cudaGetErrorString(error)));
  }
  there = true;
  check(cudaGetDevice(&id), "the current device");
  return id;
}

int attribute(cudaDeviceAttr name) {
  int value = 0;
  check(cudaDeviceGetAttribute(&value, name, device()), "an attribute of the device");
  return value;
}

/// Allocates zeroed memory that host and device can access. Throws if the device has less free memory, because an
/// allocation that is too large would otherwise fail only in a kernel.
void* allocate(std::size_t bytes) {
  device();
  std::size_t free = 0, total = 0;
  check(cudaMemGetInfo(&free, &total), "the device's memory");
  if (bytes > free)
    throw std::invalid_argument("alloc: the device has " + std::to_string(free) + " bytes left, " +
                                std::to_string(bytes) + " are asked for");
  void* p = nullptr;
  if (cudaMallocManaged(&p, bytes, cudaMemAttachGlobal) != cudaSuccess) {
    cudaGetLastError();
    check(cudaHostAlloc(&p, bytes, cudaHostAllocMapped), "no memory that host and device share");
  }
  check(cudaMemset(p, 0, bytes), "zeroing memory");
  check(cudaDeviceSynchronize(), "zeroing memory");
  return p;
}

void free_memory(void* p) noexcept {
  cudaPointerAttributes about{};
  const bool of_host = cudaPointerGetAttributes(&about, p) == cudaSuccess && about.type == cudaMemoryTypeHost;
  of_host ? cudaFreeHost(p) : cudaFree(p);
  cudaGetLastError();
}

constexpr std::int64_t kib = 1024;

AcceleratorLimits asked_limits(const void* entry) {
  cudaFuncAttributes kernel{};
  check(cudaFuncGetAttributes(&kernel, entry), "the kernel");
  const std::int64_t own = (static_cast<std::int64_t>(kernel.sharedSizeBytes) + 127) / 128 * 128;
  const int registers = (kernel.numRegs + 7) / 8 * 8;  // per thread, in the unit in which they are allocated
  const int by_registers = attribute(cudaDevAttrMaxRegistersPerMultiprocessor) / std::max(registers, 1);
  return {.ub_bytes = (attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) - own) / 128 * 128,
          .own_bytes = own + attribute(cudaDevAttrReservedSharedMemoryPerBlock),
          .processor_bytes = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor),
          .processor_threads = std::min(attribute(cudaDevAttrMaxThreadsPerMultiProcessor), by_registers)};
}

/// The cached attributes of a kernel on a device. Protected by the mutex launches().
struct Known {
  AcceleratorLimits limits;
  std::int64_t ub_bytes = -1;  ///< the dynamic shared memory that the kernel may use; -1: not set
};
std::mutex& launches() {
  static auto& mutex = *new std::mutex;
  return mutex;
}
Known& known(int id, const void* entry) {
  static auto& all = *new std::map<std::pair<int, const void*>, Known>;
  const auto found = all.find({id, entry});
  return found != all.end() ? found->second
                            : all.emplace(std::pair{id, entry}, Known{asked_limits(entry)}).first->second;
}
AcceleratorLimits limits(const void* entry) {
  const int id = device();
  const std::lock_guard lock(launches());
  return known(id, entry).limits;
}

void allow_ub(Known& k, const void* entry, std::int64_t bytes) {
  if (k.ub_bytes == bytes) return;
  check(cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "shared memory for tiles");
  check(cudaFuncSetAttribute(entry, cudaFuncAttributePreferredSharedMemoryCarveout, cudaSharedmemCarveoutMaxShared),
        "shared memory for tiles");
  k.ub_bytes = bytes;
}

constexpr std::size_t head_bytes = offsetof(pto::instr::cuda::LaunchResult, found);

/// Memory that all launches on one device use; never freed.
struct Kept {
  int device = -1;
  pto::instr::cuda::LaunchResult* result = nullptr;
  void* head = nullptr;  ///< host memory for the first head_bytes of the result
  std::byte* slots = nullptr;
  std::uint32_t* slot_taken = nullptr;
  std::int64_t slot_bytes = 0;
  std::int32_t slot_count = 0;
  pto::instr::cuda::Allocation* allocations = nullptr;
  std::size_t allocation_room = 0;
};

template <class T>
T* zeroed(std::size_t bytes) {
  void* p = nullptr;
  check(cudaMalloc(&p, bytes), "memory for launches");
  check(cudaMemset(p, 0, bytes), "memory for launches");
  return static_cast<T*>(p);
}

/// The memory of the current device, whose number is `id`; allocated at first use.
Kept& kept(int id) {
  static Kept all[64];
  if (all[id % 64].device == id) return all[id % 64];
  Kept k{.device = id,
         .slot_bytes = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) + kib,
         .slot_count = attribute(cudaDevAttrMultiProcessorCount)};
  k.result = zeroed<pto::instr::cuda::LaunchResult>(sizeof(pto::instr::cuda::LaunchResult));
  check(cudaMallocHost(&k.head, head_bytes), "memory for launches");
  k.slots = zeroed<std::byte>(static_cast<std::size_t>(k.slot_bytes * k.slot_count));
  k.slot_taken = zeroed<std::uint32_t>(sizeof(std::uint32_t) * static_cast<std::size_t>(k.slot_count));
  return all[id % 64] = k;
}

/// Copies the allocations of a checked launch to the device. Precondition: no launch is in progress.
const pto::instr::cuda::Allocation* shown(Kept& k, std::span<const pto::instr::cuda::Allocation> all) {
  if (all.empty()) return nullptr;
  if (k.allocation_room < all.size()) {
    check(cudaFree(std::exchange(k.allocations, nullptr)), "memory for launches");
    k.allocation_room = 0;
    k.allocations = zeroed<pto::instr::cuda::Allocation>(2 * all.size_bytes());
    k.allocation_room = 2 * all.size();
  }
  check(cudaMemcpy(k.allocations, all.data(), all.size_bytes(), cudaMemcpyHostToDevice), "known allocations");
  return k.allocations;
}

/// Copies the findings of a launch to the host, if there are any.
void fetch(const Kept& k, pto::instr::cuda::LaunchResult& result) {
  std::memcpy(static_cast<void*>(&result), k.head, head_bytes);
  if (!result.any_found) return;
  check(cudaMemcpy(static_cast<void*>(&result), k.result, sizeof result, cudaMemcpyDeviceToHost), "findings");
  check(cudaMemset(k.result, 0, sizeof result), "findings");
}

void launch(const detail::Job& job, const AcceleratorLaunch& l, pto::instr::cuda::LaunchResult& result) {
  const int id = device();
  const std::lock_guard lock(launches());  // launches of one process run one after the other
  Kept& k = kept(id);
  pto::instr::cuda::LaunchData data{.result = k.result,
                                    .ub_bytes = l.ub_bytes,
                                    .ub_limit = l.ub_limit,
                                    .slots = k.slots,
                                    .slot_taken = k.slot_taken,
                                    .slot_bytes = k.slot_bytes,
                                    .slot_count = k.slot_count,
                                    .allocation_count = static_cast<std::int32_t>(l.allocations.size()),
                                    .allocations = shown(k, l.allocations),
                                    .checked = l.checked};
  job.arguments[0] = &data;
  allow_ub(known(id, job.entry), job.entry, l.ub_bytes);
  const dim3 grid(static_cast<unsigned>(l.blocks)), threads(static_cast<unsigned>(l.threads));
  const char* const kernel = job.kernel.c_str();
  check(cudaMemsetAsync(k.result, 0, head_bytes), kernel);
  check(cudaLaunchKernel(job.entry, grid, threads, job.arguments, static_cast<std::size_t>(l.ub_bytes), nullptr),
        kernel);
  check(cudaMemcpyAsync(k.head, k.result, head_bytes, cudaMemcpyDeviceToHost), kernel);
  check(cudaDeviceSynchronize(), kernel);
  fetch(k, result);
}

constexpr Accelerator gpu{.allocate = allocate, .free = free_memory, .limits = limits, .launch = launch};
[[maybe_unused]] const bool registered = (linked_accelerator = &gpu) != nullptr;

}  // namespace

}  // namespace ptox

/// Programs reference this symbol, so that the linker includes the library, which registers itself.
extern "C" void ptox_cuda_accelerator() {}
