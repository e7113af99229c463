// SPDX-License-Identifier: Apache-2.0
// Which mistakes do gathers and scatters invite, and are they made here?
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using ptox::Check;
using ptox::Report;
using std::int64_t;
namespace at = ptox::target;

const ptox::Target* const targets[] = {&at::cpu, &at::a2a3, &at::a5};
const ptox::Target* const machines[] = {&at::a2a3, &at::a5};
constexpr auto RM = BLayout::RowMajor, CM = BLayout::ColMajor;

template <class T, int R, int C, BLayout B = RM, SLayout S = SLayout::NoneBox, TileType Loc = TileType::Vec>
using Open = Tile<Loc, T, R, C, B, -1, -1, S>;
template <class T, int R, int C>
using Nz = Open<T, R, C, CM, SLayout::RowMajor>;
template <class T>
using Flat = GlobalTensor<T, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;
template <class T>
Flat<T> flat(T* data, int64_t rows, int64_t cols) {
  return {data, {rows, cols}, {cols}};
}

using Floats = std::vector<float>;
using Indices = std::vector<std::int32_t>;

struct Extent {
  int64_t rows, cols;
};

template <class T>
T number(double v) {
  return static_cast<T>(v);
}
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}
template <class T>
::testing::AssertionResult same_bytes(const std::vector<T>& got, const std::vector<T>& want) {
  if (got.size() != want.size())
    return ::testing::AssertionFailure() << got.size() << " of " << want.size() << " elements";
  for (std::size_t i = 0; i < want.size(); ++i)
    if (!same(got[i], want[i]))
      return ::testing::AssertionFailure() << "element " << i << " is " << static_cast<double>(got[i]) << ", should be "
                                           << static_cast<double>(want[i]);
  return ::testing::AssertionSuccess();
}

std::string message(const Report& r, const std::string& id) {
  for (const ptox::Finding& f : r.findings())
    if (f.id == id) return f.message;
  return {};
}
bool says(const Report& r, const std::string& id, const std::string& part) {
  return message(r, id).find(part) != std::string::npos;
}

/// What a gather left in its whole padded tile, row by row. Before, every element was `untouched`.
template <class T>
struct Gathered {
  Report report;
  std::vector<T> tile;
};
constexpr double untouched = 77, garbage = 99;

template <class TileT>
void write(TileT& t, Extent valid, const std::vector<typename TileT::DType>& values, double padding) {
  for (int64_t r = 0; r < TileT::Rows; ++r)
    for (int64_t c = 0; c < TileT::Cols; ++c)
      t.SetValue(r, c,
                 r < valid.rows && c < valid.cols && !values.empty() ? values[r * valid.cols + c]
                                                                     : number<typename TileT::DType>(padding));
  t.SetValidShape(valid.rows, valid.cols);
}
template <class TileT>
std::vector<typename TileT::DType> read(TileT& t) {
  std::vector<typename TileT::DType> all;
  pipe_barrier(PIPE_ALL);
  for (int64_t r = 0; r < TileT::Rows; ++r)
    for (int64_t c = 0; c < TileT::Cols; ++c) all.push_back(t.GetValue(r, c));
  return all;
}

/// MGATHER<P...> from `table` into a Dst with `data` valid, by the indices `idx` of shape `index` in an Idx.
template <class Dst, class Idx, auto... P, class Table>
Gathered<typename Dst::DType> gather(const ptox::Target& t, Table table, Extent data, Extent index,
                                     const std::vector<typename Idx::DType>& idx, Check check = Check::all) {
  Gathered<typename Dst::DType> result;
  result.report = ptox::Device(t, {.check = check}).launch({}, [&] {
    Dst dst;
    Idx indices;
    write(dst, data, {}, untouched);
    write(indices, index, idx, 0);
    pipe_barrier(PIPE_ALL);
    MGATHER<P...>(dst, table, indices);
    result.tile = read(dst);
  });
  return result;
}

/// MSCATTER<P...> of `values`, padded by garbage, into `table`.
template <class Src, class Idx, auto... P, class Table>
Report scatter(const ptox::Target& t, Table table, Extent data, Extent index,
               const std::vector<typename Idx::DType>& idx, const std::vector<typename Src::DType>& values,
               ptox::LaunchOptions options = {}) {
  return ptox::Device(t, {.check = Check::all}).launch(options, [&] {
    Src src;
    Idx indices;
    write(src, data, values, garbage);
    write(indices, index, idx, 0);
    pipe_barrier(PIPE_ALL);
    MSCATTER<P...>(table, src, indices);
  });
}

/// The same for rows and elements of the commonest shapes: one index a row in an 8 x 8 tile, or a row of elements.
int64_t count(const Indices& idx) { return static_cast<int64_t>(idx.size()); }

template <auto... P, class Table>
Gathered<float> gather_rows(const ptox::Target& t, Table table, int64_t cols, const Indices& idx,
                            Check check = Check::all) {
  return gather<Open<float, 8, 8>, Open<std::int32_t, 1, 8>, Coalesce::Row, P...>(t, table, {count(idx), cols},
                                                                                  {1, count(idx)}, idx, check);
}
template <auto... P, class Table>
Gathered<float> gather_elems(const ptox::Target& t, Table table, const Indices& idx) {
  return gather<Open<float, 1, 8>, Open<std::int32_t, 1, 8>, Coalesce::Elem, P...>(t, table, {1, count(idx)},
                                                                                   {1, count(idx)}, idx);
}
template <auto... P, class Table>
Report scatter_rows(const ptox::Target& t, Table table, int64_t cols, const Indices& idx, const Floats& values,
                    ptox::LaunchOptions options = {}) {
  return scatter<Open<float, 8, 8>, Open<std::int32_t, 1, 8>, Coalesce::Row, P...>(
      t, table, {count(idx), cols}, {1, count(idx)}, idx, values, options);
}
template <auto... P, class Table>
Report scatter_elems(const ptox::Target& t, Table table, const Indices& idx, const Floats& values) {
  return scatter<Open<float, 1, 8>, Open<std::int32_t, 1, 8>, Coalesce::Elem, P...>(t, table, {1, count(idx)},
                                                                                    {1, count(idx)}, idx, values);
}

template <class T>
std::vector<T> counting(int64_t n, double first = 1) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (int64_t i = 0; i < n; ++i) v[i] = number<T>(first + static_cast<double>(i % 100));
  return v;
}

// Where an index leads, written once more.

int64_t slot(std::uint32_t index, int64_t capacity, GatherOOB mode) {
  if (index < capacity) return index;
  return mode == GatherOOB::Clamp ? capacity - 1 : mode == GatherOOB::Wrap ? index % capacity : -1;
}
int64_t slot(std::uint32_t index, int64_t capacity, ScatterOOB mode) {
  if (index < capacity) return index;
  return mode == ScatterOOB::Clamp ? capacity - 1 : mode == ScatterOOB::Wrap ? index % capacity : -1;
}

template <class I>
std::vector<I> boundaries(int64_t capacity) {
  std::vector<I> v;
  for (int64_t i : {int64_t{0}, capacity - 1, capacity, capacity + 1, int64_t{-1}, int64_t{INT32_MIN},
                    int64_t{INT32_MAX}, capacity / 2})
    v.push_back(static_cast<I>(i));
  return v;
}

/// The findings that indices at the boundaries call for.
template <class I>
void expect_findings(const Report& r, int64_t capacity, bool undefined) {
  const auto all = boundaries<I>(capacity);
  const bool outside =
      std::any_of(all.begin(), all.end(), [&](I i) { return static_cast<std::uint32_t>(i) >= capacity; });
  EXPECT_EQ(r.has("oob-index"), undefined && outside) << r;
  EXPECT_EQ(r.has("negative-index"), std::is_signed_v<I>) << r;
}

template <GatherOOB mode, class I>
void gather_boundaries(const ptox::Target& t, Floats& table, int64_t capacity) {
  const auto idx = boundaries<I>(capacity);
  Floats rows(64), elems(64, untouched);
  for (int i = 0; i < 8; ++i) {
    const int64_t from = slot(static_cast<std::uint32_t>(idx[i]), capacity, mode);
    for (int c = 0; c < 8; ++c) rows[i * 8 + c] = from < 0 ? 0.0f : table[from * 8 + c];
    elems[i] = from < 0 ? 0.0f : table[from];
  }
  const auto row = gather<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Row, mode>(t, flat(table.data(), capacity, 8),
                                                                                 {8, 8}, {1, 8}, idx);
  const auto elem = gather<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Elem, mode>(t, flat(table.data(), 1, capacity),
                                                                                   {1, 8}, {1, 8}, idx);
  EXPECT_TRUE(same_bytes(row.tile, rows)) << t.name << " row " << capacity << " " << name(mode);
  EXPECT_TRUE(same_bytes(elem.tile, elems)) << t.name << " elem " << capacity << " " << name(mode);
  expect_findings<I>(row.report, capacity, mode == GatherOOB::Undefined);
  expect_findings<I>(elem.report, capacity, mode == GatherOOB::Undefined);
}

