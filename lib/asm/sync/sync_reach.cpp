// SPDX-License-Identifier: Apache-2.0
#include "asm/sync/sync_reach.hpp"

#include "asm/dialect/operands.hpp"
#include "asm/level/place_roots.hpp"
#include "engine/memory/space.hpp"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ptox::assembly::sync {

using mlir::Operation;
using mlir::Value;
using pto::instr::known;

namespace {

constexpr std::int64_t most = std::int64_t{1} << 40;  // bound of all numbers, so that their products fit in 63 bits
constexpr int deepest = 64;                           // recursion limit for chains of operations

std::optional<Linear> fitting(Linear l) {
  const auto fits = [](std::int64_t n) { return n > -most && n < most; };
  std::erase_if(l.factors, [](const auto& f) { return f.second == 0; });
  for (const auto& [value, factor] : l.factors)
    if (!fits(factor)) return std::nullopt;
  return fits(l.number) ? std::optional(std::move(l)) : std::nullopt;
}

std::optional<Linear> sum(const std::optional<Linear>& a, const std::optional<Linear>& b, std::int64_t times = 1) {
  if (!a || !b || times <= -(most >> 20) || times >= most >> 20) return std::nullopt;
  Linear all = *a;
  if (__builtin_add_overflow(all.number, b->number * times, &all.number)) return std::nullopt;
  for (const auto& [value, factor] : b->factors) all.factors[value] += factor * times;
  return fitting(std::move(all));
}
std::optional<Linear> number(std::int64_t n) { return fitting({n, {}}); }
std::optional<Linear> product(const std::optional<Linear>& a, const std::optional<Linear>& b) {
  if (!a || !b) return std::nullopt;
  if (b->factors.empty()) return sum(number(0), a, b->number);
  return a->factors.empty() ? sum(number(0), b, a->number) : std::nullopt;
}

std::optional<Linear> linear_of(mlir::OpFoldResult v) {
  if (const auto n = constant_of(v)) return number(*n);
  const auto value = mlir::dyn_cast<Value>(v);
  return value ? sync::linear_of(value) : std::nullopt;
}

llvm::SmallVector<Operation*> loops_around(Operation* op) {
  llvm::SmallVector<Operation*> loops;
  for (Operation* p = op ? op->getParentOp() : nullptr; p && !mlir::isa<mlir::func::FuncOp>(p); p = p->getParentOp())
    if (mlir::isa<mlir::LoopLikeOpInterface>(p)) loops.insert(loops.begin(), p);
  return loops;
}
/// The number of loops around the definition of a value; for an induction variable, its own loop is included.
std::size_t depth_of(Value v) {
  if (Operation* op = v.getDefiningOp()) return loops_around(op).size();
  Operation* owner = v.getParentBlock()->getParentOp();
  return loops_around(owner).size() + (mlir::isa<mlir::LoopLikeOpInterface>(owner) ? 1 : 0);
}

}  // namespace

namespace {

/// Computes linear forms of values, memoised and with bounded recursion.
class Sums {
 public:
  std::optional<Linear> of(Value v, int depth) {
    const auto [it, fresh] = known_.try_emplace(v.getAsOpaquePointer());
    if (fresh) {
      auto made = make(v, depth);
      known_[v.getAsOpaquePointer()] = std::move(made);
    }
    return known_[v.getAsOpaquePointer()];
  }

 private:
  std::optional<Linear> make(Value v, int depth) {
    if (const auto n = constant_of(v)) return number(*n);
    Operation* op = depth < deepest ? v.getDefiningOp() : nullptr;
    const auto arm = [&](unsigned i) { return of(op->getOperand(i), depth + 1); };
    if (mlir::isa_and_nonnull<mlir::arith::AddIOp>(op)) return sum(arm(0), arm(1));
    if (mlir::isa_and_nonnull<mlir::arith::SubIOp>(op)) return sum(arm(0), arm(1), -1);
    if (mlir::isa_and_nonnull<mlir::arith::MulIOp>(op)) return product(arm(0), arm(1));
    if (mlir::isa_and_nonnull<mlir::arith::IndexCastOp, mlir::arith::IndexCastUIOp>(op)) return arm(0);
    return Linear{0, {{v.getAsOpaquePointer(), 1}}};
  }
  std::map<void*, std::optional<Linear>> known_;
};

}  // namespace

std::optional<Linear> linear_of(Value v) { return Sums().of(v, 0); }

