// SPDX-License-Identifier: Apache-2.0
// Compares a call of ops.hpp with a plain loop, for any number of threads.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <ostream>
#include <vector>

#include "host/ops_values.hpp"
#include "loops/level.hpp"

namespace ptox {

inline void PrintTo(Level l, std::ostream* out) { *out << name(l); }

namespace ops_test {

/// Base class of tests that run once for each SIMD level of this machine.
class AtLevel : public testing::TestWithParam<Level> {
 protected:
  void SetUp() override { force_level(GetParam()); }
  void TearDown() override { force_level(before_); }

 private:
  Level before_ = level();
};
inline std::string level_name(const testing::TestParamInfo<Level>& info) { return name(info.param); }
inline std::vector<Level> all_levels() { return {levels().begin(), levels().end()}; }

/// On an emulated machine, which is slow, fewer combinations are tested.
#ifdef PTOX_TESTS_EMULATED
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

/// A buffer of random bytes that starts `at` bytes after a cache line boundary. The bytes around it are compared as
/// well.
class Placed {
 public:
  Placed(std::int64_t bytes, std::int64_t at, Random& random)
      : lines_(static_cast<std::size_t>((at + bytes + 63) / 64 + 2)), at_(64 + at) {
    for (Line& l : lines_)
      for (std::uint64_t& word : l.words) word = random.next();
  }
  template <class T>
  T* data() {
    return reinterpret_cast<T*>(reinterpret_cast<std::byte*>(lines_.data()) + at_);
  }
  bool operator==(const Placed& other) const {
    return std::memcmp(lines_.data(), other.lines_.data(), lines_.size() * sizeof(Line)) == 0;
  }

 private:
  struct alignas(64) Line {
    std::array<std::uint64_t, 8> words;
  };
  std::vector<Line> lines_;
  std::int64_t at_;
};

/// Rows in a buffer of their own. `at` is in bytes, all others are in elements.
struct Shape {
  std::int64_t rows, width, gap = 0, at = 0;
  std::int64_t stride() const { return width + gap; }
  std::int64_t elements() const { return rows == 0 ? 0 : (rows - 1) * stride() + width; }
};
inline std::ostream& operator<<(std::ostream& out, const Shape& s) {
  return out << s.rows << " rows of " << s.width << " + " << s.gap << " at " << s.at;
}

template <class T>
class Tensor {
 public:
  Tensor(const Shape& shape, Random& random)
      : shape_(shape), bytes_(shape.elements() * static_cast<std::int64_t>(sizeof(T)), shape.at, random) {}
  Rows<T> rows() { return {bytes_.data<T>(), shape_.rows, shape_.width, shape_.stride()}; }
  Rows<const T> read() { return {bytes_.data<T>(), shape_.rows, shape_.width, shape_.stride()}; }
  void fill(Random& random) {
    for (std::int64_t i = 0; i < shape_.elements(); ++i) bytes_.data<T>()[i] = any_value<T>(random);
  }
  void take_nans(Tensor& expected) {
    ops_test::take_nans(bytes_.template data<T>(), expected.bytes_.template data<T>(),
                        static_cast<std::size_t>(shape_.elements()));
  }
  bool operator==(const Tensor& other) const { return bytes_ == other.bytes_; }

 private:
  Shape shape_;
  Placed bytes_;
};

inline constexpr std::array thread_counts{1, 2, 3, 7};

template <class T, class I>
void check_gather_rows(Random& random, const Shape& table, const Shape& out, std::span<const I> idx,
                       pto::GatherOOB oob) {
  Tensor<T> from(table, random), before(out, random), expected = before;
  const Tensor<T> from_before = from;
  plain_gather_rows(from.read(), idx, expected.rows(), oob);
  for (const int threads : thread_counts) {
    Tensor<T> actual = before;
    ptox::gather_rows(from.read(), idx, actual.rows(), {.oob = oob, .threads = threads});
    ASSERT_TRUE(actual == expected && from == from_before)
        << "table " << table << ", out " << out << ", elements of " << sizeof(T) << ", " << threads << " threads, "
        << pto::instr::name(oob);
  }
}

struct Update {
  pto::ScatterAtomicOp op = pto::ScatterAtomicOp::None;
  pto::ScatterOOB oob = pto::ScatterOOB::Undefined;
  pto::ScatterConflict conflict = pto::ScatterConflict::Last;
};

template <class T, class I>
void check_scatter_rows(Random& random, const Shape& table, const Shape& src, std::span<const I> idx, const Update& u) {
  Tensor<T> before(table, random), from(src, random);
  if (u.op != pto::ScatterAtomicOp::None) before.fill(random), from.fill(random);
  Tensor<T> expected = before;
  const Tensor<T> from_before = from;
  plain_scatter_rows(expected.rows(), idx, from.read(), u.op, u.oob);
  for (const int threads : thread_counts) {
    Tensor<T> actual = before;
    ptox::scatter_rows(actual.rows(), idx, from.read(),
                       {.op = u.op, .oob = u.oob, .conflict = u.conflict, .threads = threads});
    if (u.op == pto::ScatterAtomicOp::Add) actual.take_nans(expected);
    ASSERT_TRUE(actual == expected && from == from_before)
        << "table " << table << ", src " << src << ", elements of " << sizeof(T) << ", " << threads << " threads, "
        << pto::instr::name(u.op) << ", " << pto::instr::name(u.oob) << ", " << pto::instr::name(u.conflict);
  }
}

template <class I>
std::vector<I> random_indices(Random& random, std::int64_t n, std::uint64_t below) {
  std::vector<I> idx(static_cast<std::size_t>(n));
  for (I& i : idx) i = static_cast<I>(random.below(below));
  return idx;
}

/// Calls `f.template operator()<I>()` for each index type.
template <class F>
void for_each_index_type(F&& f) {
  f.template operator()<std::int32_t>();
  f.template operator()<std::uint32_t>();
  f.template operator()<std::int64_t>();
  f.template operator()<std::uint64_t>();
}
/// Calls it for one index type, selected by `turn`.
template <class F>
void with_index_type(std::uint64_t turn, F&& f) {
  if (turn % 4 == 0) return f.template operator()<std::int32_t>();
  if (turn % 4 == 1) return f.template operator()<std::uint32_t>();
  if (turn % 4 == 2) return f.template operator()<std::int64_t>();
  f.template operator()<std::uint64_t>();
}

inline constexpr std::array gather_policies{pto::GatherOOB::Undefined, pto::GatherOOB::Clamp, pto::GatherOOB::Wrap,
                                            pto::GatherOOB::Zero};
inline constexpr std::array scatter_policies{pto::ScatterOOB::Undefined, pto::ScatterOOB::Skip, pto::ScatterOOB::Clamp,
                                             pto::ScatterOOB::Wrap};
inline constexpr std::array updates{pto::ScatterAtomicOp::Add, pto::ScatterAtomicOp::Max, pto::ScatterAtomicOp::Min};

}  // namespace ops_test
}  // namespace ptox
