// SPDX-License-Identifier: Apache-2.0
// Implements the functions of acl/acl.h and runtime/rt.h on the host.
#include "acl/acl.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

#include "comm/group/member.hpp"
#include "engine/launch/device_state.hpp"
#include "engine/launch/plain.hpp"
#include "engine/memory/registry.hpp"
#include "ptox/device.hpp"
#include "runtime/rt.h"

namespace {

/// Ends the launch of the thread's plain calls, as every runtime function does, and returns `result`.
aclError ended(aclError result = ACL_SUCCESS) {
  if (!ptox::in_launch()) ptox::end_plain_launch();
  return result;
}

aclError allocate(void** data, std::size_t bytes) {
  if (!data) return ended(ACL_ERROR_INVALID_PARAM);
  try {
    *data = ptox::detail::gm_alloc(static_cast<std::int64_t>(bytes), 1);
  } catch (const std::invalid_argument&) {
    *data = nullptr;
    return ended(ACL_ERROR_BAD_ALLOC);
  }
  return ended();
}

struct Event {
  bool recorded = false;
  std::uint64_t cycles = 0;
  std::chrono::steady_clock::time_point time{};
};

/// The objects behind streams or events. A handle that was destroyed, or never created, is refused.
template <class Object>
class Handles {
 public:
  void* create() {
    const std::lock_guard lock(mutex_);
    auto object = std::make_unique<Object>();
    void* const handle = object.get();
    alive_.emplace(handle, std::move(object));
    return handle;
  }
  /// The object of a handle; nullptr if there is none.
  Object* find(void* handle) {
    const std::lock_guard lock(mutex_);
    const auto at = alive_.find(handle);
    return at == alive_.end() ? nullptr : at->second.get();
  }
  aclError destroy(void* handle) {
    const std::lock_guard lock(mutex_);
    return !handle || alive_.erase(handle) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM;
  }

 private:
  std::mutex mutex_;
  std::map<void*, std::unique_ptr<Object>> alive_;
};
Handles<char>& streams() {  // only the address of a stream matters: streams differ from each other
  static auto* const all = new Handles<char>;
  return *all;
}
Handles<Event>& events() {
  static auto* const all = new Handles<Event>;
  return *all;
}

constinit std::atomic<int32_t> device_of_process = 0;

/// The number of ranks as which `ptox check --ranks` or an MPI launcher started the program, or that it joined; 8
/// without ranks.
uint32_t ranks_of_program() {
  if (const ptox::comm::Member* member = ptox::comm::process_member()) return static_cast<uint32_t>(member->size());
  for (const char* name : {"PTOX_RANKS", "PMI_SIZE", "OMPI_COMM_WORLD_SIZE"})
    if (const char* text = std::getenv(name))
      if (const int n = std::atoi(text); n > 0) return static_cast<uint32_t>(n);
  return 8;
}

/// Whether [data, data + bytes) lies in one allocation. Memory that is not registered is accepted.
bool holds(const void* data, std::size_t bytes) {
  if (bytes == 0) return true;
  if (!data) return false;
  const auto extent = ptox::Registry::instance().find(data);
  return !extent || reinterpret_cast<std::uintptr_t>(data) + bytes <= extent->begin + extent->bytes;
}

}  // namespace

