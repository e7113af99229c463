// SPDX-License-Identifier: Apache-2.0
// Compares whole-tensor calls on the GPU with those on the host.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "guarded.hpp"
#include "ptox/cuda.hpp"

namespace ptox::testing {

using Random = std::mt19937_64;

template <class T>
T value_of(Random& random) {
  if constexpr (std::is_integral_v<T> || std::is_floating_point_v<T>)
    return static_cast<T>(static_cast<int>(random() % 2001) - 1000);
  else if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 8.0f);
  else
    return std::bit_cast<T>(static_cast<std::uint8_t>(random()));
}
template <class T>
std::vector<T> values(Random& random, std::int64_t n) {
  std::vector<T> v(static_cast<std::size_t>(n));
  for (T& x : v) x = value_of<T>(random);
  return v;
}
/// The contents of an output before the call.
template <class T>
std::vector<T> poison(std::int64_t n) {
  std::vector<T> v(static_cast<std::size_t>(n));
  if (n > 0) std::memset(static_cast<void*>(v.data()), 0x5a, v.size() * sizeof(T));
  return v;
}

/// The first and last slot, and indices that are out of range of a table of that capacity.
template <class I>
std::vector<I> edges_of(std::int64_t capacity) {
  std::vector<std::int64_t> v{0, capacity - 1, capacity, capacity + 1, -1, INT32_MIN, INT32_MAX};
  if (sizeof(I) == 8) v.insert(v.end(), {std::int64_t{1} << 32, (std::int64_t{1} << 32) + 1, INT64_MIN, INT64_MAX});
  std::vector<I> edges;
  for (const std::int64_t x : v) edges.push_back(static_cast<I>(x));
  return edges;
}
/// Random indices; with `stray`, about a quarter of them are from edges_of.
template <class I>
std::vector<I> indices(Random& random, std::int64_t n, std::int64_t capacity, bool stray) {
  const std::vector<I> edges = edges_of<I>(capacity);
  std::vector<I> v(static_cast<std::size_t>(n));
  for (I& x : v)
    x = stray && random() % 4 == 0 ? edges[random() % edges.size()]
                                   : static_cast<I>(random() % static_cast<std::uint64_t>(capacity));
  return v;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class T>
std::string bits_of(const T& x) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &x, sizeof x);
  std::string text = "0x";
  for (std::size_t i = sizeof(T); i-- > 0;)
    text += "0123456789abcdef"[bytes[i] / 16], text += "0123456789abcdef"[bytes[i] % 16];
  return text;
}
template <class T>
bool is_nan(const T& x) {
  if constexpr (std::is_convertible_v<T, double> && !std::is_integral_v<T>)
    return static_cast<double>(x) != static_cast<double>(x);
  else
    return false;
}
/// How NaNs are compared. `any`: all NaNs are equal, because the bits of a NaN sum may differ.
enum class Nan { exact, any };
template <class T>
::testing::AssertionResult equal(const std::vector<T>& expected, const std::vector<T>& found, Nan nan = Nan::exact) {
  if (same(expected, found)) return ::testing::AssertionSuccess();
  if (expected.size() != found.size()) return ::testing::AssertionFailure() << "sizes differ";
  std::size_t first = found.size(), wrong = 0;
  for (std::size_t i = found.size(); i-- > 0;)
    if (std::memcmp(&expected[i], &found[i], sizeof(T)) != 0 &&
        !(nan == Nan::any && is_nan(expected[i]) && is_nan(found[i])))
      first = i, ++wrong;
  if (wrong == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << wrong << " of " << found.size() << " elements differ; number " << first
                                       << " is " << bits_of(found[first]) << ", not " << bits_of(expected[first]);
}

/// The operands of a call, on the host. Shifts are offsets, in elements, from an aligned address of the device.
template <class T, class I>
struct Operands {
  std::vector<T> table, moved;  ///< moved: gathered into, or scattered from
  std::vector<I> idx;
  std::int64_t width = 1, table_stride = width, moved_stride = width;
  bool by_row = true;
  std::size_t table_shift = 0, moved_shift = 0, idx_shift = 0;

  std::int64_t count() const { return static_cast<std::int64_t>(idx.size()); }
  std::int64_t capacity() const { return static_cast<std::int64_t>(table.size()) / table_stride; }
  template <class U>
  Rows<U> table_rows(U* data) const {
    return {data, capacity(), width, table_stride};
  }
  template <class U>
  Rows<U> moved_rows(U* data) const {
    return {data, count(), width, moved_stride};
  }
  std::string text() const {
    return "capacity " + std::to_string(capacity()) + ", " + std::to_string(count()) +
           (by_row ? " rows of " : " elements of ") + std::to_string(width) + ", strides " +
           std::to_string(table_stride) + " and " + std::to_string(moved_stride) + ", shifts " +
           std::to_string(table_shift) + ", " + std::to_string(moved_shift) + " and " + std::to_string(idx_shift) +
           ", " + std::to_string(sizeof(T)) + " bytes by " + std::to_string(sizeof(I));
  }
};

/// The message of the std::out_of_range exception that the call throws; empty if it throws none.
template <class F>
std::string said_by(F&& call) {
  try {
    call();
    return {};
  } catch (const std::out_of_range& e) {
    return e.what();
  }
}
/// The message of the GPU for a message of the host.
inline std::string of_cuda(const std::string& sentence) {
  return sentence.empty() ? sentence : "ptox::cuda::" + sentence;
}

template <class T, class I>
void scatter_on_host(std::vector<T>& table, const Operands<T, I>& o, const ScatterOptions& options) {
  o.by_row ? ptox::scatter_rows(o.table_rows(table.data()), o.idx, o.moved_rows(o.moved.data()), options)
           : ptox::scatter(table, o.idx, o.moved, options);
}
template <class T, class I>
void gather_on_host(std::vector<T>& out, const Operands<T, I>& o, const GatherOptions& options) {
  o.by_row ? ptox::gather_rows(o.table_rows(o.table.data()), o.idx, o.moved_rows(out.data()), options)
           : ptox::gather(o.table, o.idx, out, options);
}

/// The same operands on the device, between guard bytes.
template <class T, class I>
struct OnDevice {
  const Operands<T, I>& o;
  Guarded<T> table{o.table, o.table_shift}, moved{o.moved, o.moved_shift};
  Guarded<I> idx{o.idx, o.idx_shift};

  void scatter(const ScatterOptions& options, cuda::Stream stream = nullptr) const {
    o.by_row ? cuda::scatter_rows(o.table_rows(table.data()), idx.span(), o.moved_rows(moved.data()), options, stream)
             : cuda::scatter(table.span(), idx.span(), moved.span(), options, stream);
  }
  void gather(const GatherOptions& options, cuda::Stream stream = nullptr) const {
    o.by_row ? cuda::gather_rows(o.table_rows(table.data()), idx.span(), o.moved_rows(moved.data()), options, stream)
             : cuda::gather(table.span(), idx.span(), moved.span(), options, stream);
  }
  bool guards_stand() const { return table.guards_stand() && moved.guards_stand() && idx.guards_stand(); }
};

/// Expects the results of the host, and its message for an index out of range with Undefined; that index updates
/// nothing.
template <class T, class I>
void expect_scatter(const Operands<T, I>& o, ScatterOptions options, Nan nan = Nan::exact,
                    cuda::Stream stream = nullptr) {
  SCOPED_TRACE(o.text() + ", " + pto::instr::name(options.op) + " " + pto::instr::name(options.oob) + " " +
               pto::instr::name(options.conflict));
  std::vector<T> expected = o.table;
  const std::string said = said_by([&] { scatter_on_host(expected, o, options); });
  if (!said.empty()) scatter_on_host(expected, o, {.op = options.op, .oob = pto::ScatterOOB::Skip});
  const OnDevice<T, I> device{o};
  device.scatter(options, stream);
  EXPECT_EQ(said_by([&] { cuda::synchronize(stream); }), of_cuda(said));
  EXPECT_TRUE(equal(expected, device.table.get(), nan));
  EXPECT_TRUE(equal(o.moved, device.moved.get()) && equal(o.idx, device.idx.get()));
  EXPECT_TRUE(device.guards_stand());
}
/// The same for a gather; with Undefined, an index out of range gathers zeros.
template <class T, class I>
void expect_gather(const Operands<T, I>& o, GatherOptions options, cuda::Stream stream = nullptr) {
  SCOPED_TRACE(o.text() + ", gather " + pto::instr::name(options.oob));
  std::vector<T> expected = o.moved;
  const std::string said = said_by([&] { gather_on_host(expected, o, options); });
  if (!said.empty()) gather_on_host(expected, o, {.oob = pto::GatherOOB::Zero});
  const OnDevice<T, I> device{o};
  device.gather(options, stream);
  EXPECT_EQ(said_by([&] { cuda::synchronize(stream); }), of_cuda(said));
  EXPECT_TRUE(equal(expected, device.moved.get()));
  EXPECT_TRUE(equal(o.table, device.table.get()) && equal(o.idx, device.idx.get()));
  EXPECT_TRUE(device.guards_stand());
}

inline constexpr pto::GatherOOB all_gather_oob[] = {pto::GatherOOB::Undefined, pto::GatherOOB::Clamp,
                                                    pto::GatherOOB::Wrap, pto::GatherOOB::Zero};
inline constexpr pto::ScatterOOB all_scatter_oob[] = {pto::ScatterOOB::Undefined, pto::ScatterOOB::Skip,
                                                      pto::ScatterOOB::Clamp, pto::ScatterOOB::Wrap};

}  // namespace ptox::testing
