// SPDX-License-Identifier: Apache-2.0
// The functions of HCCL by which the ranks of a program join, for ranks that are processes on this machine.
#pragma once

#include "acl/acl.h"
#include "hccl/hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Opens a new group of ranks and describes it in `rootInfo`. The caller need not become a rank; it has to run until
/// all ranks have joined.
HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);
/// Joins the group as `rank` of `nRanks` and waits until all others have joined, at most HCCL_CONNECT_TIMEOUT seconds
/// (120 if the variable is not set). A rank that never comes, comes twice or gives another number is an error, printed
/// with its number. At most 64 ranks.
HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm);
/// Writes a name of at most 127 characters, which HcomGetCommHandleByGroup takes.
HcclResult HcclGetCommName(HcclComm comm, char* name);
HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
/// Returns when all ranks have arrived.
HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);
/// Leaves the group. The windows of this rank remain mapped at the others until they leave too.
HcclResult HcclCommDestroy(HcclComm comm);

/// `ctx` becomes the address of a CommDeviceContext with the windows of all ranks.
HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* stream, void* tiling, void** ctx);
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* comm);
/// The topology of the ranks, which is always a mesh (1).
HcclResult HcomGetL0TopoTypeEx(const char* group, uint32_t* topoType, uint32_t flag);

#ifdef __cplusplus
}
#endif
