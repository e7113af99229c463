// SPDX-License-Identifier: Apache-2.0
// TNOTIFY and TWAIT: signals to other ranks, and data that follow a signal from rank to rank.
#include "kernel_common.hpp"
#include "pto/comm/pto_comm_inst.hpp"
#include "relay.hpp"

using pto::comm::NotifyOp;
using pto::comm::WaitCmp;

// The next rank's signal = value.
__global__ AICORE void SetNextKernel(__gm__ int32_t* signal, int32_t value, __gm__ CommDeviceContext* ctx) {
  const int next = static_cast<int>((ctx->rankId + 1) % ctx->rankNum);
  pto::comm::Signal theirs(CommRemotePtr(ctx, signal, next));
#ifndef WITHOUT_COLLECTIVE
  pto::comm::TNOTIFY(theirs, value, NotifyOp::Set);
#else
  (void)value;
#endif
}

// Every rank's signals += value; R x C signals with a distance of `stride` between rows.
template <int kRows, int kCols>
__global__ AICORE void AddToAllKernel(__gm__ int32_t* signals, int stride, int32_t value,
                                      __gm__ CommDeviceContext* ctx) {
  for (int r = 0; r < static_cast<int>(ctx->rankNum); ++r) {
    pto::comm::Signal2D<kRows, kCols> theirs(CommRemotePtr(ctx, signals, r), stride);
#ifndef WITHOUT_COLLECTIVE
    pto::comm::TNOTIFY(theirs, value, NotifyOp::AtomicAdd);
#else
    (void)value;
#endif
  }
}

// Rank r waits for rank r - 1, copies the rows that it has received and its own row r to rank r + 1, and notifies it.
// The last rank sends to rank 0.
template <WaitCmp kCmp>
__global__ AICORE void RelayKernel(__gm__ int32_t* signal, __gm__ float* rows, __gm__ float* own,
                                   __gm__ CommDeviceContext* ctx) {
  const int me = static_cast<int>(ctx->rankId);
  const int next = (me + 1) % static_cast<int>(ctx->rankNum);
  pto::comm::Signal mine(signal), theirs(CommRemotePtr(ctx, signal, next));
  Matrix<float, kRelayRows, kRelayCols> from(rows), to(CommRemotePtr(ctx, rows, next));
  Matrix<float, 1, kRelayCols> ownRow(own), toRow(CommRemotePtr(ctx, rows, next) + me * kRelayCols);
  pto::Tile<pto::TileType::Vec, float, kRelayRows, kRelayCols> received;
  pto::Tile<pto::TileType::Vec, float, 1, kRelayCols> row;
  TASSIGN(received, kFirstTile);
  TASSIGN(row, kSecondTile);

#ifndef WITHOUT_COLLECTIVE
  if (me != 0) pto::comm::TWAIT(mine, RelaySignal(kCmp).threshold, kCmp);
#endif
  TLOAD(received, from);
  TLOAD(row, ownRow);
  set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
  TSTORE(to, received);
  pipe_barrier(PIPE_MTE3);
  TSTORE(toRow, row);
  pipe_barrier(PIPE_ALL);
  dsb(DSB_DDR);
#ifndef WITHOUT_COLLECTIVE
  pto::comm::TNOTIFY(theirs, RelaySignal(kCmp).sent, NotifyOp::Set);
#ifndef __CPU_SIM  // there rank 0 ends before the last rank begins
  if (me == 0) pto::comm::TWAIT(mine, RelaySignal(kCmp).threshold, kCmp);
#endif
#endif
}

void LaunchSetNext(int32_t* signal, int32_t value, CommDeviceContext* ctx, void* stream) {
  SetNextKernel<<<1, nullptr, stream>>>(signal, value, ctx);
}

template <int kRows, int kCols>
void LaunchAddToAll(int32_t* signals, int stride, int32_t value, CommDeviceContext* ctx, void* stream) {
  AddToAllKernel<kRows, kCols><<<1, nullptr, stream>>>(signals, stride, value, ctx);
}
template void LaunchAddToAll<1, 1>(int32_t*, int, int32_t, CommDeviceContext*, void*);
template void LaunchAddToAll<3, 5>(int32_t*, int, int32_t, CommDeviceContext*, void*);

template <WaitCmp kCmp>
void LaunchRelay(int32_t* signal, float* rows, float* own, CommDeviceContext* ctx, void* stream) {
  RelayKernel<kCmp><<<1, nullptr, stream>>>(signal, rows, own, ctx);
}
template void LaunchRelay<WaitCmp::EQ>(int32_t*, float*, float*, CommDeviceContext*, void*);
template void LaunchRelay<WaitCmp::NE>(int32_t*, float*, float*, CommDeviceContext*, void*);
template void LaunchRelay<WaitCmp::GT>(int32_t*, float*, float*, CommDeviceContext*, void*);
template void LaunchRelay<WaitCmp::GE>(int32_t*, float*, float*, CommDeviceContext*, void*);
template void LaunchRelay<WaitCmp::LT>(int32_t*, float*, float*, CommDeviceContext*, void*);
template void LaunchRelay<WaitCmp::LE>(int32_t*, float*, float*, CommDeviceContext*, void*);
