// SPDX-License-Identifier: Apache-2.0
// One finding: its kind, its place in the source, and the values that show it.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace ptox {

enum class Severity : std::uint8_t { error, warning, note };
[[nodiscard]] const char* name(Severity);

/// What a finding is about. The name of a kind is spelled with hyphens, as in `oob-index`, and is the `id` of its
/// findings.
enum class FindingKind : std::uint8_t {
  // global memory and indices
  oob_index,
  negative_index,
  oob_gm,
  address_wrap,
  alias,
  // places in UB
  ub_overflow,
  ub_budget,
  ub_misaligned,
  ub_clobber,
  ub_scratch,
  dyn_ub_ignored,
  uninit_read,
  // order of pipes, blocks and ranks
  race,
  atomic_race,
  flag_deadlock,
  flag_leak,
  flag_reuse,
  flag_id,
  stale_cache,
  // rules of a target
  illegal,
  inferred_row,
  dma_dropped,
  simt_launch,
  // groups of ranks
  comm_nonroot,
  comm_shape,
  comm_divisible,
  comm_root,
  comm_source,
  comm_dead_rank,
  comm_timeout,
  // files of PTO-AS, and command lines
  syntax,
  usage
};
[[nodiscard]] const char* name(FindingKind);
std::ostream& operator<<(std::ostream&, FindingKind);
/// The kind with that id; nullopt if there is none.
[[nodiscard]] std::optional<FindingKind> find_kind(std::string_view id);
/// The severity of a kind's findings, unless a finding has another one.
[[nodiscard]] Severity severity_of(FindingKind);

/// The names of a finding's values.
enum class FindingField : std::uint8_t {
  instruction,
  operand,
  rule,             ///< label of the rule that is broken, as in C3
  column,           ///< in the line of the source file
  row,              ///< of the element of `operand` that the finding is about
  col,              ///< column of that element
  value,            ///< value of an index
  high,             ///< the largest of the offending indices
  more,             ///< number of offending indices after the first, if the message states it
  capacity,         ///< available size: rows or elements of a table, bytes of a buffer
  slot,             ///< the row or element of the table that an index selects
  elements,         ///< number of elements of a tensor or tile
  address,          ///< as text: a buffer and an offset in it, or a byte of an allocation in global memory
  offset,           ///< bytes from the start of the buffer
  bytes,            ///< size of a tile
  end,              ///< one past the last byte, from the start of the buffer
  first_byte,       ///< offset of the first byte accessed, from the start of the allocation
  last_byte,        ///< offset of the last byte accessed
  allocated_bytes,  ///< size of the allocation
  pipe,
  access,        ///< reads, writes or updates
  src,           ///< pipe of a flag that sets it
  dst,           ///< pipe of a flag that waits for it
  flag,          ///< number of a flag, written as `id`
  dim,           ///< number of a tensor's dimension
  given,         ///< value given at run time
  wanted,        ///< required value
  dyn_ub_bytes,  ///< dynUBufSize of the launch
  needed_bytes,  ///< UB that is needed
  block,         ///< block in which it was found, if the message names it
  target,        ///< target of the launch, if it differs from that of the report
  rank,          ///< rank on which it was found
  ranks,         ///< number of ranks
  failure,       ///< why a group of ranks ended
  other,         ///< the other instruction of a conflict; the fields below describe it
  other_operand,
  other_row,
  other_col,
  other_value,
  other_offset,
  other_bytes,
  other_pipe,
  other_access,
  other_block,
  other_rank,
  other_file,
  other_line
};
[[nodiscard]] const char* name(FindingField);

/// A named value: a number or a text.
struct FindingValue {
  FindingField field;
  std::variant<std::int64_t, std::string> value;

  /// Numbers above the range of std::int64_t are stored as its largest one.
  template <std::integral T>
  FindingValue(FindingField f, T number)
      : field(f), value(std::cmp_greater(number, INT64_MAX) ? INT64_MAX : static_cast<std::int64_t>(number)) {}
  FindingValue(FindingField f, std::string text) : field(f), value(std::move(text)) {}
  FindingValue(FindingField f, const char* text) : field(f), value(std::string(text)) {}
  bool operator==(const FindingValue&) const = default;
};

/// A finding with its call site in the kernel. Repeats are merged: `count` counts them, and the other members describe
/// the first one.
struct Finding {
  FindingKind kind = FindingKind::illegal;
  Severity severity = severity_of(kind);
  std::string message{}, file{};
  int line = 0, block = 0;
  std::int64_t count = 1;
  std::vector<FindingValue> where{};  ///< each field at most once
  std::string id = name(kind);  ///< follows from the kind that initialises the finding; reports are made from `kind`

  [[nodiscard]] bool has(FindingField) const;
  /// The value of that field; nullptr if the finding has no such field or the value has the other type.
  [[nodiscard]] const std::int64_t* number(FindingField) const;
  [[nodiscard]] const std::string* text(FindingField) const;
};
std::ostream& operator<<(std::ostream&, const Finding&);

}  // namespace ptox
