// SPDX-License-Identifier: Apache-2.0
// Random cases that have only one correct result on a machine whose threads run in any order.
#pragma once

#include <set>

#include "random/layout.hpp"

namespace ptox::cuda_test {

using random_test::Case;

/// Whether two positions of the index tile select the same slot.
inline bool conflicts(const Case& c) {
  const random_test::Plan p(c);
  std::set<std::int64_t> seen;
  for (const std::uint32_t index : c.index) {
    const auto policy = c.scatter ? pto::instr::out_of_range(static_cast<pto::ScatterOOB>(c.oob))
                                  : pto::instr::out_of_range(static_cast<pto::GatherOOB>(c.oob));
    const pto::instr::Slot slot = pto::instr::remap(index, p.capacity, policy);
    if (slot && !seen.insert(slot.at).second) return true;
  }
  return false;
}

/// Whether the result does not depend on the order of updates, as with integer sums, maxima and minima.
inline bool one_outcome(const Case& c) {
  using enum pto::instr::DType;
  const bool is_float = c.dtype == f16 || c.dtype == bf16 || c.dtype == f32;
  const bool open = c.scatter && (c.op == 0 ? c.conflict == 2 : is_float);
  return !open || !conflicts(c);
}

/// The next random case that is legal on cuda and has only one correct result.
inline Case next_case(Random& random) {
  for (;;) {
    Case c = random_test::random_case(random);
    if (c.target != &target::cpu) continue;
    c.target = &target::cuda;
    c.checked = false;
    if (random_test::legal(c) && one_outcome(c)) return c;
  }
}

/// A case with many rows of 4 to 256 bytes in a packed table, most of which are moved in pieces of 16 bytes.
inline Case next_wide_case(Random& random) {
  for (;;) {
    Case c = next_case(random);
    if (c.table != pto::Layout::ND || c.layout != random_test::TileLayout::row_major) continue;
    c.row = true, c.col_step = 1, c.row_gap = 0, c.table_extra_cols = 0, c.index_col_major = false;
    c.rows = 1 + static_cast<std::int64_t>(random.below(150)), c.pad_rows = 0;
    const std::int64_t bytes[] = {16, 32, 64, 96, 256, 4, 8, 20};
    c.cols = std::max<std::int64_t>(1, bytes[random.below(8)] / random_test::bytes_of(c.dtype));
    c.index.clear();
    for (std::int64_t i = 0; i < c.rows; ++i) c.index.push_back(static_cast<std::uint32_t>(random.below(110)));
    if (random_test::settle(c) && one_outcome(c)) return c;
  }
}

}  // namespace ptox::cuda_test
