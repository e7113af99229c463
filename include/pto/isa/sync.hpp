// SPDX-License-Identifier: Apache-2.0
// Event and TSYNC: flags between the pipes of two instructions, without naming the pipes.
#pragma once

#include "pto/isa/flags.hpp"

namespace pto::instr {

/// The pipe on which a target completes an instruction; on the host always S.
constexpr pipe_t pipe_of(const Target& t, Op op) {
  if (t.native) return PIPE_S;
  switch (op) {
    case Op::TLOAD:
    case Op::TPREFETCH:
    case Op::MGATHER_MAT:
      return PIPE_MTE2;
    case Op::TSTORE_VEC:
    case Op::TSTORE_MAT:
      return PIPE_MTE3;
    case Op::TSTORE_ACC:
      return PIPE_FIX;
    case Op::MGATHER:
    case Op::MGATHER_VEC:
      return t.simt ? PIPE_V : PIPE_MTE2;
    case Op::MSCATTER:
    case Op::MSCATTER_VEC:
      return t.simt ? PIPE_V : PIPE_MTE3;
    case Op::SCALAR:
    case Op::TASSIGN:
      return PIPE_S;
    default:
      return PIPE_V;
  }
}

/// The pipe that has to wait before an instruction. If the scalar unit reads the indices this is S, and all phases of
/// the instruction follow it.
constexpr pipe_t first_pipe_of(const Target& t, Op op) {
  const bool indexed = op == Op::MGATHER || op == Op::MGATHER_VEC || op == Op::MSCATTER || op == Op::MSCATTER_VEC;
  return indexed && !t.simt ? PIPE_S : pipe_of(t, op);
}

namespace detail {
/// The target of the core that this thread runs on.
const Target& current_target();
/// The first event id from `wanted` on that is not set between the two pipes; `wanted` if all are set.
event_t free_id(pipe_t src, pipe_t dst, event_t wanted);
}  // namespace detail

}  // namespace pto::instr

namespace pto {

/// Orders a later instruction Dst after an earlier instruction Src. It is constructed from the result of Src and passed
/// to Dst, which waits for it. With AutoToken it uses the first free event id between the two pipes, starting from Id,
/// otherwise Id itself.
template <Op Src, Op Dst, bool AutoToken = true, event_t Id = EVENT_ID0>
class Event : public instr::detail::EventTag {
 public:
  Event() = default;
  AICORE Event(RecordEvent issued) { record(issued); }
  AICORE Event& operator=(RecordEvent issued) {
    record(issued);
    return *this;
  }
  /// Stalls the pipe of Dst until Src is done. Does nothing if no instruction was recorded since the last wait.
  AICORE void Wait(instr::Site site = instr::Site::current()) {
    if (!recorded_) return;
    recorded_ = false;
#ifdef __CUDACC__
    if constexpr (Src == Op::SCALAR || Dst == Op::SCALAR) pipe_barrier(PIPE_S, site);
#else
    from_ == to_ ? pipe_barrier(from_, site) : wait_flag(from_, to_, id_, site);
#endif
  }

 private:
#ifdef __CUDACC__
  AICORE void record(const RecordEvent&) { recorded_ = true; }
#else
  void record(const RecordEvent& issued) {
    recorded_ = true;
    const ptox::Target& target = instr::detail::current_target();
    from_ = issued.on_lanes && target.simt ? PIPE_V : instr::pipe_of(target, Src);
    to_ = instr::first_pipe_of(target, Dst);
    if (from_ == to_) return;
    id_ = AutoToken ? instr::detail::free_id(from_, to_, Id) : Id;
    set_flag(from_, to_, id_, issued.site);
  }
#endif
  bool recorded_ = false;
  pipe_t from_ = PIPE_S, to_ = PIPE_S;
  event_t id_ = Id;
};

/// Waits for each event.
template <PTO_EVENT_TYPES>
AICORE void TSYNC(PTO_EVENTS) {
  PTO_WAIT_EVENTS;
}
/// Barrier on the pipe that executes `op`: later work on it starts when its earlier work is done.
template <Op op>
AICORE void TSYNC(instr::Site site = instr::Site::current()) {
#ifdef __CUDACC__
  pipe_barrier(PIPE_ALL, site);
#else
  pipe_barrier(instr::pipe_of(instr::detail::current_target(), op), site);
#endif
}

}  // namespace pto
