// SPDX-License-Identifier: Apache-2.0
// Builds an instruction from a bare statement.
#include <algorithm>
#include <optional>

#include "asm/statements/statements_build.hpp"
#include "llvm/ADT/StringExtras.h"

namespace ptox::assembly {

using llvm::SmallVector;
using llvm::StringRef;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using pto::instr::unknown;

mlir::Type schematic_type(mlir::MLIRContext* context, TypeSpec::Kind kind) {
  TypeSpec spec;
  spec.kind = kind, spec.schematic = true, spec.text = "...";
  return PtoType::get(context, spec);
}

namespace {

constexpr std::size_t most_operands = 64;

enum class Sort { other, tile, tensor, group };
Sort sort_of(Type type) {
  return is_tile(type) ? Sort::tile : is_tensor(type) ? Sort::tensor : is_group(type) ? Sort::group : Sort::other;
}

/// The sort that the manuals imply by an operand's name, used if no type is written.
std::optional<Sort> meant_by(std::string_view name) {
  name.remove_prefix(1);
  if (name == "mem" || name == "table") return Sort::tensor;
  if (name == "group") return Sort::group;
  for (const char* tile : {"src", "dst", "idx", "indexes", "tmp"})
    if (name == tile) return Sort::tile;
  return std::nullopt;
}

/// Whether two types are compatible: equal, or of the same sort and one of them schematic.
bool agree(Type known, Type written) {
  if (known == written) return true;
  return sort_of(known) == sort_of(written) && (is_schematic(known) || is_schematic(written));
}

std::string listed(llvm::ArrayRef<Type> types) {
  std::string text;
  for (Type t : types) text += (text.empty() ? "" : ", ") + type_text(t);
  return "(" + text + ")";
}

/// Assigns the written types to the operands.
class Signature {
 public:
  Signature(const Place& here, const Written& w, SmallVector<Type> types) : w_(w), types_(std::move(types)) {
    for (const Token& name : w.operands) known_.push_back(here.values.known(name));
  }
  const SmallVector<Type>& types() const { return types_; }
  /// Returns an error message, empty if the types match the operands. If they match only in another order, they are
  /// reordered and `warning` gets a message.
  std::string settle(std::string& warning) {
    const bool by_name = types_.empty() || !is_group(types_.front());  // in collectives, src and dst are tensors
    if (types_.empty() || in_order(by_name)) return "";
    auto order = reordered(by_name);
    if (!order && in_order(false)) return "";
    if (!order) order = reordered(false);
    if (!order) return "signature: the types are no permutation of the operands'; " + both(types_);
    SmallVector<Type> taken;
    for (std::size_t j : *order) taken.push_back(types_[j]);
    warning = "signature: the types are in another order than the operands; written " + listed(types_) + ", taken as " +
              listed(taken) + ". Write them in the operands' order";
    types_ = taken;
    return "";
  }

 private:
  bool fits(std::size_t operand, Type type, bool by_name) const {
    if (known_[operand]) return agree(known_[operand], type);
    const auto meant = by_name ? meant_by(w_.operands[operand].text) : std::nullopt;
    return !meant || *meant == sort_of(type);
  }
  bool in_order(bool by_name) const {
    for (std::size_t i = 0; i < types_.size(); ++i)
      if (!fits(i, types_[i], by_name)) return false;
    return true;
  }
  /// Assigns to each operand the first unused type that fits, operands with the strictest condition first.
  std::optional<SmallVector<std::size_t>> reordered(bool by_name) const {
    SmallVector<std::size_t> order(types_.size(), types_.size());
    SmallVector<bool> used(types_.size(), false);
    const auto pass = [&](auto&& wanted) {
      for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = 0; j < used.size() && order[i] == types_.size(); ++j)
          if (!used[j] && wanted(i, j)) order[i] = j, used[j] = true;
    };
    pass([&](std::size_t i, std::size_t j) { return known_[i] == types_[j]; });
    pass([&](std::size_t i, std::size_t j) { return known_[i] && fits(i, types_[j], by_name); });
    pass([&](std::size_t i, std::size_t j) {
      return by_name && meant_by(w_.operands[i].text) && fits(i, types_[j], true);
    });
    pass([&](std::size_t i, std::size_t j) { return fits(i, types_[j], by_name); });
    if (llvm::is_contained(order, types_.size())) return std::nullopt;
    return order;
  }
  std::string both(llvm::ArrayRef<Type> written) const {
    std::string text = "written " + listed(written) + ", the operands are";
    for (std::size_t i = 0; i < known_.size(); ++i)
      text += (i ? ", " : " ") + std::string(w_.operands[i].text) +
              (known_[i] ? ": " + type_text(known_[i]) : std::string(": open"));
    return text;
  }

