// SPDX-License-Identifier: Apache-2.0
// Tiles and tensors as plain data, and the address of element (r, c); all layers below a template call use these.
#pragma once

#include <cstdint>

#include "pto/tile/dtype.hpp"
#include "pto/tile/layout.hpp"
#include "pto/tile/overflow.hpp"

namespace pto::instr {

/// An extent that the type leaves dynamic. It satisfies every rule until its run-time value is known.
inline constexpr std::int64_t unknown = INT64_MIN;

/// A run-time extent as stored in a descriptor. INT64_MIN is replaced by INT64_MIN + 1, because it denotes `unknown`.
constexpr std::int64_t as_given(std::int64_t extent) { return extent == unknown ? unknown + 1 : extent; }
constexpr bool known(std::int64_t extent) { return extent != unknown; }
template <class... Extents>
constexpr bool all_known(Extents... e) {
  return (known(e) && ...);
}

/// a * b * ..., or -1 if a factor is negative or the product exceeds 63 bits.
template <class... Factors>
constexpr std::int64_t checked_product(Factors... factors) {
  std::int64_t product = 1;
  bool ok = ((factors >= 0) && ...), zero = ((factors == 0) || ...);
  if (ok && zero) return 0;
  ((ok = ok && !mul_overflows(product, static_cast<std::int64_t>(factors), &product)), ...);
  return ok ? product : -1;
}

/// A tile as plain data: type, valid extents and place.
struct TileDesc {
  static constexpr std::int64_t no_place = -1;  ///< never placed
  static constexpr std::int64_t refused = -2;   ///< no room was found for it; a finding has been reported

  DType dtype = DType::f32;
  TileType loc = TileType::Vec;
  BLayout blayout = BLayout::RowMajor;
  SLayout slayout = SLayout::NoneBox;
  PadValue pad = PadValue::Null;
  bool raw = false;  ///< bytes that the kernel names by address, which may be parts of several tiles
  int fractal = 512;
  std::int64_t rows = 0, cols = 0, valid_rows = 0, valid_cols = 0;
  std::int64_t offset = no_place;  ///< bytes from the start of the buffer that `loc` names

  constexpr std::int64_t bytes() const { return rows * cols * size_of(dtype); }
  constexpr std::int64_t end() const { return offset + bytes(); }
  constexpr bool is_static() const { return all_known(valid_rows, valid_cols); }
  constexpr bool boxed() const { return slayout != SLayout::NoneBox; }
  constexpr bool is_nz() const {
    return blayout == BLayout::ColMajor && slayout == SLayout::RowMajor && fractal == TileConfig::fractalABSize;
  }
  /// Whether the contiguous extent is a multiple of 32 bytes.
  constexpr bool aligned() const {
    return (blayout == BLayout::RowMajor ? cols : rows) * size_of(dtype) % BLOCK_BYTE_SIZE == 0;
  }
  /// Whether the tile is one padded RowMajor column without boxes. It is contiguous in memory, although its rows are
  /// shorter than 32 bytes.
  constexpr bool one_column() const { return blayout == BLayout::RowMajor && !boxed() && cols == 1; }
  bool operator==(const TileDesc&) const = default;
};

/// The number of elements in a 32-byte block.
constexpr std::int64_t c0_of(DType d) { return C0_SIZE_BYTE / size_of(d); }

/// The inner box of a fractal layout, rows by columns.
struct Box {
  std::int64_t rows, cols;
};
constexpr Box box_of(const TileDesc& t) {
  const std::int64_t minor = t.fractal / FRACTAL_NZ_ROW / size_of(t.dtype);
  return t.slayout == SLayout::RowMajor ? Box{FRACTAL_NZ_ROW, minor} : Box{minor, FRACTAL_NZ_ROW};
}

/// Element offset of (r, c) from the tile's start.
constexpr std::int64_t element_offset(const TileDesc& t, std::int64_t r, std::int64_t c) {
  const bool row_major = t.blayout == BLayout::RowMajor;
  if (!t.boxed()) return row_major ? r * t.cols + c : c * t.rows + r;
  const Box b = box_of(t);
  const std::int64_t box =
      row_major ? r / b.rows * (t.cols / b.cols) + c / b.cols : c / b.cols * (t.rows / b.rows) + r / b.rows;
  const std::int64_t inner =
      t.slayout == SLayout::RowMajor ? r % b.rows * b.cols + c % b.cols : c % b.cols * b.rows + r % b.rows;
  return box * b.rows * b.cols + inner;
}

/// A tensor in global memory as plain data.
struct TensorDesc {
  DType dtype = DType::f32;
  Layout layout = Layout::ND;
  bool static_block = true;  ///< Shape[3] and Shape[4] are static
  std::int64_t shape[5] = {1, 1, 1, 1, 1};
  std::int64_t stride[5] = {1, 1, 1, 1, 1};
  void* base = nullptr;

  constexpr bool is_static() const {
    return all_known(shape[0], shape[1], shape[2], shape[3], shape[4]) &&
           all_known(stride[0], stride[1], stride[2], stride[3], stride[4]);
  }
  /// The number of elements; -1 if an extent is negative or the number exceeds 63 bits.
  constexpr std::int64_t numel() const { return checked_product(shape[0], shape[1], shape[2], shape[3], shape[4]); }
  /// The logical rows and columns in the layout of the tensor; `unknown` if they depend on an unknown extent.
  constexpr std::int64_t rows() const {
    if (layout == Layout::NZ) return product(shape[2], shape[3]);
    return layout == Layout::DN ? shape[3] : product(shape[0], shape[1], shape[2], shape[3]);
  }
  constexpr std::int64_t cols() const {
    if (layout == Layout::NZ) return product(shape[0], shape[1], shape[4]);
    return layout == Layout::DN ? product(shape[0], shape[1], shape[2], shape[4]) : shape[4];
  }

 private:
  template <class... Extents>
  static constexpr std::int64_t product(Extents... e) {
    return all_known(e...) ? checked_product(e...) : unknown;
  }
};

/// Element offset of logical (r, c) in a tensor: ND and DN in mixed radix, NZ by 16 x C0 blocks.
constexpr std::int64_t element_offset(const TensorDesc& t, std::int64_t r, std::int64_t c) {
  const auto& n = t.shape;
  const auto& s = t.stride;
  if (t.layout == Layout::NZ) {
    const std::int64_t block = c / n[4];
    return block / n[1] * s[0] + block % n[1] * s[1] + r / n[3] * s[2] + r % n[3] * s[3] + c % n[4] * s[4];
  }
  const bool nd = t.layout == Layout::ND;
  const std::int64_t digits = nd ? r : c, low = nd ? n[3] : n[4], step = nd ? s[3] : s[4];
  const std::int64_t outer = digits / low;
  return outer / n[2] / n[1] * s[0] + outer / n[2] % n[1] * s[1] + outer % n[2] * s[2] + digits % low * step +
         (nd ? c * s[4] : r * s[3]);
}

}  // namespace pto::instr
