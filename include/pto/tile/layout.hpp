// SPDX-License-Identifier: Apache-2.0
// Names of the layouts of tiles and tensors.
#pragma once

#include <cstdint>

namespace pto {

inline constexpr int BLOCK_BYTE_SIZE = 32;
inline constexpr int C0_SIZE_BYTE = 32;
inline constexpr int FRACTAL_NZ_ROW = 16;
inline constexpr int CUBE_BLOCK_SIZE = 512;
inline constexpr int DYNAMIC = -1;

struct TileConfig {
  static constexpr int alignedSize = 32;
  static constexpr int fixedRowSize = 16;
  static constexpr int fixedColSize = 16;
  static constexpr int fractalABSize = 512;
  static constexpr int fractalCSize = 1024;
  static constexpr int fractalMxSize = 32;
};

enum GlobalTensorDim { DIM_0 = 0, DIM_1 = 1, DIM_2 = 2, DIM_3 = 3, DIM_4 = 4, TOTAL_DIM = 5 };

enum class TileType : std::uint8_t { Vec, Mat, Left, Right, Acc, Bias, Scaling, ScaleLeft, ScaleRight, Ctrl };
enum class BLayout : std::uint8_t { RowMajor, ColMajor };
enum class SLayout : std::uint8_t { NoneBox, RowMajor, ColMajor };
enum class Layout : std::uint8_t { ND, DN, NZ };
enum class PadValue : std::uint8_t { Null, Zero, Max, Min };
enum class CompactMode : std::uint8_t { Null, Normal };

/// Read right to left: P0101 keeps positions 0 and 2 of every four.
enum class MaskPattern : std::uint8_t { P0101 = 1, P1010 = 2, P0001 = 3, P0010 = 4, P0100 = 5, P1000 = 6, P1111 = 7 };
enum class GatherAxis : std::uint8_t { GATHER_ROW, GATHER_COL };
enum class ScatterAxis : std::uint8_t { SCATTER_ROW, SCATTER_COL };
enum class AtomicType : std::uint8_t { AtomicNone, AtomicAdd };
enum class NPUArch : std::uint8_t { A2A3, A5 };

namespace instr {

constexpr const char* name(TileType t) {
  constexpr const char* names[] = {"Vec",  "Mat",     "Left",      "Right",      "Acc",
                                   "Bias", "Scaling", "ScaleLeft", "ScaleRight", "Ctrl"};
  return names[static_cast<int>(t)];
}
constexpr const char* name(BLayout b) { return b == BLayout::RowMajor ? "RowMajor" : "ColMajor"; }
constexpr const char* name(SLayout s) {
  return s == SLayout::NoneBox ? "NoneBox" : s == SLayout::RowMajor ? "RowMajor boxes" : "ColMajor boxes";
}
constexpr const char* name(Layout l) { return l == Layout::ND ? "ND" : l == Layout::DN ? "DN" : "NZ"; }

}  // namespace instr
}  // namespace pto