template <ScatterOOB mode, class I>
void scatter_boundaries(const ptox::Target& t, int64_t capacity) {
  const auto idx = boundaries<I>(capacity);
  const auto values = counting<float>(64);
  Floats rows(capacity * 8, 5.0f), elems(capacity, 5.0f), want_rows = rows, want_elems = elems;
  for (int i = 0; i < 8; ++i) {
    const int64_t to = slot(static_cast<std::uint32_t>(idx[i]), capacity, mode);
    if (to < 0) continue;
    for (int c = 0; c < 8; ++c) want_rows[to * 8 + c] = values[i * 8 + c];
    want_elems[to] = values[i];
  }
  const Report row = scatter<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Row, mode>(t, flat(rows.data(), capacity, 8),
                                                                                    {8, 8}, {1, 8}, idx, values);
  const Report elem = scatter<Open<float, 8, 8>, Open<I, 1, 8>, Coalesce::Elem, mode>(
      t, flat(elems.data(), 1, capacity), {1, 8}, {1, 8}, idx, {values.begin(), values.begin() + 8});
  EXPECT_TRUE(same_bytes(rows, want_rows)) << t.name << " row " << capacity << " " << name(mode);
  EXPECT_TRUE(same_bytes(elems, want_elems)) << t.name << " elem " << capacity << " " << name(mode);
  expect_findings<I>(row, capacity, mode == ScatterOOB::Undefined);
  expect_findings<I>(elem, capacity, mode == ScatterOOB::Undefined);
}

template <class I>
void all_boundaries(const ptox::Target& t, int64_t capacity) {
  Floats table = counting<float>(capacity * 8);
  gather_boundaries<GatherOOB::Undefined, I>(t, table, capacity);
  gather_boundaries<GatherOOB::Clamp, I>(t, table, capacity);
  gather_boundaries<GatherOOB::Wrap, I>(t, table, capacity);
  gather_boundaries<GatherOOB::Zero, I>(t, table, capacity);
  scatter_boundaries<ScatterOOB::Undefined, I>(t, capacity);
  scatter_boundaries<ScatterOOB::Skip, I>(t, capacity);
  scatter_boundaries<ScatterOOB::Clamp, I>(t, capacity);
  scatter_boundaries<ScatterOOB::Wrap, I>(t, capacity);
}

TEST(pitfall, indices_at_the_boundaries_follow_every_policy) {
  for (const ptox::Target* t : targets)
    for (int64_t capacity : {1, 7, 100, 50257}) {
      all_boundaries<std::int32_t>(*t, capacity);
      all_boundaries<std::uint32_t>(*t, capacity);
    }
}

TEST(pitfall, wrap_of_a_negative_index_is_unsigned_for_any_capacity) {
  struct Known {
    std::int32_t index;
    int64_t of_7, of_100, of_50257;
  };
  for (const Known& k : {Known{-1, 3, 95, 4075}, Known{INT32_MIN, 2, 48, 2038}, Known{INT32_MAX, 1, 47, 2037},
                         Known{-7, 4, 89, 4069}, Known{-100, 2, 96, 3976}})
    for (const auto& [capacity, want] : {std::pair{7, k.of_7}, {100, k.of_100}, {50257, k.of_50257}})
      for (const ptox::Target* t : targets) {
        Indices table(capacity);
        for (int i = 0; i < capacity; ++i) table[i] = i;
        const auto got = gather<Open<std::int32_t, 1, 8>, Open<std::int32_t, 1, 8>, Coalesce::Elem, GatherOOB::Wrap>(
            *t, flat(table.data(), 1, capacity), {1, 1}, {1, 1}, {k.index});
        EXPECT_EQ(got.tile[0], want) << t->name << " " << k.index << " % " << capacity;
      }
}

// Atomics.

template <class T, ScatterAtomicOp op>
void row_max_min(const ptox::Target& t, bool legal) {
  constexpr int width = 32 / sizeof(T);
  std::vector<T> table(4 * width), values(3 * width);
  for (int i = 0; i < 4 * width; ++i) table[i] = number<T>((i * 7) % 31);
  for (int i = 0; i < 3 * width; ++i) values[i] = number<T>((i * 11 + 3) % 31);
  const Indices idx{2, 0, 2};
  std::vector<T> want = table;
  for (int r = 0; legal && r < 3; ++r)
    for (int c = 0; c < width; ++c) {
      T &old = want[idx[r] * width + c], now = values[r * width + c];
      if (op == ScatterAtomicOp::Max ? now > old : now < old) old = now;
    }
  const Report r = scatter<Open<T, 3, width>, Open<std::int32_t, 1, 8>, Coalesce::Row, op>(
      t, flat(table.data(), 4, width), {3, width}, {1, 3}, idx, values);
  EXPECT_EQ(r.has("illegal"), !legal) << r;
  EXPECT_EQ(r.clean(), legal) << r;
  EXPECT_TRUE(same_bytes(table, want)) << t.name << " " << name(dtype_of<T>);
}
template <class T>
void row_max_min(bool on_a5) {
  for (const ptox::Target* t : targets) {
    const bool legal = t == &at::cpu || (t == &at::a5 && on_a5);
    row_max_min<T, ScatterAtomicOp::Max>(*t, legal);
    row_max_min<T, ScatterAtomicOp::Min>(*t, legal);
  }
}

TEST(pitfall, row_max_and_min_compare_element_by_element) {
  row_max_min<std::int8_t>(false), row_max_min<std::uint8_t>(false), row_max_min<std::int16_t>(false);
  row_max_min<std::uint16_t>(false), row_max_min<half>(false), row_max_min<bfloat16_t>(false);
  row_max_min<std::int32_t>(true), row_max_min<std::uint32_t>(true), row_max_min<float>(true);
}

/// Adds `step` `times` times to one element that begins at `start`.
template <class T>
T added(const ptox::Target& t, T start, T step, int times, Report* report = nullptr) {
  constexpr int width = 32 / sizeof(T);
  std::vector<T> table(width, start);
  const Report r = scatter<Open<T, 1, width>, Open<std::int32_t, 1, width>, Coalesce::Elem, ScatterAtomicOp::Add>(
      t, flat(table.data(), 1, width), {1, times}, {1, times}, Indices(times, 3), std::vector<T>(times, step));
  if (report) *report = r;
  for (int i = 0; i < width; ++i) EXPECT_TRUE(i == 3 || same(table[i], start)) << i;
  return table[3];
}

TEST(pitfall, half_and_bfloat16_round_every_step) {
  for (const ptox::Target* t : targets) {
    EXPECT_EQ(static_cast<float>(added<half>(*t, number<half>(2048), number<half>(1), 4)), 2048.0f) << t->name;
    EXPECT_EQ(static_cast<float>(added<half>(*t, number<half>(2048), number<half>(3), 2)), 2056.0f) << t->name;
    EXPECT_EQ(static_cast<float>(added<bfloat16_t>(*t, number<bfloat16_t>(256), number<bfloat16_t>(1), 4)), 256.0f);
    EXPECT_EQ(static_cast<float>(added<bfloat16_t>(*t, number<bfloat16_t>(256), number<bfloat16_t>(3), 2)), 264.0f);
  }
}

TEST(pitfall, bfloat16_is_not_half) {
  for (const ptox::Target* t : targets) {
    EXPECT_EQ(static_cast<float>(added<half>(*t, number<half>(256), number<half>(1), 1)), 257.0f) << t->name;
    EXPECT_EQ(added<bfloat16_t>(*t, number<bfloat16_t>(1), number<bfloat16_t>(1), 1).bits(), 0x4000) << t->name;
    EXPECT_EQ(added<half>(*t, number<half>(1), number<half>(1), 1).bits(), 0x4000) << t->name;
    EXPECT_EQ(added<bfloat16_t>(*t, number<bfloat16_t>(3e38), number<bfloat16_t>(0), 1).bits(),
              number<bfloat16_t>(3e38).bits());
  }
}

template <class T>
void integer_add_wraps(bool on_a2a3, bool on_a5) {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  for (const ptox::Target* t : targets) {
    const bool legal = t == &at::cpu || (t == &at::a2a3 ? on_a2a3 : on_a5);
    Report r;
    EXPECT_EQ(added<T>(*t, most, T{1}, 1, &r), legal ? least : most) << t->name << " " << name(dtype_of<T>);
    EXPECT_EQ(r.has("illegal"), !legal) << r;
    EXPECT_EQ(added<T>(*t, T{5}, most, 2), legal ? static_cast<T>(5u + most + most) : T{5});
  }
}

TEST(pitfall, integer_add_wraps_where_the_target_adds_it) {
  integer_add_wraps<std::int8_t>(true, false);
  integer_add_wraps<std::uint8_t>(false, false);
  integer_add_wraps<std::int16_t>(true, false);
  integer_add_wraps<std::uint16_t>(false, false);
  integer_add_wraps<std::int32_t>(true, true);
  integer_add_wraps<std::uint32_t>(false, true);
}

TEST(pitfall, float_sums_go_in_source_order) {
  for (const ptox::Target* t : targets) {
    Floats table(8);
    const Report r =
        scatter_elems<ScatterAtomicOp::Add>(*t, flat(table.data(), 1, 8), {0, 0, 0, 0}, {1e8f, 1.0f, -1e8f, 1.0f});
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_EQ(table[0], 1.0f) << t->name;
  }
}

