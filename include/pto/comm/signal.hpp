// SPDX-License-Identifier: Apache-2.0
// The types of signals between ranks, and the rule, iteration and effects that their instructions share.
#pragma once

#include <cstdint>

#include "pto/comm/signal_ops.hpp"
#include "pto/isa/transfer.hpp"

namespace pto::comm {

/// One int32 in the memory of any rank.
using Signal = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

/// R x C signals; consecutive rows are `stride` elements apart.
template <int R, int C>
struct Signal2D : GlobalTensor<std::int32_t, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, -1, 1>> {
  using Base = GlobalTensor<std::int32_t, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, -1, 1>>;
  explicit Signal2D(std::int32_t* data, std::int64_t stride = C) : Base(data, {}, {stride}) {}
};

}  // namespace pto::comm

namespace pto::instr {

template <class S>
struct signal_dtype {
  static constexpr bool holds(const Target&, const auto& o) { return S::of(o).dtype == DType::i32; }
  static void shows(Text& s, const Target&, const auto& o) { s << S::name << " is " << S::of(o).dtype; }
};

/// Calls visit(row, column) for each signal.
template <class V>
void each_signal(const TensorDesc& t, V&& visit) {
  walk(t.rows(), t.cols(), t.cols() > 0 ? t.cols() : 1, visit);
}

/// Reports the effects on signals: the scalar unit accesses them atomically and bypasses its cache.
template <class M, class S>
void touch_signals(M& m, S&& sink, const char* operand, const TensorDesc& t) {
  touch(m, sink, PIPE_S, Access::update, operand, t, t.rows(), t.cols());
}

}  // namespace pto::instr
