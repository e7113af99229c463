// SPDX-License-Identifier: Apache-2.0
// Collectives that must not compile.
#include "operands.hpp"

template <class T>
using Block = GlobalTensor<T, Shape<1, 1, 1, 4, 32>, Stride<1, 1, 1, 32, 1>>;
template <class T>
using Blocks = GlobalTensor<T, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;

template <class T>
void moves() {
  Block<T> tensors[2];
  comm::ParallelGroup<Block<T>> group(tensors, 2, 0);
  Blocks<T> all;
  VecTile<T, 4, 32> ping, pong;
  comm::TSCATTER(group, all, ping, pong);
  comm::TGATHER(group, all, ping);
  comm::TBROADCAST(group, tensors[0], ping);
  comm::TPUT(tensors[0], tensors[1], ping);
  comm::TGET(tensors[0], tensors[1], ping, pong);
}

void kernel() {
  Block<float> tensors[2];
  Blocks<float> all;
  comm::ParallelGroup<Block<float>> group(tensors, 2, 0);
  VecTile<float, 4, 32> ping, pong, acc;
#if CASE == 1  // expect: a collective's tensors have one element type
  Blocks<half> other;
  comm::TSCATTER(group, other, ping);
#elif CASE == 2   // expect: a collective's staging tiles have the element type of its tensors
  VecTile<int32_t, 4, 32> other;
  comm::TGATHER(group, all, other);
#elif CASE == 3   // expect: a collective writes here: the element type is not const
  GlobalTensor<const float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>> fixed;
  comm::TGATHER(group, fixed, ping);
#elif CASE == 4   // expect: Require<pto::instr::Treduce::c3_reducible, false>
  Block<float8_e4m3_t> bytes[2];
  comm::ParallelGroup<Block<float8_e4m3_t>> of_bytes(bytes, 2, 0);
  VecTile<float8_e4m3_t, 4, 32> sum, recv;
  comm::TREDUCE(of_bytes, bytes[0], sum, recv, comm::ReduceOp::Sum);
#elif CASE == 5   // expect: Require<pto::instr::Tstore::c9_atomic_dtype, false>
  Block<hifloat8_t> from, to;
  VecTile<hifloat8_t, 4, 32> tile;
  comm::TPUT<AtomicType::AtomicAdd>(to, from, tile);
#elif CASE == 6   // expect: Require<pto::instr::Tstore::c9_atomic_dtype, false>; target: a5
  Block<int16_t> from, to;
  VecTile<int16_t, 4, 32> tile;
  comm::TPUT<AtomicType::AtomicAdd>(to, from, tile);
#elif CASE == 7   // expect: Require<pto::instr::Tnotify::c1_signal_dtype, false>
  comm::TNOTIFY(all, 1, comm::NotifyOp::Set);
#elif CASE == 8   // expect: Require<pto::instr::Twait::c1_signal_dtype, false>
  comm::TWAIT(all, 1, comm::WaitCmp::EQ);
#elif CASE == 9   // expect: no matching function for call to
  VecTile<float, 8, 32> other;
  comm::TSCATTER(group, all, ping, other);
#elif CASE == 10  // expect: TPUT_ASYNC: asynchronous transfers are not implemented; TPUT copies the same bytes
  comm::AsyncSession session;
  comm::TPUT_ASYNC(tensors[0], tensors[1], session);
#elif CASE == 11  // expect: TGET_ASYNC: asynchronous transfers are not implemented; TGET copies the same bytes
  comm::AsyncSession session;
  comm::TGET_ASYNC<comm::DmaEngine::URMA>(tensors[0], tensors[1], session);
#elif CASE == 12  // expect: BuildAsyncSession: asynchronous transfers are not implemented; TPUT and TGET need
  comm::AsyncSession session;
  comm::BuildAsyncSession(ping, nullptr, session);
#elif CASE == 13  // expect: TPREFETCH_ASYNC: asynchronous transfers are not implemented; TPREFETCH gives
  PrefetchAsyncContext context;
  TPREFETCH_ASYNC(all, context);
#else
  moves<float>(), moves<float8_e4m3_t>(), moves<hifloat8_t>(), moves<int8_t>();
  comm::TREDUCE(group, tensors[0], acc, ping, comm::ReduceOp::Max);
  comm::TREDUCE(group, tensors[0], acc, ping, pong, comm::ReduceOp::Sum);
  comm::TPUT<AtomicType::AtomicAdd>(tensors[0], tensors[1], ping);
  int32_t words[4];
  comm::Signal signal(words);
  comm::Signal2D<2, 2> signals(words);
  comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);
  if (!comm::TTEST(signals, 1, comm::WaitCmp::GE)) comm::TWAIT(signals, 1, comm::WaitCmp::GE);
#endif
}
