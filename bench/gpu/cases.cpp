// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/cases.hpp"

namespace ptox::bench::gpu {

const char* name(Work w) {
  constexpr const char* names[] = {"gather", "scatter", "add", "max"};
  return names[static_cast<int>(w)];
}
const char* name(Type t) {
  constexpr const char* names[] = {"f32", "f16", "bf16", "u8"};
  return names[static_cast<int>(t)];
}
std::int64_t size_of(Type t) { return t == Type::f32 ? 4 : t == Type::u8 ? 1 : 2; }

namespace {

/// A case with a table of 2 GiB, or 1 GiB for rows of at most 16 bytes. Half as many rows are moved, all in a
/// permutation.
Case rows(std::string name, std::string about, Work work, Type type, std::int64_t width, Order order) {
  const std::int64_t bytes = width * size_of(type), table = std::int64_t{bytes <= 16 ? 1 : 2} << 30;
  const std::int64_t count = table / bytes, moved = order == Order::permutation ? count : count / 2;
  return {std::move(name), std::move(about), work, type, count, width, moved, order};
}

Case elements(std::string name, std::string about, Work work, int table_log) {
  const std::int64_t one = 1;
  return {std::move(name), std::move(about), work, Type::f32, one << table_log, 0, one << 27, Order::uniform};
}

}  // namespace

std::vector<Case> all_cases(bool quick) {
  using enum Work;
  using enum Type;
  constexpr auto uniform = Order::uniform, zipf = Order::zipf, permutation = Order::permutation;
  std::vector<Case> all = {
      rows("gather-512", "rows of 128 f32", gather, f32, 128, uniform),
      rows("gather-512-zipf", "rows of 128 f32, a few of them often", gather, f32, 128, zipf),
      rows("gather-64", "rows of 16 f32", gather, f32, 16, uniform),
      rows("gather-64-zipf", "rows of 16 f32, a few of them often", gather, f32, 16, zipf),
      rows("gather-32", "rows of 32 u8", gather, u8, 32, uniform),
      rows("gather-16", "rows of 8 f16", gather, f16, 8, uniform),
      rows("gather-8k", "rows of 4096 bf16", gather, bf16, 4096, uniform),
      rows("scatter-512", "rows of 128 f32, a permutation", scatter, f32, 128, permutation),
      rows("scatter-64", "rows of 16 f32, a permutation", scatter, f32, 16, permutation),
      rows("scatter-16", "rows of 8 f16, a permutation", scatter, f16, 8, permutation),
      rows("scatter-8k", "rows of 4096 bf16, a permutation", scatter, bf16, 4096, permutation),
      rows("add-512", "rows of 128 f32", add, f32, 128, uniform),
      rows("add-64", "rows of 16 f32", add, f32, 16, uniform),
      rows("add-16", "rows of 8 f16", add, f16, 8, uniform),
      rows("add-8k", "rows of 4096 bf16", add, bf16, 4096, uniform),
      rows("add-64-zipf", "rows of 16 f32, a few of them often", add, f32, 16, zipf),
      rows("add-16-zipf", "rows of 8 f16, a few of them often", add, f16, 8, zipf),
      elements("elem-gather", "2^27 f32 of 2^29", gather, 29),
      elements("elem-scatter", "2^27 f32 of 2^29", scatter, 29),
      elements("elem-add", "2^27 f32 of 2^29", add, 29),
      elements("elem-max", "2^27 f32 of 2^29", max, 29),
      elements("small-gather", "2^27 f32 of 2^16", gather, 16),
      elements("small-add", "2^27 f32 of 2^16", add, 16),
  };
  if (quick)
    for (Case& c : all) c.rows /= 256, c.count /= 256;
  return all;
}

}  // namespace ptox::bench::gpu
