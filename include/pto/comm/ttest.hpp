// SPDX-License-Identifier: Apache-2.0
// comm::TTEST: compares a signal with a value without waiting.
#pragma once

#include "pto/comm/signal.hpp"

namespace pto::instr {

/// met = (signal cmp value for every element)
struct Ttest {
  static constexpr auto mnemonic = "ttest";
  struct Policy {
    std::int32_t value = 0;
    comm::WaitCmp cmp = comm::WaitCmp::EQ;
    bool* met = nullptr;
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
    bool met = true;
    each_signal(o.signal, [&](std::int64_t r, std::int64_t c) {
      met = m.test_signal(m.at(o.signal, element_offset(o.signal, r, c)), o.policy.cmp, o.policy.value) && met;
    });
    *o.policy.met = met;
  }
  static constexpr IndexedPipes pipes(const Target&, const Operands&) { return {PIPE_S, PIPE_S}; }
  template <class M, class S>
  static void effects(M& m, const Operands& o, S&& sink) {
    touch_signals(m, sink, Sig::name, o.signal);
  }
};

}  // namespace pto::instr

namespace pto::comm {

/// Whether `signal cmp value` holds for every element now. If it does, everything issued later is ordered after the
/// notifying rank's earlier work, as after TWAIT.
template <instr::TensorOperand SignalT, PTO_EVENT_TYPES>
bool TTEST(SignalT& signal, std::int32_t value, WaitCmp cmp, PTO_EVENTS) {
  PTO_WAIT_EVENTS;
  bool met = false;
  instr::issue_with<instr::Ttest>(site, instr::Ttest::Policy{value, cmp, &met}, signal);
  return met;
}

}  // namespace pto::comm