TEST(pitfall, atomics_of_many_blocks_lose_no_update) {
  for (const ptox::Target* t : targets) {
    const int rounds = t->native ? 4000 : 2;  // on the host blocks really meet
    ptox::Device dev(*t);
    auto table = dev.alloc<std::int32_t>(16);
    const Report r = dev.launch({.blocks = 8}, [&] {
      Open<std::int32_t, 8, 8> src;
      Open<std::int32_t, 1, 8> idx;
      auto tableGM = flat(table.data(), 2, 8);
      write(src, {8, 8}, Indices(64, 1), 0);
      write(idx, {1, 8}, {0, 1, 0, 1, 0, 1, 0, 0}, 0);
      pipe_barrier(PIPE_ALL);
      for (int i = 0; i < rounds; ++i) MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(tableGM, src, idx);
    });
    EXPECT_TRUE(r.clean()) << r;
    for (int i = 0; i < 16; ++i) EXPECT_EQ(table[i], 8 * rounds * (i < 8 ? 5 : 3)) << t->name << " " << i;
  }
}

// Rows of tables with outer extents, gaps and odd indices.

TEST(pitfall, row_capacity_counts_outer_extents_where_the_target_does) {
  using Table = GlobalTensor<float, Shape<2, 3, 1, 4, 8>, Stride<96, 32, 32, 8, 1>>;
  Floats memory = counting<float>(24 * 8);
  const Indices idx{0, 3, 4, 11, 12, 23, 24, -1};
  for (const ptox::Target* t : targets) {
    const int64_t capacity = t == &at::a5 ? 4 : 24;
    Floats want(64);
    for (int r = 0; r < 8; ++r)
      for (int c = 0; c < 8; ++c)
        want[r * 8 + c] = memory[slot(static_cast<std::uint32_t>(idx[r]), capacity, GatherOOB::Clamp) * 8 + c];
    const auto got = gather_rows<GatherOOB::Clamp>(*t, Table(memory.data()), 8, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name;
  }
}

using Gapped = GlobalTensor<float, Shape<2, 3, 2, 4, 5>, Stride<900, 290, 90, 20, 3>>;
int64_t gapped_offset(int64_t row, int64_t c) {
  return row / 24 * 900 + row / 8 % 3 * 290 + row / 4 % 2 * 90 + row % 4 * 20 + c * 3;
}

TEST(pitfall, strides_are_honoured_on_cpu) {
  Floats memory = counting<float>(2000), want_memory = memory, want(64, untouched);
  const Indices idx{0, 47, 5, 9, 24, 31, 16, 3};
  const auto values = counting<float>(40, 200);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 5; ++c) want[r * 8 + c] = memory[gapped_offset(idx[r], c)];
  const auto got = gather_rows<>(at::cpu, Gapped(memory.data()), 5, idx);
  EXPECT_TRUE(same_bytes(got.tile, want)) << got.report;
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 5; ++c) want_memory[gapped_offset(idx[r], c)] = values[r * 5 + c];
  const Report r = scatter_rows<>(at::cpu, Gapped(memory.data()), 5, idx, values);
  EXPECT_TRUE(r.clean()) << r;
  EXPECT_TRUE(same_bytes(memory, want_memory));
}

TEST(pitfall, a2a3_rows_lie_stride_3_apart_and_are_contiguous) {
  using Table = GlobalTensor<float, Shape<1, 1, 2, 4, 5>, Stride<1, 1, 200, 20, 1>>;
  Floats memory = counting<float>(400), want(64, untouched);
  const Indices idx{0, 7, 4, 3, 8, 9, 1, 2};
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 5; ++c) want[r * 8 + c] = memory[std::min(idx[r], 7) * 20 + c];
  const auto got = gather_rows<GatherOOB::Clamp>(at::a2a3, Table(memory.data()), 5, idx);
  EXPECT_TRUE(got.report.clean()) << got.report;
  EXPECT_TRUE(same_bytes(got.tile, want));
}

TEST(pitfall, a_stride_that_a5_would_ignore_is_illegal_there) {
  using Table = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 16, 1>>;
  Floats memory = counting<float>(64);
  const auto got = gather_rows<>(at::a5, Table(memory.data()), 8, {0, 1});
  EXPECT_TRUE(says(got.report, "illegal", "16")) << got.report;
  EXPECT_TRUE(same_bytes(got.tile, Floats(64, untouched)));
}

TEST(pitfall, elements_are_flat_whatever_the_strides) {
  using Table = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 16, 2>>;
  Floats memory = counting<float>(64);
  for (const ptox::Target* t : targets) {
    const auto got = gather_elems<GatherOOB::Zero>(*t, Table(memory.data()), {0, 9, 31, 32});
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, {memory[0], memory[9], memory[31], 0, 77, 77, 77, 77})) << t->name;
  }
}

TEST(pitfall, a_padded_column_of_indices_is_read_by_row_and_column) {
  Floats memory = counting<float>(64);
  const Indices idx{7, 1, 6, 2, 5, 3, 4, 0};
  Floats want(64);
  for (int r = 0; r < 8; ++r)
    for (int c = 0; c < 8; ++c) want[r * 8 + c] = memory[idx[r] * 8 + c];
  const auto run = [&]<class Idx>(const ptox::Target& t, bool legal) {
    const auto got = gather<Open<float, 8, 8>, Idx, Coalesce::Row>(t, flat(memory.data(), 8, 8), {8, 8}, {8, 1}, idx);
    EXPECT_EQ(got.report.has("illegal"), !legal) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, legal ? want : Floats(64, untouched))) << t.name;
  };
  for (const ptox::Target* t : targets) {
    run.operator()<Open<std::int32_t, 8, 8>>(*t, t == &at::cpu);       // padded to eight columns
    run.operator()<Open<std::int32_t, 8, 1>>(*t, t != &at::a2a3);      // one padded column
    run.operator()<Open<std::int32_t, 8, 4, CM>>(*t, t != &at::a2a3);  // ColMajor, padded
  }
}

TEST(pitfall, an_elem_index_of_another_layout_is_read_by_row_and_column) {
  Floats memory = counting<float>(64);
  const Indices idx{1, 2, 3, 10, 20, 30};
  for (const ptox::Target* t : {&at::cpu, &at::a5}) {
    const auto got = gather<Open<float, 8, 8>, Open<std::int32_t, 8, 5, CM>, Coalesce::Elem>(
        *t, flat(memory.data(), 8, 8), {2, 3}, {2, 3}, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    for (int i = 0; i < 6; ++i) EXPECT_EQ(got.tile[i / 3 * 8 + i % 3], memory[idx[i]]) << t->name;
  }
}

TEST(pitfall, a_col_major_tile_is_addressed_by_columns) {
  Floats memory = counting<float>(5 * 5), want(16 * 6, untouched);
  const Indices idx{4, 0, 2};
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 5; ++c) want[r * 6 + c] = memory[idx[r] * 5 + c];
  for (const ptox::Target* t : targets) {
    const auto got = gather<Open<float, 16, 6, CM>, Open<std::int32_t, 1, 8>, Coalesce::Row>(
        *t, flat(memory.data(), 5, 5), {3, 5}, {1, 3}, idx);
    const bool legal = t != &at::a2a3;
    EXPECT_EQ(got.report.has("illegal"), !legal) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, legal ? want : Floats(16 * 6, untouched))) << t->name;
  }
}

TEST(pitfall, a_padded_source_is_not_read_past_its_valid_columns) {
  const Indices idx{6, 0, 3};
  const auto values = counting<float>(15, 30);
  for (const ptox::Target* t : targets) {
    Floats table = counting<float>(7 * 5), want = table;
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 5; ++c) want[idx[r] * 5 + c] = values[r * 5 + c];
    const Report r = scatter_rows<>(*t, flat(table.data(), 7, 5), 5, idx, values);
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(table, want)) << t->name;
  }
}

// Tables with nothing in them.

template <GatherOOB mode, class Table>
void empty_gather(const ptox::Target& t, Table table) {
  const auto row = gather_rows<mode>(t, table, 8, {0, -1});
  const auto elem =
      gather<Open<float, 8, 8>, Open<std::int32_t, 8, 8>, Coalesce::Elem, mode>(t, table, {1, 2}, {1, 2}, {0, 5});
  const std::string where = std::string(t.name) + " " + name(mode);
  EXPECT_EQ(row.report.has("oob-index"), mode != GatherOOB::Zero) << where << row.report;
  EXPECT_EQ(elem.report.has("oob-index"), mode != GatherOOB::Zero) << where << elem.report;
  for (int i = 0; mode == GatherOOB::Zero && i < 16; ++i) EXPECT_EQ(row.tile[i], 0.0f) << where;
  for (int i = 0; mode == GatherOOB::Zero && i < 2; ++i) EXPECT_EQ(elem.tile[i], 0.0f) << where;
  for (int i = 16; i < 64; ++i) EXPECT_EQ(row.tile[i], 77.0f) << where;
}
template <ScatterOOB mode, class Table>
void empty_scatter(const ptox::Target& t, Table table) {
  const Report row = scatter_rows<mode>(t, table, 8, {0, -1}, counting<float>(16));
  const Report elem = scatter<Open<float, 8, 8>, Open<std::int32_t, 8, 8>, Coalesce::Elem, mode>(
      t, table, {1, 2}, {1, 2}, {0, 5}, {1, 2});
  EXPECT_EQ(row.has("oob-index"), mode != ScatterOOB::Skip) << t.name << " " << name(mode) << row;
  EXPECT_EQ(elem.has("oob-index"), mode != ScatterOOB::Skip) << t.name << " " << name(mode) << elem;
}

