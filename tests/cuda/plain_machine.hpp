// SPDX-License-Identifier: Apache-2.0
// Runs a reference meaning on two plain arrays.
#pragma once

#include <cstring>
#include <vector>

#include "pto/isa/all.hpp"
#include "pto/isa/combined.hpp"

namespace ptox::cuda_test {

using Bytes = std::vector<std::uint8_t>;

/// A machine with a buffer; global memory is accessed through the base pointers of tensors.
class PlainMachine {
 public:
  explicit PlainMachine(Bytes& ub) : ub_(reinterpret_cast<std::byte*>(ub.data())) {}
  explicit PlainMachine(std::byte* ub) : ub_(ub) {}

  const Target& target() const { return target::cuda; }
  bool permutes() const { return false; }
  std::int64_t permuted(std::int64_t k, std::int64_t) const { return k; }
  std::byte* at(const pto::instr::TileDesc& t, std::int64_t r, std::int64_t c) const {
    return ub_ + t.offset + pto::instr::element_offset(t, r, c) * pto::instr::size_of(t.dtype);
  }
  std::byte* at(const pto::instr::TensorDesc& t, std::int64_t offset) const {
    return static_cast<std::byte*>(t.base) + offset * pto::instr::size_of(t.dtype);
  }
  std::uint32_t index(const pto::instr::TileDesc& t, std::int64_t r, std::int64_t c) const {
    std::uint32_t value;
    std::memcpy(&value, at(t, r, c), sizeof value);
    return value;
  }
  void copy(std::byte* to, const std::byte* from, pto::instr::DType d) const {
    std::memmove(to, from, static_cast<std::size_t>(pto::instr::size_of(d)));
  }
  void set(std::byte* to, pto::instr::DType d, std::uint64_t bits) const {
    std::memcpy(to, &bits, static_cast<std::size_t>(pto::instr::size_of(d)));
  }
  void zero(std::byte* to, pto::instr::DType d) const { set(to, d, 0); }
  void update(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from, pto::instr::DType d) const {
    pto::instr::with_type(d, [&]<class T>() {
      T old, value;
      std::memcpy(static_cast<void*>(&old), to, sizeof old),
          std::memcpy(static_cast<void*>(&value), from, sizeof value);
      value = pto::instr::combined(op, old, value);
      std::memcpy(to, static_cast<const void*>(&value), sizeof value);
    });
  }
  void update_plainly(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from, pto::instr::DType d) const {
    update(op, to, from, d);
  }
  void prefetch(const std::byte*) const {}

 private:
  std::byte* ub_;
};

}  // namespace ptox::cuda_test
