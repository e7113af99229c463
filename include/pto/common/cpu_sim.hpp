// SPDX-License-Identifier: Apache-2.0
// With -D__CPU_SIM, one process plays all ranks of a program: what its host side then expects in place of HCCL and MPI.
#pragma once

#include <cstdint>

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#define HCCL_MAX_RANK_NUM 64

struct CommDeviceContext {
  uint64_t workSpace, workSpaceSize;
  uint32_t rankId, rankNum;
  uint64_t winSize;
  uint64_t windowsIn[HCCL_MAX_RANK_NUM], windowsOut[HCCL_MAX_RANK_NUM];
};

#define HcclHostBarrier(x, y)
#define CommMpiInit(x, y) true
#define CommMpiFinalize()
#define SKIP_IF_RANKS_LT(n)

namespace ptox::detail {
/// By this text `ptox check --ranks` recognises the program.
[[gnu::used]] inline const char one_process_plays_all_ranks[] = "ptox: one process plays all ranks";
}  // namespace ptox::detail
