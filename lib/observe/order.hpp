// SPDX-License-Identifier: Apache-2.0
// Who touched this byte last, and is that over by now?
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/clock.hpp"
#include "core/findings.hpp"
#include "observe/cache.hpp"
#include "observe/range_map.hpp"
#include "pto/isa/effect.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

class Core;

/// One access: when, by which instruction of which line.
struct Touch {
  std::uint32_t time = 0;  ///< 0: none
  std::uint16_t who = 0;
  bool operator==(const Touch&) const = default;
};

/// The tile that bytes were written through.
struct TileKey {
  std::int64_t offset = 0, bytes = 0, rows = 0, cols = 0;
  pto::instr::DType dtype = pto::instr::DType::i8;
  bool operator==(const TileKey&) const = default;
  /// Another tile that covers the bytes only in part, or that has both another type and another shape.
  bool clashes(const TileKey& reader) const {
    if (offset != reader.offset || bytes != reader.bytes) return true;
    return dtype != reader.dtype && (rows != reader.rows || cols != reader.cols);
  }
};

/// What is known of bytes of a core's buffer.
struct BufferCell {
  bool written = false, outside = false;  ///< outside: by the kernel's own C++, through data()
  Agent writer = 0;
  Touch write;
  std::array<Touch, agent_count> reads{};
  TileKey key;
  bool operator==(const BufferCell&) const = default;
};

/// Accesses of one kind to bytes of global memory: the last core's, agent by agent, and one of another core.
struct Accesses {
  int core = -1, other_core = -1;
  std::uint16_t last = 0, other = 0;
  std::array<Touch, agent_count> by{};
  bool operator==(const Accesses&) const = default;

  void add(int by_core, Agent agent, Touch touch) {
    if (core >= 0 && core != by_core) other_core = core, other = last, by = {};
    core = by_core, last = touch.who;
    by[static_cast<std::size_t>(agent)] = touch;
  }
  /// A core besides `mine` that did this, or -1, and which instruction.
  int besides(int mine) const { return core >= 0 && core != mine ? core : other_core != mine ? other_core : -1; }
  std::uint16_t who(int of) const { return of == core ? last : other; }
};

/// What is known of bytes of global memory, by all cores of a launch. An update does not end what was before it.
struct GlobalCell {
  Accesses writes, updates, reads;
  bool plain_updates = false;  ///< some update is a read-modify-write that others may come between
  bool operator==(const GlobalCell&) const = default;
};

/// Instructions by mnemonic and line, numbered.
class Names {
 public:
  struct Entry {
    const char* mnemonic;
    pto::instr::Site site;
  };
  std::uint16_t number(const char* mnemonic, pto::instr::Site site);
  const Entry& operator[](std::uint16_t n) const { return entries_[n]; }

 private:
  std::vector<Entry> entries_;
};

/// Shared by the cores of a launch.
struct GlobalWatch {
  RangeMap<GlobalCell> cells;
  CacheWatch cache;
  Names names;
};

/// Races, reads of bytes never written and clobbered tiles of one core, by happens-before over byte ranges.
class OrderWatch {
 public:
  void start(GlobalWatch* global);
  CacheWatch& cache() { return global_->cache; }
  /// Bytes of a buffer that the kernel's own C++ may have written; what the pipes did there before stays known.
  void outside(int space, std::int64_t begin, std::int64_t end);
  /// The effects of one instruction on S, on another pipe, or first those and then these.
  enum class Phase : std::uint8_t { scalar, data, both };
  struct Operand {
    const char* name;
    const pto::instr::TileDesc* tile;  ///< null: in global memory
  };
  void instruction(Core& core, const char* mnemonic, pto::instr::Site site,
                   const std::vector<pto::instr::Effect>& effects, const std::vector<Operand>& operands,
                   bool plain_update, Phase which);
  /// One element by GetValue or SetValue.
  void scalar(Core& core, const char* mnemonic, pto::instr::Site site, int space, std::int64_t begin, std::int64_t end,
              bool store, const TileKey& key);

 private:
  struct Now {
    Core& core;
    const char* mnemonic;
    pto::instr::Site site;
    std::uint16_t who;
    pipe_t pipe;
    Agent agent;
    std::uint32_t time;
    const char* operand;
    pto::instr::Access access;
    bool plain_update;
    bool native;
  };
  void buffer(const Now& now, int space, std::int64_t begin, std::int64_t end, const TileKey& key);
  void global(const Now& now, std::uint64_t begin, std::uint64_t end);
  void cached(const Now& now, std::uint64_t begin, std::uint64_t end);
  bool ordered(const Now& now, Agent agent, const Touch& touch) const;
  void race(const Now& now, Agent agent, const Touch& other, bool other_writes, const std::string& where);
  bool meets(const Now& now, const Accesses& others, bool they_write, bool plain, std::uint64_t begin);
  void across_blocks(const Now& now, int block, std::uint16_t who, bool they_write, bool plain, std::uint64_t begin);
  bool first_time(const char* operand, char kind);
  /// The access at hand, and the one that it meets.
  Where where(const Now& now, const std::string& address, std::uint16_t other) const;

  std::array<RangeMap<BufferCell>, 6> buffers_;
  GlobalWatch* global_ = nullptr;
  std::vector<std::pair<const char*, char>> said_;  // by the instruction at hand: one finding a kind and operand
};

}  // namespace ptox
