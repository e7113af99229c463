// SPDX-License-Identifier: Apache-2.0
// Updates an element by one thread while other threads may update it as well.
#pragma once

#include <bit>

#include "pto/isa/combined.hpp"
#include "pto/tile/dtype.hpp"
#include "pto/tile/qualifiers.hpp"

namespace pto::instr::cuda {

template <class T>
using BitsOf =
    std::conditional_t<sizeof(T) == 1, std::uint8_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>;

/// *to = combined(*to, value) by compare-and-swap, for types of up to 4 bytes.
template <class T, class B>
PTO_INTERNAL void update_by_exchange(B& b, ScatterAtomicOp op, std::byte* to, T value) {
  using U = BitsOf<T>;
  U* const at = reinterpret_cast<U*>(to);
  U seen = b.load(at);
  for (;;) {
    const U next = std::bit_cast<U>(instr::combined(op, std::bit_cast<T>(seen), value));
    const U found = b.exchange_if(at, seen, next);
    if (found == seen) return;
    seen = found;
  }
}

/// *to op= *from for the element type d.
template <class B>
PTO_INTERNAL void update_element(B& b, ScatterAtomicOp op, instr::DType d, std::byte* to, const std::byte* from) {
  instr::with_type(d, [&]<class T>() {
    if constexpr (sizeof(T) <= 4) {
      const T value = *reinterpret_cast<const T*>(from);
      if (op == ScatterAtomicOp::None)
        *reinterpret_cast<T*>(to) = value;
      else if (!b.update_natively(op, to, value))
        update_by_exchange(b, op, to, value);
    } else if (op == ScatterAtomicOp::None) {
      *reinterpret_cast<std::uint64_t*>(to) = *reinterpret_cast<const std::uint64_t*>(from);
    }
  });
}

}  // namespace pto::instr::cuda
