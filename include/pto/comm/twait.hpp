// SPDX-License-Identifier: Apache-2.0
// comm::TWAIT: blocks until a signal has a value.
#pragma once

#include "pto/comm/signal.hpp"

namespace pto::instr {

/// blocks until signal cmp value holds for every element
struct Twait {
  static constexpr auto mnemonic = "twait";
  struct Policy {
    std::int32_t value = 0;
    comm::WaitCmp cmp = comm::WaitCmp::EQ;
  };
  struct Operands {
    TensorDesc signal;
    Policy policy;
  };
  using Sig = Field<"signal", Role::in, &Operands::signal>;
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
      m.wait_signal(m.at(o.signal, element_offset(o.signal, r, c)), o.policy.cmp, o.policy.value);
    });
  }
  static constexpr IndexedPipes pipes(const Target&, const Operands&) { return {PIPE_S, PIPE_S}; }
  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    touch_signals(m, sink, Sig::name, o.signal);
  }
};

}  // namespace pto::instr

namespace pto::comm {

/// Blocks until `signal cmp value` holds for every element. What the notifying rank did before its TNOTIFY happens
/// before everything issued later. When the deadline of the group passes, the error comm-timeout is reported and the
/// group ends.
template <instr::TensorOperand SignalT, PTO_EVENT_TYPES>
void TWAIT(SignalT& signal, std::int32_t value, WaitCmp cmp, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  instr::issue_with<instr::Twait>(site, instr::Twait::Policy{value, cmp}, signal);
}

}  // namespace pto::comm