  const Written& w_;
  SmallVector<Type> types_, known_;
};

/// The types that the tokens denote; std::nullopt if one is not a type.
std::optional<SmallVector<Type>> read_types(Source& source, const std::vector<Token>& tokens) {
  SmallVector<Type> types;
  for (const Token& t : tokens) {
    types.push_back(source.type(t.text));
    if (!types.back()) return std::nullopt;
  }
  return types;
}

/// Reads all attribute dictionaries of a statement. False after reporting an error.
bool read_attributes(Source& source, const Written& w, mlir::NamedAttrList& out) {
  for (std::string_view braces : w.attributes) {
    const mlir::DictionaryAttr dictionary = source.dictionary(braces);
    if (!dictionary) return false;
    for (mlir::NamedAttribute a : dictionary) {
      if (out.get(a.getName())) return source.fail(braces, a.getName().str() + " is given twice"), false;
      out.push_back(a);
    }
  }
  return true;
}
bool add_policies(Source& source, const Written& w, const Opcode& opcode, mlir::NamedAttrList& out) {
  for (const auto& [kind, value] : opcode.policies) {
    const char* attribute = find_kind(kind)->attribute;
    if (out.get(attribute))
      return source.fail(w.opcode.text,
                         opcode.base + ": " + attribute + " is given twice, as a suffix and as an attribute"),
             false;
    out.set(attribute, PtoAttr::get(source.context(), kind, value));
  }
  return true;
}

mlir::Location location(const Source& source, const Written& w) {
  const mlir::Location loc = source.loc(w.opcode.text.data());
  if (w.results.size() != 1) return loc;
  return named(loc, {w.results[0].text.data() + 1, w.results[0].text.size() - 1});
}

class Instruction {
 public:
  Instruction(const Place& here, const Written& w, const Opcode& opcode)
      : source_(here.source), here_(here), w_(w), opcode_(opcode) {}

  Operation* build() {
    if (w_.operands.size() > most_operands)
      return fail("has " + std::to_string(w_.operands.size()) + " operands; at most 64 are read");
    if (!w_.list.empty() || !w_.words.empty()) return fail("has nothing in [ ] or < >");
    if (!read_attributes(source_, w_, attributes_) || !add_policies(source_, w_, opcode_, attributes_)) return nullptr;
    if (!read_operands() || !read_result()) return nullptr;
    const Ordered order = ordered();
    if (!order.error.empty()) return source_.fail(w_.opcode.text, order.error), nullptr;
    SmallVector<Value> operands;
    for (int i : order.position) operands.push_back(values_[static_cast<std::size_t>(i)]);
    return create_op(here_.builder, location(source_, w_), opcode_.base,
                     result_ ? mlir::TypeRange(result_) : mlir::TypeRange(), operands, attributes_);
  }

 private:
  Operation* fail(const std::string& what) { return source_.fail(w_.opcode.text, opcode_.base + " " + what), nullptr; }

