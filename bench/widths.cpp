// SPDX-License-Identifier: Apache-2.0
// Measures the cost of one row by its width: every power of two from 1 byte to 16 KiB, and their odd neighbours.
#include <algorithm>

#include "bench/curve.hpp"

namespace ptox::bench {

namespace {

/// Powers of two, three quarters of them, and one byte to either side.
std::vector<std::int64_t> byte_widths(bool quick) {
  std::vector<std::int64_t> out;
  for (std::int64_t power = 1; power <= 16384; power *= quick ? 16 : 2)
    for (const std::int64_t w : {power * 3 / 4, power - 1, power, power + 1})
      if (w >= 1 && w <= 16384) out.push_back(w);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// A job on a table that is much larger than the caches unless its rows are tiny.
Work work_of(Move move, std::int64_t row_bytes, bool quick) {
  const std::int64_t bytes = quick ? 4 << 20 : 256 << 20, most_rows = quick ? 1 << 14 : 4 << 20;
  const std::int64_t rows = std::min(most_rows, bytes / row_bytes),
                     count = std::min(most_rows / 2, bytes / row_bytes / 2);
  if (move == Move::add) return {move, Number::f32, rows, row_bytes / 4, count};
  return {move, Number::u8, rows, row_bytes, count};
}

}  // namespace

void widths(const Settings& settings, const Sink& sink) {
  const std::pair<const char*, Move> subjects[] = {
      {"gather rows", Move::gather}, {"scatter rows", Move::scatter}, {"add rows of f32", Move::add}};
  for (const auto& [name, move] : subjects) {
    const std::int64_t size = move == Move::add ? 4 : 1;
    for (const std::int64_t w : byte_widths(settings.quick))
      if (w * size <= 16384)
        measure_point("widths", name, static_cast<double>(w * size), work_of(move, w * size, settings.quick), settings,
                      sink);
  }
}

}  // namespace ptox::bench
