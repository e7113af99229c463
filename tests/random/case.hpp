// SPDX-License-Identifier: Apache-2.0
// A random gather or scatter and its expected result.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <set>
#include <string>
#include <vector>

#include "engine/system/random.hpp"
#include "pto/isa/all.hpp"
#include "ptox/ptox.hpp"

namespace ptox::random_test {

enum class TileLayout { row_major, col_major, nz };

/// A gather or scatter as plain numbers. It has all random choices, so that it can be shrunk and printed.
struct Case {
  const Target* target = &target::cpu;
  bool scatter = false, checked = false;
  pto::instr::DType dtype = pto::instr::DType::f32;
  bool signed_index = true;
  bool row = true, coalesce_spelled = true;
  int oob = 0, op = 0, conflict = 0;  ///< conflict: 0 omitted, 1 Last, 2 Default
  TileLayout layout = TileLayout::row_major;
  bool index_col_major = false, index_in_column = false;
  std::int64_t rows = 1, cols = 1, pad_rows = 0, pad_cols = 0;  ///< valid extents, and padding beyond the minimum
  pto::Layout table = pto::Layout::ND;
  std::int64_t outer[3] = {1, 1, 1}, table_rows = 1, table_extra_cols = 0, row_gap = 0, col_step = 1;
  std::vector<std::uint32_t> index;  ///< in row-major order
  std::uint64_t data_seed = 1;
};
std::ostream& operator<<(std::ostream&, const Case&);

Case random_case(Random& random);
/// Makes the fields consistent after one was changed; false if that is impossible.
bool settle(Case& c);
/// Whether the case's target accepts it.
bool legal(const Case& c);

/// The result of a run: UB, global memory (the table and the bytes around it), and the ids of findings.
struct Outcome {
  std::vector<std::uint8_t> ub, gm;
  std::set<std::string> findings;
  bool operator==(const Outcome&) const = default;
};
Outcome expected(const Case& c);
Outcome actual(const Case& c);

/// The smallest case that still fails, found by greedy steps.
Case shrunk(Case c, const std::function<bool(const Case&)>& fails);

}  // namespace ptox::random_test
