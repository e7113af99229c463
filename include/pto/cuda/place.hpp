// SPDX-License-Identifier: Apache-2.0
// Places the tiles of a block in its UB on a GPU.
#pragma once

#include "pto/cuda/found.hpp"
#include "pto/tile/tensor.hpp"

namespace pto::instr::cuda {

namespace detail {

/// Takes a slot of global memory. There may be fewer slots than blocks that need one; a block waits here until another
/// one ends and releases its slot.
AICORE inline std::int32_t take_slot(const LaunchData& launch) {
  for (std::int32_t i = static_cast<std::int32_t>(blockIdx.x) % launch.slot_count;; i = (i + 1) % launch.slot_count)
    if (atomicCAS(&launch.slot_taken[i], 0u, 1u) == 0u) return i;
}

/// Moves the whole UB of the block to global memory, which is slower but large enough. Called by all threads.
AICORE __attribute__((noinline)) inline void move_out() {
  State& s = Block::state();
  Block::finish();
  if (Block::tid() == 0) s.slot = take_slot(s.launch);
  Block::sync();
  std::byte* const to = s.launch.slots + s.slot * s.launch.slot_bytes;
  for (std::int64_t i = Block::tid(); i < s.ub_bytes; i += Block::threads()) to[i] = s.ub[i];
  Block::sync();
  if (Block::tid() == 0) s.ub = to, s.ub_bytes = s.launch.ub_limit, s.in_shared = false;
  Block::sync();
}

/// Makes sure that UB has at least `end` bytes, which are within the limit. Called by all threads.
AICORE inline void reach(std::int64_t end) {
  if (end > Block::state().ub_bytes) move_out();
}

AICORE inline std::int64_t limit_of(TileType type) {
  return type == TileType::Vec ? Block::state().launch.ub_limit : 0;
}

/// Calls f in thread 0 and returns its result in all threads.
template <class F>
AICORE std::int64_t answered(F&& f) {
  Block::sync();
  if (Block::tid() == 0) Block::state().answer = f(Block::state().holes);
  Block::sync();
  return Block::state().answer;
}

AICORE inline void report_tile(Found::Kind kind, const char* name, const TileDesc& type,
                               const std::int64_t (&value)[Found::most_values], instr::Site site) {
  report({.kind = kind,
          .name = name,
          .value = {value[0], value[1], value[2], value[3]},
          .operands = &type,
          .operand_bytes = sizeof type},
         site);
}

// The following functions are called once for each tile, not once for each instruction, and are not inlined.

/// Allocates an automatic tile and returns its offset; reports a finding and returns `refused` if there is no space.
AICORE __attribute__((noinline)) inline std::int64_t automatic_place(TileDesc type, instr::Site site) {
  const std::int64_t bytes = type.bytes(), limit = limit_of(type.loc);
  const std::int64_t offset = answered([&](Holes& holes) { return holes.take(bytes, limit); });
  if (offset == Holes::list_full)
    report_tile(Found::Kind::too_many_tiles, "tiles", type, {Holes::most}, site);
  else if (offset < 0)
    report_tile(Found::Kind::no_room, "room", type, {Block::state().holes.top()}, site);
  else
    reach(offset + bytes);
  return offset < 0 ? TileDesc::refused : offset;
}

/// Places a tile at the offset that TASSIGN gives; reports a finding and returns `refused` if the offset is invalid.
AICORE __attribute__((noinline)) inline std::int64_t place_by_hand(TileDesc type, std::int64_t offset,
                                                                   instr::Site site) {
  const std::int64_t end = offset + type.bytes();
  const bool inside = offset >= 0 && offset <= limit_of(type.loc) - type.bytes();
  if (!inside || offset % BLOCK_BYTE_SIZE != 0) {
    report_tile(inside ? Found::Kind::misaligned : Found::Kind::past_end, "room", type, {offset}, site);
    return TileDesc::refused;
  }
  if (Block::tid() == 0) {
    Holes& holes = Block::state().holes;
    const Holes::Interval other = holes.automatic_in(offset, end);
    if (other.begin >= 0) report_tile(Found::Kind::clobber, "automatic", type, {offset, other.begin, other.end}, site);
    if (!holes.hold(offset, end)) report_tile(Found::Kind::too_many_tiles, "tiles", type, {Holes::most}, site);
  }
  reach(end);
  return offset;
}

AICORE __attribute__((noinline)) inline void give_back(std::int64_t offset) {
  if (Block::tid() == 0) Block::state().holes.give_back(offset);
}

}  // namespace detail
}  // namespace pto::instr::cuda

namespace pto::instr {

AICORE inline void detail::settle(Place& place, const TileDesc& type, Site site) {
  const std::int64_t offset = cuda::detail::automatic_place(type, site);
  const bool has_one = offset >= 0;
  place = {.offset = offset, .state = has_one ? Place::State::automatic : Place::State::refused, .owner = has_one};
}

AICORE inline void detail::assign(Place& place, const TileDesc& type, std::int64_t offset, Site site) {
  if (place.owner) release(place, type.loc);
  place.offset = cuda::detail::place_by_hand(type, offset, site);
  place.state = place.offset >= 0 ? Place::State::assigned : Place::State::refused;
}

AICORE inline void detail::release(Place& place, TileType) noexcept {
  if (!place.owner) return;
  place.owner = false;
  cuda::detail::give_back(place.offset);
}

AICORE inline std::byte* detail::address(TileType, std::int64_t offset, std::int64_t) {
  cuda::Block::finish();
  return offset < 0 ? nullptr : cuda::Block::state().ub + offset;
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
  cuda::Block::finish();
  if (place.offset < 0 || (store && cuda::Block::tid() != 0)) return nullptr;
  return cuda::Block::state().ub + place.offset + at * size;
}

AICORE inline void detail::outside_tile(const char* who, std::int64_t r, std::int64_t c, std::int64_t rows,
                                        std::int64_t cols, Site site) {
  cuda::report({.kind = cuda::Found::Kind::outside_tile, .name = who, .value = {r, c, rows, cols}}, site);
}
AICORE inline void detail::valid_contradicts(const char* what, std::int64_t in_type, std::int64_t given, Site site) {
  cuda::report({.kind = cuda::Found::Kind::valid_contradicts, .name = what, .value = {in_type, given}}, site);
}

// In host code these do nothing: a tensor that the host program constructs is checked where a kernel uses it.
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
