// SPDX-License-Identifier: Apache-2.0
// Conversion of 64-bit indices to 32 bits; indices that do not fit are counted.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "ptox/ops.hpp"

namespace ptox {
namespace {

const std::vector<std::int64_t> wide{
    0,         1,        -1, INT32_MAX, INT32_MAX + 1ll, INT32_MIN, INT32_MIN - 1ll, UINT32_MAX, UINT32_MAX + 1ll,
    INT64_MAX, INT64_MIN};

TEST(narrow_indices, to_int32_keeps_what_fits_and_counts_the_rest) {
  std::vector<std::int32_t> to(wide.size());
  EXPECT_EQ(narrow_indices(wide, to), 6);
  EXPECT_EQ(to, (std::vector<std::int32_t>{0, 1, -1, INT32_MAX, -1, INT32_MIN, -1, -1, -1, -1, -1}));
}

TEST(narrow_indices, to_uint32_keeps_what_fits_and_counts_the_rest) {
  std::vector<std::uint32_t> to(wide.size());
  EXPECT_EQ(narrow_indices(std::span<const std::int64_t>(wide), std::span<std::uint32_t>(to)), 6);
  const std::uint32_t none = UINT32_MAX;
  EXPECT_EQ(to,
            (std::vector<std::uint32_t>{0, 1, none, INT32_MAX, INT32_MAX + 1u, none, none, none, none, none, none}));
}

TEST(narrow_indices, of_none_is_nothing) {
  std::vector<std::int32_t> to;
  EXPECT_EQ(narrow_indices(std::vector<std::int64_t>{}, to), 0);
}

TEST(narrow_indices, wants_as_much_room_as_there_are_indices) {
  std::vector<std::int32_t> to(3);
  EXPECT_THROW(narrow_indices(wide, to), std::invalid_argument);
}

}  // namespace
}  // namespace ptox
