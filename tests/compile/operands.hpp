// SPDX-License-Identifier: Apache-2.0
// Tiles and tensors of the calls that must not compile.
#pragma once

#include "pto/pto-inst.hpp"

using namespace pto;

template <class T, int Rows, int Cols, BLayout B = BLayout::RowMajor, int ValidRows = Rows, int ValidCols = Cols>
using VecTile = Tile<TileType::Vec, T, Rows, Cols, B, ValidRows, ValidCols>;
template <class T, int Rows, int Cols>
using MatTile = Tile<TileType::Mat, T, Rows, Cols>;
template <class T, int Rows, int Cols, TileType Loc = TileType::Vec>
using NzTile = Tile<Loc, T, Rows, Cols, BLayout::ColMajor, Rows, Cols, SLayout::RowMajor>;

template <class T, std::int64_t Rows, std::int64_t Cols, std::int64_t RowStep = Cols>
using NdTensor = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<0, 0, 0, RowStep, 1>>;
template <class T, int Rows, int Cols, Layout L>
using TensorIn = GlobalTensor<T, TileShape2D<T, Rows, Cols, L>, BaseShape2D<T, Rows, Cols, L>, L>;
template <class T, int Rows, int Cols>
using DnTensor = TensorIn<T, Rows, Cols, Layout::DN>;
template <class T, int Rows, int Cols>
using NzTensor = TensorIn<T, Rows, Cols, Layout::NZ>;
/// An NZ tensor whose blocks are 16 wide, whatever its element type.
template <class T>
using WideNzTensor = GlobalTensor<T, Shape<1, 2, 4, 16, 16>, Stride<2048, 1024, 256, 16, 1>, Layout::NZ>;
/// More bytes than 63 bits count.
template <class T>
using HugeTensor = NdTensor<T, (std::int64_t{1} << 60), 32>;