Reach reach_of_tile(Value tile, bool whole) {
  const TileDesc t = describe_tile(tile);
  Reach r;
  r.space = space_of(t.loc);
  if (t.rows > most >> 20 || t.cols > most >> 20) return r.anywhere = true, r;
  const bool rows = !whole && t.is_static() && !t.boxed() && t.blayout == pto::BLayout::RowMajor && t.valid_rows > 0;
  const std::int64_t bytes =
      rows ? ((t.valid_rows - 1) * t.cols + t.valid_cols) * pto::instr::size_of(t.dtype) : t.bytes();
  const TilePlaces places = places_of(tile);
  r.anywhere = places.anywhere || bytes > most;
  for (std::int64_t at : places.offsets)
    if (at < most) r.bytes.push_back({at, at + bytes});
  return r;
}

namespace {

/// A view as a part of the outermost view `whole`: begin and size in each dimension.
struct Part {
  Value whole;
  llvm::SmallVector<Extent> sides;
};
Part part_of(Value tensor, int depth = 0) {
  Operation* op = depth < deepest ? tensor.getDefiningOp() : nullptr;
  const TensorDesc t = describe_tensor(tensor);
  const std::size_t rank = spec_of(tensor.getType())->shape.size();
  Part part{tensor, {}};
  if (op && base_name(op) == "partition_view") {
    part = part_of(op->getOperand(0), depth + 1);
    const auto offsets = view_list(op, "offsets");
    for (std::size_t i = 0; i < part.sides.size() && i < offsets.size(); ++i)
      part.sides[i].begin = sum(part.sides[i].begin, linear_of(offsets[i]));
  } else {
    part.sides.assign(rank, {number(0), {}});
  }
  for (std::size_t i = 0; i < part.sides.size() && rank <= 5; ++i) {
    const std::int64_t n = t.shape[5 - rank + i];
    part.sides[i].size = known(n) ? std::optional(n) : std::nullopt;
  }
  return part;
}

/// The byte range of the part, relative to the start of the memory of `whole`.
Extent bytes_of(Value tensor, const Part& part) {
  const TensorDesc t = describe_tensor(tensor);
  const std::int64_t size = pto::instr::size_of(t.dtype);
  const std::size_t rank = part.sides.size();
  Extent e{number(0), 1};
  for (std::size_t i = 0; i < rank && rank <= 5; ++i) {
    const std::int64_t stride = t.stride[5 - rank + i];
    const auto& side = part.sides[i];
    const bool counts = known(stride) && stride >= 0 && stride < most;
    e.begin = counts ? sum(e.begin, side.begin, stride) : std::nullopt;
    const bool small = counts && side.size && *side.size < most >> 20 && stride < most >> 10;
    if (!small || !e.size)
      e.size.reset();
    else
      e.size = std::max<std::int64_t>(0, *side.size - 1) * stride + *e.size;
  }
  e.begin = sum(number(0), e.begin, size);
  if (e.size) e.size = *e.size * size;
  return e;
}

/// The function argument that a view is made from; null if not known.
Value memory_of(Value whole) {
  Operation* op = whole.getDefiningOp();
  const Value from = op && base_name(op) == "make_tensor_view" ? op->getOperand(0) : whole;
  const auto argument = mlir::dyn_cast<mlir::BlockArgument>(from);
  const bool own = argument && mlir::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
  return own ? from : Value();
}

}  // namespace

Reach reach_of_tensor(Value tensor, bool by_sides, std::optional<std::int64_t> rows, std::optional<std::int64_t> cols) {
  Reach r;
  r.space = -1;
  if (is_schematic(tensor.getType())) return r;
  Part part = part_of(tensor);
  r.memory = memory_of(part.whole);
  const std::size_t rank = part.sides.size();
  bool plain = rank >= 2 && describe_tensor(tensor).layout == pto::Layout::ND;
  for (std::size_t i = 0; i + 2 < rank; ++i) plain = plain && part.sides[i].size == 1;
  const auto at_most = [](Extent& side, std::optional<std::int64_t> n) {
    if (n && (!side.size || *n < *side.size)) side.size = n;
  };
  if (plain) at_most(part.sides[rank - 2], rows), at_most(part.sides[rank - 1], cols);
  r.extent = bytes_of(tensor, part);
  if (by_sides) r.view = part.whole, r.sides = part.sides;
  return r;
}

