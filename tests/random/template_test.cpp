// SPDX-License-Identifier: Apache-2.0
// The function templates pass the properties of tile and tensor types to the engine.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "pto/pto-inst.hpp"
#include "random/layout.hpp"

namespace ptox::random_test {
namespace {

using namespace pto;
using namespace pto::instr;

/// The tile types of a fixed set: extents and layouts, static or dynamic valid region.
template <int Rows, int Cols, int Extra, TileLayout layout_, bool dynamic, bool column>
struct Kind {
  static constexpr int rows = Rows, cols = Cols, extra = Extra;
  static constexpr TileLayout layout = layout_;
  static constexpr bool index_in_column = column;
  static constexpr int valid_rows = dynamic ? -1 : Rows, valid_cols = dynamic ? -1 : Cols;
};

template <bool row>
constexpr Coalesce mode_of = row ? Coalesce::Row : Coalesce::Elem;

constexpr int up(int n, int to) { return (n + to - 1) / to * to; }

template <class T, class K>
struct Types {
  static constexpr int c0 = 32 / static_cast<int>(sizeof(T));
  static constexpr bool nz = K::layout == TileLayout::nz, col = K::layout == TileLayout::col_major;
  static constexpr int rows = nz ? up(K::rows, 16) : col ? up(K::rows, c0) : K::rows;
  static constexpr int cols = col ? K::cols : up(K::cols, c0);
  using Data =
      Tile<TileType::Vec, T, rows, cols, K::layout == TileLayout::row_major ? BLayout::RowMajor : BLayout::ColMajor,
           K::valid_rows, K::valid_cols, nz ? SLayout::RowMajor : SLayout::NoneBox>;
  using RowIndex =
      std::conditional_t<K::index_in_column,
                         Tile<TileType::Vec, std::int32_t, up(K::rows, 8), 1, BLayout::ColMajor, K::valid_rows, 1>,
                         Tile<TileType::Vec, std::int32_t, 1, up(K::rows, 8), BLayout::RowMajor, 1, K::valid_rows>>;
  using ElemIndex =
      Tile<TileType::Vec, std::int32_t, K::rows, up(K::cols, 8), BLayout::RowMajor, K::valid_rows, K::valid_cols>;
};

/// A table of 21 rows (32 for NZ), as wide as the tile.
template <class T, class K>
struct TableType {
  static constexpr int c0 = 32 / static_cast<int>(sizeof(T)), bcols = up(K::cols, c0) / c0;
  using ND = GlobalTensor<T, Shape<1, 1, 1, 21, K::cols>, Stride<1, 1, 1, K::cols, 1>>;
  using Dynamic = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, -1>>;
  using NZ = GlobalTensor<T, Shape<1, bcols, 2, 16, c0>, Stride<bcols * 32 * c0, 32 * c0, 16 * c0, c0, 1>, Layout::NZ>;
};

template <class T, class K>
auto make_table(T* base) {
  if constexpr (K::layout == TileLayout::nz)
    return typename TableType<T, K>::NZ(base);
  else if constexpr (K::valid_rows == -1)
    return typename TableType<T, K>::Dynamic(base, {21, K::cols}, {K::cols, 1});
  else
    return typename TableType<T, K>::ND(base);
}

template <class TileT>
TileT make_tile(int rows, int cols, std::int64_t at) {
  const auto place = [&](TileT tile) {
    TASSIGN(tile, at);
    return tile;
  };
  if constexpr (TileT::ValidRow == -1 && TileT::ValidCol == -1)
    return place(TileT(rows, cols));
  else if constexpr (TileT::ValidRow == -1)
    return place(TileT(rows));
  else if constexpr (TileT::ValidCol == -1)
    return place(TileT(cols));
  else
    return place(TileT());
}

template <class T, class K>
Case make_case(const Target& target, bool row, Random& random) {
  Case c;
  c.target = &target, c.dtype = dtype_of<T>, c.row = row, c.rows = K::rows, c.cols = K::cols, c.layout = K::layout;
  c.index_in_column = c.index_col_major = row && K::index_in_column;
  c.table = K::layout == TileLayout::nz ? Layout::NZ : Layout::ND;
  c.table_rows = K::layout == TileLayout::nz ? 32 : 21;
  c.data_seed = random.next();
  c.index.resize(static_cast<std::size_t>(row ? K::rows : K::rows * K::cols));
  for (auto& i : c.index) i = static_cast<std::uint32_t>(random.below(30)) - 4u;
  return c;
}

/// Issues the instruction with the layout of the plan; fill() writes the initial bytes of the tiles.
using Issue = std::function<void(const Plan&, std::byte* gm, const std::function<void()>& fill)>;

Outcome by_template(const Case& c, const Issue& issue) {
  const Plan p(c);
  Outcome o = before(c);
  Device dev(*c.target, {Check::off});
  auto gm = dev.alloc<std::uint8_t>(p.gm_bytes);
  std::copy(o.gm.begin(), o.gm.end(), gm.begin());
  const Report report = dev.launch({}, [&] {
    std::byte* ub = pto::instr::detail::address(TileType::Vec, 0, p.ub_bytes);
    issue(p, reinterpret_cast<std::byte*>(gm.data()), [&] { std::memcpy(ub, o.ub.data(), o.ub.size()); });
    std::memcpy(o.ub.data(), ub, o.ub.size());
  });
  std::copy(gm.begin(), gm.end(), o.gm.begin());
  for (const Finding& f : report.findings()) o.findings.insert(f.id + ": " + f.message);
  return o;
}

int checked_cases = 0;

void check(const Case& c, const Issue& issue) {
  if (!legal(c)) return;
  ++checked_cases;
  ASSERT_EQ(by_template(c, issue), expected(c)) << c;
}

/// Implements Issue by calling `body(data, table, idx)`.
template <class T, class K, bool row, class Body>
void issue(const Plan& p, std::byte* gm, const std::function<void()>& fill, Body body) {
  using Idx = std::conditional_t<row, typename Types<T, K>::RowIndex, typename Types<T, K>::ElemIndex>;
  auto data = make_tile<typename Types<T, K>::Data>(K::rows, K::cols, p.tile_at);
  auto idx = make_tile<Idx>(K::rows, row ? K::rows : K::cols, p.idx_at);
  auto table = make_table<T, K>(reinterpret_cast<T*>(gm + p.table_at));
  fill();
  body(data, table, idx);
}

template <class T, class K, bool row, GatherOOB oob>
void check_gather(const Target& target, Random& random) {
  Case c = make_case<T, K>(target, row, random);
  c.oob = static_cast<int>(oob);
  check(c, [](const Plan& p, std::byte* gm, const std::function<void()>& fill) {
    issue<T, K, row>(p, gm, fill,
                     [](auto& dst, auto& table, auto& idx) { MGATHER<mode_of<row>, oob>(dst, table, idx); });
  });
}

template <class T, class K, bool row, ScatterAtomicOp op, ScatterOOB oob>
void check_scatter(const Target& target, Random& random) {
  Case c = make_case<T, K>(target, row, random);
  c.scatter = true, c.op = static_cast<int>(op), c.oob = static_cast<int>(oob);
  check(c, [](const Plan& p, std::byte* gm, const std::function<void()>& fill) {
    issue<T, K, row>(p, gm, fill,
                     [](auto& src, auto& table, auto& idx) { MSCATTER<mode_of<row>, op, oob>(table, src, idx); });
  });
}

template <class T, class K>
void check_kind(Random& random) {
  for (const Target* t : target::on_host) {
    check_gather<T, K, true, GatherOOB::Undefined>(*t, random);
    check_gather<T, K, true, GatherOOB::Zero>(*t, random);
    check_gather<T, K, true, GatherOOB::Wrap>(*t, random);
    check_gather<T, K, false, GatherOOB::Clamp>(*t, random);
    check_gather<T, K, false, GatherOOB::Zero>(*t, random);
    check_scatter<T, K, true, ScatterAtomicOp::None, ScatterOOB::Skip>(*t, random);
    check_scatter<T, K, false, ScatterAtomicOp::None, ScatterOOB::Wrap>(*t, random);
    if constexpr (sizeof(T) > 1 || std::is_integral_v<T>) {
      check_scatter<T, K, true, ScatterAtomicOp::Add, ScatterOOB::Clamp>(*t, random);
      check_scatter<T, K, false, ScatterAtomicOp::Add, ScatterOOB::Skip>(*t, random);
      check_scatter<T, K, false, ScatterAtomicOp::Max, ScatterOOB::Skip>(*t, random);
      check_scatter<T, K, true, ScatterAtomicOp::Min, ScatterOOB::Undefined>(*t, random);
    }
  }
}

template <class T>
class templates : public testing::Test {};
using Elements = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                                half, bfloat16_t, float, float8_e4m3_t, float8_e5m2_t, hifloat8_t>;
TYPED_TEST_SUITE(templates, Elements);

TYPED_TEST(templates, equal_the_plain_loop_on_a_fixed_set_of_tile_types) {
  Random random(sizeof(TypeParam));
  checked_cases = 0;
  for (int round = 0; round < 5; ++round) {
    check_kind<TypeParam, Kind<1, 1, 0, TileLayout::row_major, false, false>>(random);
    check_kind<TypeParam, Kind<8, 32, 0, TileLayout::row_major, false, false>>(random);
    check_kind<TypeParam, Kind<5, 9, 0, TileLayout::row_major, true, false>>(random);
    check_kind<TypeParam, Kind<8, 12, 0, TileLayout::col_major, false, true>>(random);
    check_kind<TypeParam, Kind<7, 32, 0, TileLayout::nz, true, false>>(random);
  }
  EXPECT_GE(checked_cases, sizeof(TypeParam) > 1 ? 500 : 300);  // most kinds are legal on most targets
}

}  // namespace
}  // namespace ptox::random_test
