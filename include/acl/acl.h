// SPDX-License-Identifier: Apache-2.0
// The functions of the ACL runtime that test programs written for NPUs call, implemented on the host.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/tile/number.hpp"

using aclError = int;
using aclrtStream = void*;
using aclrtContext = void*;

inline constexpr aclError ACL_SUCCESS = 0;
inline constexpr aclError ACL_ERROR_INVALID_PARAM = 100000;
inline constexpr aclError ACL_ERROR_BAD_ALLOC = 200000;

enum aclrtMemMallocPolicy { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEM_MALLOC_HUGE_ONLY, ACL_MEM_MALLOC_NORMAL_ONLY };
enum aclrtMemcpyKind { ACL_MEMCPY_HOST_TO_DEVICE = 0, ACL_MEMCPY_DEVICE_TO_HOST = 1, ACL_MEMCPY_DEVICE_TO_DEVICE = 2 };

aclError aclInit(const char* config);
aclError aclFinalize();
aclError aclrtSetDevice(int32_t device);
aclError aclrtResetDevice(int32_t device);
aclError aclrtCreateStream(aclrtStream* stream);
aclError aclrtDestroyStream(aclrtStream stream);
aclError aclrtSynchronizeStream(aclrtStream stream);
/// Allocates zeroed memory and registers its extent with the checker.
aclError aclrtMalloc(void** data, std::size_t bytes, aclrtMemMallocPolicy policy);
aclError aclrtMallocHost(void** data, std::size_t bytes);
aclError aclrtFree(void* data);
aclError aclrtFreeHost(void* data);
/// Copies `bytes` bytes; fails with ACL_ERROR_INVALID_PARAM if that is more than `room`.
aclError aclrtMemcpy(void* dst, std::size_t room, const void* src, std::size_t bytes, aclrtMemcpyKind kind);
aclError aclrtMemset(void* dst, std::size_t room, int32_t value, std::size_t bytes);

inline float aclFloat16ToFloat(aclFloat16 value) { return value; }
inline aclFloat16 aclFloatToFloat16(float value) { return value; }
