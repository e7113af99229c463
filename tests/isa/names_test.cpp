// SPDX-License-Identifier: Apache-2.0
// A kernel with `using namespace pto;` can use common words as names.
#include <gtest/gtest.h>

#include "pto/pto-inst.hpp"

namespace detail {
constexpr int here = 1;
}
using namespace pto;

using Table = GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<0, 0, 0, 32, 1>>;
using DType = float;
struct Slot {};
struct Position {};
struct Range {};
struct Text {};
struct Box {};
struct Label {};
struct Role {};
struct Field {};
struct Effect {};
struct Access {};
struct Lookup {};
struct Target {};
struct Element {};
struct Mgather {};
struct Operands {};
struct Policy {};
constexpr int name = 1, walk = 2, clear = 3, issue = 4, unknown = 5, known = 6, touch = 7, keeps = 8, size_of = 9;

namespace {

TEST(names, of_a_kernel_do_not_meet_the_engines) {
  Table table;
  [[maybe_unused]] Slot slot;
  [[maybe_unused]] Position position;
  [[maybe_unused]] Range range;
  [[maybe_unused]] Text text;
  [[maybe_unused]] Box box;
  [[maybe_unused]] Label label;
  [[maybe_unused]] Role role;
  [[maybe_unused]] Field field;
  [[maybe_unused]] Effect effect;
  [[maybe_unused]] Access access;
  [[maybe_unused]] Lookup lookup;
  [[maybe_unused]] Target target;
  [[maybe_unused]] Element element;
  [[maybe_unused]] Mgather mgather;
  [[maybe_unused]] Operands operands;
  [[maybe_unused]] Policy policy;
  EXPECT_EQ(sizeof(DType), 4u);
  EXPECT_EQ(name + walk + clear + issue + unknown + known + touch + keeps + size_of + detail::here, 46);
  EXPECT_EQ(table.GetShape(3), 64);
}

}  // namespace
