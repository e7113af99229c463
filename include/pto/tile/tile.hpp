// SPDX-License-Identifier: Apache-2.0
// Tiles: a type, valid extents and a place in a buffer of the core.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "pto/tile/desc.hpp"
#include "pto/tile/place.hpp"
#include "pto/tile/tile_type.hpp"

namespace pto {

namespace instr::detail {

/// Checks the rules of tile types at compile time.
template <class T, int Rows, int Cols, BLayout B, int RowValid, int ColValid, SLayout S, int Fractal>
struct CheckTile {
  static constexpr TileDesc t{.dtype = dtype_of<T>,
                              .blayout = B,
                              .slayout = S,
                              .fractal = Fractal,
                              .rows = Rows,
                              .cols = Cols,
                              .valid_rows = RowValid == DYNAMIC ? unknown : RowValid,
                              .valid_cols = ColValid == DYNAMIC ? unknown : ColValid};
#define PTO_TILE_TYPE_ASSERT(holds, sentence) static_assert(holds, sentence);
  PTO_TILE_TYPE_RULES(PTO_TILE_TYPE_ASSERT)
#undef PTO_TILE_TYPE_ASSERT
  static constexpr bool ok = true;
};

/// The valid rows of a tile whose type leaves them dynamic. Kernels may assign the member instead of calling
/// SetValidRow.
template <bool dynamic>
struct DynamicRows {
  unsigned RowMaskInternal = 0;
};
template <>
struct DynamicRows<false> {};
/// The same for valid columns.
template <bool dynamic>
struct DynamicCols {
  unsigned ColMaskInternal = 0;
};
template <>
struct DynamicCols<false> {};

/// An extent that a kernel gives at run time, in 32 bits. One that does not fit becomes INT32_MAX or INT32_MIN, which
/// no tile has as an extent either.
constexpr unsigned stored_extent(std::int64_t given) {
  return static_cast<unsigned>(given > INT32_MAX ? INT32_MAX : given < INT32_MIN ? INT32_MIN : given);
}
constexpr std::int64_t given_extent(unsigned stored) { return static_cast<std::int32_t>(stored); }

}  // namespace instr::detail

/// A tile of Rows x Cols elements with a valid region, on which instructions operate; a valid extent of -1 is dynamic.
/// Without TASSIGN, bytes are allocated automatically at first use and freed when the tile is destroyed (auto mode). A
/// copy of a Tile object refers to the same bytes of the buffer as the original.
template <TileType Loc_, class T, int Rows_, int Cols_, BLayout BLayout_ = BLayout::RowMajor, int RowValid_ = Rows_,
          int ColValid_ = Cols_, SLayout SLayout_ = SLayout::NoneBox, int SFractalSize_ = TileConfig::fractalABSize,
          PadValue PadVal_ = PadValue::Null, CompactMode Compact_ = CompactMode::Null>
class Tile : public instr::detail::DynamicRows<RowValid_ == DYNAMIC>,
             public instr::detail::DynamicCols<ColValid_ == DYNAMIC> {
  using StoredRows = instr::detail::DynamicRows<RowValid_ == DYNAMIC>;
  using StoredCols = instr::detail::DynamicCols<ColValid_ == DYNAMIC>;

 public:
  static_assert(instr::Element<T>, "Tile: T is not an element type of this ISA");
  static_assert(instr::detail::CheckTile<T, Rows_, Cols_, BLayout_, RowValid_, ColValid_, SLayout_, SFractalSize_>::ok);

  using DType = T;
  using TileDType = T*;  ///< what data() returns
  static constexpr TileType Loc = Loc_;
  static constexpr int Rows = Rows_, Cols = Cols_, ValidRow = RowValid_, ValidCol = ColValid_;
  static constexpr int Numel = Rows * Cols;
  static constexpr bool isRowMajor = BLayout_ == BLayout::RowMajor;
  static constexpr int RowStride = isRowMajor ? Cols : 1, ColStride = isRowMajor ? 1 : Rows;
  static constexpr BLayout BFractal = BLayout_;
  static constexpr SLayout SFractal = SLayout_;
  static constexpr int SFractalSize = SFractalSize_;
  static constexpr PadValue PadVal = PadVal_;
  static constexpr CompactMode Compact = Compact_;

  Tile() = default;
  AICORE Tile(std::integral auto valid_row, std::integral auto valid_col, instr::Site site = instr::Site::current()) {
    SetValidShape(valid_row, valid_col, site);
  }
  AICORE explicit Tile(std::integral auto extent)
    requires((ValidRow == DYNAMIC) != (ValidCol == DYNAMIC))
  {
    ValidRow == DYNAMIC ? SetValidRow(extent) : SetValidCol(extent);
  }
  AICORE Tile(const Tile& other, instr::Site site = instr::Site::current())
      : StoredRows(other), StoredCols(other), place_(other.shared_place(site)) {}
  AICORE Tile(Tile&& other) noexcept : StoredRows(other), StoredCols(other), place_(other.place_) {
    other.place_.owner = false;
  }
  AICORE Tile& operator=(const Tile& other) {
    if (this == &other) return *this;
    const instr::detail::Place shared = other.shared_place(instr::Site::current());
    instr::detail::release(place_, Loc);
    place_ = shared;
    StoredRows::operator=(other);
    StoredCols::operator=(other);
    return *this;
  }
  AICORE Tile& operator=(Tile&& other) noexcept {
    if (this == &other) return *this;
    if (place_.owner) instr::detail::release(place_, Loc);
    place_ = other.place_;
    other.place_.owner = false;
    StoredRows::operator=(other);
    StoredCols::operator=(other);
    return *this;
  }
  AICORE ~Tile() {
    if (place_.owner) instr::detail::release(place_, Loc);
  }

  AICORE std::int64_t GetValidRow() const {
    if constexpr (ValidRow == DYNAMIC)
      return instr::detail::given_extent(this->RowMaskInternal);
    else
      return ValidRow;
  }
  AICORE std::int64_t GetValidCol() const {
    if constexpr (ValidCol == DYNAMIC)
      return instr::detail::given_extent(this->ColMaskInternal);
    else
      return ValidCol;
  }
  AICORE void SetValidRow(std::integral auto n, instr::Site site = instr::Site::current()) {
    if constexpr (ValidRow == DYNAMIC)
      this->RowMaskInternal = instr::detail::stored_extent(static_cast<std::int64_t>(n));
    else
      expect_given("valid rows", ValidRow, static_cast<std::int64_t>(n), site);
  }
  AICORE void SetValidCol(std::integral auto n, instr::Site site = instr::Site::current()) {
    if constexpr (ValidCol == DYNAMIC)
      this->ColMaskInternal = instr::detail::stored_extent(static_cast<std::int64_t>(n));
    else
      expect_given("valid columns", ValidCol, static_cast<std::int64_t>(n), site);
  }
  AICORE void SetValidShape(std::integral auto rows, std::integral auto cols,
                            instr::Site site = instr::Site::current()) {
    SetValidRow(rows, site);
    SetValidCol(cols, site);
  }

  /// The tile's bytes on the host; nullptr if it has none.
  AICORE T* data(instr::Site site = instr::Site::current()) const {
    settle(site);
    return reinterpret_cast<T*>(instr::detail::address(Loc, place_.offset, type_bytes));
  }
  /// Reads or writes one element, given by (row, column) or by its linear position in memory. A position outside the
  /// tile is reported as a finding; GetValue then returns T{}.
  AICORE T GetValue(std::int64_t r, std::int64_t c, instr::Site site = instr::Site::current()) const {
    if (!in_tile(r, c)) return instr::detail::outside_tile("GetValue", r, c, Rows, Cols, site), T{};
    return read(instr::element_offset(type_desc(), r, c), site);
  }
  AICORE T GetValue(std::int64_t at, instr::Site site = instr::Site::current()) const { return read(at, site); }
  AICORE void SetValue(std::int64_t r, std::int64_t c, T value, instr::Site site = instr::Site::current()) {
    if (!in_tile(r, c)) return instr::detail::outside_tile("SetValue", r, c, Rows, Cols, site);
    write(instr::element_offset(type_desc(), r, c), value, site);
  }
  AICORE void SetValue(std::int64_t at, T value, instr::Site site = instr::Site::current()) { write(at, value, site); }

  /// The descriptor as far as the type determines it: dynamic valid extents are `unknown`.
  static constexpr instr::TileDesc type_desc() {
    return {.dtype = instr::dtype_of<T>,
            .loc = Loc,
            .blayout = BFractal,
            .slayout = SFractal,
            .pad = PadVal,
            .fractal = SFractalSize,
            .rows = Rows,
            .cols = Cols,
            .valid_rows = ValidRow == DYNAMIC ? instr::unknown : ValidRow,
            .valid_cols = ValidCol == DYNAMIC ? instr::unknown : ValidCol};
  }
  /// The descriptor of the tile as an operand. Assigns a place if the tile has none.
  AICORE instr::TileDesc desc(instr::Site site = instr::Site::current()) const {
    settle(site);
    instr::TileDesc d = type_desc();
    if constexpr (ValidRow == DYNAMIC) d.valid_rows = GetValidRow();
    if constexpr (ValidCol == DYNAMIC) d.valid_cols = GetValidCol();
    d.offset = place_.offset;
    return d;
  }
  /// The byte offset in the buffer. Assigns a place if the tile has none.
  AICORE std::int64_t offset(instr::Site site = instr::Site::current()) const {
    settle(site);
    return place_.offset;
  }
  /// A view of the same bytes with other valid extents; it does not own them.
  AICORE auto resized(std::int64_t rows, std::int64_t cols, instr::Site site = instr::Site::current()) const {
    Tile<Loc, T, Rows, Cols, BFractal, DYNAMIC, DYNAMIC, SFractal, SFractalSize, PadVal, Compact> view(rows, cols);
    view.refer_to(shared_place(site));
    return view;
  }
  AICORE void refer_to(const instr::detail::Place& place) {
    instr::detail::release(place_, Loc);
    place_ = place;
  }
  AICORE void assign(std::int64_t offset, instr::Site site) {
    instr::detail::assign(place_, type_desc(), offset, site);
  }

 private:
  static constexpr std::int64_t type_bytes = std::int64_t{Rows} * Cols * static_cast<std::int64_t>(sizeof(T));

  static constexpr bool in_tile(std::int64_t r, std::int64_t c) { return r >= 0 && r < Rows && c >= 0 && c < Cols; }
  AICORE void settle(instr::Site site) const {
    if (!instr::detail::settled(place_)) [[unlikely]]
      instr::detail::settle(place_, type_desc(), site);
  }
  AICORE instr::detail::Place shared_place(instr::Site site) const {
    settle(site);
    instr::detail::Place shared = place_;
    shared.owner = false;
    return shared;
  }
  /// Reports a run-time extent that differs from the one in the type.
  AICORE static void expect_given(const char* what, std::int64_t in_type, std::int64_t given, instr::Site site) {
    if (given != in_type) instr::detail::valid_contradicts(what, in_type, given, site);
  }
  AICORE T read(std::int64_t at, instr::Site site) const {
    T value{};
    if (const std::byte* p = element(at, false, site)) __builtin_memcpy(&value, p, sizeof(T));
    return value;
  }
  AICORE void write(std::int64_t at, T value, instr::Site site) {
    if (std::byte* p = element(at, true, site)) __builtin_memcpy(p, &value, sizeof(T));
  }
  AICORE std::byte* element(std::int64_t at, bool store, instr::Site site) const {
    settle(site);
    return instr::detail::element_address(place_, type_desc(), at, store, site);
  }

  [[no_unique_address]] instr::detail::Alive alive_;
  mutable instr::detail::Place place_;
};

namespace instr {

template <class T>
concept TileOperand = requires(const T& t) {
  { t.desc() } -> std::same_as<TileDesc>;
};

}  // namespace instr
}  // namespace pto