  bool read_operands() {
    const auto types = read_types(source_, w_.types);
    if (!types) return false;
    if (types->size() > w_.operands.size())
      return fail("has " + std::to_string(types->size()) + " types for no operands");
    Signature signature(here_, w_, *types);
    std::string warning;
    if (const std::string wrong = signature.settle(warning); !wrong.empty())
      return source_.fail(w_.types[0].text, opcode_.base + " " + wrong), false;
    if (!warning.empty()) source_.warn(w_.types[0].text, opcode_.base + " " + warning);
    for (std::size_t i = 0; i < w_.operands.size(); ++i) {
      const Type type = i < signature.types().size() ? signature.types()[i] : Type();
      const bool between_ranks = i == 1 && is_group(values_[0] ? values_[0].getType() : Type());
      values_.push_back(here_.values.use(
          w_.operands[i], type,
          between_ranks ? schematic_type(source_.context(), TypeSpec::Kind::memref) : meant_type(w_.operands[i])));
    }
    return llvm::all_of(values_, [](Value v) { return !!v; });
  }
  /// The schematic type that the name of an operand implies.
  Type meant_type(const Token& name) const {
    const auto sort = meant_by(name.text);
    const auto kind = sort == Sort::tensor  ? TypeSpec::Kind::memref
                      : sort == Sort::group ? TypeSpec::Kind::group
                                            : TypeSpec::Kind::tile;
    return schematic_type(source_.context(), kind);
  }

  bool read_result() {
    const auto types = read_types(source_, w_.result_types);
    if (!types) return false;
    if (w_.results.size() > 1) return fail("has " + std::to_string(w_.results.size()) + " results; it has at most one");
    if (types->size() > w_.results.size() || (w_.arrow && types->size() != w_.results.size()))
      return fail("has " + std::to_string(w_.results.size()) + " results on its left and " +
                  std::to_string(types->size()) + " types for them");
    if (w_.results.empty()) return true;
    result_ = types->empty() ? inferred() : types->front();
    return result_ || fail("leaves its result's type out, and its operands do not say it. Write -> !pto.tile<...>");
  }
  /// The type of a result without a written type: schematic if an operand is, otherwise derived from the coalesce
  /// policy and the operands of mgather; null if it cannot be derived.
  Type inferred() const {
    if (llvm::any_of(values_, [](Value v) { return is_schematic(v.getType()); }))
      return schematic_type(source_.context());
    const auto coalesce = mlir::dyn_cast_or_null<PtoAttr>(attributes_.get("coalesce"));
    if (opcode_.base != "mgather" || !coalesce) return {};
    const TypeSpec *table = nullptr, *idx = nullptr;
    for (Value v : values_) (is_tile(v.getType()) ? idx : table) = spec_of(v.getType());
    if (!table || !idx || !table->is_tensor()) return {};
    return gathered(*table, *idx, coalesce.value() == "row");
  }
  Type gathered(const TypeSpec& table, const TypeSpec& idx, bool row) const {
    TypeSpec out;
    out.kind = TypeSpec::Kind::tile, out.dtype = table.dtype;
    const std::int64_t width = table.shape.empty() ? unknown : table.shape.back();
    const std::int64_t rows = row ? idx.tile.valid_rows * idx.tile.valid_cols : idx.tile.rows;
    const std::int64_t cols = row ? width : idx.tile.cols;
    if (idx.tile.valid_rows == unknown || idx.tile.valid_cols == unknown || cols == unknown) return {};
    if (pto::instr::checked_product(rows, cols, 8) > std::int64_t{1} << 40) return {};
    out.tile = {.dtype = table.dtype, .rows = rows, .cols = cols, .valid_rows = rows, .valid_cols = cols};
    return PtoType::get(source_.context(), out);
  }

  Ordered ordered() {
    if (w_.ins || w_.outs)  // the instruction lists its output first
      std::rotate(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(w_.inputs), values_.end());
    SmallVector<Type> types;
    for (Value v : values_) types.push_back(v.getType());
    return order_operands(opcode_.base, types, !w_.results.empty(), attributes_.get("maskPattern") != nullptr);
  }