TEST(pitfall, capacity_zero_puts_every_index_out_of_range_under_every_policy) {
  Floats behind(16, 6.0f);
  for (const ptox::Target* t : targets)
    for (float* base : {static_cast<float*>(nullptr), behind.data()}) {
      const auto table = flat(base, 0, 8);
      empty_gather<GatherOOB::Undefined>(*t, table), empty_gather<GatherOOB::Clamp>(*t, table);
      empty_gather<GatherOOB::Wrap>(*t, table), empty_gather<GatherOOB::Zero>(*t, table);
      empty_scatter<ScatterOOB::Undefined>(*t, table), empty_scatter<ScatterOOB::Skip>(*t, table);
      empty_scatter<ScatterOOB::Clamp>(*t, table), empty_scatter<ScatterOOB::Wrap>(*t, table);
    }
  EXPECT_TRUE(same_bytes(behind, Floats(16, 6.0f)));
}

TEST(pitfall, an_empty_outer_extent_leaves_no_row_on_cpu_and_a2a3) {
  using Table = GlobalTensor<float, Shape<0, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>>;
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) empty_gather<GatherOOB::Zero>(*t, Table(nullptr));
}

TEST(pitfallDeathTest, a5_rows_of_a_table_without_memory_are_no_crash) {
  using Table = GlobalTensor<float, Shape<0, 1, 1, 4, 8>, Stride<32, 32, 32, 8, 1>>;  // a5 counts Shape[3] rows
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [] {
    const auto got = gather_rows<>(at::a5, Table(nullptr), 8, {0, 1});
    std::_Exit(got.report.clean() ? 2 : 0);
  };
  EXPECT_EXIT(run(), ::testing::ExitedWithCode(0), "");
  GTEST_FLAG_SET(death_test_style, "fast");
}

// Element types.

template <class T>
void bytes_with_zero(bool on_a2a3) {
  std::vector<T> table(4 * 32);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = std::bit_cast<T>(static_cast<std::uint8_t>(i * 3 + 129));
  for (const ptox::Target* t : targets) {
    const bool legal = t != &at::a2a3 || on_a2a3;
    std::vector<T> want(4 * 32, number<T>(untouched));
    for (int c = 0; legal && c < 32; ++c)
      want[c] = table[64 + c], want[32 + c] = std::bit_cast<T>(std::uint8_t{0}), want[64 + c] = table[96 + c];
    const auto got = gather<Open<T, 4, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row, GatherOOB::Zero>(
        *t, flat(table.data(), 4, 32), {3, 32}, {1, 3}, {2, 4, 3});
    EXPECT_EQ(got.report.has("illegal"), !legal) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name << " " << name(dtype_of<T>);
  }
}

TEST(pitfall, eight_bit_types_gather_with_zero) {
  bytes_with_zero<float8_e4m3_t>(false);
  bytes_with_zero<float8_e5m2_t>(false);
  bytes_with_zero<hifloat8_t>(false);
  bytes_with_zero<std::int8_t>(true);
  bytes_with_zero<std::uint8_t>(true);
}

template <class T>
void moves_every_code(const ptox::Target& t) {
  constexpr int n = 256;
  std::vector<T> table(n), out(n);
  for (int i = 0; i < n; ++i) {
    const auto code = static_cast<std::uint16_t>(i * 257 + (i % 2 ? 0x7C00 : 0));  // NaNs of both formats among them
    table[i] = std::bit_cast<T>(code);
  }
  Indices idx(n);
  for (int i = 0; i < n; ++i) idx[i] = n - 1 - i;
  const auto got = gather<Open<T, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Elem>(t, flat(table.data(), 1, n),
                                                                                       {16, 16}, {16, 16}, idx);
  const Report r = scatter<Open<T, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Elem>(
      t, flat(out.data(), 1, n), {16, 16}, {16, 16}, idx, got.tile);
  EXPECT_TRUE(r.clean()) << r;
  EXPECT_TRUE(same_bytes(out, table)) << t.name;
}

TEST(pitfall, moves_keep_every_bit) {
  for (const ptox::Target* t : targets) moves_every_code<half>(*t), moves_every_code<bfloat16_t>(*t);
}

// Tables past 32 bits.

/// Address space without memory behind it: pages come as they are written.
class Sparse {
 public:
  explicit Sparse(std::size_t bytes) : bytes_(bytes) {
    data_ = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  ~Sparse() {
    if (data_ != MAP_FAILED) munmap(data_, bytes_);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;
  std::uint8_t* data() const { return data_ == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(data_); }

 private:
  std::size_t bytes_;
  void* data_;
};
constexpr int64_t two_32 = int64_t{1} << 32;
using Bytes8x32 = Open<std::uint8_t, 8, 32>;
using Index1x8 = Open<std::uint32_t, 1, 8>;

TEST(pitfall, elements_past_two_gibi_are_reached) {
  const Sparse memory(two_32 + 4096);
  ASSERT_NE(memory.data(), nullptr);
  const std::vector<std::uint32_t> idx{4294967295u, 4294967294u, 2147483648u, 2147483647u, 0};
  for (int64_t capacity : {two_32 - 1, two_32, two_32 + 5}) {
    for (std::size_t i = 0; i < idx.size(); ++i) memory.data()[idx[i]] = static_cast<std::uint8_t>(i + 1);
    const auto table = flat(memory.data(), 1, capacity);
    const auto got = gather<Bytes8x32, Index1x8, Coalesce::Elem, GatherOOB::Wrap>(at::cpu, table, {1, 5}, {1, 5}, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_EQ(std::vector<std::uint8_t>(got.tile.begin(), got.tile.begin() + 5),
              (std::vector<std::uint8_t>{std::uint8_t(capacity > two_32 - 1 ? 1 : 5), 2, 3, 4, 5}));
    const Report r = scatter<Bytes8x32, Index1x8, Coalesce::Elem, ScatterOOB::Skip>(at::cpu, table, {1, 5}, {1, 5}, idx,
                                                                                    {91, 92, 93, 94, 95});
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_EQ(memory.data()[4294967295u], capacity > two_32 - 1 ? 91 : 1);
    EXPECT_EQ(memory.data()[4294967294u], 92);
    EXPECT_EQ(memory.data()[2147483648u], 93);
  }
}

TEST(pitfall, rows_past_four_gibi_are_reached) {
  const Sparse memory(std::size_t{1} << 33);
  ASSERT_NE(memory.data(), nullptr);
  const int64_t rows = int64_t{1} << 28;
  const std::vector<std::uint32_t> idx{(1u << 28) - 1, 1u << 27, 4294967295u, 1u << 28};
  memory.data()[(rows - 1) * 32 + 31] = 7, memory.data()[(int64_t{1} << 27) * 32] = 8;
  const auto table = flat(memory.data(), rows, 32);
  const auto got = gather<Bytes8x32, Index1x8, Coalesce::Row, GatherOOB::Clamp>(at::cpu, table, {4, 32}, {1, 4}, idx);
  EXPECT_TRUE(got.report.clean()) << got.report;
  EXPECT_EQ(got.tile[31], 7);
  EXPECT_EQ(got.tile[32], 8);
  EXPECT_EQ(got.tile[2 * 32 + 31], 7) << "-1 is clamped to the last row";
  EXPECT_EQ(got.tile[3 * 32 + 31], 7);
}

TEST(pitfall, a_row_index_of_32_bits_is_not_cut) {
  const Sparse memory(two_32 + 4096);
  ASSERT_NE(memory.data(), nullptr);
  memory.data()[two_32 - 1] = 9, memory.data()[0] = 1;
  const auto table = flat(memory.data(), two_32, 1);
  const auto got = gather<Bytes8x32, Index1x8, Coalesce::Row>(at::cpu, table, {2, 1}, {1, 2}, {4294967295u, 0});
  EXPECT_TRUE(got.report.clean()) << got.report;
  EXPECT_EQ(got.tile[0], 9);
  EXPECT_EQ(got.tile[32], 1);
}

TEST(pitfall, what_wraps_in_a_machines_32_bits_is_said) {
  const Sparse memory(std::size_t{1} << 33);
  ASSERT_NE(memory.data(), nullptr);
  const auto rows = gather<Bytes8x32, Index1x8, Coalesce::Row>(at::a5, flat(memory.data(), int64_t{1} << 28, 32),
                                                               {1, 32}, {1, 1}, {(1u << 28) - 1});
  EXPECT_TRUE(rows.report.has("address-wrap")) << "a5 computes idx * validCols in 32 bits\n" << rows.report;
  for (const ptox::Target* t : machines) {
    const auto elems =
        gather<Bytes8x32, Index1x8, Coalesce::Elem>(*t, flat(memory.data(), 1, two_32), {1, 1}, {1, 1}, {5});
    EXPECT_TRUE(elems.report.has("address-wrap")) << t->name << " counts its capacity in 32 bits\n" << elems.report;
  }
}

// Policies.

template <auto... P>
Floats added_rows(const ptox::Target& t) {
  Floats table = counting<float>(16);
  const Report r = scatter<Open<float, 8, 8>, Open<std::int32_t, 1, 8>, P...>(t, flat(table.data(), 2, 8), {3, 8},
                                                                              {1, 3}, {1, 2, 1}, counting<float>(24));
  EXPECT_TRUE(r.clean()) << r;
  return table;
}

TEST(pitfall, policies_are_told_apart_by_type_in_any_order) {
  Floats want = counting<float>(16);
  for (int c = 0; c < 8; ++c) want[8 + c] += static_cast<float>(1 + c) + static_cast<float>(17 + c);
  for (const ptox::Target* t : targets) {
    EXPECT_EQ((added_rows<ScatterAtomicOp::Add, ScatterOOB::Skip>(*t)), want) << "as S0 spells it";
    EXPECT_EQ((added_rows<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(*t)), want);
    EXPECT_EQ((added_rows<ScatterOOB::Skip, ScatterAtomicOp::Add, Coalesce::Row>(*t)), want);
    EXPECT_EQ((added_rows<ScatterOOB::Skip, Coalesce::Row, ScatterAtomicOp::Add>(*t)), want);
  }
  for (const ptox::Target* t : {&at::cpu, &at::a5})
    EXPECT_EQ((added_rows<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip, ScatterConflict::Last>(*t)), want);
}

TEST(pitfall, gather_policies_come_in_any_order_or_not_at_all) {
  using Dst = Open<float, 8, 8>;
  using Idx = Open<std::int32_t, 1, 8>;
  Floats table = counting<float>(16);
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 2, 8);
    const auto want = gather<Dst, Idx, Coalesce::Row, GatherOOB::Zero>(*t, g, {3, 8}, {1, 3}, {1, 2, 0}).tile;
    EXPECT_EQ((gather<Dst, Idx, GatherOOB::Zero, Coalesce::Row>(*t, g, {3, 8}, {1, 3}, {1, 2, 0}).tile), want);
    EXPECT_EQ((gather<Dst, Idx, GatherOOB::Zero>(*t, g, {3, 8}, {1, 3}, {1, 2, 0}).tile), want);
    EXPECT_EQ((gather<Dst, Idx, Coalesce::Row>(*t, g, {2, 8}, {1, 2}, {1, 0}).tile[0]), table[8]);
    EXPECT_EQ((gather<Dst, Idx>(*t, g, {2, 8}, {1, 2}, {1, 0}).tile[8]), table[0]);
  }
}

/// The same with extents in the types, Coalesce left out.
template <class Dst, class Idx>
Gathered<float> inferred(const ptox::Target& t, Flat<float> table, const Indices& idx) {
  Gathered<float> result;
  result.report = ptox::Device(t, {.check = Check::all}).launch({}, [&] {
    Dst dst;
    Idx indices;
    for (int64_t i = 0; i < Idx::Numel; ++i) indices.SetValue(i, 0);
    for (int64_t i = 0; i < Dst::Numel; ++i) dst.SetValue(i, 77.0f);
    for (int64_t i = 0; i < Idx::ValidRow * Idx::ValidCol; ++i)
      indices.SetValue(i / Idx::ValidCol, i % Idx::ValidCol, idx[i]);
    pipe_barrier(PIPE_ALL);
    MGATHER(dst, table, indices);
    result.tile = read(dst);
  });
  return result;
}
template <class T, int R, int C, BLayout B = RM, int VR = R, int VC = C>
using Fixed = Tile<TileType::Vec, T, R, C, B, VR, VC>;

TEST(pitfall, coalesce_left_out_is_elem_for_an_index_of_the_tiles_shape) {
  Floats table = counting<float>(100);
  Indices idx(256);
  for (int i = 0; i < 256; ++i) idx[i] = i * 13 % 100;
  for (const ptox::Target* t : targets) {
    const auto got = inferred<Fixed<float, 16, 16>, Fixed<std::int32_t, 16, 16>>(*t, flat(table.data(), 1, 100), idx);
    EXPECT_TRUE(got.report.findings().empty()) << got.report;
    for (int i = 0; i < 256; ++i) ASSERT_EQ(got.tile[i], table[idx[i]]) << t->name;
  }
}

TEST(pitfall, coalesce_left_out_is_row_for_one_index_a_row) {
  Floats table = counting<float>(80);
  const Indices idx{9, 0, 3, 3, 7, 1, 2, 8};
  const auto rows_of = [&](const Gathered<float>& got) {
    EXPECT_TRUE(got.report.findings().empty()) << got.report;
    for (int i = 0; i < 64; ++i) ASSERT_EQ(got.tile[i], table[idx[i / 8] * 8 + i % 8]);
  };
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 10, 8);
    rows_of(inferred<Fixed<float, 8, 8>, Fixed<std::int32_t, 1, 8>>(*t, g, idx));
    if (t == &at::a2a3) continue;
    rows_of(inferred<Fixed<float, 8, 8>, Fixed<std::int32_t, 8, 1>>(*t, g, idx));
    rows_of(inferred<Fixed<float, 8, 8>, Fixed<std::int32_t, 8, 1, CM>>(*t, g, idx));
  }
}

