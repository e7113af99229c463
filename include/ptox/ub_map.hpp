// SPDX-License-Identifier: Apache-2.0
// The map of UB: which tile owns which bytes, how far tiles reach, and the limit.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ptox {

/// One place that tiles of one type received at one call site, in any number of iterations and blocks.
struct UbOwner {
  std::int64_t begin = 0, end = 0;  ///< bytes of UB; refused: what was requested, both -1 in auto mode
  std::int64_t bytes = 0;
  std::string tile;  ///< "f32 64x32 RowMajor", and the valid extents where they differ or are open
  std::string file;
  int line = 0;
  bool automatic = false;  ///< auto mode chose the place, TASSIGN otherwise
  bool refused = false;    ///< it did not fit and owns nothing
  int block = 0;           ///< the first block in which it occurred
  std::int64_t count = 1;  ///< how often
};

/// The UB of a launch on a machine; empty on the host.
struct UbMap {
  std::vector<UbOwner> owners;      ///< sorted by offset; a bounded number
  std::int64_t left_out = 0;        ///< placements that are not counted in any owner
  std::int64_t used = 0;            ///< the highest byte that a tile reaches
  std::int64_t limit = 0;           ///< how far tiles placed by TASSIGN may reach
  std::string limit_from;           ///< what sets the limit
  std::int64_t static_limit = 0;    ///< of the bytes of automatic tiles and dynUBufSize together; 0: there is none
  std::int64_t capacity = 0;        ///< all of UB
  std::int64_t reserved_begin = 0;  ///< above the tiles: the runtime's own bytes, then the data cache to the end
  std::int64_t reserved_bytes = 0;

  /// The owner of the most bytes, the lowest if several are equal; nullptr when there is none.
  const UbOwner* largest() const;
};
/// A table by offset, then what is used, the limit and the largest owner.
std::ostream& operator<<(std::ostream&, const UbMap&);

}  // namespace ptox
