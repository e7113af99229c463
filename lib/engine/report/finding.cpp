// SPDX-License-Identifier: Apache-2.0
#include "ptox/finding.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>

namespace ptox {

namespace {

struct KindRow {
  FindingKind kind;
  const char* id;
  Severity severity = Severity::error;
};

constexpr KindRow kinds[] = {
    {FindingKind::oob_index, "oob-index"},
    {FindingKind::negative_index, "negative-index", Severity::note},
    {FindingKind::oob_gm, "oob-gm"},
    {FindingKind::address_wrap, "address-wrap"},
    {FindingKind::alias, "alias", Severity::warning},
    {FindingKind::ub_overflow, "ub-overflow"},
    {FindingKind::ub_budget, "ub-budget"},
    {FindingKind::ub_misaligned, "ub-misaligned"},
    {FindingKind::ub_clobber, "ub-clobber"},
    {FindingKind::ub_scratch, "ub-scratch", Severity::note},
    {FindingKind::dyn_ub_ignored, "dyn-ub-ignored", Severity::note},
    {FindingKind::uninit_read, "uninit-read"},
    {FindingKind::race, "race"},
    {FindingKind::atomic_race, "atomic-race"},
    {FindingKind::flag_deadlock, "flag-deadlock"},
    {FindingKind::flag_leak, "flag-leak"},
    {FindingKind::flag_reuse, "flag-reuse"},
    {FindingKind::flag_id, "flag-id"},
    {FindingKind::stale_cache, "stale-cache"},
    {FindingKind::illegal, "illegal"},
    {FindingKind::inferred_row, "inferred-row", Severity::note},
    {FindingKind::dma_dropped, "dma-dropped"},
    {FindingKind::simt_launch, "simt-launch"},
    {FindingKind::comm_nonroot, "comm-nonroot"},
    {FindingKind::comm_shape, "comm-shape"},
    {FindingKind::comm_divisible, "comm-divisible"},
    {FindingKind::comm_root, "comm-root"},
    {FindingKind::comm_source, "comm-source"},
    {FindingKind::comm_dead_rank, "comm-dead-rank"},
    {FindingKind::comm_timeout, "comm-timeout"},
    {FindingKind::syntax, "syntax"},
    {FindingKind::usage, "usage"},
};

struct FieldRow {
  FindingField field;
  const char* name;
};

constexpr FieldRow fields[] = {
    {FindingField::instruction, "instruction"},
    {FindingField::operand, "operand"},
    {FindingField::rule, "rule"},
    {FindingField::column, "column"},
    {FindingField::row, "row"},
    {FindingField::col, "col"},
    {FindingField::value, "value"},
    {FindingField::high, "high"},
    {FindingField::more, "more"},
    {FindingField::capacity, "capacity"},
    {FindingField::slot, "slot"},
    {FindingField::elements, "elements"},
    {FindingField::address, "address"},
    {FindingField::offset, "offset"},
    {FindingField::bytes, "bytes"},
    {FindingField::end, "end"},
    {FindingField::first_byte, "first_byte"},
    {FindingField::last_byte, "last_byte"},
    {FindingField::allocated_bytes, "allocated_bytes"},
    {FindingField::pipe, "pipe"},
    {FindingField::access, "access"},
    {FindingField::src, "src"},
    {FindingField::dst, "dst"},
    {FindingField::flag, "id"},
    {FindingField::dim, "dim"},
    {FindingField::given, "given"},
    {FindingField::wanted, "wanted"},
    {FindingField::dyn_ub_bytes, "dyn_ub_bytes"},
    {FindingField::needed_bytes, "needed_bytes"},
    {FindingField::block, "block"},
    {FindingField::target, "target"},
    {FindingField::rank, "rank"},
    {FindingField::ranks, "ranks"},
    {FindingField::failure, "failure"},
    {FindingField::other, "other"},
    {FindingField::other_operand, "other_operand"},
    {FindingField::other_row, "other_row"},
    {FindingField::other_col, "other_col"},
    {FindingField::other_value, "other_value"},
    {FindingField::other_offset, "other_offset"},
    {FindingField::other_bytes, "other_bytes"},
    {FindingField::other_pipe, "other_pipe"},
    {FindingField::other_access, "other_access"},
    {FindingField::other_block, "other_block"},
    {FindingField::other_rank, "other_rank"},
    {FindingField::other_file, "other_file"},
    {FindingField::other_line, "other_line"},
};

/// Rows stand in the order of the enumerators, so that a kind or field is the index of its row.
constexpr bool in_order() {
  for (std::size_t i = 0; i < std::size(kinds); ++i)
    if (static_cast<std::size_t>(kinds[i].kind) != i) return false;
  for (std::size_t i = 0; i < std::size(fields); ++i)
    if (static_cast<std::size_t>(fields[i].field) != i) return false;
  return true;
}
static_assert(in_order());
static_assert(std::size(kinds) == static_cast<std::size_t>(FindingKind::usage) + 1);
static_assert(std::size(fields) == static_cast<std::size_t>(FindingField::other_line) + 1);

/// The row of a kind. Throws std::invalid_argument for a number that is no kind.
const KindRow& row_of(FindingKind kind) {
  const auto i = static_cast<std::size_t>(kind);
  if (i >= std::size(kinds)) throw std::invalid_argument("there is no kind of finding number " + std::to_string(i));
  return kinds[i];
}

const FindingValue* value_of(const Finding& f, FindingField field) {
  const auto found =
      std::find_if(f.where.begin(), f.where.end(), [&](const FindingValue& v) { return v.field == field; });
  return found == f.where.end() ? nullptr : &*found;
}

}  // namespace

const char* name(Severity s) { return s == Severity::error ? "error" : s == Severity::warning ? "warning" : "note"; }

const char* name(FindingKind kind) { return row_of(kind).id; }
const char* name(FindingField field) {
  const auto i = static_cast<std::size_t>(field);
  if (i >= std::size(fields)) throw std::invalid_argument("there is no field of findings number " + std::to_string(i));
  return fields[i].name;
}
std::ostream& operator<<(std::ostream& out, FindingKind kind) { return out << name(kind); }
Severity severity_of(FindingKind kind) { return row_of(kind).severity; }

std::optional<FindingKind> find_kind(std::string_view id) {
  for (const KindRow& row : kinds)
    if (row.id == id) return row.kind;
  return std::nullopt;
}

bool Finding::has(FindingField field) const { return value_of(*this, field) != nullptr; }
const std::int64_t* Finding::number(FindingField field) const {
  const FindingValue* v = value_of(*this, field);
  return v ? std::get_if<std::int64_t>(&v->value) : nullptr;
}
const std::string* Finding::text(FindingField field) const {
  const FindingValue* v = value_of(*this, field);
  return v ? std::get_if<std::string>(&v->value) : nullptr;
}

}  // namespace ptox
