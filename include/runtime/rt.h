// SPDX-License-Identifier: Apache-2.0
// The functions of the lower runtime that host programs for NPUs call.
#pragma once

#include <cstdint>

using rtError_t = int32_t;
using rtStream_t = void*;
inline constexpr rtError_t RT_ERROR_NONE = 0;
#define RT_STREAM_PRIORITY_DEFAULT 0

extern "C" {
rtError_t rtSetDevice(int32_t device);
rtError_t rtStreamCreate(rtStream_t* stream, int32_t priority);
rtError_t rtStreamDestroy(rtStream_t stream);
rtError_t rtStreamSynchronize(rtStream_t stream);
/// The number of AI cores of the target.
rtError_t rtGetAiCoreCount(uint32_t* count);
/// The memory of cross-core flags. Kernels pass the address on; nothing reads it here.
rtError_t rtGetC2cCtrlAddr(uint64_t* address, uint32_t* bytes);
}