  Source& source_;
  const Place& here_;
  const Written& w_;
  const Opcode& opcode_;
  mlir::NamedAttrList attributes_;
  SmallVector<Value> values_;
  Type result_;
};

}  // namespace

Operation* build_instruction(const Place& here, const Written& written, const Opcode& opcode) {
  return Instruction(here, written, opcode).build();
}

namespace {

/// A keyword as in MLIR: letters, digits and _ $ . of which the first is a letter or _.
bool is_keyword(StringRef word) {
  const auto inner = [](char c) { return llvm::isAlnum(c) || StringRef("_$.").contains(c); };
  return (llvm::isAlpha(word.front()) || word.front() == '_') && llvm::all_of(word, inner);
}

/// Stores the name and the syntax of an unknown operation in attributes. False after reporting an error.
bool add_own_attributes(const Place& here, const Written& w, StringRef name, mlir::NamedAttrList& out) {
  for (const char* own : {"name", "groups", "list", "words"})
    if (out.get(own))
      return here.source.fail(w.opcode.text,
                              "ptox does not have " + in_quotes(name.str()) + ", and cannot keep its attribute " + own),
             false;
  const auto count = [](bool written, std::size_t n) { return written ? static_cast<std::int64_t>(n) : -1; };
  out.set("name", here.builder.getStringAttr(name));
  out.set("groups", here.builder.getDenseI64ArrayAttr({count(w.ins, w.inputs), count(w.outs, w.outputs)}));
  SmallVector<StringRef> words;
  for (const Token& t : w.words) {
    words.emplace_back(t.text.data(), t.text.size());
    if (!is_keyword(words.back())) return here.source.fail(t.text, in_quotes(t.text) + " is no word"), false;
  }
  if (!words.empty()) out.set("words", here.builder.getStrArrayAttr(words));
  if (w.list.empty()) return true;
  Excerpt list;
  list.copy(w.list);
  const mlir::Attribute parsed = here.source.attribute(list);
  if (parsed) out.set("list", parsed);
  return !!parsed;
}

/// The operands of an unknown operation; std::nullopt after reporting an error.
std::optional<SmallVector<Value>> unknown_operands(const Place& here, const Written& w, llvm::ArrayRef<Type> types) {
  SmallVector<Value> operands;
  for (std::size_t i = 0; i < w.operands.size(); ++i) {
    const Token& name = w.operands[i];
    const Type written = i < types.size() ? types[i] : Type(), known = here.values.known(name);
    if (written && known && !agree(known, written))
      return here.source.fail(name.text, in_quotes(name.text) + " is " + type_text(known) + ", the statement says " +
                                             type_text(written)),
             std::nullopt;
    operands.push_back(here.values.use(name, written, schematic_type(here.source.context())));
    if (!operands.back()) return std::nullopt;
  }
  return operands;
}

}  // namespace

Operation* build_unknown(const Place& here, const Written& w, StringRef name) {
  mlir::NamedAttrList attributes;
  auto types = read_types(here.source, w.types), results = read_types(here.source, w.result_types);
  if (!types || !results || !read_attributes(here.source, w, attributes)) return nullptr;
  if (w.operands.empty() && results->empty() && types->size() == w.results.size()) std::swap(*types, *results);
  if (results->empty() && !w.arrow) results->assign(w.results.size(), schematic_type(here.source.context()));
  if (results->size() != w.results.size() || types->size() > w.operands.size())
    return here.source.fail(w.opcode.text, "ptox does not have " + in_quotes(name.str()) +
                                               ", and it has other numbers of types than of operands and results"),
           nullptr;
  const auto operands = unknown_operands(here, w, *types);
  if (!operands || !add_own_attributes(here, w, name, attributes)) return nullptr;
  return create_op(here.builder, location(here.source, w), "unknown", *results, *operands, attributes);
}

}  // namespace ptox::assembly
