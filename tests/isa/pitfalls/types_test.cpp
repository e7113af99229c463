// SPDX-License-Identifier: Apache-2.0
// Every element type is moved bit by bit.
#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/pitfalls/kit.hpp"

namespace {

using namespace ptox::pitfalls;

template <class T>
void bytes_with_zero(bool on_a2a3) {
  std::vector<T> table(4 * 32);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = std::bit_cast<T>(static_cast<std::uint8_t>(i * 3 + 129));
  for (const ptox::Target* t : targets) {
    const bool legal = t != &at::a2a3 || on_a2a3;
    std::vector<T> want(4 * 32, as_number<T>(untouched));
    for (int c = 0; legal && c < 32; ++c)
      want[c] = table[64 + c], want[32 + c] = std::bit_cast<T>(std::uint8_t{0}), want[64 + c] = table[96 + c];
    const auto got = gather<Open<T, 4, 32>, Open<std::int32_t, 1, 8>, Coalesce::Row, GatherOOB::Zero>(
        *t, flat(table.data(), 4, 32), {3, 32}, {1, 3}, {2, 4, 3});
    EXPECT_EQ(got.report.has(FindingKind::illegal), !legal) << got.report;
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

}  // namespace