TEST(pitfall, coalesce_left_out_where_both_fit_is_row_with_a_note) {
  Floats table = counting<float>(80);
  const Indices idx{9, 0, 3, 3, 7, 1, 2, 8};
  using Dst = Fixed<float, 8, 8, RM, 8, 1>;
  const auto wide = inferred<Dst, Fixed<std::int32_t, 8, 8, RM, 8, 1>>(at::cpu, flat(table.data(), 10, 8), idx);
  for (int r = 0; r < 8; ++r) EXPECT_EQ(wide.tile[r * 8], table[idx[r] * 8]);
  EXPECT_TRUE(wide.report.clean()) << wide.report;
  ASSERT_EQ(wide.report.findings().size(), 1u) << wide.report;
  EXPECT_EQ(wide.report.findings()[0].severity, ptox::Severity::note);
  for (const ptox::Target* t : {&at::cpu, &at::a5}) {
    const auto narrow = inferred<Dst, Fixed<std::int32_t, 8, 1, CM>>(*t, flat(table.data(), 80, 1), idx);
    for (int r = 0; r < 8; ++r) EXPECT_EQ(narrow.tile[r * 8], table[idx[r]]) << t->name;
    EXPECT_TRUE(narrow.report.findings().empty()) << "row and elem agree on a table one element wide\n"
                                                  << narrow.report;
  }
}

TEST(pitfall, coalesce_left_out_where_neither_fits_names_both_shapes) {
  Floats table = counting<float>(256), before = table;
  for (const ptox::Target* t : targets) {
    const auto got = gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>>(*t, flat(table.data(), 16, 16), {8, 16},
                                                                             {4, 15}, Indices(60));
    const Report r = scatter<Open<float, 16, 16>, Open<std::int32_t, 16, 16>>(
        *t, flat(table.data(), 16, 16), {8, 16}, {4, 15}, Indices(60), counting<float>(128));
    for (const Report* each : {&got.report, &r}) {
      EXPECT_TRUE(says(*each, "illegal", "8x16")) << *each;
      EXPECT_TRUE(says(*each, "illegal", "4x15")) << *each;
    }
    EXPECT_TRUE(same_bytes(got.tile, Floats(256, untouched)));
    EXPECT_TRUE(same_bytes(table, before));
  }
}

// Global memory to L1.

using Mat = Open<half, 32, 32, CM, SLayout::RowMajor, TileType::Mat>;

/// The GM -> L1 form into a valid 20 x 24 region; every other element was `untouched`.
template <auto... P, class... Scratch>
Gathered<half> mat_gather(const ptox::Target& t, Flat<half> table, Flat<std::int32_t> idx, Scratch... scratch) {
  Gathered<half> result;
  result.report = ptox::Device(t, {.check = Check::all}).launch({}, [&] {
    Mat dst;
    write(dst, {20, 24}, {}, untouched);
    pipe_barrier(PIPE_ALL);
    MGATHER<P...>(dst, table, idx, scratch...);
    result.tile = read(dst);
  });
  return result;
}

std::vector<half> mat_rows(const std::vector<half>& table, const Indices& idx, int64_t capacity) {
  std::vector<half> want(32 * 32, number<half>(untouched));
  for (int r = 0; r < 20; ++r)
    for (int c = 0; c < 24; ++c)
      want[r * 32 + c] = static_cast<std::uint32_t>(idx[r]) < capacity ? table[idx[r] * 24 + c] : number<half>(0);
  return want;
}

TEST(pitfall, rows_go_to_l1_by_an_index_in_global_memory) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20);
  for (int r = 0; r < 20; ++r) idx[r] = r == 4 ? -1 : r * 7 % 53;
  const auto want = mat_rows(table, idx, 50);
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 50, 24);
    const auto with =
        mat_gather<Coalesce::Row, GatherOOB::Zero>(*t, g, flat(idx.data(), 1, 20), flat(scratch.data(), 32, 32));
    const auto without = mat_gather<Coalesce::Row, GatherOOB::Zero>(*t, g, flat(idx.data(), 20, 1));
    EXPECT_TRUE(with.report.clean()) << with.report;
    EXPECT_TRUE(without.report.clean()) << without.report;
    EXPECT_TRUE(same_bytes(with.tile, want)) << t->name;
    EXPECT_TRUE(same_bytes(without.tile, want)) << t->name;
  }
}

TEST(pitfall, elements_go_to_l1_by_way_of_a_scratch) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20 * 24);
  for (int i = 0; i < 480; ++i) idx[i] = i * 37;
  std::vector<half> want(32 * 32, number<half>(untouched));
  for (int i = 0; i < 480; ++i) want[i / 24 * 32 + i % 24] = table[idx[i] % 1200];
  for (const ptox::Target* t : targets) {
    const auto got = mat_gather<Coalesce::Elem, GatherOOB::Wrap>(
        *t, flat(table.data(), 50, 24), flat(idx.data(), 20, 24), flat(scratch.data(), 32, 32));
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name;
  }
}

