// SPDX-License-Identifier: Apache-2.0
// Records the bytes that a reference meaning accesses.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/issue/machine.hpp"
#include "pto/isa/effect.hpp"

namespace ptox::random_test {

/// Bytes read, written and updated, by host address.
struct Touched {
  std::set<const std::byte*> read, written, updated;
  bool operator==(const Touched&) const = default;

  void add(pto::instr::Access access, const std::byte* at, std::int64_t n) {
    auto& where = access == pto::instr::Access::read ? read : access == pto::instr::Access::write ? written : updated;
    for (std::int64_t i = 0; i < n; ++i) where.insert(at + i);
  }
  void add(const pto::instr::Effect& e) {
    for (std::int64_t k = 0; k < e.range.count; ++k) add(e.access, e.range.begin + k * e.range.step, e.range.bytes);
  }
};

/// A machine that executes the accesses and records their addresses.
class Recorder : public Machine {
 public:
  using Machine::at;
  using Machine::Machine;

  std::uint32_t index(const std::byte* p) {
    touched.add(pto::instr::Access::read, p, 4);
    return Machine::index(p);
  }
  std::uint32_t index(const pto::instr::TileDesc& t, std::int64_t r, std::int64_t c) { return index(at(t, r, c)); }
  void copy(std::byte* to, const std::byte* from, pto::instr::DType d) {
    touched.add(pto::instr::Access::read, from, pto::instr::size_of(d));
    touched.add(pto::instr::Access::write, to, pto::instr::size_of(d));
    Machine::copy(to, from, d);
  }
  void set(std::byte* to, pto::instr::DType d, std::uint64_t bits) {
    touched.add(pto::instr::Access::write, to, pto::instr::size_of(d));
    Machine::set(to, d, bits);
  }
  void zero(std::byte* to, pto::instr::DType d) { set(to, d, 0); }
  void update(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from, pto::instr::DType d) {
    touched.add(pto::instr::Access::read, from, pto::instr::size_of(d));
    touched.add(op == pto::ScatterAtomicOp::None ? pto::instr::Access::write : pto::instr::Access::update, to,
                pto::instr::size_of(d));
    Machine::update(op, to, from, d);
  }
  void update_plainly(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from, pto::instr::DType d) {
    update(op, to, from, d);
  }

  Touched touched;
};

/// Runs the meaning and the effects of an instruction on the current core; true if both list the same bytes.
template <class I>
bool effects_match(const typename I::Operands& o) {
  Recorder planned(current_core(), pto::instr::Site::current()), done(current_core(), pto::instr::Site::current());
  Touched claimed;
  I::effects(planned, o, [&](const pto::instr::Effect& e) { claimed.add(e); });
  I::meaning(done, o);
  return claimed == done.touched;
}

}  // namespace ptox::random_test