namespace {

/// An interval of the non-constant part of a sum; `open`: not bounded.
struct Between {
  std::int64_t low = 0, high = 0;
  bool open = false;
};

/// The lowest and highest value of an induction variable with constant bounds.
std::optional<std::pair<std::int64_t, std::int64_t>> range_of(Value v) {
  const auto argument = mlir::dyn_cast<mlir::BlockArgument>(v);
  auto loop = argument ? mlir::dyn_cast<mlir::scf::ForOp>(argument.getOwner()->getParentOp()) : mlir::scf::ForOp();
  if (!loop || argument.getArgNumber() != 0) return std::nullopt;
  const auto low = constant_of(loop.getLowerBound()), high = constant_of(loop.getUpperBound());
  if (!low || !high || *low <= -most || *high >= most || *high <= *low) return std::nullopt;
  return std::pair(*low, *high - 1);
}

void add_range(Between& b, Value v, std::int64_t factor) {
  const auto range = range_of(v);
  if (!range || factor <= -(most >> 20) || factor >= most >> 20) return void(b.open = true);
  const std::int64_t x = range->first * factor, y = range->second * factor;
  b.low += std::min(x, y), b.high += std::max(x, y);
}

/// Whether number + factor * d is strictly between low and high for some integer d >= 1.
bool some_multiple(std::int64_t number, std::int64_t factor, std::int64_t low, std::int64_t high) {
  if (factor < 0) return some_multiple(-number, -factor, -high, -low);
  const std::int64_t first = std::max<std::int64_t>(1, (low - number) / factor - 2);
  for (std::int64_t d = first; d < first + 6; ++d)
    if (const std::int64_t at = number + factor * d; at > low && at < high) return true;
  return false;
}

/// The iterations in which two extents are compared: the outermost `same` loops are in the same iteration, and the
/// second access is in a later iteration of `later` (null: none).
struct Rounds {
  std::size_t same;
  mlir::scf::ForOp later;
};

bool apart(const Extent& a, const Extent& b, Rounds rounds) {
  if (!a.begin || !b.begin || !a.size || !b.size) return false;
  Between rest;
  std::int64_t per_round = 0;
  auto theirs = a.begin->factors;
  for (const auto& [key, factor] : b.begin->factors) {
    const Value v = Value::getFromOpaquePointer(key);
    const std::int64_t other = theirs[key];
    theirs.erase(key);
    if (depth_of(v) <= rounds.same) {
      if (factor != other) add_range(rest, v, factor - other);
      continue;
    }
    const bool carries = rounds.later && v == rounds.later.getInductionVar() && factor == other;
    const auto step = carries ? constant_of(rounds.later.getStep()) : std::nullopt;
    if (step && *step > 0 && *step < most >> 20)
      per_round = factor * *step;
    else
      add_range(rest, v, factor), add_range(rest, v, -other);
  }
  for (const auto& [key, factor] : theirs) add_range(rest, Value::getFromOpaquePointer(key), -factor);
  if (rest.open) return false;
  const std::int64_t distance = b.begin->number - a.begin->number;
  const std::int64_t low = -*b.size - rest.high, high = *a.size - rest.low;
  if (per_round) return !some_multiple(distance, per_round, low, high);
  return distance <= low || distance >= high;
}

/// The extent, enlarged to whole units.
Extent by_units(Extent e, std::int64_t unit) {
  if (unit == 1 || !e.begin || !e.size) return e;
  std::int64_t &begin = e.begin->number, end = begin + *e.size;
  const bool in_step = llvm::all_of(e.begin->factors, [&](const auto& f) { return f.second % unit == 0; });
  begin -= in_step ? (begin % unit + unit) % unit : unit - 1;
  end += in_step ? (unit - end % unit) % unit : unit - 1;
  e.size = end - begin;
  return e;
}

bool bytes_meet(const Reach& a, const Reach& b) {
  if (a.anywhere || b.anywhere) return true;
  for (const auto& x : a.bytes)
    for (const auto& y : b.bytes)
      if (x.first < y.second && y.first < x.second) return true;
  return false;
}

}  // namespace

bool may_meet(const Reach& a, const Reach& b, int carried, std::int64_t unit) {
  if (a.space != b.space) return false;
  if (a.space >= 0) return bytes_meet(a, b);
  if (a.memory && b.memory && a.memory != b.memory) return false;
  if (!a.memory || !b.memory) return true;
  std::size_t common = 0;
  while (common < a.loops.size() && common < b.loops.size() && a.loops[common] == b.loops[common]) ++common;
  const auto k = static_cast<std::size_t>(carried);
  Rounds rounds{common, {}};
  if (carried > 0 && k <= common) rounds = {k - 1, mlir::dyn_cast<mlir::scf::ForOp>(a.loops[k - 1])};
  if (apart(by_units(a.extent, unit), by_units(b.extent, unit), rounds)) return false;
  const bool one_whole = a.view && a.view == b.view && (a.extent.size || depth_of(a.view) <= rounds.same);
  if (!one_whole || unit > 1) return true;
  for (std::size_t i = 0; i < a.sides.size() && i < b.sides.size(); ++i)
    if (apart(a.sides[i], b.sides[i], rounds)) return false;
  return true;
}

}  // namespace ptox::assembly::sync
