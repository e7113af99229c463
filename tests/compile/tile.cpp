// SPDX-License-Identifier: Apache-2.0
// Tiles that must not compile.
#include "operands.hpp"

void kernel() {
#if CASE == 1  // expect: Tile: Rows and Cols are positive
  VecTile<float, 0, 32, BLayout::RowMajor, -1, -1> tile;
#elif CASE == 2  // expect: Tile: Rows and Cols are positive
  VecTile<float, 8, -32, BLayout::RowMajor, -1, -1> tile;
#elif CASE == 3  // expect: Tile: 0 < RowValid <= Rows, or -1
  VecTile<float, 8, 32, BLayout::RowMajor, 9, 32> tile;
#elif CASE == 4  // expect: Tile: 0 < RowValid <= Rows, or -1
  VecTile<float, 8, 32, BLayout::RowMajor, 0, 32> tile;
#elif CASE == 5  // expect: Tile: 0 < ColValid <= Cols, or -1
  VecTile<float, 8, 32, BLayout::RowMajor, 8, 33> tile;
#elif CASE == 6  // expect: Tile: 0 < ColValid <= Cols, or -1
  VecTile<float, 8, 32, BLayout::RowMajor, 8, -2> tile;
#elif CASE == 7  // expect: Tile: the contiguous extent (Cols when RowMajor, Rows when ColMajor)
  VecTile<float, 8, 12> tile;
#elif CASE == 8  // expect: Tile: the contiguous extent (Cols when RowMajor, Rows when ColMajor)
  VecTile<half, 12, 16, BLayout::ColMajor> tile;
#elif CASE == 9  // expect: Tile: the contiguous extent (Cols when RowMajor, Rows when ColMajor)
  VecTile<int32_t, 8, 2> tile;
#elif CASE == 10  // expect: Tile: the contiguous extent (Cols when RowMajor, Rows when ColMajor)
  VecTile<int32_t, 1, 8, BLayout::ColMajor> tile;
#elif CASE == 11  // expect: Tile: Rows and Cols are multiples of the fractal box
  NzTile<float, 24, 32> tile;
#elif CASE == 12  // expect: Tile: Rows and Cols are multiples of the fractal box
  NzTile<float, 16, 12> tile;
#elif CASE == 13  // expect: Tile: Rows and Cols are multiples of the fractal box
  Tile<TileType::Vec, float, 16, 24, BLayout::ColMajor, 16, 24, SLayout::RowMajor, 1024> tile;
#elif CASE == 14  // expect: Tile: Rows and Cols are multiples of the fractal box
  Tile<TileType::Vec, half, 16, 24, BLayout::RowMajor, 16, 24, SLayout::ColMajor> tile;
#elif CASE == 15  // expect: Tile: Rows and Cols are multiples of the fractal box
  Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 32, SLayout::RowMajor, 32> tile;
#elif CASE == 16  // expect: Tile: SFractalSize is 512, 1024 or 32
  Tile<TileType::Vec, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 256> tile;
#elif CASE == 17  // expect: Tile: T is not an element type of this ISA
  VecTile<bool, 8, 32> tile;
#elif CASE == 18  // expect: no matching
  VecTile<float, 8, 32> tile(8);
#elif CASE == 19  // expect: TASSIGN: the offset is not negative
  VecTile<float, 8, 32> tile;
  TASSIGN<-32>(tile);
#else
  VecTile<float, 8, 32> row_major;
  VecTile<int8_t, 32, 3, BLayout::ColMajor> col_major;
  VecTile<int32_t, 7, 1> one_padded_column;
  VecTile<half, 8, 16, BLayout::RowMajor, 5, 3> padded;
  VecTile<float, 8, 32, BLayout::RowMajor, -1, 32> dynamic_rows(8L);
  VecTile<float, 8, 32, BLayout::RowMajor, -1, -1> dynamic(8u, static_cast<short>(32));
  NzTile<float, 16, 24> nz;
  Tile<TileType::Vec, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 1024> nz_1024;
  Tile<TileType::Vec, half, 16, 32, BLayout::RowMajor, 16, 32, SLayout::ColMajor> zn;
  Tile<TileType::Vec, int8_t, 16, 32, BLayout::RowMajor, 16, 32, SLayout::RowMajor, 32> small_boxes;
  TASSIGN<32>(row_major);
  TASSIGN(nz, 0x1000);
#endif
}
