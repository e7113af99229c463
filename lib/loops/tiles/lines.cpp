// SPDX-License-Identifier: Apache-2.0
#include "loops/tiles/lines.hpp"

#include <algorithm>
#include <cstring>

#include "pto/isa/host_move.hpp"

namespace ptox {

using pto::Layout;
using pto::instr::element_offset;
using pto::instr::TensorDesc;
using pto::instr::TileDesc;

Lines rows_of(const TileDesc& t, std::byte* begin, std::int64_t r, std::int64_t c) {
  const std::int64_t size = pto::instr::size_of(t.dtype), c0 = pto::instr::c0_of(t.dtype);
  std::byte* const first = begin + element_offset(t, r, c) * size;
  if (pto::instr::plain_rows(t)) return {.begin = first, .step = t.cols * size};
  // Consecutive rows of a column of blocks are C0 elements apart, also from one box to the next.
  if (t.is_nz() && c % c0 == 0)
    return {.begin = first, .step = c0 * size, .block = c0 * size, .block_step = t.rows * c0 * size};
  return {};
}

Lines columns_of(const TileDesc& t, std::byte* begin, std::int64_t r, std::int64_t c) {
  if (t.boxed() || t.blayout == pto::BLayout::RowMajor) return {};
  const std::int64_t size = pto::instr::size_of(t.dtype);
  return {.begin = begin + element_offset(t, r, c) * size, .step = t.rows * size};
}

Lines rows_of(const TensorDesc& t) {
  const std::int64_t size = pto::instr::size_of(t.dtype);
  auto* const begin = static_cast<std::byte*>(t.base);
  if (pto::instr::plain_rows(t)) {
    const std::int64_t step = pto::instr::row_step(t);
    return pto::instr::known(step) ? Lines{.begin = begin, .step = step * size} : Lines{};
  }
  // Columns of blocks of an NZ tensor, whose rows have one distance within a block and between blocks.
  const auto& n = t.shape;
  const auto& s = t.stride;
  const bool even =
      t.layout == Layout::NZ && s[4] == 1 && (n[2] == 1 || s[2] == n[3] * s[3]) && (n[0] == 1 || s[0] == n[1] * s[1]);
  if (!even) return {};
  return {.begin = begin, .step = s[3] * size, .block = n[4] * size, .block_step = (n[1] == 1 ? s[0] : s[1]) * size};
}

Lines columns_of(const TensorDesc& t) {
  const auto& n = t.shape;
  const bool plane = n[0] == 1 && n[1] == 1 && n[2] == 1;
  if (t.layout != Layout::DN || t.stride[3] != 1 || !plane) return {};
  return {.begin = static_cast<std::byte*>(t.base), .step = t.stride[4] * pto::instr::size_of(t.dtype)};
}

namespace {

/// Calls part(first byte, bytes) for each part of a line that is contiguous in all of `lines`.
template <class Part, class... L>
void each_part(std::int64_t bytes, Part&& part, const L&... lines) {
  for (std::int64_t at = 0, n = 0; at < bytes; at += n) {
    n = std::min({bytes - at, lines.run(at)...});
    part(at, n);
  }
}

template <class T>
void fill(std::byte* to, std::int64_t bytes, std::uint64_t bits) {
  const T value = static_cast<T>(bits);
  for (std::int64_t i = 0; i < bytes; i += static_cast<std::int64_t>(sizeof value))
    std::memcpy(to + i, &value, sizeof value);
}

/// The lowest address of the lines, and one past the highest.
struct Hull {
  std::intptr_t first, end;
  Hull(const Lines& l, std::int64_t count, std::int64_t bytes) {
    const auto begin = reinterpret_cast<std::intptr_t>(l.begin);
    const std::int64_t lines = l.step * (count - 1), blocks = (bytes - 1) / l.block * l.block_step;
    first = begin + std::min<std::int64_t>(lines, 0) + std::min<std::int64_t>(blocks, 0);
    end = begin + std::max<std::int64_t>(lines, 0) + std::max<std::int64_t>(blocks, 0) + std::min(bytes, l.block);
  }
};

}  // namespace

bool same_or_apart(const Lines& a, const Lines& b, std::int64_t count, std::int64_t bytes) {
  if (a.begin == b.begin && a.step == b.step && a.block == b.block && a.block_step == b.block_step) return true;
  const Hull x(a, count, bytes), y(b, count, bytes);
  return x.end <= y.first || y.end <= x.first;
}

void copy_lines(const Lines& to, const Lines& from, std::int64_t count, std::int64_t bytes) {
  const auto part = [&](std::int64_t at, std::int64_t n) {
    std::byte* target = to.at(at);
    const std::byte* source = from.at(at);
    if (target == source && to.step == from.step) return;
    if (to.step == n && from.step == n) return void(std::memcpy(target, source, static_cast<std::size_t>(n * count)));
    for (std::int64_t i = 0; i < count; ++i, target += to.step, source += from.step)
      std::memcpy(target, source, static_cast<std::size_t>(n));
  };
  each_part(bytes, part, to, from);
}

void fill_lines(const Lines& to, std::int64_t count, std::int64_t bytes, std::int64_t size, std::uint64_t bits) {
  const auto line = [&](std::byte* at, std::int64_t n) {
    if (size == 1) return fill<std::uint8_t>(at, n, bits);
    if (size == 2) return fill<std::uint16_t>(at, n, bits);
    if (size == 4) return fill<std::uint32_t>(at, n, bits);
    fill<std::uint64_t>(at, n, bits);
  };
  const auto part = [&](std::int64_t at, std::int64_t n) {
    if (to.step == n) return line(to.at(at), n * count);
    for (std::int64_t i = 0; i < count; ++i) line(to.at(at) + i * to.step, n);
  };
  each_part(bytes, part, to);
}

}  // namespace ptox
