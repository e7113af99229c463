// SPDX-License-Identifier: Apache-2.0
// The entry that compiled code calls, with the number of a call; tiles and views are numbers to it.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "asm/type_text.hpp"
#include "core/site_book.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

struct BlockState;

/// CallValues of one call: arguments of the kernel, extents, addresses, and the numbers of tiles and views.
inline constexpr int most_values = 12;
using CallValues = const std::int64_t (&)[most_values];

/// One operation of the kernel, with all that its text says.
class Call {
 public:
  virtual ~Call() = default;
  virtual std::int64_t run(BlockState& block, CallValues values) const = 0;
};

/// What a kernel does to one of its arguments, learnt by a run in which no instruction is issued.
struct ArgumentUse {
  std::int64_t elements = 0;        ///< that the views made of it reach
  std::vector<std::int64_t> shape;  ///< of the largest of them
  bool too_large = false;
  bool read = false, written = false;
  std::int64_t index_capacity = -1;  ///< its elements are indices below this; -1: they are not
  std::int64_t index_step = 1;       ///< and multiples of this
};

struct TileState {
  pto::instr::detail::Place place;
  TileDesc desc;
  int source = -1;  ///< measuring: the argument that its content came from
};
struct ViewState {
  TensorDesc desc;
  int argument = -1;
};

/// What the ranks of a group have, and which one is its root.
struct GroupState {
  std::vector<ViewState> tensors;
  std::int64_t root = 0;
};

/// The number of a tile, view or group: its own, or the next where that is -1.
template <class T>
std::int64_t numbered(std::vector<T>& all, int own) {
  if (own >= 0) return own;
  all.emplace_back();
  return static_cast<std::int64_t>(all.size()) - 1;
}

/// Everything that one block knows while it runs.
struct BlockState {
  std::vector<TileState> tiles;
  std::vector<ViewState> views;
  std::vector<GroupState> groups;
  const std::uint64_t* arguments = nullptr;
  std::vector<ArgumentUse>* uses = nullptr;  ///< not null: measuring
  const Target* target = nullptr;            ///< measuring: the one that will run
  int block = 0, blocks = 1;                 ///< measuring
  int rank = 0, ranks = 1;                   ///< measuring
  std::exception_ptr thrown{};               ///< what ended the block
};

/// A compiled kernel's calls and how many tiles, views and groups they have.
struct Program {
  std::vector<std::unique_ptr<Call>> calls;
  int tiles = 0, views = 0, groups = 0;
  SiteBook sites;

  /// Runs `main`, compiled code that calls these, as one block. Inside a launch, or anywhere with `uses` set.
  /// What a call throws ends the block and is thrown here; compiled code is left without unwinding it.
  void run(void (*main)(), BlockState& block) const;
};

/// A measuring run gives pointer argument k this address.
constexpr std::uint64_t measuring_address(int argument) { return static_cast<std::uint64_t>(argument + 1) << 44; }

/// The entry; its address goes to the compiler.
using Entry = std::int64_t (*)(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t);
Entry runtime_entry();

}  // namespace ptox::assembly
