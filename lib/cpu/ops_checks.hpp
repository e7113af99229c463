// SPDX-License-Identifier: Apache-2.0
// Checks whether the operands of a whole-tensor call fit together.
#pragma once

#include <string>

#include "ptox/ops.hpp"

namespace ptox::detail {

/// A call as it is checked: `moved` is what is gathered into or scattered from.
struct Call {
  const char* name;
  const char* moved_name;  ///< "out" or "src"
  const RowsView& table;
  const IndexView& idx;
  const RowsView& moved;
  bool by_row;  ///< else elements, which have no width or stride to speak of
  bool gather;

  bool gathers() const { return gather; }
  const char* unit() const { return by_row ? "rows" : "elements"; }
};

/// Throws std::invalid_argument that names the operand, what is and what should be.
void check_operands(const Call&);
void check_options(const char* call, const GatherOptions&);
void check_options(const char* call, const ScatterOptions&, pto::instr::DType);

/// Throws std::out_of_range about index number `position`.
[[noreturn]] void refuse_index(const Call&, std::int64_t position, std::uint64_t value);

}  // namespace ptox::detail
