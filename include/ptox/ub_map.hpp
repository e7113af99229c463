// SPDX-License-Identifier: Apache-2.0
// UbMap: which tile owns which bytes of UB, the highest byte in use, and the limit.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

namespace ptox {

/// One place that tiles of one type received at one call site, in any number of iterations and blocks.
struct UbOwner {
  std::int64_t begin = 0, end = 0;  ///< byte range in UB; if refused, the requested one (-1 in auto mode)
  std::int64_t bytes = 0;
  std::string tile;  ///< "f32 64x32 RowMajor", with the valid extents if they differ or are dynamic
  std::string file;
  int line = 0;
  bool automatic = false;  ///< auto mode chose the place, TASSIGN otherwise
  bool refused = false;    ///< it did not fit and owns nothing
  int block = 0;           ///< the first block in which it occurred
  std::int64_t count = 1;  ///< number of placements
};

/// The UB of a launch on a machine; empty on the host.
struct UbMap {
  std::vector<UbOwner> owners;      ///< sorted by offset; their number is bounded
  std::int64_t left_out = 0;        ///< placements that are not counted in any owner
  std::int64_t used = 0;            ///< end of the highest tile, in bytes
  std::int64_t limit = 0;           ///< highest end of tiles placed by TASSIGN
  std::string limit_from;           ///< what sets the limit
  std::int64_t static_limit = 0;    ///< limit of automatic tiles plus dynUBufSize, in bytes; 0: no limit
  std::int64_t capacity = 0;        ///< size of UB
  std::int64_t reserved_begin = 0;  ///< bytes of the runtime above the tiles; the data cache follows them
  std::int64_t reserved_bytes = 0;

  /// The owner of the most bytes, the lowest if several are equal; nullptr if there is none.
  const UbOwner* largest() const;
};
/// Prints a table of the owners by offset, the bytes in use, the limit and the largest owner.
std::ostream& operator<<(std::ostream&, const UbMap&);

}  // namespace ptox
