// SPDX-License-Identifier: Apache-2.0
// What the tests of collectives share: the device context, windows, and a test context that joins the ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <pto/pto-inst.hpp>
#include <vector>

#include "comm_mpi.h"
#include "pto/comm/comm_types.hpp"

#ifdef __CPU_SIM
#include "pto/common/cpu_stub.hpp"
#else
#include "acl/acl.h"
#include "hccl/hccl.h"
#include "hccl/hccl_comm.h"
#include "hccl/hccl_types.h"

#undef RT_STREAM_PRIORITY_DEFAULT
constexpr int32_t RT_STREAM_PRIORITY_DEFAULT = 0;

extern "C" {
int32_t rtSetDevice(int32_t device);
int32_t rtStreamCreate(void** stream, int32_t priority);
int32_t rtStreamDestroy(void* stream);
HcclResult HcclAllocComResourceByTiling(HcclComm comm, void* stream, void* tiling, void** context);
HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* comm);
HcclResult HcomGetL0TopoTypeEx(const char* group, uint32_t* topology, uint32_t isSetDevice);
}

constexpr uint32_t HCCL_MAX_RANK_NUM = 64;

// Filled in by HcclAllocComResourceByTiling.
struct CommDeviceContext {
  uint64_t workSpace;
  uint64_t workSpaceSize;
  uint32_t rankId;
  uint32_t rankNum;
  uint64_t winSize;
  uint64_t windowsIn[HCCL_MAX_RANK_NUM];
  uint64_t windowsOut[HCCL_MAX_RANK_NUM];
};
static_assert(sizeof(CommDeviceContext) == 1056);

// Waits for the stream, then for all ranks of the communicator.
inline void HcclHostBarrier(HcclComm comm, aclrtStream stream) {
  aclrtSynchronizeStream(stream);
  HcclBarrier(comm, stream);
  aclrtSynchronizeStream(stream);
}
#endif  // __CPU_SIM

// The address at rank `pe` of what this rank has at `p` in its window.
template <typename T>
AICORE inline __gm__ T* CommRemotePtr(__gm__ CommDeviceContext* ctx, __gm__ T* p, int pe) {
  const uint64_t offset = reinterpret_cast<uint64_t>(p) - ctx->windowsIn[ctx->rankId];
  return reinterpret_cast<__gm__ T*>(ctx->windowsIn[pe] + offset);
}

// The next `bytes` bytes of a window; the same calls give the same offsets on every rank.
inline void* WindowAlloc(uint64_t base, size_t& offset, size_t bytes) {
  void* data = reinterpret_cast<void*>(base + offset);
  offset += (bytes + 511) / 512 * 512;
  return data;
}

// One rank as a test sees it.
struct TestRank {
  int rank = 0;
  int rankNum = 0;
  aclrtStream stream = nullptr;
  CommDeviceContext* device = nullptr;  // for kernels
  CommDeviceContext host{};             // a copy of it
  size_t used = 0;                      // bytes of the window

  template <typename T>
  T* Window(size_t count) {
    return static_cast<T*>(WindowAlloc(host.windowsIn[rank], used, count * sizeof(T)));
  }
};

inline bool CommCheck(int code, const char* call) {
  if (code != 0) std::fprintf(stderr, "%s returns %d\n", call, code);
  return code == 0;
}
#define COMM_CHECK(call) CommCheck(static_cast<int>(call), #call)

// The ranks of one test that this process plays: one or, when fewer ranks than processes take part, none.
// With __CPU_SIM one process plays all of them.
class TestContext {
 public:
  std::vector<TestRank> ranks;

#ifdef __CPU_SIM
  bool Init(int rankNum) {
    constexpr size_t windowBytes = size_t{1} << 20;
    CommDeviceContext context{};
    context.rankNum = rankNum;
    context.winSize = windowBytes;
    bool ok = COMM_CHECK(aclInit(nullptr));
    for (int r = 0; r < rankNum; ++r) {
      void* window = nullptr;
      ok = COMM_CHECK(aclrtMalloc(&window, windowBytes, ACL_MEM_MALLOC_HUGE_FIRST)) && ok;
      context.windowsIn[r] = context.windowsOut[r] = reinterpret_cast<uint64_t>(window);
    }
    for (int r = 0; r < rankNum; ++r) {
      void* device = nullptr;
      context.rankId = r;
      ok = COMM_CHECK(aclrtMalloc(&device, sizeof(context), ACL_MEM_MALLOC_HUGE_FIRST)) && ok;
      ok = COMM_CHECK(aclrtMemcpy(device, sizeof(context), &context, sizeof(context), ACL_MEMCPY_HOST_TO_DEVICE)) && ok;
      ranks.push_back({.rank = r, .rankNum = rankNum, .device = static_cast<CommDeviceContext*>(device)});
      ranks.back().host = context;
      ok = COMM_CHECK(aclrtCreateStream(&ranks.back().stream)) && ok;
    }
    return ok;
  }

