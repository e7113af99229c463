// SPDX-License-Identifier: Apache-2.0
#include "asm/cpp/print_cpp_types.hpp"

#include <charconv>
#include <cmath>
#include <vector>

#include "llvm/ADT/StringExtras.h"
#include "mlir/IR/BuiltinTypes.h"

namespace ptox::assembly::cpp {

using pto::instr::unknown;

std::string element_type(DType dtype) {
  constexpr const char* names[] = {"int8_t",        "uint8_t",    "int16_t",    "uint16_t", "int32_t",
                                   "uint32_t",      "half",       "bfloat16_t", "float",    "float8_e4m3_t",
                                   "float8_e5m2_t", "hifloat8_t", "int64_t",    "uint64_t", "double"};
  return names[static_cast<int>(dtype)];
}

unsigned integer_width(mlir::Type type) {
  if (type.isIndex()) return 64;
  const auto integer = mlir::dyn_cast<mlir::IntegerType>(type);
  return integer ? integer.getWidth() : 0;
}

std::string unsigned_type(unsigned width) { return width == 1 ? "bool" : "uint" + std::to_string(width) + "_t"; }

std::optional<std::string> scalar_type(mlir::Type type) {
  if (const unsigned width = integer_width(type)) {
    if (width == 1) return "bool";
    if (width != 8 && width != 16 && width != 32 && width != 64) return std::nullopt;
    return type.isUnsignedInteger() ? unsigned_type(width) : unsigned_type(width).substr(1);
  }
  if (const TypeSpec* spec = spec_of(type); spec && spec->kind == TypeSpec::Kind::hif8) return "hifloat8_t";
  if (type.isF16()) return "half";
  if (type.isBF16()) return "bfloat16_t";
  if (type.isF32()) return "float";
  if (type.isF64()) return "double";
  if (type.isFloat8E4M3FN()) return "float8_e4m3_t";
  if (type.isFloat8E5M2()) return "float8_e5m2_t";
  return std::nullopt;
}

std::string tile_type(const TileDesc& t) {
  constexpr const char* boxes[] = {"NoneBox", "RowMajor", "ColMajor"};
  constexpr const char* pads[] = {"Null", "Zero", "Max", "Min"};
  const auto extent = [](std::int64_t n) { return n == unknown ? "-1" : std::to_string(n); };
  const std::pair<bool, std::string> parameters[] = {
      {t.blayout != pto::BLayout::RowMajor, std::string("BLayout::") + pto::instr::name(t.blayout)},
      {t.valid_rows != t.rows, extent(t.valid_rows)},
      {t.valid_cols != t.cols, extent(t.valid_cols)},
      {t.boxed(), std::string("SLayout::") + boxes[static_cast<int>(t.slayout)]},
      {t.fractal != pto::TileConfig::fractalABSize, std::to_string(t.fractal)},
      {t.pad != pto::PadValue::Null, std::string("PadValue::") + pads[static_cast<int>(t.pad)]}};
  std::string text = std::string("Tile<TileType::") + pto::instr::name(t.loc) + ", " + element_type(t.dtype) + ", " +
                     std::to_string(t.rows) + ", " + std::to_string(t.cols),
              defaults;
  for (const auto& [spelled, parameter] : parameters) {
    defaults += ", " + parameter;
    if (spelled) text += defaults, defaults.clear();
  }
  return text + ">";
}

namespace {
std::string five(const char* name, const std::int64_t (&n)[5]) {
  std::string text = name;
  for (int i = 0; i < 5; ++i) text += (i ? ", " : "<") + (n[i] == unknown ? "-1" : std::to_string(n[i]));
  return text + ">";
}
}  // namespace

std::string tensor_type(const TensorDesc& t) {
  std::string text =
      "GlobalTensor<" + element_type(t.dtype) + ", " + five("Shape", t.shape) + ", " + five("Stride", t.stride);
  if (t.layout != pto::Layout::ND) text += std::string(", Layout::") + pto::instr::name(t.layout);
  return text + ">";
}

std::string number(std::int64_t value) { return value == INT64_MIN ? "INT64_MIN" : std::to_string(value); }
std::string hexadecimal(std::int64_t value) {
  return value < 0 ? number(value) : "0x" + llvm::utohexstr(static_cast<std::uint64_t>(value), true);
}

namespace {

/// `0.5f`: the shortest text that is read back as the same number.
template <class T>
std::string decimal(T value) {
  char text[64];
  const auto end = std::to_chars(std::begin(text), std::end(text), value).ptr;
  std::string s(text, end);
  if (s.find_first_of(".e") == std::string::npos) s += ".0";
  return sizeof(T) == sizeof(float) ? s + "f" : s;
}

std::string float_literal(const std::string& type, llvm::APFloat value) {
  const std::string pattern = "0x" + llvm::utohexstr(value.bitcastToAPInt().getZExtValue(), true);
  if (type == "double" && value.isFinite()) return decimal(value.convertToDouble());
  if (type == "double") return "std::bit_cast<double>(uint64_t{" + pattern + "})";
  if (type == "float" && !value.isFinite()) return "std::bit_cast<float>(uint32_t{" + pattern + "})";
  if (!value.isFinite()) return type + "::from_bits(" + pattern + ")";
  bool lost = false;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &lost);
  const std::string text = decimal(value.convertToFloat());
  return type == "float" ? text : type + "(" + text + ")";
}

}  // namespace

std::optional<std::string> literal(mlir::Attribute value) {
  if (const auto real = mlir::dyn_cast<mlir::FloatAttr>(value)) {
    const auto type = scalar_type(real.getType());
    return type ? std::optional(float_literal(*type, real.getValue())) : std::nullopt;
  }
  const auto integer = mlir::dyn_cast<mlir::IntegerAttr>(value);
  if (!integer || !scalar_type(integer.getType())) return std::nullopt;
  if (integer.getType().isInteger(1)) return integer.getValue().isZero() ? "false" : "true";
  return number(integer.getValue().getSExtValue());
}

}  // namespace ptox::assembly::cpp
