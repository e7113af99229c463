// SPDX-License-Identifier: Apache-2.0
// comm::TNOTIFY: updates a signal after all earlier work of this rank is complete.
#pragma once

#include "pto/comm/signal.hpp"

namespace pto::instr {

/// signal = value, or signal += value, after everything issued before it is complete
struct Tnotify {
  static constexpr auto mnemonic = "tnotify";
  struct Policy {
    std::int32_t value = 0;
    comm::NotifyOp op = comm::NotifyOp::AtomicAdd;
  };
  struct Operands {
    TensorDesc signal;
    Policy policy;
  };
  using Sig = Field<"signal", Role::inout, &Operands::signal>;
  using OperandList = Fields<Sig>;
  struct c1_signal_dtype : signal_dtype<Sig> {
    PTO_RULE("C1", "a signal is an i32")
  };
  struct c2_size : size_fits<Sig> {
    PTO_RULE("C2", "signal extents are not negative and its bytes count in 63 bits")
  };
  using Rules = RuleList<c1_signal_dtype, c2_size>;

  template <class M>
  static void meaning(M& m, const Operands& o) {
    each_signal(o.signal, [&](std::int64_t r, std::int64_t c) {
      m.notify(m.at(o.signal, element_offset(o.signal, r, c)), o.policy.op, o.policy.value);
    });
  }
  static constexpr IndexedPipes pipes(const Target&, const Operands&) { return {PIPE_S, PIPE_S}; }
  static constexpr OwnFlags own_flags(const Target&, const Operands&) {
    return {{{PIPE_V, PIPE_S}, {PIPE_MTE2, PIPE_S}, {PIPE_MTE3, PIPE_S}}, {}};
  }
  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    touch_signals(m, sink, Sig::name, o.signal);
  }
};

}  // namespace pto::instr

namespace pto::comm {

/// Updates a signal in the memory of any rank after everything that the caller issued before is complete. All of that
/// happens before the return of a TWAIT that observes the new value.
template <instr::TensorOperand SignalT, PTO_EVENT_TYPES>
void TNOTIFY(SignalT& signal, std::int32_t value, NotifyOp op, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_with<instr::Tnotify>(site, instr::Tnotify::Policy{value, op}, signal);
}

}  // namespace pto::comm
