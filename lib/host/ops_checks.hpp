// SPDX-License-Identifier: Apache-2.0
// Checks the operands and options of a whole-tensor call.
#pragma once

#include <string>

#include "ptox/ops.hpp"

namespace ptox::detail {

/// The operands of a call; `moved` is the destination of a gather or the source of a scatter.
struct Call {
  const char* name;
  const char* moved_name;  ///< "out" or "src"
  const RowsView& table;
  const IndexView& idx;
  const RowsView& moved;
  bool by_row;  ///< false: single elements, of which width and stride are 1
  bool gather;

  bool gathers() const { return gather; }
  const char* unit() const { return by_row ? "rows" : "elements"; }
};

/// Throw std::invalid_argument with a sentence that names the operand or option, its value and what is required.
void check_operands(const Call&);
void check_options(const char* call, const GatherOptions&);
void check_options(const char* call, const ScatterOptions&, pto::instr::DType);

/// Throws std::out_of_range for the index at `position`, which has this value.
[[noreturn]] void refuse_index(const Call&, std::int64_t position, std::uint64_t value);

}  // namespace ptox::detail
