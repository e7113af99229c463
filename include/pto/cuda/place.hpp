// SPDX-License-Identifier: Apache-2.0
// How does a tile come by its bytes on a GPU?
#pragma once

#include "pto/cuda/found.hpp"
#include "pto/tile/tensor.hpp"

namespace pto::cuda {

namespace detail {

using Place = instr::detail::Place;

/// A slot of global memory: there are fewer than blocks may need, and who has one gives it back.
AICORE inline std::int32_t take_slot(const LaunchData& launch) {
  for (std::int32_t i = static_cast<std::int32_t>(blockIdx.x) % launch.slot_count;; i = (i + 1) % launch.slot_count)
    if (atomicCAS(&launch.slot_taken[i], 0u, 1u) == 0u) return i;
}

/// The block's whole UB moves to global memory, which is slower and large enough. Called by all threads.
AICORE __attribute__((noinline)) inline void move_out() {
  State& s = Block::state();
  Block::sync();
  if (Block::tid() == 0) s.slot = take_slot(s.launch);
  Block::sync();
  std::byte* const to = s.launch.slots + s.slot * s.launch.slot_bytes;
  for (std::int64_t i = Block::tid(); i < s.ub_bytes; i += Block::threads()) to[i] = s.ub[i];
  Block::sync();
  if (Block::tid() == 0) s.ub = to, s.ub_bytes = s.launch.ub_limit, s.in_shared = false;
  Block::sync();
}

/// UB reaches at least to `end`, which is within the limit.
AICORE inline void reach(std::int64_t end) {
  if (end > Block::state().ub_bytes) move_out();
}

AICORE inline void refuse(Place& place) { place = {.offset = TileDesc::refused, .state = Place::State::refused}; }

AICORE inline std::int64_t limit_of(TileType type) {
  return type == TileType::Vec ? Block::state().launch.ub_limit : 0;
}

/// Thread 0 asks, all get its answer.
template <class F>
AICORE std::int64_t answered(F&& f) {
  Block::sync();
  if (Block::tid() == 0) Block::state().answer = f(Block::state().holes);
  Block::sync();
  return Block::state().answer;
}

AICORE inline void no_room(Place& place, const TileDesc& type, std::int64_t answer, instr::Site site) {
  refuse(place);
  if (answer == Holes::list_full)
    return report({.kind = Found::Kind::too_many_tiles, .name = "tiles", .value = {Holes::most}}, site);
  report({.kind = Found::Kind::no_room,
          .name = "room",
          .value = {Block::state().holes.top(), limit_of(type.loc)},
          .operands = &type,
          .operand_bytes = sizeof type},
         site);
}

/// A place by hand that no tile can have.
AICORE inline void refuse_assigned(Place& place, const TileDesc& type, std::int64_t offset, Found::Kind kind,
                                   instr::Site site) {
  refuse(place);
  report({.kind = kind,
          .name = "room",
          .value = {offset, limit_of(type.loc)},
          .operands = &type,
          .operand_bytes = sizeof type},
         site);
}

AICORE inline void report_clobber(const TileDesc& type, std::int64_t offset, Holes::Interval other, instr::Site site) {
  report({.kind = Found::Kind::clobber,
          .name = "automatic",
          .value = {offset, other.begin, other.end},
          .operands = &type,
          .operand_bytes = sizeof type},
         site);
}

}  // namespace detail
}  // namespace pto::cuda

namespace pto::instr {

AICORE inline void detail::settle(Place& place, const TileDesc& type, Site site) {
  const std::int64_t bytes = type.bytes(), limit = cuda::detail::limit_of(type.loc);
  const std::int64_t offset = cuda::detail::answered([&](cuda::Holes& holes) { return holes.take(bytes, limit); });
  if (offset < 0) return cuda::detail::no_room(place, type, offset, site);
  cuda::detail::reach(offset + bytes);
  place = {.offset = offset, .state = Place::State::automatic, .owner = true};
}

AICORE inline void detail::assign(Place& place, const TileDesc& type, std::int64_t offset, Site site) {
  using Kind = cuda::Found::Kind;
  if (place.owner) release(place, type.loc);
  const std::int64_t bytes = type.bytes();
  if (offset < 0 || offset > cuda::detail::limit_of(type.loc) - bytes)
    return cuda::detail::refuse_assigned(place, type, offset, Kind::past_end, site);
  if (offset % BLOCK_BYTE_SIZE != 0) return cuda::detail::refuse_assigned(place, type, offset, Kind::misaligned, site);
  if (cuda::Block::tid() == 0) {
    cuda::Holes& holes = cuda::Block::state().holes;
    holes.hold(offset, offset + bytes);
    const cuda::Holes::Interval other = holes.automatic_in(offset, offset + bytes);
    if (other.begin >= 0) cuda::detail::report_clobber(type, offset, other, site);
  }
  cuda::detail::reach(offset + bytes);
  place = {.offset = offset, .state = Place::State::assigned};
}

AICORE inline void detail::release(Place& place, TileType) noexcept {
  if (!place.owner) return;
  place.owner = false;
  if (cuda::Block::tid() == 0) cuda::Block::state().holes.give_back(place.offset);
}

AICORE inline std::byte* detail::address(TileType, std::int64_t offset, std::int64_t) {
  cuda::Block::sync();
  return offset < 0 ? nullptr : cuda::Block::ub() + offset;
}

AICORE inline std::byte* detail::element_address(const Place& place, const TileDesc& tile, std::int64_t at, bool store,
                                                 Site site) {
  const std::int64_t size = size_of(tile.dtype), count = tile.bytes() / size;
  if (at < 0 || at >= count) {
    cuda::report({.kind = cuda::Found::Kind::outside_elements,
                  .name = store ? "SetValue" : "GetValue",
                  .value = {at},
                  .operands = &tile,
                  .operand_bytes = sizeof tile},
                 site);
    return nullptr;
  }
  cuda::Block::sync();
  if (place.offset < 0 || (store && cuda::Block::tid() != 0)) return nullptr;
  return cuda::Block::ub() + place.offset + at * size;
}

AICORE inline void detail::outside_tile(const char* who, std::int64_t r, std::int64_t c, std::int64_t rows,
                                        std::int64_t cols, Site site) {
  cuda::report({.kind = cuda::Found::Kind::outside_tile, .name = who, .value = {r, c, rows, cols}}, site);
}
AICORE inline void detail::valid_contradicts(const char* what, std::int64_t in_type, std::int64_t given, Site site) {
  cuda::report({.kind = cuda::Found::Kind::valid_contradicts, .name = what, .value = {in_type, given}}, site);
}

// A tensor of the host program is judged where a kernel uses it.
PTO_EITHER inline void detail::extent_contradicts([[maybe_unused]] const char* what, [[maybe_unused]] int dim,
                                                  [[maybe_unused]] std::int64_t in_type,
                                                  [[maybe_unused]] std::int64_t given, [[maybe_unused]] Site site) {
#ifdef __CUDA_ARCH__
  cuda::report({.kind = cuda::Found::Kind::extent_contradicts, .name = what, .value = {dim, in_type, given}}, site);
#endif
}
PTO_EITHER inline void detail::no_such_dim([[maybe_unused]] const char* who, [[maybe_unused]] int dim,
                                           [[maybe_unused]] Site site) {
#ifdef __CUDA_ARCH__
  cuda::report({.kind = cuda::Found::Kind::no_such_dim, .name = who, .value = {dim}}, site);
#endif
}

}  // namespace pto::instr
