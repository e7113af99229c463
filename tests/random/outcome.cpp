// SPDX-License-Identifier: Apache-2.0
// The expected and the actual result of a random case.
#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

#include "random/layout.hpp"

namespace ptox::random_test {

namespace {

using pto::instr::DType;
using Bytes = std::vector<std::uint8_t>;

/// Random element bits. For sums, finite numbers, because the payload of a NaN sum is not specified.
void put_value(std::uint8_t* at, DType d, bool finite, Random& random) {
  const std::uint64_t bits = random.next();
  const auto small = static_cast<float>(static_cast<std::int64_t>(bits % 4001) - 2000) / 16.0f;
  if (finite && d == DType::f32) return void(std::memcpy(at, &small, 4));
  const half h = small;
  const bfloat16_t b = small;
  if (finite && d == DType::f16) return void(std::memcpy(at, &h, 2));
  if (finite && d == DType::bf16) return void(std::memcpy(at, &b, 2));
  std::memcpy(at, &bits, static_cast<std::size_t>(bytes_of(d)));
}

/// The memory before the instruction: random data, and the indices in their tile.
Outcome before(const Case& c, const Plan& p) {
  Outcome o{Bytes(static_cast<std::size_t>(p.ub_bytes)), Bytes(static_cast<std::size_t>(p.gm_bytes)), {}};
  Random random(c.data_seed);
  for (std::int64_t i = 0; i + p.size <= p.ub_bytes; i += p.size)
    put_value(&o.ub[static_cast<std::size_t>(i)], c.dtype, c.op == 1, random);
  for (std::int64_t i = 0; i + p.size <= p.gm_bytes; i += p.size)
    put_value(&o.gm[static_cast<std::size_t>(i)], c.dtype, c.op == 1, random);
  std::size_t k = 0;
  for (std::int64_t i = 0; i < p.idx_valid_rows; ++i)
    for (std::int64_t j = 0; j < p.idx_valid_cols; ++j, ++k)
      std::memcpy(&o.ub[static_cast<std::size_t>(p.idx_byte(c, i, j))], &c.index[k], 4);
  return o;
}

enum class Policy { undefined, clamp, wrap, drop };
Policy policy_of(const Case& c) {
  constexpr Policy gather[] = {Policy::undefined, Policy::clamp, Policy::wrap, Policy::drop};
  constexpr Policy scatter[] = {Policy::undefined, Policy::drop, Policy::clamp, Policy::wrap};
  return c.scatter ? scatter[c.oob] : gather[c.oob];
}

/// The slot that an index selects; -1 if none.
std::int64_t slot_of(const Case& c, const Plan& p, std::uint32_t index) {
  if (index < p.capacity) return index;
  if (p.capacity == 0) return -1;
  if (policy_of(c) == Policy::clamp) return p.capacity - 1;
  if (policy_of(c) == Policy::wrap) return index % p.capacity;
  return -1;
}

template <class T>
T combined(int op, T old, T value) {
  if (op == 2) return value > old ? value : old;
  if (op == 3) return value < old ? value : old;
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint32_t>(old) + static_cast<std::uint32_t>(value));
  else
    return T(static_cast<float>(old) + static_cast<float>(value));
}

template <class T>
void update(int op, std::uint8_t* to, const std::uint8_t* from) {
  T old, value;
  std::memcpy(static_cast<void*>(&old), to, sizeof(T));
  std::memcpy(static_cast<void*>(&value), from, sizeof(T));
  old = combined(op, old, value);
  std::memcpy(to, static_cast<const void*>(&old), sizeof(T));
}

void update(const Case& c, std::uint8_t* to, const std::uint8_t* from) {
  if (c.op == 0) return void(std::memcpy(to, from, static_cast<std::size_t>(bytes_of(c.dtype))));
  switch (c.dtype) {
    case DType::i8:
      return update<std::int8_t>(c.op, to, from);
    case DType::u8:
      return update<std::uint8_t>(c.op, to, from);
    case DType::i16:
      return update<std::int16_t>(c.op, to, from);
    case DType::u16:
      return update<std::uint16_t>(c.op, to, from);
    case DType::i32:
      return update<std::int32_t>(c.op, to, from);
    case DType::u32:
      return update<std::uint32_t>(c.op, to, from);
    case DType::f16:
      return update<half>(c.op, to, from);
    case DType::bf16:
      return update<bfloat16_t>(c.op, to, from);
    default:
      return update<float>(c.op, to, from);
  }
}

/// The pairs (r, c) in the order in which the target processes the lanes.
std::vector<std::pair<std::int64_t, std::int64_t>> lanes(const Case& c, const Plan& p) {
  std::vector<std::pair<std::int64_t, std::int64_t>> out;
  for (std::int64_t r = 0; r < c.rows; ++r)
    for (std::int64_t k = 0; k < p.lane_cols; ++k) out.emplace_back(r, k);
  if (c.target == &target::a2a3 && c.table == pto::Layout::NZ && !c.row)
    std::sort(out.begin(), out.end(), [&](auto a, auto b) {
      return std::tuple(a.second / p.c0, a.first, a.second) < std::tuple(b.second / p.c0, b.first, b.second);
    });
  return out;
}

std::set<std::string> expected_findings(const Case& c, const Plan& p) {
  std::set<std::string> ids;
  if (!c.checked) return ids;
  std::map<std::int64_t, int> writers;
  for (const std::uint32_t i : c.index) {
    const bool lost = i >= p.capacity && policy_of(c) == Policy::undefined;
    if (lost || (p.capacity == 0 && policy_of(c) != Policy::drop)) ids.insert(name(FindingKind::oob_index));
    if (c.signed_index && static_cast<std::int32_t>(i) < 0) ids.insert(name(FindingKind::negative_index));
    const std::int64_t slot = slot_of(c, p, i);
    if (slot >= 0 && ++writers[slot] > 1 && c.scatter && c.op == 0 && c.conflict != 1)
      ids.insert(name(FindingKind::alias));
  }
  const bool both = p.idx_valid_rows == c.rows && p.idx_valid_cols == c.cols && c.cols == 1;
  if (!c.coalesce_spelled && both && p.logical_cols != 1) ids.insert(name(FindingKind::inferred_row));
  return ids;
}

pto::instr::TileDesc tile_desc(const Case& c, const Plan& p) {
  pto::instr::TileDesc t{
      .dtype = c.dtype, .rows = p.tile_rows, .cols = p.tile_cols, .valid_rows = c.rows, .valid_cols = c.cols};
  t.blayout = c.layout == TileLayout::row_major ? pto::BLayout::RowMajor : pto::BLayout::ColMajor;
  t.slayout = c.layout == TileLayout::nz ? pto::SLayout::RowMajor : pto::SLayout::NoneBox;
  t.offset = p.tile_at;
  return t;
}

pto::instr::TileDesc idx_desc(const Case& c, const Plan& p) {
  pto::instr::TileDesc t{.dtype = c.signed_index ? DType::i32 : DType::u32,
                         .rows = p.idx_rows,
                         .cols = p.idx_cols,
                         .valid_rows = p.idx_valid_rows,
                         .valid_cols = p.idx_valid_cols};
  t.blayout = c.index_col_major ? pto::BLayout::ColMajor : pto::BLayout::RowMajor;
  t.offset = p.idx_at;
  return t;
}

pto::instr::TensorDesc table_desc(const Case& c, const Plan& p, void* base) {
  pto::instr::TensorDesc t{.dtype = c.dtype, .layout = c.table, .base = base};
  std::copy(p.shape, p.shape + 5, t.shape);
  std::copy(p.stride, p.stride + 5, t.stride);
  return t;
}

pto::instr::CoalesceChoice coalesce(const Case& c) {
  if (!c.coalesce_spelled) return {};
  return {.mode = c.row ? pto::Coalesce::Row : pto::Coalesce::Elem, .open = false};
}

}  // namespace

