// SPDX-License-Identifier: Apache-2.0
// Checks the indices and the tensor of an instruction in a checked block.
#pragma once

#include "pto/cuda/indices.hpp"
#include "pto/cuda/reach.hpp"
#include "pto/cuda/say.hpp"
#include "pto/cuda/twice.hpp"

namespace pto::instr::cuda {

// The following functions receive an instruction as its number and the bytes of its operands, so that a kernel contains
// them once and not for each instruction.

/// Stores the index of a position, its row and its column in f.value, from element `first` on.
AICORE __attribute__((noinline)) inline void put_index(Finding& f, int first, const Bounds& w, Count i) {
  Block b;
  const instr::Position p = w.position(i);
  f.value[first] = w.value(b, i), f.value[first + 1] = p.r, f.value[first + 2] = p.c;
}

AICORE __attribute__((noinline)) inline void report_offenders(Finding& f, const Offenders& offenders, Found::Kind kind,
                                                              const Bounds& w, instr::Site site) {
  if (offenders.count == 0) return;
  f.kind = kind, f.name = "idx", f.count = offenders.count, f.value[3] = offenders.high;
  put_index(f, 0, w, ~offenders.first);
  report(f, site);
}

/// Reports indices that are out of range where no policy defines them, that are not the required multiple, and negative
/// ones.
AICORE __attribute__((noinline)) inline void watch_indices(Finding& f, const Bounds& w, instr::Site site) {
  Block b;
  State& s = b.state();
  if (b.tid() == 0) s.outside = s.misaligned = s.negative = {};
  b.sync();
  count_offenders(b, w);
  b.sync();
  report_offenders(f, s.outside, Found::Kind::index_outside, w, site);
  report_offenders(f, s.misaligned, Found::Kind::index_misaligned, w, site);
  report_offenders(f, s.negative, Found::Kind::index_negative, w, site);
}

template <class I>
AICORE __attribute__((noinline)) void watch_indices_of(typename I::Operands o, instr::Site site) {
  Finding f = finding<I>({}, "", o);
  watch_indices(f, bounds(o), site);
  Block::sync();
}

/// Reports positions that write a slot again.
AICORE __attribute__((noinline)) inline void watch_alias(Finding& f, const Bounds& w, instr::Site site) {
  Block b;
  find_twice(b, w.count(), [&](Count i) { return w.slot(b, i); });
  const Twice& twice = b.state().twice;
  if (twice.count == 0) return;
  f.kind = Found::Kind::index_twice, f.name = "idx", f.count = twice.count;
  put_index(f, 0, w, ~twice.first), put_index(f, 3, w, ~twice.second);
  report(f, site);
}

/// Whether every byte of global memory that is moved is in the allocation of its tensor; true if the registry has no
/// allocation for it.
AICORE __attribute__((noinline)) inline bool stays_inside(const Moved& m) {
  Block b;
  const Allocation* const a = allocation_of(b.state().launch, m.tensor->base);
  if (!a) return true;
  find_outside(b, m, *a);
  return b.state().ranges.count == 0;
}

/// Reports the first range that leaves the allocation.
AICORE __attribute__((noinline)) inline void report_outside(Finding& f, const Moved& m, instr::Site site) {
  Block b;
  const Allocation& a = *allocation_of(b.state().launch, m.tensor->base);
  const instr::Reached bytes = first_outside(b, m, a);
  f.kind = Found::Kind::outside_allocation, f.name = m.operand, f.count = b.state().ranges.count;
  f.value[0] = bytes.first, f.value[1] = bytes.end - 1, f.value[2] = static_cast<std::int64_t>(a.bytes);
  report(f, site);
}

/// Whether the instruction has indices or tensors to check.
template <class I>
inline constexpr bool watched =
    requires(const typename I::Operands& o) { bounds(o); } || requires(const typename I::Operands& o) { moved(o); };

/// Checks the instruction and reports what is wrong; false if it must not be executed. On return no thread uses the
/// state of the block any more. `once`: two positions that select the same slot are an error.
template <class I, bool once>
AICORE __attribute__((noinline)) bool watch(typename I::Operands o, instr::Site site) {
  Finding f = finding<I>({}, "", o);
  Bounds w;
  if constexpr (requires { bounds(o); }) {
    w = bounds(o);
    watch_indices(f, w, site);
    if (once) watch_alias(f, w, site);
  }
  bool may_run = true;
  if constexpr (requires { moved(o); }) {
    Moved m = moved(o);
    if (w.idx) m.named = &w;
    may_run = stays_inside(m);
    if (!may_run) report_outside(f, m, site);
  }
  Block::sync();
  return may_run;
}

}  // namespace pto::instr::cuda
