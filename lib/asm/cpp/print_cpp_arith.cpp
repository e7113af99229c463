// SPDX-License-Identifier: Apache-2.0
// Prints arithmetic operations as C++ expressions with the same results.
#include "asm/cpp/print_cpp.hpp"
#include "mlir/IR/BuiltinTypes.h"

namespace ptox::assembly::cpp {

using llvm::StringRef;
using mlir::Operation;

namespace {

// $a, $b, $c are the operands, $T the type of the result, $U the unsigned type of the operands' width. `of_bools` is
// the form for i1, which is bool in C++; as a signed i1, true is -1.
struct Spelling {
  StringRef name, text, of_bools;
};
// Divisions by a constant other than 0 and -1, which need no check.
constexpr Spelling plain_divisions[] = {
    {"divsi", "$a / $b", ""},
    {"remsi", "$a % $b", ""},
    {"divui", "static_cast<$T>(static_cast<$U>($a) / static_cast<$U>($b))", ""},
    {"remui", "static_cast<$T>(static_cast<$U>($a) % static_cast<$U>($b))", ""},
};
constexpr Spelling spellings[] = {
    {"addi", "wrap_add<$T>($a, $b)", "$a != $b"},
    {"subi", "wrap_sub<$T>($a, $b)", "$a != $b"},
    {"muli", "wrap_mul<$T>($a, $b)", "$a && $b"},
    {"divsi", "quotient<$T>($a, $b)", ""},
    {"remsi", "remainder<$T>($a, $b)", ""},
    {"divui", "static_cast<$T>(quotient<$U>(static_cast<$U>($a), static_cast<$U>($b)))", ""},
    {"remui", "static_cast<$T>(remainder<$U>(static_cast<$U>($a), static_cast<$U>($b)))", ""},
    {"ceildivsi", "ceil_div<$T>($a, $b)", ""},
    {"ceildivui", "ceil_div_u<$T>($a, $b)", ""},
    {"floordivsi", "floor_div<$T>($a, $b)", ""},
    {"andi", "$a & $b", "$a && $b"},
    {"ori", "$a | $b", "$a || $b"},
    {"xori", "$a ^ $b", "$a != $b"},
    {"shli", "shift_left<$T>($a, $b)", ""},
    {"shrsi", "shift_right<$T>($a, $b)", ""},
    {"shrui", "shift_right_u<$T>($a, $b)", ""},
    {"maxsi", "$a < $b ? $b : $a", "$a && $b"},
    {"minsi", "$b < $a ? $b : $a", "$a || $b"},
    {"maxui", "static_cast<$U>($a) < static_cast<$U>($b) ? $b : $a", "$a || $b"},
    {"minui", "static_cast<$U>($b) < static_cast<$U>($a) ? $b : $a", "$a && $b"},
    {"addf", "$a + $b", ""},
    {"subf", "$a - $b", ""},
    {"mulf", "$a * $b", ""},
    {"divf", "$a / $b", ""},
    {"remf", "std::fmod($a, $b)", ""},
    {"negf", "-$a", ""},
    {"maximumf", "maximum<$T>($a, $b)", ""},
    {"minimumf", "minimum<$T>($a, $b)", ""},
    {"maxnumf", "std::fmax($a, $b)", ""},
    {"minnumf", "std::fmin($a, $b)", ""},
};

// Indexed by the number of the MLIR predicate.
constexpr StringRef integer_predicates[] = {"==", "!=", "<", "<=", ">", ">="};  // then < <= > >= unsigned
constexpr StringRef swapped[] = {"==", "!=", ">", ">=", "<", "<="};
constexpr StringRef float_predicates[] = {"false",
                                          "$a == $b",
                                          "$a > $b",
                                          "$a >= $b",
                                          "$a < $b",
                                          "$a <= $b",
                                          "$a < $b || $a > $b",
                                          "$a == $a && $b == $b",
                                          "!($a < $b || $a > $b)",
                                          "!($a <= $b)",
                                          "!($a < $b)",
                                          "!($a >= $b)",
                                          "!($a > $b)",
                                          "$a != $b",
                                          "$a != $a || $b != $b",
                                          "true"};

/// Replaces $a, $b, $c, $T and $U in the text.
std::string fill(StringRef text, llvm::ArrayRef<std::string> operands, const std::string& type, const std::string& u) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '$') {
      out += text[i];
      continue;
    }
    const char what = text[++i];
    const std::string& part = what == 'T' ? type : what == 'U' ? u : operands[static_cast<std::size_t>(what - 'a')];
    const bool two_signs = !out.empty() && out.back() == '-' && part.front() == '-';
    out += two_signs ? "(" + part + ")" : part;
  }
  return out;
}

std::string as(const std::string& type, const std::string& text) { return "static_cast<" + type + ">(" + text + ")"; }
bool is_narrow_float(mlir::Type t) { return mlir::isa<mlir::FloatType>(t) && !t.isF32() && !t.isF64(); }

}  // namespace

