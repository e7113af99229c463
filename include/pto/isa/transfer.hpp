// SPDX-License-Identifier: Apache-2.0
// The common parts of TLOAD, TSTORE and TPREFETCH, which access the same region of a tile and a tensor.
#pragma once

#include <bit>
#include <limits>

#include "pto/isa/effect.hpp"
#include "pto/isa/rules.hpp"
#include "pto/isa/samples.hpp"
#include "pto/tile/tensor.hpp"
#include "pto/tile/tile.hpp"

namespace pto::instr {

/// Machines without `any_transfer` move ND tensors with RowMajor tiles, DN with ColMajor and NZ with NZ tiles, and in
/// L1 also ND tensors with NZ tiles. Tiles of one padded column are exempt.
template <class D, class T>
struct transfer_layout {
  static constexpr bool holds(const Target& t, const auto& o) {
    const TileDesc& d = D::of(o);
    const Layout l = T::of(o).layout;
    if (t.any_transfer || d.one_column()) return true;
    if (l == Layout::NZ) return d.is_nz();
    if (d.loc == TileType::Mat && d.is_nz()) return l == Layout::ND;
    return !d.boxed() && (d.blayout == BLayout::RowMajor) == (l == Layout::ND);
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TileDesc& d = D::of(o);
    s << D::name << " is " << d.blayout << " with " << d.slayout << "; " << T::name << " is " << T::of(o).layout;
  }
};

template <class D>
struct in_vec_or_mat {
  static constexpr bool holds(const Target& t, const auto& o) {
    return D::of(o).loc == TileType::Vec || (D::of(o).loc == TileType::Mat && t.l1_bytes > 0);
  }
  static void shows(Text& s, const Target& t, const auto& o) {
    s << D::name << " is in " << D::of(o).loc;
    if (t.l1_bytes == 0) s << "; " << t.name << " has no L1";
  }
};

/// The tensor has at least the tile's valid rows and columns.
template <class D, class T>
struct region_fits {
  static constexpr bool holds(const Target&, const auto& o) {
    return may_fit(D::of(o).valid_rows, T::of(o).rows()) && may_fit(D::of(o).valid_cols, T::of(o).cols());
  }
  static void shows(Text& s, const Target&, const auto& o) {
    s << D::name << " is " << D::of(o) << ", " << T::name << " has " << T::of(o).rows() << " rows of "
      << T::of(o).cols();
  }
};

/// A tile of one padded column moves in one burst, so its GM side is contiguous too.
template <class D, class T>
struct one_burst {
  static constexpr std::int64_t row_step(const TensorDesc& t) {
    if (t.layout != Layout::ND) return t.stride[3];
    for (int i = 3; i >= 0; --i)
      if (t.shape[i] != 1) return t.stride[i];
    return 1;
  }
  static constexpr bool holds(const Target&, const auto& o) {
    const TileDesc& d = D::of(o);
    const TensorDesc& t = T::of(o);
    if (!d.one_column() || d.valid_rows == 1 || !t.is_static() || !known(d.valid_rows)) return true;
    if (t.layout == Layout::NZ || t.numel() <= 0 || d.valid_rows > t.rows()) return false;
    // The offset is linear in the mixed-radix digits of r, so checking one row per digit is sufficient.
    std::int64_t r = 1;
    for (int i = 3; i >= 0 && r < d.valid_rows; r *= t.shape[i--])
      if (element_offset(t, r, 0) != r) return false;
    return true;
  }
  static void shows(Text& s, const Target&, const auto& o) {
    s << D::name << " is " << D::of(o) << ", rows of " << T::name << " are " << row_step(T::of(o)) << " elements apart";
  }
};

template <class T>
struct nz_tensor {
  static constexpr bool holds(const Target&, const auto& o) {
    const TensorDesc& t = T::of(o);
    return t.layout != Layout::NZ || (may_equal(t.shape[3], FRACTAL_NZ_ROW) && may_equal(t.shape[4], c0_of(t.dtype)));
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TensorDesc& t = T::of(o);
    s << T::name << " has Shape[3] = " << t.shape[3] << ", Shape[4] = " << t.shape[4] << ", C0 = " << c0_of(t.dtype);
  }
};

/// The bit pattern that a PadValue stands for: infinities where the type has them, its extremes otherwise.
constexpr std::uint64_t pad_bits(DType d, PadValue pad) {
  if (pad == PadValue::Zero || pad == PadValue::Null) return 0;
  return with_type(d, [&]<class T>() -> std::uint64_t {
    using L = std::numeric_limits<T>;
    T value{};
    if constexpr (L::has_infinity)
      value = pad == PadValue::Max ? L::infinity() : static_cast<T>(-L::infinity());
    else
      value = pad == PadValue::Max ? L::max() : L::lowest();
    if constexpr (requires { value.bits(); })
      return value.bits();
    else if constexpr (sizeof(T) == 8)
      return std::bit_cast<std::uint64_t>(value);
    else if constexpr (sizeof(T) == 4)
      return std::bit_cast<std::uint32_t>(value);
    else if constexpr (sizeof(T) == 2)
      return std::bit_cast<std::uint16_t>(value);
    else
      return std::bit_cast<std::uint8_t>(value);
  });
}

/// Reports rows x cols of a tensor as one access.
template <class M, class S>
void touch(M& m, S&& sink, pipe_t pipe, Access access, const char* operand, const TensorDesc& t, std::int64_t rows,
           std::int64_t cols) {
  const Table table(t);
  for (std::int64_t r = 0; r < rows; ++r)
    table_row(m, table, r, cols, [&](const Range& range) { sink(Effect{pipe, access, operand, range}); });
}

/// Operands for the tables of the manual: layouts and element types of a tile and a tensor.
template <class O, class V>
void transfer_samples(const O& plain, TileDesc O::* tile, TensorDesc O::* tensor, V&& visit) {
  const auto layouts = [&](const char* label, TileDesc d, TensorDesc t) {
    O o = plain;
    o.*tile = d, o.*tensor = t;
    visit("Layouts of tile and tensor", label, o);
  };
  TensorDesc nd = sample_table(DType::f32, 16, 32), dn = nd;
  dn.layout = Layout::DN, dn.stride[3] = 1, dn.stride[4] = 16;
  const TileDesc nz = sample_nz_tile(DType::f32, 16, 32);
  TileDesc mat = nz, column = sample_tile(DType::f32, 16, 1);
  mat.loc = TileType::Mat, column.cols = 1;
  layouts("RowMajor, ND", sample_tile(DType::f32, 16, 32), nd);
  layouts("ColMajor, DN", sample_tile(DType::f32, 16, 32, BLayout::ColMajor), dn);
  layouts("NZ, NZ", nz, sample_nz_table(DType::f32, 16, 32));
  layouts("NZ in Mat, ND", mat, nd);
  layouts("RowMajor, DN", sample_tile(DType::f32, 16, 32), dn);
  layouts("ColMajor, ND", sample_tile(DType::f32, 16, 32, BLayout::ColMajor), nd);
  layouts("NZ, ND", nz, nd);
  layouts("one padded column, contiguous", column, sample_table(DType::f32, 16, 1));
  layouts("one padded column, strided", column, nd);
}

}  // namespace pto::instr
