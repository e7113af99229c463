// SPDX-License-Identifier: Apache-2.0
// TTEST: a rank compares signals without waiting, and polls one.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"

using pto::comm::NotifyOp;
using pto::comm::WaitCmp;

using Flags = pto::Tile<pto::TileType::Vec, int32_t, 1, 32>;

// results[6 * k + cmp] = TTEST(signals[k], threshold, cmp) for three signals; -1 in the other elements.
__global__ AICORE void CompareKernel(__gm__ int32_t* results, __gm__ int32_t* signals, int32_t threshold) {
  Matrix<int32_t, 1, 32> out(results);
  Flags flags;
  TASSIGN(flags, kFirstTile);
  for (int i = 0; i < 32; ++i) {
    int32_t result = -1;
    if (i < 18) {
      pto::comm::Signal signal(signals + i / 6);
#ifndef WITHOUT_COLLECTIVE
      result = pto::comm::TTEST(signal, threshold, static_cast<WaitCmp>(i % 6)) ? 1 : 0;
#else
      (void)threshold;
#endif
    }
    flags.SetValue(i, result);
  }
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
  TSTORE(out, flags);
}

// Rank r polls until rank r - 1 has sent r, then stores what it has received to `out` and sends r + 1 with its own data
// to rank r + 1.
__global__ AICORE void PollKernel(__gm__ int32_t* out, __gm__ int32_t* inbox, __gm__ int32_t* own,
                                  __gm__ int32_t* signal, __gm__ CommDeviceContext* ctx) {
  const int me = static_cast<int>(ctx->rankId);
  const int next = (me + 1) % static_cast<int>(ctx->rankNum);
  pto::comm::Signal mine(signal), theirs(CommRemotePtr(ctx, signal, next));
  Matrix<int32_t, 1, 32> received(inbox), result(out), data(own), toNext(CommRemotePtr(ctx, inbox, next));
  Flags first, second;
  TASSIGN(first, kFirstTile);
  TASSIGN(second, kSecondTile);

  TLOAD(first, data);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  if (me != 0) {
    bool arrived = false;
#ifndef WITHOUT_COLLECTIVE
    while (!arrived) arrived = pto::comm::TTEST(mine, me, WaitCmp::GE);
#endif
    if (arrived) {
      TLOAD(second, received);
      set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
      wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
      TSTORE(result, second);
    }
  }
  TSTORE(toNext, first);
  pipe_barrier(PIPE_ALL);
  dsb(DSB_DDR);
  pto::comm::TNOTIFY(theirs, me + 1, NotifyOp::AtomicAdd);
}

void LaunchCompare(int32_t* results, int32_t* signals, int32_t threshold, void* stream) {
  CompareKernel<<<1, nullptr, stream>>>(results, signals, threshold);
}

void LaunchPoll(int32_t* out, int32_t* inbox, int32_t* own, int32_t* signal, CommDeviceContext* ctx, void* stream) {
  PollKernel<<<1, nullptr, stream>>>(out, inbox, own, signal, ctx);
}
