// SPDX-License-Identifier: Apache-2.0
// Happens-before race detection over byte ranges of on-chip buffers and global memory.
#pragma once

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "engine/core/clock.hpp"
#include "engine/report/findings.hpp"
#include "observe/cache.hpp"
#include "observe/range_map.hpp"
#include "pto/isa/effect.hpp"
#include "pto/tile/place.hpp"

namespace ptox {

class Core;

/// A recorded access: its time on its agent's clock, the step in program order, and the instruction and line as a
/// number of Names.
struct Touch {
  std::uint32_t time = 0;  ///< 0: none
  std::uint32_t step = 0, who = 0;
  bool operator==(const Touch&) const = default;
};

/// Identifies the tile through which bytes were written.
struct TileKey {
  std::int64_t offset = 0, bytes = 0, rows = 0, cols = 0;
  pto::instr::DType dtype = pto::instr::DType::i8;
  bool raw = false;  ///< accessed by address, as a part of any tile
  TileKey() = default;
  explicit TileKey(const pto::instr::TileDesc& t)
      : offset(t.offset), bytes(t.bytes()), rows(t.rows), cols(t.cols), dtype(t.dtype), raw(t.raw) {}
  bool operator==(const TileKey&) const = default;
  /// Whether the tile `reader` has another offset or size than this one, or both another element type and another
  /// shape.
  bool clashes(const TileKey& reader) const {
    if (raw || reader.raw) return false;
    if (offset != reader.offset || bytes != reader.bytes) return true;
    return dtype != reader.dtype && (rows != reader.rows || cols != reader.cols);
  }
};

/// The agents that access global memory: S, V, MTE2, MTE3 and the stores of S.
inline constexpr std::size_t global_agents = 5;
constexpr std::size_t global_number(Agent a) {
  return a == PIPE_V ? 1 : a == PIPE_MTE2 ? 2 : a == PIPE_MTE3 ? 3 : a == scalar_stores ? 4 : 0;
}
constexpr Agent global_agent(std::size_t n) {
  constexpr Agent agents[] = {PIPE_S, PIPE_V, PIPE_MTE2, PIPE_MTE3, scalar_stores};
  return agents[n];
}

/// The recorded accesses to a range of bytes in a core's buffer.
struct BufferCell {
  bool written = false, outside = false;  ///< outside: by plain C++ of the kernel, through data()
  Agent writer = 0;
  Touch write;
  std::array<Touch, agent_count> reads{};
  TileKey key;
  bool operator==(const BufferCell&) const = default;
};

/// Accesses of one kind to a range of global memory: those of the last core by agent, and one of another core.
struct Accesses {
  int core = -1, other_core = -1;
  std::uint32_t last = 0, other = 0;
  std::array<Touch, global_agents> by{};
  bool operator==(const Accesses&) const = default;

  void add(int by_core, Agent agent, Touch touch) {
    if (core >= 0 && core != by_core) other_core = core, other = last, by = {};
    core = by_core, last = touch.who;
    by[global_number(agent)] = touch;
  }
  /// A core other than `mine` that made such an access, or -1; `who` returns the instruction of that core.
  int besides(int mine) const { return core >= 0 && core != mine ? core : other_core != mine ? other_core : -1; }
  std::uint32_t who(int of) const { return of == core ? last : other; }
};

/// The accesses of all cores of a launch to a range of global memory. A write discards those before it, an update does
/// not.
struct GlobalCell {
  Accesses writes, updates, reads;
  bool plain_updates = false;  ///< some update is a read-modify-write that is not atomic
  bool operator==(const GlobalCell&) const = default;
};

/// "tload of line 12", with the file name if it differs from that of `seen_from`.
std::string call_text(const char* mnemonic, const pto::instr::Site& site, const pto::instr::Site& seen_from);

/// Assigns numbers to the operands of instructions, by mnemonic and line.
class Names {
 public:
  struct Entry {
    const char* mnemonic;
    const char* operand;
    pto::instr::Site site;
  };
  std::uint32_t number(const char* mnemonic, const char* operand, pto::instr::Site site);
  const Entry& operator[](std::uint32_t n) const { return entries_[n]; }

