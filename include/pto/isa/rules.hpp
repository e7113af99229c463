// SPDX-License-Identifier: Apache-2.0
// Rules that several instructions share; an instruction derives from one and gives it a label.
//
// A rule's holds() is true unless the known extents contradict it; an unknown extent contradicts nothing until a run
// gives its value. Its shows() prints the values that break the rule, and a valid value where that is not obvious.
#pragma once

#include "pto/isa/instr.hpp"
#include "pto/isa/table.hpp"

namespace pto::instr {

constexpr bool may_equal(std::int64_t a, std::int64_t b) { return !all_known(a, b) || a == b; }
constexpr bool may_fit(std::int64_t a, std::int64_t limit) { return !all_known(a, limit) || a <= limit; }

inline Text& operator<<(Text& text, const TileDesc& t) {
  return text << t.blayout << " " << t.rows << "x" << t.cols << " (valid " << t.valid_rows << "x" << t.valid_cols
              << ")";
}

template <class A, class B>
struct same_dtype {
  static constexpr bool holds(const Target&, const auto& o) { return A::of(o).dtype == B::of(o).dtype; }
  static void shows(Text& s, const Target&, const auto& o) {
    s << A::name << " is " << A::of(o).dtype << ", " << B::name << " is " << B::of(o).dtype;
  }
};

template <class A>
struct supported_dtype {
  static constexpr bool holds(const Target& t, const auto& o) { return t.dtypes.has(A::of(o).dtype); }
  static void shows(Text& s, const Target&, const auto& o) { s << A::name << " is " << A::of(o).dtype; }
};

template <class X>
struct index_dtype {
  static constexpr bool holds(const Target&, const auto& o) {
    return X::of(o).dtype == DType::i32 || X::of(o).dtype == DType::u32;
  }
  static void shows(Text& s, const Target&, const auto& o) { s << X::name << " is " << X::of(o).dtype; }
};

template <TileType Loc, class... A>
struct located {
  static constexpr bool holds(const Target& t, const auto& o) {
    return ((A::of(o).loc == Loc) && ...) && (Loc != TileType::Mat || t.l1_bytes > 0);
  }
  static void shows(Text& s, const Target& t, const auto& o) {
    const char* comma = "";
    ((s << comma << A::name << " is in " << A::of(o).loc, comma = ", "), ...);
    if (Loc == TileType::Mat && t.l1_bytes == 0) s << "; " << t.name << " has no L1";
  }
};

/// 1 <= valid <= padded, in both directions.
template <class... A>
struct valid_region {
  static constexpr bool fits(const TileDesc& t) {
    return (!known(t.valid_rows) || (t.valid_rows >= 1 && t.valid_rows <= t.rows)) &&
           (!known(t.valid_cols) || (t.valid_cols >= 1 && t.valid_cols <= t.cols));
  }
  static constexpr bool holds(const Target&, const auto& o) { return (fits(A::of(o)) && ...); }
  static void shows(Text& s, const Target&, const auto& o) {
    const char* comma = "";
    ((fits(A::of(o)) ? void() : void((s << comma << A::name << " is " << A::of(o), comma = ", "))), ...);
  }
};

template <class A, class B>
struct same_valid {
  static constexpr bool holds(const Target&, const auto& o) {
    return may_equal(A::of(o).valid_rows, B::of(o).valid_rows) && may_equal(A::of(o).valid_cols, B::of(o).valid_cols);
  }
  static void shows(Text& s, const Target&, const auto& o) {
    s << A::name << " is " << A::of(o) << ", " << B::name << " is " << B::of(o);
  }
};

/// No extent is negative, and every byte offset that the layout or the address computation of a machine can produce
/// fits in 63 bits.
template <class T>
struct size_fits {
  static constexpr bool holds(const Target&, const auto& o) {
    const TensorDesc& t = T::of(o);
    if (!t.is_static()) return partly_fits(t);
    std::int64_t size = size_of(t.dtype), numel = t.numel(), reach = 0, rows = 0;
    if (numel < 0 || mul_overflows(numel, size, &reach)) return false;
    if (numel == 0) return true;
    std::int64_t last = 0;
    for (int i = 0; i < 5; ++i) {
      std::int64_t step = t.stride[i] < 0 ? -t.stride[i] : t.stride[i], part = 0;
      if (step < 0 || mul_overflows(t.shape[i] - 1, step, &part) || add_overflows(last, part, &last)) return false;
    }
    const std::int64_t row_step = t.stride[3] < 0 ? -t.stride[3] : t.stride[3];
    return row_step >= 0 && !mul_overflows(last, size, &reach) && !mul_overflows(numel / t.shape[4], row_step, &rows) &&
           !mul_overflows(rows, size, &reach);
  }
  static constexpr bool partly_fits(const TensorDesc& t) {
    for (std::int64_t n : t.shape)
      if (known(n) && n < 0) return false;
    return true;
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TensorDesc& t = T::of(o);
    s << T::name << " has Shape<" << t.shape[0];
    for (int i = 1; i < 5; ++i) s << "," << t.shape[i];
    s << ">, Stride<" << t.stride[0];
    for (int i = 1; i < 5; ++i) s << "," << t.stride[i];
    s << ">";
  }
};

template <class T>
struct table_layout {
  static constexpr bool holds(const Target& t, const auto& o) {
    const Layout l = T::of(o).layout;
    return l == Layout::ND || (l == Layout::NZ && t.nz_tables) || (l == Layout::DN && t.dn_tables);
  }
  static void shows(Text& s, const Target& t, const auto& o) {
    s << T::name << " is " << T::of(o).layout << "; " << t.name << " takes ND" << (t.nz_tables ? ", NZ" : "")
      << (t.dn_tables ? ", DN" : "");
  }
};

/// NZ tiles with NZ tables, unboxed tiles with the others; ColMajor tiles only where the target accepts them.
template <class D, class T>
struct tile_matches_table {
  static constexpr bool holds(const Target& t, const auto& o) {
    const TileDesc& d = D::of(o);
    if (T::of(o).layout == Layout::NZ) return d.is_nz();
    return !d.boxed() && (d.blayout == BLayout::RowMajor || t.col_major_tiles);
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TileDesc& d = D::of(o);
    s << D::name << " is " << d.blayout << " with " << d.slayout << ", fractal " << d.fractal << "; " << T::name
      << " is " << T::of(o).layout;
  }
};

template <class D, class T>
struct nz_blocks {
  static constexpr bool holds(const Target&, const auto& o) {
    const TensorDesc& t = T::of(o);
    if (t.layout != Layout::NZ) return true;
    const std::int64_t c0 = c0_of(t.dtype);
    return t.static_block && t.shape[3] == FRACTAL_NZ_ROW && t.shape[4] == c0 && D::of(o).cols % c0 == 0 &&
           D::of(o).rows % FRACTAL_NZ_ROW == 0;
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TensorDesc& t = T::of(o);
    s << T::name << " has Shape[3] = " << t.shape[3] << ", Shape[4] = " << t.shape[4] << ", C0 = " << c0_of(t.dtype)
      << (t.static_block ? "" : " (not static)") << "; " << D::name << " is " << D::of(o);
  }
};

template <class X>
struct not_boxed {
  static constexpr bool holds(const Target&, const auto& o) { return !X::of(o).boxed(); }
  static void shows(Text& s, const Target&, const auto& o) { s << X::name << " has " << X::of(o).slayout; }
};

/// Row: R indices in one row or one column. Elem: one index per element. While Coalesce is not inferred, one of the two
/// has to fit.
template <class D, class X>
struct index_shape {
  static constexpr bool row_fits(const TileDesc& d, const TileDesc& x) {
    return (may_equal(x.valid_rows, 1) && may_equal(x.valid_cols, d.valid_rows)) ||
           (may_equal(x.valid_rows, d.valid_rows) && may_equal(x.valid_cols, 1));
  }
  static constexpr bool elem_fits(const TileDesc& d, const TileDesc& x) {
    return may_equal(x.valid_rows, d.valid_rows) && may_equal(x.valid_cols, d.valid_cols);
  }
  static constexpr bool holds(const Target&, const auto& o) {
    const TileDesc &d = D::of(o), &x = X::of(o);
    if (o.policy.coalesce.open) return row_fits(d, x) || elem_fits(d, x);
    return o.policy.coalesce.row() ? row_fits(d, x) : elem_fits(d, x);
  }
  static void shows(Text& s, const Target&, const auto& o) {
    s << (o.policy.coalesce.open ? "no Coalesce" : o.policy.coalesce.row() ? "Coalesce::Row" : "Coalesce::Elem");
    s << ", " << D::name << " is " << D::of(o) << ", " << X::name << " is " << X::of(o);
  }
};

/// The layouts of the index tile that the target can read.
template <class D, class X>
struct index_layout {
  static constexpr bool holds(const Target& t, const auto& o) {
    const TileDesc &d = D::of(o), &x = X::of(o);
    const bool row_major = x.blayout == BLayout::RowMajor;
    if (t.index_row_major && (!row_major || !x.aligned())) return false;
    if (!o.policy.coalesce.row()) return true;
    if (t.index_row_major) return may_equal(x.valid_rows, 1) && may_equal(x.valid_cols, d.valid_rows);
    if (!t.index_linear) return true;
    return row_major ? may_equal(x.valid_rows, 1) || x.one_column() : may_equal(x.valid_cols, 1);
  }
  static void shows(Text& s, const Target& t, const auto& o) {
    const TileDesc &d = D::of(o), &x = X::of(o);
    s << X::name << " is " << x << ". ";
    if (o.policy.coalesce.elem()) {
      s << "Use a RowMajor " << X::name << " of whole 32-byte rows";
    } else {
      s << "Use Tile<TileType::Vec, int32_t, 1, " << (d.valid_rows + 7) / 8 * 8 << ", BLayout::RowMajor, 1, "
        << d.valid_rows << ">";
      if (t.index_linear) s << ", or [R, 1] ColMajor";
    }
  }
};

template <class D, class T>
struct table_width {
  static constexpr bool holds(const Target& t, const auto& o) {
    if (!o.policy.coalesce.row()) return true;
    const TensorDesc& table = T::of(o);
    const std::int64_t cols = D::of(o).valid_cols;
    if (t.row_address == ptox::RowAddress::packed) return may_equal(table.shape[4], cols);
    return may_fit(cols, table.cols());
  }
  static void shows(Text& s, const Target&, const auto& o) {
    s << D::name << " has " << D::of(o).valid_cols << " valid columns, " << T::name << " rows have " << T::of(o).cols();
  }
};

template <class D, class T>
struct packed_rows {
  static constexpr bool holds(const Target& t, const auto& o) {
    return t.row_address != ptox::RowAddress::packed || !o.policy.coalesce.row() ||
           may_equal(T::of(o).stride[3], D::of(o).valid_cols);
  }
  static void shows(Text& s, const Target&, const auto& o) {
    s << T::name << " has Stride[3] = " << T::of(o).stride[3] << ", " << D::name << " has " << D::of(o).valid_cols
      << " valid columns";
  }
};

/// Tile types exempt one padded column from the 32-byte rule; targets with checks_alignment do not. Boxed tiles are
/// always aligned.
template <class D>
struct aligned_rows {
  static constexpr bool holds(const Target& t, const auto& o) {
    return !t.checks_alignment || D::of(o).boxed() || D::of(o).aligned();
  }
  static void shows(Text& s, const Target&, const auto& o) {
    const TileDesc& d = D::of(o);
    s << D::name << " has rows of " << d.cols * size_of(d.dtype) << " bytes. Pad it to "
      << (d.cols + c0_of(d.dtype) - 1) / c0_of(d.dtype) * c0_of(d.dtype) << " columns, " << d.valid_cols
      << " of them valid";
  }
};

/// Infers Coalesce from the valid shapes, if they are known: Row if there is one index per row, otherwise Elem if there
/// is one per element.
constexpr void infer_coalesce(CoalesceChoice& choice, const TileDesc& data, const TileDesc& idx,
                              const TensorDesc& table) {
  if (!choice.open || !data.is_static() || !idx.is_static()) return;
  using Fit = index_shape<void, void>;
  const bool row = Fit::row_fits(data, idx), elem = Fit::elem_fits(data, idx);
  if (!row && !elem) return;
  choice = {.mode = row ? Coalesce::Row : Coalesce::Elem, .open = false, .ambiguous = row && elem && table.cols() != 1};
}

}  // namespace pto::instr