TEST(pitfall, gather_exec_is_for_a5) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20, 49);
  const auto run = [&]<GatherExec exec>(const ptox::Target& t) {
    return mat_gather<Coalesce::Row, GatherOOB::Undefined, exec>(t, flat(table.data(), 50, 24), flat(idx.data(), 1, 20),
                                                                 flat(scratch.data(), 32, 32));
  };
  for (const ptox::Target* t : targets) {
    const auto scalar = run.operator()<GatherExec::Scalar>(*t), simt = run.operator()<GatherExec::Simt>(*t);
    EXPECT_EQ(scalar.report.has("illegal"), t == &at::a2a3) << scalar.report;
    EXPECT_EQ(simt.report.has("illegal"), t == &at::a2a3) << simt.report;
    EXPECT_TRUE(t == &at::a2a3 || same_bytes(simt.tile, mat_rows(table, idx, 50)));
  }
}

TEST(pitfall, a_scratch_smaller_than_the_tile_or_null_operands_move_nothing) {
  auto table = counting<half>(50 * 24), scratch = counting<half>(32 * 32);
  Indices idx(20 * 24);
  const std::vector<half> nothing(32 * 32, number<half>(untouched));
  for (const ptox::Target* t : targets) {
    const auto g = flat(table.data(), 50, 24);
    const auto i = flat(idx.data(), 20, 24);
    const auto small = mat_gather<Coalesce::Elem>(*t, g, i, flat(scratch.data(), 32, 31));
    const auto no_scratch = mat_gather<Coalesce::Elem>(*t, g, i, flat<half>(nullptr, 32, 32));
    const auto no_index =
        mat_gather<Coalesce::Elem>(*t, g, flat<std::int32_t>(nullptr, 20, 24), flat(scratch.data(), 32, 32));
    EXPECT_TRUE(says(small.report, "illegal", "scratch")) << small.report;
    EXPECT_TRUE(says(no_scratch.report, "oob-gm", "scratch")) << no_scratch.report;
    EXPECT_TRUE(says(no_index.report, "oob-gm", "idx")) << no_index.report;
    for (const auto* each : {&small, &no_scratch, &no_index}) EXPECT_TRUE(same_bytes(each->tile, nothing)) << t->name;
  }
}

// Duplicates.

template <auto... P>
Report duplicate_rows(const ptox::Target& t, Floats& table, std::uint64_t seed = 0) {
  return scatter<Open<float, 8, 8>, Open<std::int32_t, 1, 8>, Coalesce::Row, P...>(
      t, flat(table.data(), 10, 8), {5, 8}, {1, 5}, {4, 9, 6, 4, 9}, counting<float>(40), {.seed = seed});
}

TEST(pitfall, the_last_of_two_writers_wins_and_is_reported) {
  for (const ptox::Target* t : targets)
    for (std::uint64_t seed : {0u, 1u, 77u}) {
      Floats table(80), want(80);
      for (int c = 0; c < 8; ++c) want[48 + c] = 17 + c, want[32 + c] = 25 + c, want[72 + c] = 33 + c;
      const Report r = duplicate_rows<>(*t, table, seed);
      EXPECT_TRUE(same_bytes(table, want)) << t->name << " seed " << seed;
      EXPECT_FALSE(r.clean());
      for (const char* part : {"4", "[0,0]", "[0,3]"}) EXPECT_TRUE(says(r, "alias", part)) << part << "\n" << r;
    }
}

TEST(pitfall, last_spelled_asks_for_it) {
  for (const ptox::Target* t : {&at::cpu, &at::a5})
    for (std::uint64_t seed : {0u, 5u}) {
      Floats table(80);
      const Report r = duplicate_rows<ScatterConflict::Last>(*t, table, seed);
      EXPECT_TRUE(r.clean()) << r;
      EXPECT_EQ(table[32], 25.0f) << t->name;
      EXPECT_EQ(table[72], 33.0f) << t->name;
    }
  Floats table(80);
  EXPECT_TRUE(duplicate_rows<ScatterConflict::Last>(at::a2a3, table).has("illegal"));
  EXPECT_TRUE(duplicate_rows<ScatterConflict::Default>(at::a2a3, table).has("illegal"));
  EXPECT_EQ(table, Floats(80));
}

TEST(pitfall, default_leaves_the_order_to_the_machine_but_repeats) {
  for (const ptox::Target* t : {&at::cpu, &at::a5})
    for (std::uint64_t seed = 0; seed < 16; ++seed) {
      Floats table(80), again(80);
      EXPECT_TRUE(duplicate_rows<ScatterConflict::Default>(*t, table, seed).has("alias"));
      duplicate_rows<ScatterConflict::Default>(*t, again, seed);
      EXPECT_EQ(table, again) << "seed " << seed;
      EXPECT_TRUE(table[32] == 1.0f || table[32] == 25.0f) << table[32];
      EXPECT_TRUE(t == &at::a5 || table[32] == 25.0f);
    }
}

TEST(pitfall, no_alias_for_atomics_or_for_lanes_that_write_nothing) {
  for (const ptox::Target* t : targets) {
    Floats table(80);
    EXPECT_TRUE(duplicate_rows<ScatterAtomicOp::Add>(*t, table).clean()) << t->name;
    const Report skipped =
        scatter_rows<ScatterOOB::Skip>(*t, flat(table.data(), 10, 8), 8, {10, 10, 3}, counting<float>(24));
    EXPECT_TRUE(skipped.clean()) << skipped;
  }
}

TEST(pitfall, two_indices_clamped_to_one_slot_are_an_alias) {
  for (const ptox::Target* t : targets) {
    Floats table(10);
    const Report r = scatter_elems<ScatterOOB::Clamp>(*t, flat(table.data(), 1, 10), {-1, 2, 10}, {5, 6, 7});
    EXPECT_TRUE(r.has("alias")) << r;
    EXPECT_EQ(table[9], 7.0f) << t->name;
  }
}

// NZ.

using NzTable =
    GlobalTensor<float, Shape<2, 2, 3, 16, 8>, Stride<1600, 800, 128, 8, 1>, Layout::NZ>;  // gaps between columns
int64_t nz_offset(int64_t r, int64_t c) {
  return c / 8 / 2 * 1600 + c / 8 % 2 * 800 + r / 16 * 128 + r % 16 * 8 + c % 8;
}

template <GatherOOB mode>
void nz_rows(const ptox::Target& t) {
  const bool whole = &t == &at::a2a3;
  Floats memory = counting<float>(3200);
  const Indices idx{3, 47, 48, 0, -1};
  Floats want(16 * 32, whole && mode == GatherOOB::Zero ? 0.0f : 77.0f);
  for (int r = 0; r < 5; ++r)
    for (int c = 0; c < (whole ? 32 : 10); ++c) {
      const int64_t from = slot(static_cast<std::uint32_t>(idx[r]), 48, mode);
      want[r * 32 + c] = from < 0 ? 0.0f : memory[nz_offset(from, c)];
    }
  const auto got = gather<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row, mode>(t, NzTable(memory.data()),
                                                                                            {5, 10}, {1, 5}, idx);
  EXPECT_EQ(got.report.clean(), mode != GatherOOB::Undefined) << got.report;
  EXPECT_TRUE(same_bytes(got.tile, want)) << t.name << " " << name(mode);
}

TEST(pitfall, nz_rows_are_gathered_by_blocks_and_whole_on_a2a3) {
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    nz_rows<GatherOOB::Clamp>(*t);
    nz_rows<GatherOOB::Wrap>(*t);
    nz_rows<GatherOOB::Zero>(*t);
  }
}

TEST(pitfall, nz_elements_are_gathered_by_logical_row_and_column) {
  Floats memory = counting<float>(3200), want(16 * 32, untouched);
  Indices idx(50);
  for (int i = 0; i < 50; ++i) idx[i] = i * 31 + (i == 49 ? 17 : 0);  // the last is 1536, one past the table
  for (int i = 0; i < 50; ++i)
    want[i / 10 * 32 + i % 10] = idx[i] < 1536 ? memory[nz_offset(idx[i] / 32, idx[i] % 32)] : 0.0f;
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    const auto got = gather<Nz<float, 16, 32>, Open<std::int32_t, 8, 16>, Coalesce::Elem, GatherOOB::Zero>(
        *t, NzTable(memory.data()), {5, 10}, {5, 10}, idx);
    EXPECT_TRUE(got.report.clean()) << got.report;
    EXPECT_TRUE(same_bytes(got.tile, want)) << t->name;
  }
}

TEST(pitfall, nz_rows_are_scattered_by_blocks_and_whole_on_a2a3) {
  const Indices idx{40, 0, 48, 17};
  const auto values = counting<float>(40);
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    Floats memory = counting<float>(3200), want = memory;
    for (int r = 0; r < 4; ++r)
      for (int c = 0; idx[r] < 48 && c < (t == &at::a2a3 ? 32 : 10); ++c)
        want[nz_offset(idx[r], c)] = c < 10 ? values[r * 10 + c] : garbage;
    const Report r = scatter<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row, ScatterOOB::Skip>(
        *t, NzTable(memory.data()), {4, 10}, {1, 4}, idx, values);
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(memory, want)) << t->name;
  }
}

