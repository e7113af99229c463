// SPDX-License-Identifier: Apache-2.0
// Sums on the GPU are computed in source order; values are chosen such that another order gives different bits.
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "ops_cases.hpp"

namespace {

using pto::ScatterAtomicOp;
using pto::ScatterOOB;
using ptox::ScatterOptions;
using namespace ptox::testing;

constexpr ScatterOptions add{.op = ScatterAtomicOp::Add};

/// So large that adding 0.5 is lost by rounding or not, depending on the preceding sum.
template <class T>
T large() {
  return static_cast<T>(static_cast<double>(std::int64_t{1} << std::numeric_limits<T>::digits));
}

/// Large numbers with alternating sign, so that sums stay finite, and small numbers, some of which are lost by
/// rounding.
template <class T>
class OrderRevealing {
 public:
  explicit OrderRevealing(std::int64_t places) : negative_(static_cast<std::size_t>(places)) {}
  T next(Random& random, std::int64_t place) {
    const double small = static_cast<double>(random() % 15) * 0.25 - 1.75;
    if (random() % 4 != 0) return static_cast<T>(small);
    const bool negative = negative_[static_cast<std::size_t>(place)] ^= true;
    return static_cast<T>(negative ? -static_cast<double>(large<T>()) : static_cast<double>(large<T>()));
  }

 private:
  std::vector<std::uint8_t> negative_;
};

template <class T, class I>
Operands<T, I> order_revealing(std::int64_t capacity, std::int64_t width, std::int64_t gap, const std::vector<I>& idx) {
  Random random(static_cast<std::uint64_t>(capacity * 1000 + width));
  Operands<T, I> o{.table = std::vector<T>(static_cast<std::size_t>(capacity * width), static_cast<T>(0.5)),
                   .moved = poison<T>(static_cast<std::int64_t>(idx.size()) * (width + gap)),
                   .idx = idx,
                   .width = width,
                   .table_stride = width,
                   .moved_stride = width + gap};
  OrderRevealing<T> made(capacity * width);
  for (std::size_t i = 0; i < idx.size(); ++i)
    for (std::int64_t c = 0; c < width; ++c)
      o.moved[i * static_cast<std::size_t>(width + gap) + static_cast<std::size_t>(c)] =
          made.next(random, static_cast<std::int64_t>(idx[i]) % capacity * width + c);
  return o;
}

/// Sums in source order, as the manual defines them; `backwards`: in reverse order.
template <class T, class I>
std::vector<T> plain_sums(const Operands<T, I>& o, bool backwards) {
  std::vector<T> table = o.table;
  for (std::int64_t n = 0; n < o.count(); ++n) {
    const auto i = static_cast<std::size_t>(backwards ? o.count() - 1 - n : n);
    for (std::int64_t c = 0; c < o.width; ++c) {
      T& to = table[static_cast<std::size_t>(static_cast<std::int64_t>(o.idx[i]) * o.table_stride + c)];
      const T from = o.moved[i * static_cast<std::size_t>(o.moved_stride) + static_cast<std::size_t>(c)];
      if constexpr (sizeof(T) == 8)
        to = to + from;
      else
        to = static_cast<T>(static_cast<float>(to) + static_cast<float>(from));
    }
  }
  return table;
}

/// Checks that the operands give different sums in reverse order, and that the GPU gives those of the source order.
template <class T, class I>
void adds_in_order(const Operands<T, I>& o) {
  SCOPED_TRACE(o.text());
  const std::vector<T> expected = plain_sums(o, false);
  ASSERT_FALSE(same(expected, plain_sums(o, true)));
  const OnDevice<T, I> device{o};
  device.scatter(add);
  ptox::cuda::synchronize();
  EXPECT_TRUE(equal(expected, device.table.get()));
  EXPECT_TRUE(device.guards_stand());
}

template <class T>
class cuda_ops_order : public ::testing::Test {};
using Inexact = ::testing::Types<half, bfloat16_t, float, double>;
TYPED_TEST_SUITE(cuda_ops_order, Inexact);

TYPED_TEST(cuda_ops_order, elements_are_added_in_source_order) {
  Random random(1);
  for (const auto& [capacity, count] : {std::pair{1, 60}, {3, 333}, {40, 500}, {700, 20'000}}) {
    auto o = order_revealing<TypeParam>(capacity, 1, 0, indices<std::int32_t>(random, count, capacity, false));
    adds_in_order(o);
    o.by_row = false, o.table_shift = 1, o.moved_shift = 3, o.idx_shift = 1;
    adds_in_order(o);
  }
}

TYPED_TEST(cuda_ops_order, rows_are_added_in_source_order) {
  Random random(2);
  for (const std::int64_t width : {1, 2, 3, 8, 17, 64, 100})
    for (const std::int64_t gap : {0, 1, 8})
      adds_in_order(order_revealing<TypeParam>(60, width, gap, indices<std::uint64_t>(random, 4000, 60, false)));
}

/// Runs of updates around the length from which a block processes one run, and rows with a stride.
TYPED_TEST(cuda_ops_order, long_runs_are_added_in_source_order) {
  std::vector<std::int32_t> idx;
  const int lengths[] = {511, 512, 513, 1024, 5000, 13'000, 1, 31};
  for (int slot = 0; slot < 8; ++slot) idx.insert(idx.end(), static_cast<std::size_t>(lengths[slot]), slot);
  Random random(3);
  std::shuffle(idx.begin(), idx.end(), random);
  for (const std::int64_t width : {1, 2, 7, 16, 33, 128, 130}) {
    adds_in_order(order_revealing<TypeParam>(8, width, 1, idx));
    adds_in_order(order_revealing<TypeParam>(8, width, 0, idx));
  }
}

/// Indices out of range among the others; they are sorted behind all slots of the table.
TYPED_TEST(cuda_ops_order, strays_among_long_runs_change_nothing) {
  for (const ScatterOOB oob : {ScatterOOB::Skip, ScatterOOB::Undefined, ScatterOOB::Clamp, ScatterOOB::Wrap})
    for (const std::int64_t width : {1, 6, 32}) {
      Random random(4);
      auto o = order_revealing<TypeParam>(5, width, 0, indices<std::int64_t>(random, 9000, 5, false));
      const auto edges = edges_of<std::int64_t>(5);
      for (std::size_t i = 7; i < o.idx.size(); i += 5) o.idx[i] = edges[2 + random() % (edges.size() - 2)];
      expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = oob}, Nan::any);
    }
}

/// More long runs than are reserved for blocks.
TEST(cuda_ops, thousands_of_long_runs_are_added_in_source_order) {
  constexpr int slots = 4500, rows = 520;
  std::vector<std::int32_t> idx;
  for (int i = 0; i < slots * rows; ++i) idx.push_back(i % slots * 7919 % slots);
  adds_in_order(order_revealing<float>(slots, 2, 0, idx));
}

}  // namespace
