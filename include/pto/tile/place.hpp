// SPDX-License-Identifier: Apache-2.0
// Place: the bytes of a tile in a buffer of the core, and the interface of the engine that assigns them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pto/tile/desc.hpp"
#include "pto/tile/hints.hpp"
#include "pto/tile/qualifiers.hpp"
#include "pto/tile/version.hpp"

namespace ptox {
class Core;
}

namespace pto::instr {

/// The call site in the kernel, passed as a defaulted argument. std::source_location would do the same, but clang 14
/// has no built-in function for it, and kernels compiled by clang have to fit a library compiled by g++.
class Site {
 public:
  constexpr Site() = default;
  constexpr Site(const char* file, int line) : file_(file), line_(line) {}
  static constexpr Site current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
  constexpr const char* file_name() const { return file_; }
  constexpr int line() const { return line_; }

 private:
  const char* file_ = "";
  int line_ = 0;
};

namespace detail {

/// The byte offset of a tile in the buffer that its TileType selects, and how it was assigned.
struct Place {
  enum class State : std::uint8_t { none, assigned, automatic, refused };
  std::int64_t offset = -1;
  std::uint64_t epoch = 0;  ///< identifies the block execution in which an automatic place is valid
  State state = State::none;
  bool owner = false;  ///< frees its bytes when destroyed
};

/// Assigns an offset if the place has none: auto mode takes the lowest free range that is large enough. If there is
/// none, it reports a finding and the state becomes `refused`.
AICORE void settle(Place&, const TileDesc& type, Site);
/// TASSIGN: sets the offset. An offset outside the buffer is reported, and the state becomes `refused`.
AICORE void assign(Place&, const TileDesc& type, std::int64_t offset, Site);
/// Frees the bytes of an automatic place.
AICORE void release(Place&, TileType) noexcept;
/// The host address of `bytes` bytes at an offset of the current core's buffer; nullptr if they do not lie in it.
AICORE std::byte* address(TileType, std::int64_t offset, std::int64_t bytes);
/// The byte offset of an address in a buffer of the current core; -1 if it lies outside.
AICORE std::int64_t offset_in(TileType, const void* address);
/// The host address of element `at` of a tile, for GetValue and SetValue. Outside the tile it reports a finding and
/// returns nullptr.
AICORE std::byte* element_address(const Place&, const TileDesc&, std::int64_t at, bool store, Site);
/// Reports that a position by row and column lies outside its tile.
AICORE void outside_tile(const char* who, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t cols, Site);
/// Ends the launch of a plain call; called when the last tile of the thread is destroyed.
void last_tile_gone() noexcept;
/// Reports that a run-time valid extent contradicts the type of the tile.
AICORE void valid_contradicts(const char* what, std::int64_t in_type, std::int64_t given, Site);

#ifdef __CUDACC__
/// Whether the place is settled, assigned or refused, for the rest of the block.
AICORE constexpr bool settled(const Place& place) { return place.state != Place::State::none; }
struct Alive {};
#else
inline constinit thread_local int live_tiles = 0;
/// The state of the block that this thread executes, as far as call sites read it without calling the engine.
struct Here {
  static constexpr std::uint64_t no_epoch = UINT64_MAX;  ///< an epoch that no place has
  std::uint64_t epoch = no_epoch;
  bool bare = false;       ///< an unchecked block on the host: an instruction only executes its body
  Hints* hints = nullptr;  ///< rows that the block requested by TPREFETCH
  /// The engine's core that runs the block. Call sites pass it as an argument, because accessing a thread-local costs
  /// more in the library, which is compiled as position-independent code.
  ptox::Core* core = nullptr;
};
inline constinit thread_local Here here;
/// Whether the place is settled, assigned or refused, for the rest of the block.
inline bool settled(const Place& place) { return place.state == Place::State::assigned || place.epoch == here.epoch; }

/// Counts the live tiles of the thread.
struct Alive {
  Alive() noexcept { ++live_tiles; }
  Alive(const Alive&) noexcept { ++live_tiles; }
  Alive& operator=(const Alive&) noexcept = default;
  ~Alive() {
    if (live_tiles == 0) return;  // the tile was constructed on another thread
    --live_tiles;
    if (live_tiles == 0) last_tile_gone();
  }
};
#endif

}  // namespace detail
}  // namespace pto::instr