TEST(pitfall, the_last_nz_element_follows_the_machines_walk) {
  Indices idx(50);
  for (int i = 0; i < 50; ++i) idx[i] = i * 3;
  idx[9] = idx[40] = 1000;  // (0, 9) lies in block column 1, (4, 0) in block column 0
  for (const ptox::Target* t : {&at::cpu, &at::a2a3}) {
    Floats memory(3200);
    const Report r = scatter<Nz<float, 16, 32>, Open<std::int32_t, 8, 16>, Coalesce::Elem>(
        *t, NzTable(memory.data()), {5, 10}, {5, 10}, idx, counting<float>(50));
    EXPECT_EQ(memory[nz_offset(1000 / 32, 1000 % 32)], t == &at::a2a3 ? 10.0f : 41.0f) << t->name;
    EXPECT_EQ(memory[nz_offset(idx[11] / 32, idx[11] % 32)], 12.0f);
    for (const char* part : {"1000", "[0,9]", "[4,0]"}) EXPECT_TRUE(says(r, "alias", part)) << part << "\n" << r;
  }
}

TEST(pitfall, nz_is_not_for_a5) {
  Floats memory = counting<float>(3200), before = memory;
  const auto got = gather<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row>(at::a5, NzTable(memory.data()),
                                                                                      {2, 32}, {1, 2}, {0, 1});
  const Report r = scatter<Nz<float, 16, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row>(
      at::a5, NzTable(memory.data()), {2, 32}, {1, 2}, {0, 1}, counting<float>(64));
  EXPECT_TRUE(got.report.has("illegal")) << got.report;
  EXPECT_TRUE(r.has("illegal")) << r;
  EXPECT_TRUE(same_bytes(memory, before));
}

TEST(pitfall, an_nz_row_wider_than_its_tile_ends_past_ub) {
  Floats memory = counting<float>(3200);
  const Report r = ptox::Device(at::a2a3).launch({}, [&] {
    Nz<float, 16, 8> dst;
    Open<std::int32_t, 1, 8> idx;
    NzTable table(memory.data());
    TASSIGN(dst, 192 * 1024 - 512);
    TASSIGN(idx, 0);
    write(dst, {2, 8}, {}, untouched);
    write(idx, {1, 2}, {0, 1}, 0);
    pipe_barrier(PIPE_ALL);
    MGATHER<Coalesce::Row>(dst, table, idx);
  });
  EXPECT_TRUE(r.has("ub-overflow")) << r;
}

// Tile-level relatives.

TEST(pitfall, tgather_and_tscatter_go_by_a_row_major_index) {
  const Indices idx{7, 127, 64, 0, 33, 90};
  const auto values = counting<float>(128);
  for (const ptox::Target* t : targets) {
    Floats gathered, scattered;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 16> src, dst, tmp;
      Open<std::int32_t, 8, 16> index;
      Open<float, 16, 8, CM> turned;
      write(src, {8, 16}, values, 0), write(dst, {2, 3}, {}, untouched), write(turned, {16, 8}, {}, untouched);
      write(index, {2, 3}, idx, 0), write(tmp, {8, 16}, {}, 0);
      pipe_barrier(PIPE_ALL);
      TGATHER(dst, src, index, tmp);
      gathered = read(dst);
      pipe_barrier(PIPE_ALL);
      TSCATTER(turned, dst, index);
      scattered = read(turned);
    });
    EXPECT_TRUE(r.clean()) << r;
    Floats want_g(128, untouched), want_s(128, untouched);
    for (int i = 0; i < 6; ++i) want_g[i / 3 * 16 + i % 3] = values[idx[i]], want_s[idx[i]] = values[idx[i]];
    EXPECT_TRUE(same_bytes(gathered, want_g)) << t->name;
    EXPECT_TRUE(same_bytes(scattered, want_s)) << t->name;
  }
}

TEST(pitfall, tile_indices_past_the_tile_touch_nothing_and_are_found) {
  for (const ptox::Target* t : targets) {
    Floats scattered;
    const Report r = ptox::Device(*t, {.check = Check::all}).launch({}, [&] {
      Open<float, 8, 8> src, dst;
      Open<std::int32_t, 8, 8> index;
      write(src, {1, 3}, {1, 2, 3}, 0), write(dst, {8, 8}, {}, untouched), write(index, {1, 3}, {64, -1, 5}, 0);
      pipe_barrier(PIPE_ALL);
      TSCATTER(dst, src, index);
      scattered = read(dst);
    });
    Floats want(64, untouched);
    want[5] = 3;
    EXPECT_TRUE(r.has("oob-index")) << r;
    EXPECT_TRUE(same_bytes(scattered, want)) << t->name;
  }
}

template <MaskPattern mask>
void mask_keeps(const std::vector<int>& kept) {
  const int64_t narrow = static_cast<int64_t>(kept.size()) * 4;
  const auto values = counting<float>(48), packed = counting<float>(3 * narrow, 60);
  Floats want_g(3 * 16, untouched), want_s(3 * 16, untouched), got_g, got_s;
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < narrow; ++k) {
      const int c = k / static_cast<int>(kept.size()) * 4 + kept[k % kept.size()];
      want_g[r * 16 + k] = values[r * 16 + c], want_s[r * 16 + c] = packed[r * narrow + k];
    }
  for (const ptox::Target* t : targets) {
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 3, 16> wide, part, from, onto;
      write(wide, {3, 16}, values, 0), write(part, {3, narrow}, {}, untouched);
      write(from, {3, narrow}, packed, garbage), write(onto, {3, 16}, {}, untouched);
      pipe_barrier(PIPE_ALL);
      TGATHER<mask>(part, wide);
      TSCATTER<mask>(onto, from);
      got_g = read(part), got_s = read(onto);
    });
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(got_g, want_g)) << t->name << " " << static_cast<int>(mask);
    EXPECT_TRUE(same_bytes(got_s, want_s)) << t->name << " " << static_cast<int>(mask);
  }
}

TEST(pitfall, masks_are_read_right_to_left) {
  mask_keeps<MaskPattern::P0101>({0, 2});
  mask_keeps<MaskPattern::P1010>({1, 3});
  mask_keeps<MaskPattern::P0001>({0});
  mask_keeps<MaskPattern::P0010>({1});
  mask_keeps<MaskPattern::P0100>({2});
  mask_keeps<MaskPattern::P1000>({3});
  mask_keeps<MaskPattern::P1111>({0, 1, 2, 3});
}

TEST(pitfall, tgatherb_moves_32_byte_blocks_by_byte_offset) {
  const auto values = counting<half>(4 * 32);
  const std::vector<std::uint32_t> offsets{224, 0, 32, 96, 160, 64};
  for (const ptox::Target* t : targets) {
    std::vector<half> got;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<half, 4, 32> src, dst;
      Open<std::uint32_t, 4, 8> offset;
      write(src, {4, 32}, values, 0), write(dst, {3, 32}, {}, untouched), write(offset, {3, 2}, offsets, 0);
      pipe_barrier(PIPE_ALL);
      TGATHERB(dst, src, offset);
      got = read(dst);
    });
    std::vector<half> want(128, number<half>(untouched));
    for (int i = 0; i < 96; ++i) want[i] = values[offsets[i / 16] / 2 + i % 16];
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(got, want)) << t->name;
  }
}

TEST(pitfall, tmov_and_texpands_write_the_valid_region_only) {
  const auto values = counting<float>(15);
  for (const ptox::Target* t : targets) {
    Floats moved, filled;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 8> src, dst, full;
      write(src, {3, 5}, values, garbage), write(dst, {3, 5}, {}, untouched), write(full, {3, 5}, {}, untouched);
      pipe_barrier(PIPE_ALL);
      TMOV(dst, src);
      TEXPANDS(full, 4);
      moved = read(dst), filled = read(full);
    });
    EXPECT_TRUE(r.clean()) << r;
    Floats want(64, untouched), fours = want;
    for (int i = 0; i < 15; ++i) want[i / 5 * 8 + i % 5] = values[i], fours[i / 5 * 8 + i % 5] = 4;
    EXPECT_TRUE(same_bytes(moved, want)) << t->name;
    EXPECT_TRUE(same_bytes(filled, fours)) << t->name;
  }
}

TEST(pitfall, tprefetch_changes_no_byte) {
  Floats memory = counting<float>(64), before = memory;
  for (const ptox::Target* t : targets) {
    Floats tile;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 8> dst;
      auto g = flat(memory.data(), 8, 8);
      write(dst, {8, 8}, {}, untouched);
      pipe_barrier(PIPE_ALL);
      TPREFETCH(dst, g);
      tile = read(dst);
    });
    EXPECT_TRUE(r.clean()) << r;
    EXPECT_TRUE(same_bytes(tile, Floats(64, untouched))) << t->name;
    EXPECT_TRUE(same_bytes(memory, before));
  }
}

// Bad input.

TEST(pitfall, a_null_table_is_a_finding_and_nothing_moves) {
  for (const ptox::Target* t : targets)
    for (Check check : {Check::off, Check::all}) {
      const auto got = gather_rows<>(*t, flat<float>(nullptr, 10, 8), 8, {0, 1}, check);
      EXPECT_TRUE(says(got.report, "oob-gm", "table")) << got.report;
      EXPECT_TRUE(same_bytes(got.tile, Floats(64, untouched)));
      EXPECT_TRUE(
          says(scatter_rows<>(*t, flat<float>(nullptr, 10, 8), 8, {0, 1}, counting<float>(16)), "oob-gm", "table"));
    }
}

