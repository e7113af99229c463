// SPDX-License-Identifier: Apache-2.0
// The types of HCCL, the library by which the host programs of several ranks find each other.
#pragma once

#include <cstdint>

#define HCCL_ROOT_INFO_BYTES 4108

typedef enum {
  HCCL_SUCCESS = 0,
  HCCL_E_PARA = 1,
  HCCL_E_PTR = 2,
  HCCL_E_MEMORY = 3,
  HCCL_E_INTERNAL = 4,
  HCCL_E_NOT_SUPPORT = 5,
  HCCL_E_NOT_FOUND = 6,
  HCCL_E_UNAVAIL = 7,
  HCCL_E_SYSCALL = 8,
  HCCL_E_TIMEOUT = 9,
  HCCL_E_REMOTE = 21
} HcclResult;

typedef void* HcclComm;

/// What HcclGetRootInfo returns and every rank needs to join. A program may pass it on in any way.
typedef struct HcclRootInfoDef {
  char internal[HCCL_ROOT_INFO_BYTES];
} HcclRootInfo;