  bool Finalize() {
    bool ok = true;
    for (TestRank& r : ranks) {
      ok = COMM_CHECK(aclrtDestroyStream(r.stream)) && ok;
      ok = COMM_CHECK(aclrtFree(r.device)) && ok;
      ok = COMM_CHECK(aclrtFree(reinterpret_cast<void*>(r.host.windowsIn[r.rank]))) && ok;
    }
    return COMM_CHECK(aclFinalize()) && ok;
  }
#else
  // Every process calls it, since the broadcast goes to all.
  bool Init(int rankNum) {
    const int rank = CommMpiRank();
    uint32_t devices = 0;
    bool ok = COMM_CHECK(aclInit(nullptr)) && COMM_CHECK(aclrtGetDeviceCount(&devices)) && devices > 0;
    device_ = ok ? rank % static_cast<int32_t>(devices) : 0;
    ok = ok && COMM_CHECK(rtSetDevice(device_)) && COMM_CHECK(rtStreamCreate(&stream_, RT_STREAM_PRIORITY_DEFAULT));
    HcclRootInfo rootInfo{};
    if (rank == 0) ok = COMM_CHECK(HcclGetRootInfo(&rootInfo)) && ok;
    ok = CommMpiBcast(&rootInfo, static_cast<int>(sizeof(rootInfo)), COMM_MPI_CHAR, 0) && ok;
    return rank >= rankNum || !ok ? ok : Join(rankNum, rank, rootInfo);
  }

  bool Finalize() {
    bool ok = comm_ == nullptr || COMM_CHECK(HcclCommDestroy(comm_));
    ok = (stream_ == nullptr || COMM_CHECK(rtStreamDestroy(stream_))) && ok;
    ok = COMM_CHECK(aclrtResetDevice(device_)) && ok;
    return COMM_CHECK(aclFinalize()) && ok;
  }
#endif

  void Barrier() {
    if (!ranks.empty()) {
      HcclHostBarrier(comm_, ranks[0].stream);
    }
  }

 private:
#ifndef __CPU_SIM
  struct CommTiling {
    uint32_t version = 1, count = 1, reserved[62] = {};
  };

  bool Join(int rankNum, int rank, const HcclRootInfo& rootInfo) {
    constexpr uint32_t mesh = 1;
    char group[128] = {};
    HcclComm handle = nullptr;
    uint32_t topology = 0;
    void* context = nullptr;
    TestRank self{.rank = rank, .rankNum = rankNum, .stream = stream_};
    const bool ok =
        COMM_CHECK(HcclCommInitRootInfo(static_cast<uint32_t>(rankNum), &rootInfo, rank, &comm_)) &&
        COMM_CHECK(HcclGetCommName(comm_, group)) && COMM_CHECK(HcomGetCommHandleByGroup(group, &handle)) &&
        COMM_CHECK(HcomGetL0TopoTypeEx(group, &topology, 0)) && topology == mesh &&
        COMM_CHECK(HcclAllocComResourceByTiling(handle, stream_, &tiling_, &context)) &&
        COMM_CHECK(aclrtMemcpy(&self.host, sizeof(self.host), context, sizeof(self.host), ACL_MEMCPY_DEVICE_TO_HOST));
    self.device = static_cast<CommDeviceContext*>(context);
    if (ok) ranks.push_back(self);
    return ok && self.host.rankId == static_cast<uint32_t>(rank) && self.host.rankNum == static_cast<uint32_t>(rankNum);
  }

  int32_t device_ = 0;
  aclrtStream stream_ = nullptr;
  HcclComm comm_ = nullptr;
  CommTiling tiling_;
#endif
};

// Runs Prepare, Launch and Check of a test on all ranks, with a barrier between them.
template <typename Test>
bool RunRanks(int rankNum) {
  TestContext context;
  const bool ok = context.Init(rankNum);
  if (ok) {
    std::vector<std::unique_ptr<Test>> tests;
    for (TestRank& rank : context.ranks) tests.push_back(std::make_unique<Test>(rank));
    for (auto& test : tests) test->Prepare();
    context.Barrier();
    for (auto& test : tests) test->Launch();
    context.Barrier();
    for (auto& test : tests) test->Check();
  }
  return context.Finalize() && ok;
}