 private:
  using Key = std::tuple<const char*, const char*, const char*, std::uint32_t>;
  std::map<Key, std::uint32_t> numbers_;
  std::vector<Entry> entries_;
};

/// The accesses to global memory, shared by the cores of a launch.
struct GlobalWatch {
  RangeMap<GlobalCell> cells;
  CacheWatch cache;
  Names names;
};

struct Spot;  // the location of accessed bytes

/// Detects races, uninitialised reads and clobbered tiles of one core, by happens-before over byte ranges.
class OrderWatch {
 public:
  void start(GlobalWatch* global);
  CacheWatch& cache() { return global_->cache; }
  /// Discards accesses to global memory. Precondition: they happen before everything later, and the launch has no other
  /// block.
  void forget_global() { global_->cells.clear(); }
  /// Marks bytes of a buffer that plain C++ of the kernel may have written; earlier accesses by pipes stay recorded.
  void outside(int space, std::int64_t begin, std::int64_t end);
  /// Which effects of an instruction are recorded: those on S, those on another pipe, or first the former and then the
  /// latter.
  enum class Phase : std::uint8_t { scalar, data, both };
  struct Operand {
    const char* name;
    const pto::instr::TileDesc* tile;  ///< null: in global memory
  };
  void instruction(Core& core, const char* mnemonic, pto::instr::Site site,
                   const std::vector<pto::instr::Effect>& effects, const std::vector<Operand>& operands,
                   bool plain_update, Phase which);
  /// Checks and records an access to one element of a tile by GetValue or SetValue.
  void scalar(Core& core, const char* mnemonic, pto::instr::Site site, const pto::instr::TileDesc& tile,
              std::int64_t begin, std::int64_t end, bool store);
  /// Whether something has written all of these bytes of a buffer.
  bool written(int space, std::int64_t begin, std::int64_t end) const;

 private:
  /// The current access.
  struct Now {
    Core& core;
    Touch touch;
    pipe_t pipe;
    Agent agent;
    pto::instr::Access access;
    bool plain_update;
    const pto::instr::TileDesc* tile;  ///< null: in global memory
  };
  /// One side of a conflict, for a message.
  struct Side {
    const Names::Entry& entry;
    pipe_t pipe;
    pto::instr::Access access;
  };
  struct Place;
  class Joined;
  /// An access to the bytes with host addresses [begin, end).
  void see(const Now& now, std::uint64_t begin, std::uint64_t end);
  void buffer(const Now& now, std::int64_t begin, std::int64_t end);
  void check_order(const Now& now, const BufferCell& c, const Place& at);
  void check_contents(const Now& now, const BufferCell& c, const Place& at);
  void global(const Now& now, std::uint64_t begin, std::uint64_t end);
  void cached(const Now& now, std::uint64_t begin, std::uint64_t end);
  void across_ranks(const Now& now, std::uint64_t begin, std::uint64_t end);
  bool ordered(const Now& now, Agent agent, const Touch& touch) const;
  void race(const Now& now, Agent agent, const Touch& other, bool other_writes, const Spot& at);
  bool meets(const Now& now, const Accesses& others, bool they_write, bool plain, std::uint64_t begin);
  void across_blocks(const Now& now, int block, std::uint32_t who, bool they_write, bool plain, std::uint64_t begin);
  const Names::Entry& name(const Now& now) const { return global_->names[now.touch.who]; }
  const Names::Entry& name(const Touch& touch) const { return global_->names[touch.who]; }
  /// Whether the current instruction has not reported this kind of finding for the operand yet; remembers it.
  bool first_time(const Now& now, int kind);

  std::array<RangeMap<BufferCell>, 6> buffers_;
  GlobalWatch* global_ = nullptr;
  std::vector<std::pair<std::uint32_t, int>> said_;  // reported by the current instruction
};

}  // namespace ptox
