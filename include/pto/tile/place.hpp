// SPDX-License-Identifier: Apache-2.0
// The bytes of a core's buffers that a tile owns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <source_location>

#include "pto/tile/desc.hpp"
#include "pto/tile/hints.hpp"
#include "pto/tile/qualifiers.hpp"

namespace ptox {
class Core;
}

namespace pto::instr {

/// The kernel's call site, carried along as a defaulted argument.
#ifdef __CUDACC__
class Site {
 public:
  static constexpr Site current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    Site site;
    site.file_ = file, site.line_ = line;
    return site;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr int line() const { return line_; }

 private:
  const char* file_ = "";
  int line_ = 0;
};
#else
using Site = std::source_location;
#endif

namespace detail {

/// A byte offset in the buffer that a tile type names, and how it came by it.
struct Place {
  enum class State : std::uint8_t { none, assigned, automatic, refused };
  std::int64_t offset = -1;
  std::uint64_t epoch = 0;  ///< the run of a block that an automatic place belongs to
  State state = State::none;
  bool owner = false;  ///< gives its hole back when destroyed
};

/// Makes sure the place has an offset: auto mode takes the lowest free hole. No room leaves it refused.
AICORE void settle(Place&, const TileDesc& type, Site);
/// TASSIGN: the place is this offset from now on.
AICORE void assign(Place&, const TileDesc& type, std::int64_t offset, Site);
/// Gives an automatic hole back.
AICORE void release(Place&, TileType) noexcept;
/// The host address of `bytes` bytes at an offset of the current core's buffer, or nullptr outside it.
AICORE std::byte* address(TileType, std::int64_t offset, std::int64_t bytes);
/// The same for one element of a tile, for GetValue and SetValue; outside the tile it is a finding and nullptr.
AICORE std::byte* element_address(const Place&, const TileDesc&, std::int64_t at, bool store, Site);
/// Called when a position by row and column lies outside its tile.
AICORE void outside_tile(const char* who, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t cols, Site);
/// Called when the last tile of the thread is destroyed: this ends the launch of a plain call.
void last_tile_gone() noexcept;
/// Called when run-time valid extents contradict the tile's type.
AICORE void valid_contradicts(const char* what, std::int64_t in_type, std::int64_t given, Site);

#ifdef __CUDACC__
/// Whether a place holds for the rest of the block.
AICORE constexpr bool settled(const Place& place) { return place.state != Place::State::none; }
struct Alive {};
#else
inline constinit thread_local int live_tiles = 0;
/// What a call site may know of the block that its thread is in, without asking the engine.
struct Here {
  static constexpr std::uint64_t no_epoch = UINT64_MAX;  ///< that no place has
  std::uint64_t epoch = no_epoch;
  bool bare = false;       ///< on the host, unchecked: an instruction is its body and nothing else
  Hints* hints = nullptr;  ///< of the block
  /// The engine's core that runs the block. Call sites hand it over: in the library, which is compiled to be linked
  /// into shared objects as well, an access to a thread-local costs more.
  ptox::Core* core = nullptr;
};
inline constinit thread_local Here here;
/// Whether a place holds for the rest of the block.
inline bool settled(const Place& place) { return place.state == Place::State::assigned || place.epoch == here.epoch; }

/// Counts a tile for as long as it lives.
struct Alive {
  Alive() noexcept { ++live_tiles; }
  Alive(const Alive&) noexcept { ++live_tiles; }
  Alive& operator=(const Alive&) noexcept = default;
  ~Alive() {
    if (live_tiles == 0) return;  // the tile began to live on another thread
    --live_tiles;
    if (live_tiles == 0) last_tile_gone();
  }
};
#endif

}  // namespace detail
}  // namespace pto::instr