TEST(pitfall, a_null_tensor_of_a_load_store_or_prefetch_is_a_finding) {
  for (const ptox::Target* t : targets) {
    const auto run = [&](auto instruction) {
      return ptox::Device(*t).launch({}, [&] {
        Fixed<float, 8, 8> tile;
        auto g = flat<float>(nullptr, 8, 8);
        TEXPANDS(tile, 1.0f);
        pipe_barrier(PIPE_ALL);
        instruction(tile, g);
      });
    };
    EXPECT_TRUE(says(run([](auto& tile, auto& g) { TLOAD(tile, g); }), "oob-gm", "src")) << t->name;
    EXPECT_TRUE(says(run([](auto& tile, auto& g) { TSTORE(g, tile); }), "oob-gm", "dst")) << t->name;
    EXPECT_TRUE(says(run([](auto& tile, auto& g) { TPREFETCH(tile, g); }), "oob-gm", "src")) << t->name;
  }
}

TEST(pitfall, a_tile_without_memory_is_a_finding_and_nothing_moves) {
  for (const ptox::Target* t : targets) {
    Floats table = counting<float>(80), before = table;
    const Report r = ptox::Device(*t).launch({}, [&] {
      Open<float, 8, 8> src;
      Open<std::int32_t, 1, 8> idx;
      auto g = flat(table.data(), 10, 8);
      TASSIGN(src, static_cast<int64_t>(t->ub_bytes));
      src.SetValidShape(2, 8);
      write(idx, {1, 2}, {0, 1}, 0);
      pipe_barrier(PIPE_ALL);
      MSCATTER<Coalesce::Row>(g, src, idx);
      EXPECT_EQ(src.GetValue(0, 0), 0.0f);
      EXPECT_EQ(src.data(), nullptr);
    });
    EXPECT_TRUE(r.has("ub-overflow")) << r;
    EXPECT_TRUE(same_bytes(table, before)) << t->name;
  }
}

TEST(pitfall, shapes_that_do_not_match_are_illegal_with_operand_and_values) {
  Floats table = counting<float>(256);
  const auto g = flat(table.data(), 16, 16);
  const Floats nothing(256, untouched);
  for (const ptox::Target* t : targets) {
    const auto elem =
        gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Elem>(*t, g, {8, 16}, {7, 16}, Indices(112));
    const auto row =
        gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Row>(*t, g, {8, 16}, {1, 9}, Indices(9));
    const auto wide = gather<Open<float, 16, 16>, Open<std::int32_t, 16, 16>, Coalesce::Row>(
        *t, flat(table.data(), 17, 15), {8, 16}, {1, 8}, Indices(8));
    EXPECT_TRUE(says(elem.report, "illegal", "8x16") && says(elem.report, "illegal", "7x16")) << elem.report;
    EXPECT_TRUE(says(row.report, "illegal", "8x16") && says(row.report, "illegal", "1x9")) << row.report;
    EXPECT_TRUE(says(wide.report, "illegal", "16") && says(wide.report, "illegal", "15")) << wide.report;
    for (const auto* each : {&elem, &row, &wide}) EXPECT_TRUE(same_bytes(each->tile, nothing)) << t->name;
  }
}

/// How many of ten instructions are refused when a tile has `bad` valid rows; none may write.
int64_t refused(const ptox::Target& t, int64_t bad, int64_t shown) {
  Floats table = counting<float>(64), before = table;
  const Report r = ptox::Device(t).launch({}, [&] {
    Open<float, 8, 8> tile(8, 8), other(8, 8);
    Open<std::int32_t, 8, 8> idx(8, 8);
    auto g = flat(table.data(), 8, 8);
    tile.SetValidRow(bad), idx.SetValidRow(bad);
    TLOAD(tile, g);
    TSTORE(g, tile);
    TMOV(tile, other);
    TEXPANDS(tile, 2.0f);
    TPREFETCH(tile, g);
    MGATHER<Coalesce::Elem>(tile, g, idx);
    MSCATTER<Coalesce::Elem>(g, tile, idx);
    TGATHER(tile, other, idx);
    TSCATTER(other, tile, idx);
    TGATHER<MaskPattern::P1111>(tile, other);
  });
  EXPECT_TRUE(same_bytes(table, before)) << t.name << " " << bad;
  return std::count_if(r.findings().begin(), r.findings().end(), [&](const ptox::Finding& f) {
    return f.id == "illegal" && f.message.find(std::to_string(shown)) != std::string::npos;
  });
}

TEST(pitfall, valid_extents_of_zero_or_past_the_tile_are_illegal) {
  for (const ptox::Target* t : targets)
    for (int64_t bad : {int64_t{0}, int64_t{9}, int64_t{-1}, int64_t{-5}, INT64_MAX, int64_t{1} << 32})
      EXPECT_EQ(refused(*t, bad, bad), 10) << t->name << " " << bad;
}

TEST(pitfall, the_smallest_valid_extent_of_all_is_illegal_too) {
  for (const ptox::Target* t : targets) EXPECT_EQ(refused(*t, INT64_MIN, INT64_MIN + 1), 10) << t->name;
}

TEST(pitfall, two_instructions_of_one_line_are_two_findings) {
  Floats table(64);
  const Report r = ptox::Device(at::a5).launch({}, [&] {
    Open<float, 8, 8> tile(0, 8);
    auto g = flat(table.data(), 8, 8);
    TLOAD(tile, g), TSTORE(g, tile);  // both break their rule C4
  });
  EXPECT_EQ(r.findings().size(), 2u) << r;
}

template <class Table>
void bad_table(Table table, const std::string& named) {
  for (const ptox::Target* t : targets) {
    const auto got = gather_elems<GatherOOB::Wrap>(*t, table, {0, 1});
    const Report r = scatter_elems<ScatterOOB::Wrap>(*t, table, {0, 1}, {1, 2});
    EXPECT_TRUE(says(got.report, "illegal", "table") && says(got.report, "illegal", named)) << t->name << got.report;
    EXPECT_TRUE(says(r, "illegal", "table") && says(r, "illegal", named)) << t->name << r;
    EXPECT_TRUE(same_bytes(got.tile, Floats(8, untouched))) << t->name;
  }
}

TEST(pitfall, a_size_past_63_bits_or_below_zero_is_illegal) {
  using Any = GlobalTensor<float, Shape<>, Stride<>>;
  Floats memory(64, 3.0f);
  float* p = memory.data();
  const int64_t large = int64_t{1} << 40;
  bad_table(flat(p, large, large), "1099511627776");
  bad_table(Any(p, {large, 1, large, 1, 8}, {1, 1, 1, 8, 1}), "1099511627776");
  bad_table(Any(p, {1, 1, 1, INT64_MAX, 1}, {1, 1, 1, 1, 1}), "9223372036854775807");
  bad_table(Any(p, {1, 1, 1, -3, 8}, {1, 1, 1, 8, 1}), "-3");
  bad_table(Any(p, {1, 1, 1, 3, 8}, {1, 1, 1, INT64_MAX / 2, 1}), "4611686018427387903");
  EXPECT_EQ(memory, Floats(64, 3.0f));
}

TEST(pitfall, the_smallest_extent_of_all_is_illegal_too) {
  using Any = GlobalTensor<float, Shape<>, Stride<>>;
  Floats memory(64, 3.0f);
  bad_table(Any(memory.data(), {1, 1, 1, INT64_MIN, 8}, {1, 1, 1, 8, 1}), "Shape");
  for (const ptox::Target* t : targets) {
    const auto rows = gather_rows<>(*t, Any(memory.data(), {1, 1, 1, 3, 8}, {1, 1, 1, INT64_MIN, 1}), 8, {2});
    EXPECT_TRUE(says(rows.report, "illegal", "table")) << t->name << rows.report;
  }
  EXPECT_EQ(memory, Floats(64, 3.0f));
}

/// The sentence of what a host function throws.
template <class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return {};
}

TEST(host, wrong_arguments_throw_a_sentence) {
  ptox::Device dev(at::a5);
  EXPECT_NE(thrown([&] { dev.alloc<float>(-1); }).find("-1"), std::string::npos);
  EXPECT_NE(thrown([&] { dev.alloc<float>(INT64_MAX); }).find("9223372036854775807"), std::string::npos);
  EXPECT_FALSE(thrown([&] { dev.alloc<float>(int64_t{1} << 60); }).empty());
  EXPECT_NE(thrown([&] { dev.adopt<float>(nullptr, 8); }).find("null"), std::string::npos);
  float one = 0;
  EXPECT_NE(thrown([&] { dev.adopt(&one, -8); }).find("-8"), std::string::npos);
  EXPECT_NE(thrown([&] { dev.launch({.blocks = 0}, [] {}); }).find("0"), std::string::npos);
  EXPECT_NE(thrown([&] { dev.launch({.blocks = -3}, [] {}); }).find("-3"), std::string::npos);
}

TEST(host, a_kernels_own_exception_is_rethrown_when_all_blocks_are_done) {
  for (const ptox::Target* t : targets) {
    ptox::Device dev(*t);
    auto done = dev.alloc<int>(4);
    EXPECT_THROW(dev.launch({.blocks = 4},
                            [&] {
                              done[get_block_idx()] = 1;
                              if (get_block_idx() == 1) throw std::runtime_error("the kernel's own");
                            }),
                 std::runtime_error);
    for (int d : done) EXPECT_EQ(d, 1) << t->name;
  }
}

}  // namespace
