// SPDX-License-Identifier: Apache-2.0
#include "random/case.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <ostream>

#include "random/layout.hpp"

namespace ptox::random_test {

namespace {

using pto::instr::DType;

std::int64_t pick(Random& random, std::initializer_list<std::int64_t> values) {
  return values.begin()[random.below(values.size())];
}
std::int64_t between(Random& random, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}
bool one_in(Random& random, std::uint64_t n) { return random.below(n) == 0; }

/// Random indices of one of six kinds: distinct, duplicated, all equal, at the boundary, negative, or any valid index.
std::vector<std::uint32_t> random_indices(Random& random, std::size_t n, std::int64_t capacity) {
  const auto cap = static_cast<std::uint32_t>(capacity);
  const std::uint32_t edge[] = {0, cap - 1, cap, cap + 1, ~0u, 0x80000000u, 0x7fffffffu};
  const std::uint64_t kind = random.below(6), start = random.next();
  std::vector<std::uint32_t> out(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto inside = static_cast<std::uint32_t>(cap ? random.below(cap) : 0);
    const auto distinct = static_cast<std::uint32_t>(cap ? (start % cap + i) % cap : i);
    const std::uint32_t by_kind[] = {distinct,
                                     inside % 3,
                                     static_cast<std::uint32_t>(cap ? start % cap : 0),
                                     edge[random.below(7)],
                                     static_cast<std::uint32_t>(-static_cast<std::int32_t>(inside % 9)),
                                     inside};
    out[i] = by_kind[kind];
  }
  return out;
}

void random_shape(Random& random, Case& c) {
  const std::uint64_t kind = random.below(40);
  c.rows = between(random, 1, 9), c.cols = between(random, 1, 24);
  if (kind == 0) c.rows = c.cols = 1;
  if (kind == 1) c.rows = 1;
  if (kind == 2) c.cols = 1;
  if (kind == 3) c.rows = between(random, 17, 40), c.cols = between(random, 33, 70);
  if (one_in(random, 400)) {  // fills nearly all of the smaller UB
    c.rows = c.row ? 64 : 48;
    c.cols = c.row ? 2880 / bytes_of(c.dtype) : 3800 / (bytes_of(c.dtype) + 4);
  }
  c.pad_rows = pick(random, {0, 0, 0, 1, 2}), c.pad_cols = pick(random, {0, 0, 0, 1});
}

}  // namespace

bool settle(Case& c) {
  if (c.rows < 1 || c.cols < 1 || c.table_rows < 0) return false;
  if (!c.scatter) c.op = c.conflict = 0;
  if ((c.table == pto::Layout::NZ) != (c.layout == TileLayout::nz)) return false;
  if (c.table == pto::Layout::NZ) c.outer[1] = c.outer[2] = 1, c.col_step = 1;
  if (c.target == &target::a5 && c.row) c.table_extra_cols = c.row_gap = 0, c.col_step = 1;
  if (c.target == &target::a2a3) {
    c.index_col_major = c.index_in_column = false;
    c.col_step = 1;
  }
  if (c.target == &target::a5 && c.row) c.index_col_major = c.index_in_column;
  const std::size_t n = static_cast<std::size_t>(c.row ? c.rows : c.rows * c.cols);
  c.index.resize(n, 0);
  return legal(c);
}

Case random_case(Random& random) {
  for (;;) {
    Case c;
    c.target = target::on_host[random.below(3)];
    c.scatter = random.below(2), c.checked = one_in(random, 3);
    c.dtype = pto::instr::all_dtypes[random.below(12)];
    c.signed_index = random.below(2);
    c.row = random.below(2), c.coalesce_spelled = !one_in(random, 5);
    c.oob = static_cast<int>(random.below(4)),
    c.op = static_cast<int>(random.below(4)) * static_cast<int>(random.below(2));
    c.conflict = static_cast<int>(pick(random, {0, 0, 1, 2}));
    c.layout = static_cast<TileLayout>(random.below(3));
    c.index_col_major = random.below(2), c.index_in_column = random.below(2);
    random_shape(random, c);
    c.table = c.layout == TileLayout::nz ? pto::Layout::NZ : one_in(random, 5) ? pto::Layout::DN : pto::Layout::ND;
    for (std::int64_t& outer : c.outer) outer = pick(random, {1, 1, 1, 1, 2, 3});
    if (one_in(random, 60)) c.outer[random.below(3)] = 0;
    c.table_rows = pick(random, {0, 1, 2, 7, 16, 33, 100});
    c.table_extra_cols = pick(random, {0, 0, 0, 1, 9}), c.row_gap = pick(random, {0, 0, 1, 8});
    c.col_step = pick(random, {1, 1, 1, 2});
    c.data_seed = random.next();
    if (!settle(c)) continue;
    c.index = random_indices(random, c.index.size(), Plan(c).capacity);
    return c;
  }
}

std::ostream& operator<<(std::ostream& out, const Case& c) {
  constexpr const char* layouts[] = {"RowMajor", "ColMajor", "NZ"};
  out << (c.scatter ? "mscatter" : "mgather") << (c.row ? ".row" : ".elem") << (c.coalesce_spelled ? "" : " (inferred)")
      << " on " << c.target->name << (c.checked ? " checked" : "") << ", " << pto::instr::name(c.dtype)
      << (c.signed_index ? ", i32 idx" : ", u32 idx") << "\n  oob " << c.oob << ", op " << c.op << ", conflict "
      << c.conflict << "\n  tile " << layouts[static_cast<int>(c.layout)] << " valid " << c.rows << "x" << c.cols
      << " padded by " << c.pad_rows << "," << c.pad_cols << "\n  idx " << (c.index_col_major ? "ColMajor" : "RowMajor")
      << (c.index_in_column ? " column" : "") << "\n  table " << pto::instr::name(c.table) << " outer " << c.outer[0]
      << "," << c.outer[1] << "," << c.outer[2] << " rows " << c.table_rows << " extra columns " << c.table_extra_cols
      << " row gap " << c.row_gap << " column step " << c.col_step << "\n  data seed " << c.data_seed << "\n  index {";
  for (const std::uint32_t i : c.index) out << " " << i;
  return out << " }";
}

namespace {

template <class V>
Case with(const Case& c, V Case::* field, V value) {
  Case smaller = c;
  smaller.*field = value;
  return smaller;
}

std::vector<Case> smaller_cases(const Case& c) {
  std::vector<Case> out;
  const auto extent = [&](std::int64_t Case::* field, std::int64_t least) {
    if (c.*field > least) {
      out.push_back(with(c, field, least));
      out.push_back(with(c, field, std::max(least, c.*field / 2)));
      out.push_back(with(c, field, c.*field - 1));
    }
  };
  extent(&Case::rows, 1), extent(&Case::cols, 1), extent(&Case::pad_rows, 0), extent(&Case::pad_cols, 0);
  extent(&Case::table_rows, 0), extent(&Case::table_extra_cols, 0), extent(&Case::row_gap, 0),
      extent(&Case::col_step, 1);
  for (int d = 0; d < 3; ++d)
    if (c.outer[d] > 1) out.push_back(c), out.back().outer[d] = 1;
  if (c.op) out.push_back(with(c, &Case::op, 0));
  if (c.oob) out.push_back(with(c, &Case::oob, 0));
  if (c.conflict) out.push_back(with(c, &Case::conflict, 0));
  if (c.checked) out.push_back(with(c, &Case::checked, false));
  if (!c.coalesce_spelled) out.push_back(with(c, &Case::coalesce_spelled, true));
  if (c.data_seed != 1) out.push_back(with(c, &Case::data_seed, std::uint64_t{1}));
  if (c.dtype != DType::u8) out.push_back(with(c, &Case::dtype, DType::u8));
  if (c.dtype != DType::i32 && c.dtype != DType::u8) out.push_back(with(c, &Case::dtype, DType::i32));
  for (std::size_t i = 0; i < c.index.size() && i < 64; ++i)
    if (c.index[i]) out.push_back(c), out.back().index[i] = 0;
  return out;
}

}  // namespace

Case shrunk(Case c, const std::function<bool(const Case&)>& fails) {
  for (bool again = true; again;) {
    again = false;
    for (Case& smaller : smaller_cases(c))
      if (settle(smaller) && fails(smaller)) {
        c = std::move(smaller);
        again = true;
        break;
      }
  }
  return c;
}

}  // namespace ptox::random_test
