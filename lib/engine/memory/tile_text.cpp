// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/tile_text.hpp"

namespace ptox {

using pto::instr::TileDesc;

namespace {

std::string extent(std::int64_t n) { return pto::instr::known(n) ? std::to_string(n) : "?"; }

std::string layout_text(const TileDesc& t) {
  if (t.is_nz()) return "NZ";
  const std::string outer = pto::instr::name(t.blayout);
  return t.boxed() ? outer + " of " + pto::instr::name(t.slayout) : outer;
}

}  // namespace

std::string shape_text(const TileDesc& t) {
  return std::string(pto::instr::name(t.dtype)) + " " + std::to_string(t.rows) + "x" + std::to_string(t.cols);
}

std::string tile_text(const TileDesc& t) {
  std::string text = shape_text(t) + " " + layout_text(t);
  if (t.valid_rows == t.rows && t.valid_cols == t.cols) return text;
  return text + " (valid " + extent(t.valid_rows) + "x" + extent(t.valid_cols) + ")";
}

std::string size_text(const TileDesc& t) { return std::to_string(t.bytes()) + " bytes (" + shape_text(t) + ")"; }

}  // namespace ptox
