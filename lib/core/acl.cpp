// SPDX-License-Identifier: Apache-2.0
// Implements the functions of acl/acl.h on the host.
#include "acl/acl.h"

#include <cstring>
#include <stdexcept>

#include "core/plain.hpp"
#include "core/registry.hpp"
#include "ptox/device.hpp"

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
aclError aclrtSetDevice(int32_t) { return ended(); }
aclError aclrtResetDevice(int32_t) { return ended(); }
aclError aclrtCreateStream(aclrtStream* stream) {
  if (!stream) return ended(ACL_ERROR_INVALID_PARAM);
  static char a_stream;
  *stream = &a_stream;
  return ended();
}
aclError aclrtDestroyStream(aclrtStream) { return ended(); }
aclError aclrtSynchronizeStream(aclrtStream) { return ended(); }
aclError aclrtMalloc(void** data, std::size_t bytes, aclrtMemMallocPolicy) { return allocate(data, bytes); }
aclError aclrtMallocHost(void** data, std::size_t bytes) { return allocate(data, bytes); }
aclError aclrtFree(void* data) { return ended(ptox::detail::gm_free(data) ? ACL_SUCCESS : ACL_ERROR_INVALID_PARAM); }
aclError aclrtFreeHost(void* data) { return aclrtFree(data); }
aclError aclrtMemcpy(void* dst, std::size_t room, const void* src, std::size_t bytes, aclrtMemcpyKind) {
  if (bytes > room || !holds(dst, bytes) || !holds(src, bytes)) return ended(ACL_ERROR_INVALID_PARAM);
  if (bytes) std::memmove(dst, src, bytes);
  return ended();
}
aclError aclrtMemset(void* dst, std::size_t room, int32_t value, std::size_t bytes) {
  if (bytes > room || !holds(dst, bytes)) return ended(ACL_ERROR_INVALID_PARAM);
  if (bytes) std::memset(dst, value, bytes);
  return ended();
}