aclError aclInit(const char*) { return ended(); }
aclError aclFinalize() { return ended(); }
const char* aclGetRecentErrMsg() {
  thread_local std::string text;  // of the last call
  text = ptox::device_failure();
  return text.c_str();
}
aclError aclrtSetDevice(int32_t device) {
  device_of_process = device;
  return ended();
}
aclError aclrtResetDevice(int32_t) {
  ptox::reset_device();
  return ended();
}
aclError aclrtGetDevice(int32_t* device) {
  if (!device) return ended(ACL_ERROR_INVALID_PARAM);
  *device = device_of_process;
  return ended();
}
aclError aclrtGetDeviceCount(uint32_t* count) {
  if (!count) return ended(ACL_ERROR_INVALID_PARAM);
  *count = ranks_of_program();
  return ended();
}
aclError aclrtGetDeviceInfo(uint32_t, aclrtDevAttr attribute, int64_t* value) {
  if (!value) return ended(ACL_ERROR_INVALID_PARAM);
  const int clusters = ptox::default_target().clusters;
  *value = attribute == ACL_DEV_ATTR_AICPU_CORE_NUM    ? 0
           : attribute == ACL_DEV_ATTR_VECTOR_CORE_NUM ? 2 * clusters
                                                       : clusters;
  return ended();
}
aclError aclrtCreateStream(aclrtStream* stream) {
  if (!stream) return ended(ACL_ERROR_INVALID_PARAM);
  *stream = streams().create();
  return ended();
}
aclError aclrtDestroyStream(aclrtStream stream) { return ended(streams().destroy(stream)); }
aclError aclrtCreateEvent(aclrtEvent* event) {
  if (!event) return ended(ACL_ERROR_INVALID_PARAM);
  *event = events().create();
  return ended();
}
aclError aclrtDestroyEvent(aclrtEvent event) { return ended(events().destroy(event)); }
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream) {
  Event* const recorded = events().find(event);
  if (!recorded) return ended(ACL_ERROR_INVALID_PARAM);
  ended();
  *recorded = {true, ptox::estimated_cycles(), std::chrono::steady_clock::now()};
  return ACL_SUCCESS;
}
aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return events().find(event) ? aclrtSynchronizeStream(nullptr) : ended(ACL_ERROR_INVALID_PARAM);
}
aclError aclrtEventElapsedTime(float* ms, aclrtEvent begin, aclrtEvent end) {
  const Event *first = events().find(begin), *last = events().find(end);
  if (!ms || !first || !last || !first->recorded || !last->recorded) return ended(ACL_ERROR_INVALID_PARAM);
  if (ptox::default_target().native)
    *ms = std::chrono::duration<float, std::milli>(last->time - first->time).count();
  else
    *ms = static_cast<float>(static_cast<double>(last->cycles - first->cycles) / 1e6);  // a cycle is a nanosecond
  return ended();
}
aclError aclrtSynchronizeStream(aclrtStream) {
  return ended(ptox::device_failed() ? ACL_ERROR_RT_AICORE_TIMEOUT : ACL_SUCCESS);
}
aclError aclrtSynchronizeDevice() { return aclrtSynchronizeStream(nullptr); }
aclError aclrtMalloc(void** data, std::size_t bytes, aclrtMemMallocPolicy) { return allocate(data, bytes); }
aclError aclrtMallocHost(void** data, std::size_t bytes) { return allocate(data, bytes); }
aclError aclrtFree(void* data) { return ended(ptox::detail::gm_free(data) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM); }
aclError aclrtFreeHost(void* data) { return aclrtFree(data); }
aclError aclrtMemcpy(void* dst, std::size_t room, const void* src, std::size_t bytes, aclrtMemcpyKind) {
  if (bytes > room || !holds(dst, bytes) || !holds(src, bytes)) return ended(ACL_ERROR_INVALID_PARAM);
  if (bytes) std::memmove(dst, src, bytes);
  return ended();
}
aclError aclrtMemcpyAsync(void* dst, std::size_t room, const void* src, std::size_t bytes, aclrtMemcpyKind kind,
                          aclrtStream) {
  return aclrtMemcpy(dst, room, src, bytes, kind);
}
aclError aclrtMemset(void* dst, std::size_t room, int32_t value, std::size_t bytes) {
  if (bytes > room || !holds(dst, bytes)) return ended(ACL_ERROR_INVALID_PARAM);
  if (bytes) std::memset(dst, value, bytes);
  return ended();
}

rtError_t rtSetDevice(int32_t device) { return aclrtSetDevice(device); }
rtError_t rtStreamCreate(rtStream_t* stream, int32_t) { return aclrtCreateStream(stream); }
rtError_t rtStreamDestroy(rtStream_t stream) { return aclrtDestroyStream(stream); }
rtError_t rtStreamSynchronize(rtStream_t stream) { return aclrtSynchronizeStream(stream); }
rtError_t rtGetAiCoreCount(uint32_t* count) {
  if (!count) return ACL_ERROR_INVALID_PARAM;
  *count = static_cast<uint32_t>(ptox::default_target().clusters);
  return RT_ERROR_NONE;
}
rtError_t rtGetC2cCtrlAddr(uint64_t* address, uint32_t* bytes) {
  static uint64_t flags[512];
  if (!address || !bytes) return ACL_ERROR_INVALID_PARAM;
  *address = reinterpret_cast<uint64_t>(flags), *bytes = sizeof flags;
  return RT_ERROR_NONE;
}
