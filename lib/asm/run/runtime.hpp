// SPDX-License-Identifier: Apache-2.0
// The run-time interface of compiled kernels: each operation is a numbered call; tiles, views and groups are integers.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <vector>

#include "asm/text/type_text.hpp"
#include "engine/report/site_book.hpp"
#include "ptox/target.hpp"

namespace ptox::assembly {

struct BlockState;

/// The values passed to a call: kernel arguments, extents, addresses, and the numbers of tiles and views.
inline constexpr int most_values = 12;
using CallValues = const std::int64_t (&)[most_values];

/// One operation of the kernel with its static operands and attributes.
class Call {
 public:
  virtual ~Call() = default;
  virtual std::int64_t run(BlockState& block, CallValues values) const = 0;
};

/// The use of a kernel argument, determined by a measuring run, in which no instruction is issued.
struct ArgumentUse {
  std::int64_t elements = 0;        ///< number of elements that its views cover, from its start
  std::vector<std::int64_t> shape;  ///< shape of the largest view
  bool too_large = false;
  bool read = false, written = false;
  std::int64_t index_capacity = -1;  ///< the elements are indices below this; -1: no indices
  std::int64_t index_step = 1;       ///< indices are multiples of this
};

struct TileState {
  pto::instr::detail::Place place;
  TileDesc desc;
  int source = -1;  ///< measuring run: the argument from which its content was loaded, or -1
};
struct ViewState {
  TensorDesc desc;
  int argument = -1;
};

/// The tensors of the ranks of a group, and its root.
struct GroupState {
  std::vector<ViewState> tensors;
  std::int64_t root = 0;
};

/// The number of a tile, view or group: `own`, or that of a new element if `own` is -1.
template <class T>
std::int64_t numbered(std::vector<T>& all, int own) {
  if (own >= 0) return own;
  all.emplace_back();
  return static_cast<std::int64_t>(all.size()) - 1;
}

/// The state of one block while it runs.
struct BlockState {
  std::vector<TileState> tiles;
  std::vector<ViewState> views;
  std::vector<GroupState> groups;
  const std::uint64_t* arguments = nullptr;
  std::vector<ArgumentUse>* uses = nullptr;  ///< not null: measuring run
  const Target* target = nullptr;            ///< measuring run: the target of the later launch
  int block = 0, blocks = 1;                 ///< measuring run only
  int rank = 0, ranks = 1;                   ///< measuring run only
  std::exception_ptr thrown{};               ///< exception that ended the block
};

/// A compiled kernel: its instruction calls, and how many tiles, tensor views and groups of ranks it declares.
struct Program {
  std::vector<std::unique_ptr<Call>> calls;
  int tiles = 0, views = 0, groups = 0;
  SiteBook sites;

  /// Runs the compiled code `main` as one block. Precondition: inside a launch, or `uses` of the block is set. An
  /// exception from a call ends the block by longjmp, without unwinding the compiled code, and is rethrown here.
  void run(void (*main)(), BlockState& block) const;
};

/// The placeholder address of a pointer argument in a measuring run.
constexpr std::uint64_t measuring_address(int argument) { return static_cast<std::uint64_t>(argument + 1) << 44; }

/// The function that compiled code calls: number of the call, then most_values values.
using Entry = std::int64_t (*)(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                               std::int64_t);
Entry runtime_entry();

}  // namespace ptox::assembly