pto::instr::Mgather::Operands gather_operands(const Case& c, const Plan& p, void* table) {
  return pto::instr::resolved<pto::instr::Mgather>(
      {tile_desc(c, p),
       table_desc(c, p, table),
       idx_desc(c, p),
       {.coalesce = coalesce(c), .oob = static_cast<pto::GatherOOB>(c.oob)}});
}

pto::instr::Mscatter::Operands scatter_operands(const Case& c, const Plan& p, void* table) {
  return pto::instr::resolved<pto::instr::Mscatter>(
      {table_desc(c, p, table),
       tile_desc(c, p),
       idx_desc(c, p),
       {.coalesce = coalesce(c),
        .op = static_cast<pto::ScatterAtomicOp>(c.op),
        .oob = static_cast<pto::ScatterOOB>(c.oob),
        .conflict = c.conflict == 2 ? pto::ScatterConflict::Default : pto::ScatterConflict::Last,
        .conflict_spelled = c.conflict != 0}});
}

bool legal(const Case& c) {
  const Plan p(c);
  if (p.ub_bytes > 190 * 1024 || p.gm_bytes > 4 * 1024 * 1024) return false;
  if (!c.coalesce_spelled && !c.row && c.cols == 1) return false;  // would be inferred as Row
  if (!c.coalesce_spelled && !c.row && (p.idx_valid_rows == 1 || p.idx_valid_cols == 1) &&
      p.idx_valid_rows * p.idx_valid_cols == c.rows)
    return false;
  const bool nz_row_past_tile = p.lane_cols > p.tile_cols;  // exceeds its tile; tests/isa/pitfalls covers this
  if (nz_row_past_tile) return false;
  const TargetMask mask = c.scatter ? pto::instr::legal_on<pto::instr::Mscatter>(scatter_operands(c, p, nullptr))
                                    : pto::instr::legal_on<pto::instr::Mgather>(gather_operands(c, p, nullptr));
  return mask & bit(*c.target);
}

