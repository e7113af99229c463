// SPDX-License-Identifier: Apache-2.0
// The functions of the ACL runtime that host programs for NPUs call, implemented on the host.
#pragma once

#include "acl/acl_base.h"

extern "C" {

aclError aclInit(const char* config);
aclError aclFinalize();
/// The last error of this thread as text, or "".
const char* aclGetRecentErrMsg();

aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtGetDevice(int32_t* device);
/// The number of ranks if the program runs as ranks, otherwise 8, as in a server.
aclError aclrtGetDeviceCount(uint32_t* count);
aclError aclrtGetDeviceInfo(uint32_t device, aclrtDevAttr attribute, int64_t* value);

aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtDestroyStream(aclrtStream stream);
/// ACL_ERROR_RT_AICORE_TIMEOUT if a launch of this process ended because another rank failed.
aclError aclrtSynchronizeStream(aclrtStream stream);
aclError aclrtSynchronizeDevice();

aclError aclrtCreateEvent(aclrtEvent* event);
aclError aclrtDestroyEvent(aclrtEvent event);
aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream);
aclError aclrtSynchronizeEvent(aclrtEvent event);
/// The time between two recorded events: on a2a3 and a5 the estimated cycles of the launches between them, of one
/// nanosecond each; on cpu the time of the host.
aclError aclrtEventElapsedTime(float* ms, aclrtEvent begin, aclrtEvent end);

/// Allocates zeroed memory and registers its extent with the checker.
aclError aclrtMalloc(void** data, std::size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtMallocHost(void** data, std::size_t bytes);
aclError aclrtFree(void* data);
aclError aclrtFreeHost(void* data);
/// Copies `bytes` bytes; fails with ACL_ERROR_INVALID_PARAM if that is more than `room`.
aclError aclrtMemcpy(void* dst, std::size_t room, const void* src, std::size_t bytes, aclrtMemcpyKind kind);
aclError aclrtMemcpyAsync(void* dst, std::size_t room, const void* src, std::size_t bytes, aclrtMemcpyKind kind,
                          aclrtStream stream);
aclError aclrtMemset(void* dst, std::size_t room, int32_t value, std::size_t bytes);
}
