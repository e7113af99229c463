// SPDX-License-Identifier: Apache-2.0
// Records which tiles were placed where in a buffer; repeated placements are merged.
#pragma once

#include <cstdint>
#include <vector>

#include "pto/tile/place.hpp"
#include "ptox/ub_map.hpp"

namespace ptox {

enum class Placed : std::uint8_t { assigned, automatic, refused, refused_automatic };

/// The placements of one core or one launch. Memory is bounded: beyond `most_owners` only tiles that end higher or are
/// larger than all before them are kept; others are only counted.
class OwnerLog {
 public:
  static constexpr std::size_t most_owners = 512;

  /// `tile` has the offset that it received, or that was refused.
  void add(const pto::instr::TileDesc& tile, Placed how, const pto::instr::Site& site, int block);
  void merge(OwnerLog&& other);
  bool empty() const { return entries_.empty(); }
  /// The owners sorted by offset, the highest byte used, and the number of placements left out. Empties the log.
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
  std::size_t next_ = 0;  ///< where the next search begins: loops repeat their placements in the same order
  std::int64_t used_ = 0, most_bytes_ = 0, left_out_ = 0;
};

}  // namespace ptox
