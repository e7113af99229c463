// SPDX-License-Identifier: Apache-2.0
#include "cuda/scratch.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace ptox::cuda {

namespace {

cudaMemPool_t make_pool(int device) {
  cudaMemPoolProps props{};
  props.allocType = cudaMemAllocationTypePinned;
  props.location.type = cudaMemLocationTypeDevice, props.location.id = device;
  cudaMemPool_t pool = nullptr;
  check_cuda(cudaMemPoolCreate(&pool, &props), "making a pool of device memory");
  std::uint64_t keep = UINT64_MAX;  // keep freed memory until release_memory()
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "setting up a pool");
  int never = 0;  // do not make a stream wait for another one in order to reuse its memory
  check_cuda(cudaMemPoolSetAttribute(pool, cudaMemPoolReuseAllowInternalDependencies, &never), "setting up a pool");
  return pool;
}

/// The memory pool of the current device, which exists until the process ends.
cudaMemPool_t pool() {
  static std::mutex mutex;
  static auto& pools = *new std::map<int, cudaMemPool_t>;  // never destroyed: destructors of static objects may use it
  int device = 0;
  check_cuda(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(mutex);
  const auto found = pools.find(device);
  return found != pools.end() ? found->second : pools.emplace(device, make_pool(device)).first->second;
}

int attribute(cudaDeviceAttr name) {
  int device = 0, value = 0;
  check_cuda(cudaGetDevice(&device), "asking for the current device");
  check_cuda(cudaDeviceGetAttribute(&value, name, device), "reading an attribute of the device");
  return value;
}

}  // namespace

Scratch::Scratch(std::size_t bytes, CUstream_st* stream) : stream_(stream) {
  if (bytes == 0) return;
  check_cuda(cudaMallocFromPoolAsync(&data_, bytes, pool(), stream), "taking device memory for the call itself");
}
Scratch::~Scratch() {
  if (data_) cudaFreeAsync(data_, stream_);
}

void check_cuda(int code, const char* what) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // resets the error; otherwise check_launch would report it for the next launch
  const auto error = static_cast<cudaError_t>(code);
  throw std::runtime_error(std::string("ptox::cuda: ") + what + ": " + cudaGetErrorString(error));
}
void allow_shared(const void* kernel, int bytes) {
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "asking for shared memory");
}

int processors() { return attribute(cudaDevAttrMultiProcessorCount); }
int shared_bytes() { return attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin); }

void check_launch(const char* what) { check_cuda(cudaGetLastError(), what); }

void release_memory() { check_cuda(cudaMemPoolTrimTo(pool(), 0), "giving memory back"); }

}  // namespace ptox::cuda
