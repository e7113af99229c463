// SPDX-License-Identifier: Apache-2.0
#include "asm/dialect/group_rules.hpp"

#include "pto/comm/treduce.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly {

using pto::instr::checked_product;
using pto::instr::known;
using pto::instr::may_equal;

namespace {

std::string extent(std::int64_t n) { return known(n) ? std::to_string(n) : "?"; }
std::string rank_of(std::size_t r) { return "rank " + std::to_string(r); }
/// The rows that the root's tensor must have: those of one rank, times the number of ranks for tscatter and tgather.
/// `unknown` if not known; -1 if the product overflows 63 bits.
std::int64_t rows_taken(const GroupOperands& o) {
  const std::int64_t rows = o.tensors[0].shape[3];
  return known(rows) ? checked_product(rows, o.spreads ? o.ranks : 1) : rows;
}

// G1
std::string other_dtype(const GroupOperands& o) {
  const auto differs = [&](const std::string& who, DType d) {
    return d == o.own.dtype
               ? ""
               : who + " is " + dtype_text(d) + ", " + o.name + " is " + std::string(dtype_text(o.own.dtype));
  };
  for (std::size_t r = 0; r < o.tensors.size(); ++r)
    if (std::string s = differs("the tensor of " + rank_of(r), o.tensors[r].dtype); !s.empty()) return s;
  for (const TileDesc& t : o.staging)
    if (std::string s = differs("a staging tile", t.dtype); !s.empty()) return s;
  return "";
}

// G2
bool root_is_there(const GroupOperands& o) { return o.root >= 0 && o.root < o.ranks; }
std::string show_root(const GroupOperands& o) {
  return "the root is " + std::to_string(o.root) + " of " + std::to_string(o.ranks) + " ranks";
}

// G3
std::string other_shape(const GroupOperands& o) {
  const auto differs = [&](std::size_t r, const char* what, const std::int64_t(TensorDesc::* five)[5]) {
    for (int d = 0; d < 5; ++d)
      if (const std::int64_t first = (o.tensors[0].*five)[d], n = (o.tensors[r].*five)[d]; !may_equal(first, n))
        return rank_of(r) + " has " + what + "[" + std::to_string(d) + "] = " + extent(n) + ", rank 0 has " +
               extent(first);
    return std::string();
  };
  for (std::size_t r = 1; r < o.tensors.size(); ++r) {
    const std::string shape = differs(r, "Shape", &TensorDesc::shape);
    if (const std::string s = shape.empty() ? differs(r, "Stride", &TensorDesc::stride) : shape; !s.empty()) return s;
  }
  return "";
}

// G4
std::string other_extent(const GroupOperands& o) {
  for (int d = 0; d < 5 && !o.tensors.empty(); ++d) {
    const std::int64_t need = d == 3 ? rows_taken(o) : o.tensors[0].shape[d], have = o.own.shape[d];
    const bool overflow = known(o.tensors[0].shape[d]) && need < 0;
    const bool fits = d == 3 ? !known(need) || !known(have) || have >= need : may_equal(need, have);
    if (fits && !overflow) continue;
    return std::string(o.name) + " has Shape[" + std::to_string(d) + "] = " + extent(have) + ", the " +
           std::to_string(o.ranks) + " ranks take " + (overflow ? "more than 63 bits count" : extent(need));
  }
  return "";
}

// G5
std::string other_tile(const GroupOperands& o) {
  for (const TileDesc& t : o.staging) {
    const TileDesc& first = o.staging[0];
    if (t.loc != pto::TileType::Vec) return "one is in " + std::string(pto::instr::name(t.loc));
    const bool same = t.rows == first.rows && t.cols == first.cols && t.valid_rows == first.valid_rows &&
                      t.valid_cols == first.valid_cols && t.blayout == first.blayout && t.slayout == first.slayout;
    if (!same)
      return "one is " + extent(first.rows) + "x" + extent(first.cols) + ", another " + extent(t.rows) + "x" +
             extent(t.cols) + ", or of other valid extents or layout";
  }
  return "";
}

// G6
std::string uneven(const GroupOperands& o) {
  if (o.staging.empty() || o.tensors.empty()) return "";
  const TileDesc& t = o.staging[0];
  const std::int64_t* n = o.tensors[0].shape;
  const bool all_known = known(n[0]) && known(n[1]) && known(n[2]) && known(n[3]);
  const bool many = all_known && known(t.valid_rows) && checked_product(n[0], n[1], n[2], n[3]) > t.valid_rows;
  const bool wide = known(n[4]) && known(t.valid_cols) && n[4] > t.valid_cols;
  if (!many && !wide) return "";
  const auto cut = [](const char* what, std::int64_t has, std::int64_t step) {
    if (!known(has) || !known(step) || step < 1 || has % step == 0) return std::string();
    return "each rank has " + std::to_string(has) + " " + what + ", the tile static " + std::to_string(step) +
           ". Leave the valid extent open: valid=?x?";
  };
  const std::string rows = cut("rows", n[3], t.valid_rows);
  return rows.empty() ? cut("columns", n[4], t.valid_cols) : rows;
}

template <std::string (*fault)(const GroupOperands&)>
bool none(const GroupOperands& o) {
  return fault(o).empty();
}

constexpr GroupRule rules[] = {
    {"G1", "the ranks' tensors, the root's own and the staging tiles have one element type", FindingKind::illegal,
     none<other_dtype>, other_dtype},
    {"G2", "the root is one of the ranks", FindingKind::comm_root, root_is_there, show_root},
    {"G3", "the ranks' tensors have one shape and one stride", FindingKind::comm_shape, none<other_shape>, other_shape},
    {"G4", "the root's own tensor has the rows that the ranks take, and their other extents", FindingKind::comm_shape,
     none<other_extent>, other_extent},
    {"G5", "staging tiles are Vec tiles of one type", FindingKind::illegal, none<other_tile>, other_tile},
    {"G6", "staging tiles of static valid extents cut a rank's rows and columns into equal parts",
     FindingKind::comm_divisible, none<uneven>, uneven},
};

/// Checks an instruction that the collective issues. Returns its first broken rule; the message is empty if all hold.
template <class I>
Broken broken_part(const GroupOperands& o, const Target& target, const typename I::Operands& part) {
  Broken broken;
  I::Rules::each([&]<class R>() {
    if (!broken.message.empty() || R::holds(target, part)) return;
    pto::instr::Text values;
    R::shows(values, target, part);
    broken = {std::string(o.mnemonic) + ": " + I::mnemonic + " " + R::label.code + ": " + R::label.sentence + "; " +
                  values.c_str(),
              FindingKind::illegal, R::label.code};
  });
  return broken;
}

Broken broken_move(const GroupOperands& o, const Target& target) {
  using namespace pto::comm::detail;
  if (o.staging.empty() || o.tensors.empty()) return {};
  const TileDesc tile = chunk_type(o.staging[0]);
  const TensorDesc own = chunk_type(o.own), theirs = chunk_type(o.tensors[0]);
  Broken broken = broken_part<pto::instr::Tload>(o, target, {tile, o.writes_group ? own : theirs, {}});
  if (broken.message.empty())
    broken = broken_part<pto::instr::Tstore>(o, target, {o.writes_group ? theirs : own, tile, {}});
  return broken;
}

}  // namespace

std::span<const GroupRule> group_rules() { return rules; }

Broken broken_rule(const GroupOperands& o, const Target& target) {
  for (const GroupRule& rule : rules)
    if (!rule.holds(o))
      return {std::string(o.mnemonic) + " " + rule.label + ": " + rule.sentence + "; " + rule.shows(o), rule.kind,
              rule.label};
  if (Broken broken = broken_move(o, target); !broken.message.empty()) return broken;
  if (std::string_view(o.mnemonic) != "treduce") return {};
  const TileDesc tile = pto::comm::detail::chunk_type(
      o.staging.empty() ? TileDesc{.dtype = o.own.dtype, .rows = 1, .cols = 32} : o.staging[0]);
  return broken_part<pto::instr::Treduce>(o, target, {tile, tile, {}});
}

}  // namespace ptox::assembly
