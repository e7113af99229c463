// SPDX-License-Identifier: Apache-2.0
// The owners of the bytes of a buffer; repeated placements are counted once.
#pragma once

#include <cstdint>
#include <vector>

#include "pto/tile/place.hpp"
#include "ptox/ub_map.hpp"

namespace ptox {

enum class Placed : std::uint8_t { assigned, automatic, refused, refused_automatic };

/// The places of one core or one launch. Memory is bounded: past `most_owners` only a tile that reaches higher or is
/// larger than all before it is kept, the rest is counted.
class OwnerLog {
 public:
  static constexpr std::size_t most_owners = 512;

  /// `tile` with the offset it got, or asked for.
  void add(const pto::instr::TileDesc& tile, Placed how, const pto::instr::Site& site, int block);
  void merge(OwnerLog&& other);
  bool empty() const { return entries_.empty(); }
  /// The owners by offset, how far they reach and what was left out; leaves the log empty.
  UbMap take();

 private:
  struct Entry {
    pto::instr::TileDesc tile;
    pto::instr::Site site;
    Placed how;
    int block;
    std::int64_t count;
  };
  static bool same(const Entry&, const Entry&);
  static UbOwner owner(const Entry&);
  Entry* find(const Entry&);
  void add(const Entry&);
  bool keeps(const Entry&) const;

  std::vector<Entry> entries_;
  std::size_t next_ = 0;  ///< where the search begins: loops repeat their places in turn
  std::int64_t used_ = 0, most_bytes_ = 0, left_out_ = 0;
};

}  // namespace ptox
