// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters in short spelling, with their results and findings, for the tests of pitfalls.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::pitfalls {

using namespace pto;
using namespace pto::instr;
using ptox::Check;
using ptox::FindingKind;
using ptox::Report;
using std::int64_t;
namespace at = ptox::target;

inline constexpr const ptox::Target* targets[] = {&at::cpu, &at::a2a3, &at::a5};
inline constexpr auto RM = BLayout::RowMajor, CM = BLayout::ColMajor;

template <class T, int R, int C, BLayout B = RM, SLayout S = SLayout::NoneBox, TileType Loc = TileType::Vec>
using Open = Tile<Loc, T, R, C, B, -1, -1, S>;
template <class T, int R, int C, BLayout B = RM, int VR = R, int VC = C>
using Fixed = Tile<TileType::Vec, T, R, C, B, VR, VC>;
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
T as_number(double v) {
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

inline std::string message(const Report& r, FindingKind kind) {
  for (const ptox::Finding& f : r.findings())
    if (f.kind == kind) return f.message;
  return {};
}
inline bool says(const Report& r, FindingKind kind, const std::string& part) {
  return message(r, kind).find(part) != std::string::npos;
}

/// What a gather left in its whole padded tile, row by row. Before, every element was `untouched`.
template <class T>
struct Gathered {
  Report report;
  std::vector<T> tile;
};
inline constexpr double untouched = 77, garbage = 99;

template <class TileT>
void write(TileT& t, Extent valid, const std::vector<typename TileT::DType>& values, double padding) {
  for (int64_t r = 0; r < TileT::Rows; ++r)
    for (int64_t c = 0; c < TileT::Cols; ++c)
      t.SetValue(r, c,
                 r < valid.rows && c < valid.cols && !values.empty() ? values[r * valid.cols + c]
                                                                     : as_number<typename TileT::DType>(padding));
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
inline int64_t count(const Indices& idx) { return static_cast<int64_t>(idx.size()); }

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
  for (int64_t i = 0; i < n; ++i) v[i] = as_number<T>(first + static_cast<double>(i % 100));
  return v;
}

// Where an index leads, written once more.

inline int64_t slot(std::uint32_t index, int64_t capacity, GatherOOB mode) {
  if (index < capacity) return index;
  return mode == GatherOOB::Clamp ? capacity - 1 : mode == GatherOOB::Wrap ? index % capacity : -1;
}
inline int64_t slot(std::uint32_t index, int64_t capacity, ScatterOOB mode) {
  if (index < capacity) return index;
  return mode == ScatterOOB::Clamp ? capacity - 1 : mode == ScatterOOB::Wrap ? index % capacity : -1;
}

}  // namespace ptox::pitfalls
