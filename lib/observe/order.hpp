// SPDX-License-Identifier: Apache-2.0
// Who touched this byte last, and is that over by now?
#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/clock.hpp"
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

/// What is known of bytes of global memory, by all cores of a launch.
struct GlobalCell {
  int write_core = -1, read_core = -1;
  bool atomic = false, plain_update = false, many_readers = false;
  Agent writer = 0;
  Touch write;
  std::uint16_t reader = 0;
  std::array<Touch, agent_count> reads{};
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
  Names names;
};

/// Races, reads of bytes never written and clobbered tiles of one core, by happens-before over byte ranges.
class OrderWatch {
 public:
  void start(GlobalWatch* global);
  /// Bytes of a buffer that the kernel's own C++ may have written.
  void outside(int space, std::int64_t begin, std::int64_t end);
  /// One instruction: its effects in order of phases, S first; `tile` is null for operands in global memory.
  struct Operand {
    const char* name;
    const pto::instr::TileDesc* tile;
  };
  void instruction(Core& core, const char* mnemonic, pto::instr::Site site, const std::vector<pto::instr::Effect>& effects,
                   const std::vector<Operand>& operands, bool plain_update);
  /// One element by GetValue or SetValue.
  void scalar(Core& core, const char* mnemonic, pto::instr::Site site, int space, std::int64_t begin, std::int64_t end, bool store,
              const TileKey& key);

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
  };
  void buffer(const Now& now, int space, std::int64_t begin, std::int64_t end, const TileKey& key);
  void global(const Now& now, std::uint64_t begin, std::uint64_t end);
  bool ordered(const Now& now, Agent agent, const Touch& touch) const;
  void race(const Now& now, Agent agent, const Touch& other, bool other_writes, const std::string& where);
  void cross_core(const Now& now, const GlobalCell& cell, bool with_write, std::uint64_t begin);

  std::array<RangeMap<BufferCell>, 6> buffers_;
  GlobalWatch* global_ = nullptr;
};

}  // namespace ptox