Outcome expected(const Case& c) {
  const Plan p(c);
  Outcome o = before(c, p);
  const auto size = static_cast<std::size_t>(p.size);
  const bool clears = !c.scatter && c.target == &target::a2a3 && c.table == pto::Layout::NZ && c.row && c.oob == 3;
  if (clears) std::fill_n(o.ub.begin() + p.tile_at, p.tile_rows * p.tile_cols * p.size, std::uint8_t{0});
  for (const auto& [r, k] : lanes(c, p)) {
    const std::int64_t slot = slot_of(c, p, c.index[static_cast<std::size_t>(c.row ? r : r * c.cols + k)]);
    std::uint8_t* tile = &o.ub[static_cast<std::size_t>(p.tile_byte(c, r, k))];
    std::uint8_t* table = slot < 0 ? nullptr : &o.gm[static_cast<std::size_t>(p.table_at + p.table_byte(c, slot, k))];
    if (c.scatter && table) update(c, table, tile);
    if (!c.scatter && table) std::memcpy(tile, table, size);
    if (!c.scatter && !table) std::memset(tile, 0, size);
  }
  o.findings = expected_findings(c, p);
  return o;
}

Outcome before(const Case& c) { return before(c, Plan(c)); }

Outcome actual(const Case& c) {
  const Plan p(c);
  Outcome o = before(c, p);
  Device dev(*c.target, {c.checked ? Check::all : Check::off});
  auto gm = dev.alloc<std::uint8_t>(p.gm_bytes);
  std::copy(o.gm.begin(), o.gm.end(), gm.begin());
  const Report report = dev.launch({}, [&] {
    std::byte* ub = pto::instr::detail::address(pto::TileType::Vec, 0, p.ub_bytes);
    std::memcpy(ub, o.ub.data(), o.ub.size());
    const auto everywhere = static_cast<TargetMask>(~0u);
    if (c.scatter)
      pto::instr::issue<pto::instr::Mscatter>(scatter_operands(c, p, gm.data() + p.table_at), everywhere, true,
                                              pto::instr::Site::current());
    else
      pto::instr::issue<pto::instr::Mgather>(gather_operands(c, p, gm.data() + p.table_at), everywhere, true,
                                             pto::instr::Site::current());
    std::memcpy(o.ub.data(), ub, o.ub.size());
  });
  std::copy(gm.begin(), gm.end(), o.gm.begin());
  for (const Finding& f : report.findings()) o.findings.insert(f.id);
  return o;
}

}  // namespace ptox::random_test