std::string Body::comparison(Operation* op) {
  const auto predicate = op->getAttrOfType<mlir::IntegerAttr>("predicate");
  const std::string operands[] = {use(op, op->getOperand(0)), use(op, op->getOperand(1))};
  const auto p = static_cast<std::size_t>(predicate.getInt());
  const unsigned width = integer_width(op->getOperand(0).getType());
  if (width == 0) return fill(float_predicates[p], operands, "", "");
  const bool is_unsigned = p >= std::size(integer_predicates);
  const std::size_t at = is_unsigned ? p - 4 : p;
  const StringRef sign = width == 1 && !is_unsigned ? swapped[at] : integer_predicates[at];
  const std::string text = is_unsigned && width > 1 ? "static_cast<$U>($a) " + sign.str() + " static_cast<$U>($b)"
                                                    : "$a " + sign.str() + " $b";
  return fill(text, operands, "", unsigned_type(width));
}

/// A conversion. It is an explicit cast where initialising a variable of the result type would not convert in the same
/// way.
std::string Body::cast(Operation* op) {
  const StringRef name = op->getName().stripDialect();
  const mlir::Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  std::string x = use(op, op->getOperand(0));
  const std::string type = type_of(op, to);
  const unsigned width = integer_width(from), to_width = integer_width(to);
  const bool by_zeros = name.ends_with("ui") || name.starts_with("ui");
  if (name == "bitcast") return "std::bit_cast<" + type + ">(" + (width ? as(type_of(op, from), x) : x) + ")";
  if (name.starts_with("fpto")) {
    if (to_width == 1) refuse(op, "a conversion of a number to i1 has no form in C++. Compare the number instead");
    const std::string source = is_narrow_float(from) ? as("float", x) : x;
    return as(type, name == "fptoui" ? as(unsigned_type(to_width), source) : source);
  }
  if (width == 1 && !by_zeros) return as(type, x + " ? -1 : 0");
  if (to_width == 1 && width > 1) return "(" + x + " & 1) != 0";
  const bool widens = to_width == 0 || to_width > width;
  if (width > 1 && to_width > width && !by_zeros) return x;
  return as(type, by_zeros && width > 1 && widens ? as(unsigned_type(width), x) : x);
}

std::string Body::expression(Operation* op) {
  const StringRef name = op->getName().stripDialect();
  if (name == "cmpi" || name == "cmpf") return comparison(op);
  std::vector<std::string> operands;
  for (mlir::Value v : op->getOperands()) operands.push_back(use(op, v));
  const mlir::Type type = op->getResult(0).getType();
  if (name == "select" && op->getOperand(0).getType().isInteger(1)) return fill("$a ? $b : $c", operands, "", "");
  const auto divisor = op->getNumOperands() == 2 ? constant_of(op->getOperand(1)) : std::nullopt;
  llvm::SmallVector<Spelling> known;
  if (divisor && *divisor > 0) known.append(std::begin(plain_divisions), std::end(plain_divisions));
  known.append(std::begin(spellings), std::end(spellings));
  for (const Spelling& s : known) {
    if (s.name != name) continue;
    const unsigned width = integer_width(type);
    const StringRef text = width == 1 ? s.of_bools : s.text;
    if (text.empty()) refuse(op, "there is no C++ for it on i1");
    const std::string result = type_of(op, type), whole = fill(text, operands, result, unsigned_type(width));
    const bool promoted = (width > 1 && width < 32) || is_narrow_float(type);
    return promoted && !text.starts_with("static_cast<$T>") ? as(result, whole) : whole;
  }
  for (StringRef c : {"extsi", "extui", "trunci", "index_cast", "index_castui", "sitofp", "uitofp", "fptosi", "fptoui",
                      "extf", "truncf", "bitcast"})
    if (c == name) return cast(op);
  refuse(op, "there is no C++ for it here");
}

bool Body::print_arith(Operation* op) {
  if (op->getName().getDialectNamespace() != "arith") return false;
  if (op->getNumResults() != 1) refuse(op, "it has more than one result");
  const mlir::Value result = op->getResult(0);
  if (op->getName().getStringRef() == "arith.constant") {
    const auto text = literal(op->getAttr("value"));
    if (!text) refuse(op, "there is no C++ number for it");
    texts_[result] = *text;
    return true;
  }
  if (is_tensor(result.getType())) refuse(op, "views have types of their own in C++. Choose between offsets");
  const std::string type = type_of(op, result);
  const bool same = op->getName().stripDialect() == "index_cast" && type == type_of(op, op->getOperand(0));
  const std::string text = same ? use(op, op->getOperand(0)) : expression(op);
  if (same)
    texts_[result] = text;
  else
    line((scalar_type(result.getType()) ? "const " : "") + type + " " + declare(result) + " = " + text + ";");
  return true;
}

}  // namespace ptox::assembly::cpp
