// SPDX-License-Identifier: Apache-2.0
#include "host/ops_checks.hpp"

#include <cstdint>
#include <stdexcept>

#include "loops/kernels.hpp"

namespace ptox::detail {

namespace {

[[noreturn]] void refuse(const char* call, const std::string& sentence) {
  throw std::invalid_argument(std::string(call) + ": " + sentence);
}
std::string text(std::int64_t n) { return std::to_string(n); }

/// Bytes from the first byte of the first row to the last byte of the last row; -1 if 63 bits cannot hold the number.
std::int64_t extent(const RowsView& r) {
  if (r.rows == 0 || r.width == 0) return 0;
  std::int64_t skipped = 0, elements = 0, bytes = 0;
  if (__builtin_mul_overflow(r.rows - 1, r.stride, &skipped) || __builtin_add_overflow(skipped, r.width, &elements) ||
      __builtin_mul_overflow(elements, r.size, &bytes))
    return -1;
  return bytes;
}

void check_one(const Call& c, const char* name, const RowsView& r, bool written) {
  const auto negative = [&](const char* what, std::int64_t n) {
    if (n < 0) refuse(c.name, std::string(name) + " has " + what + " " + text(n) + "; it must be at least 0");
  };
  negative("rows", r.rows), negative("width", r.width), negative("stride", r.stride);
  if (written && r.rows > 1 && r.stride < r.width)
    refuse(c.name, std::string(name) + " has stride " + text(r.stride) + " and rows of " + text(r.width) +
                       " elements: rows that are written lie apart. Use a stride of at least " + text(r.width));
  const std::int64_t bytes = extent(r);
  if (bytes < 0)
    refuse(c.name, std::string(name) + " of " + text(r.rows) + " rows, width " + text(r.width) + " and stride " +
                       text(r.stride) + " has more bytes than 63 bits count");
  if (bytes > 0 && !r.data) refuse(c.name, std::string(name) + " is null and has " + text(r.rows) + " " + c.unit());
}

struct Bytes {
  std::uintptr_t begin, end;
  bool meets(const Bytes& other) const {
    return begin < end && other.begin < other.end && begin < other.end && other.begin < end;
  }
};
Bytes bytes_of(const RowsView& r) {
  const auto begin = reinterpret_cast<std::uintptr_t>(r.data);
  return {begin, begin + static_cast<std::uintptr_t>(extent(r))};
}

/// Whether the address ranges of two views interleave without sharing a byte: they have the same stride and disjoint
/// columns.
bool interleave(const RowsView& a, const RowsView& b) {
  const auto stride = static_cast<std::uintptr_t>(a.stride * a.size);
  if (a.stride != b.stride || a.size != b.size || stride == 0) return false;
  const std::uintptr_t apart = reinterpret_cast<std::uintptr_t>(b.data) - reinterpret_cast<std::uintptr_t>(a.data);
  const bool behind = reinterpret_cast<std::uintptr_t>(b.data) >= reinterpret_cast<std::uintptr_t>(a.data);
  const std::uintptr_t at = behind ? apart % stride : (stride - (0 - apart) % stride) % stride;
  return at >= static_cast<std::uintptr_t>(a.width * a.size) &&
         at + static_cast<std::uintptr_t>(b.width * b.size) <= stride;
}

void check_overlap(const Call& c) {
  const RowsView& written = c.gathers() ? c.moved : c.table;
  const char* name = c.gathers() ? c.moved_name : "table";
  const char* other = c.gathers() ? "table" : c.moved_name;
  if (bytes_of(c.table).meets(bytes_of(c.moved)) && !interleave(c.table, c.moved))
    refuse(c.name, std::string(name) + " shares memory with " + other + ". Give each its own bytes");
  const auto begin = reinterpret_cast<std::uintptr_t>(c.idx.data);
  const Bytes idx{begin, begin + static_cast<std::uintptr_t>(c.idx.count) * (c.idx.wide ? 8 : 4)};
  if (bytes_of(written).meets(idx))
    refuse(c.name, std::string(name) + " shares memory with idx. Give each its own bytes");
}

void check_threads(const char* call, int threads) {
  if (threads < 0) refuse(call, "threads is " + std::to_string(threads) + "; it is 0, all cores, or how many");
}
void check_range(const char* call, const char* option, int value, int last) {
  if (value > last)
    refuse(call,
           std::string(option) + " is " + std::to_string(value) + ", its values are 0 to " + std::to_string(last));
}

}  // namespace

void check_operands(const Call& c) {
  check_one(c, "table", c.table, !c.gathers());
  check_one(c, c.moved_name, c.moved, c.gathers());
  if (c.table.width != c.moved.width)
    refuse(c.name, "table rows are " + text(c.table.width) + " wide, " + c.moved_name + " rows " + text(c.moved.width));
  if (c.idx.count != c.moved.rows)
    refuse(c.name, "idx has " + text(c.idx.count) + " indices, " + c.moved_name + " has " + text(c.moved.rows) + " " +
                       c.unit());
  if (c.idx.count > 0 && !c.idx.data) refuse(c.name, "idx is null and has " + text(c.idx.count) + " indices");
  check_overlap(c);
}

void check_options(const char* call, const GatherOptions& o) {
  check_threads(call, o.threads);
  check_range(call, "oob", static_cast<int>(o.oob), static_cast<int>(pto::GatherOOB::Zero));
}

void check_options(const char* call, const ScatterOptions& o, pto::instr::DType dtype) {
  check_threads(call, o.threads);
  check_range(call, "op", static_cast<int>(o.op), static_cast<int>(pto::ScatterAtomicOp::Min));
  check_range(call, "oob", static_cast<int>(o.oob), static_cast<int>(pto::ScatterOOB::Wrap));
  check_range(call, "conflict", static_cast<int>(o.conflict), static_cast<int>(pto::ScatterConflict::Default));
  if (!kernels().updating(false, o.op, dtype))
    refuse(call, std::string("op is ") + pto::instr::name(o.op) +
                     ", and elements of this type are only moved. It is there for integers, half, bfloat16_t, float "
                     "and double");
}

namespace {

/// Says what Wrap makes of a negative index, which depends on the width of the index unless the number of rows is a
/// power of two.
std::string wrap_text(const Call& c, std::int64_t index) {
  const auto rows = static_cast<std::uint64_t>(c.table.rows);
  const std::uint64_t wide = static_cast<std::uint64_t>(index) % rows,
                      narrow = static_cast<std::uint32_t>(index) % rows;
  const std::uint64_t here = c.idx.wide ? wide : narrow, there = c.idx.wide ? narrow : wide;
  const std::string text = "; Wrap makes it " + std::to_string(here);
  if (here == there || index < INT32_MIN) return text;
  return text + ", and " + std::to_string(there) + " where indices have " + (c.idx.wide ? "32" : "64") + " bits";
}

}  // namespace

void refuse_index(const Call& c, std::int64_t position, std::uint64_t value) {
  std::string shown = std::to_string(value);
  const auto as_signed = c.idx.wide ? static_cast<std::int64_t>(value) : static_cast<std::int32_t>(value);
  const bool negative = c.idx.is_signed && as_signed < 0;
  if (negative) shown = text(as_signed) + " (read as " + shown + ")";
  const std::string drops = c.gathers() ? "Zero" : "Skip";
  throw std::out_of_range(std::string(c.name) + ": idx[" + text(position) + "] = " + shown + ", table has " +
                          text(c.table.rows) + " " + c.unit() + ". " +
                          (c.table.rows > 0
                               ? "Clamp, Wrap or " + drops + " define this" + (negative ? wrap_text(c, as_signed) : "")
                               : "Only " + drops + " defines this"));
}

}  // namespace ptox::detail
