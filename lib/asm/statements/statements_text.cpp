// SPDX-License-Identifier: Apache-2.0
// Parses a single-line statement with MLIR, as the body of a function whose arguments are the values it uses.
#include "asm/statements/statements_build.hpp"
#include "llvm/ADT/STLExtras.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptox::assembly {

using llvm::StringRef;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using Kind = Token::Kind;

namespace {

class Text {
 public:
  Text(const Place& here, const std::vector<Token>& tokens, StringRef name)
      : here_(here), source_(here.source), tokens_(tokens), name_(name), opcode_(opcode_index(tokens)) {}

  Operation* build() {
    if (!find_types() || !find_operands()) return nullptr;
    write();
    mlir::Block top;
    if (!source_.parse(text_, top)) return nullptr;
    auto function = llvm::hasSingleElement(top) ? mlir::dyn_cast<mlir::func::FuncOp>(top.front()) : nullptr;
    if (!function || function.isExternal() || function.getBody().front().getOperations().size() != 2)
      return source_.fail(tokens_[opcode_].text, "there is more than one operation on the line"), nullptr;
    return take(function.getBody().front());
  }

 private:
  bool is(StringRef base) const { return name_ == ("pto." + base).str(); }
  bool is_arith() const { return name_.starts_with("arith."); }

  /// Collects the types after the first colon that is outside brackets.
  bool find_types() {
    int depth = 0;
    for (std::size_t i = opcode_ + 1; i < tokens_.size(); ++i) {
      const Token& t = tokens_[i];
      depth += t.is("(") || t.is("[") || t.is("{") ? 1 : t.is(")") || t.is("]") || t.is("}") ? -1 : 0;
      if (t.is(":") && depth == 0 && colon_ == 0) colon_ = i;
      if (t.is("->") && colon_ != 0) arrow_ = true;
      const bool type = t.is(Kind::type) || (t.is(Kind::word) && !t.is("to"));
      if (colon_ == 0 || depth > (is("make_group") ? 1 : 0) || !type) continue;
      types_.push_back(source_.type(t.text));
      if (!types_.back()) return false;
    }
    return true;
  }

  bool find_operands() {
    std::size_t position = 0;
    for (std::size_t i = opcode_ + 1; i < tokens_.size(); ++i) {
      if (!tokens_[i].is(Kind::value)) continue;
      const auto [written, otherwise] = type_at(position++, i);
      if (!seen_.insert(tokens_[i].text).second) continue;
      const Value value = here_.values.use(tokens_[i], written, otherwise);
      if (!value) return false;
      names_.push_back(tokens_[i].text), operands_.push_back(value);
    }
    return true;
  }

  /// The type that the statement gives to an operand (null if none), and the default if the operand's type is not known
  /// otherwise.
  std::pair<Type, Type> type_at(std::size_t position, std::size_t token) {
    const Type index = here_.builder.getIndexType(), i64 = here_.builder.getI64Type();
    const Type first = types_.empty() ? Type() : types_.front();
    if (is_arith()) return {name_ == "arith.select" && position == 0 ? here_.builder.getI1Type() : first, {}};
    if (is("make_group")) return {position < types_.size() ? types_[position] : Type(), {}};
    if (is("alloc_tile")) return {token >= 2 && tokens_[token - 2].is("addr") ? i64 : index, {}};
    if (position > 0) return {is("tassign") ? i64 : index, {}};
    if (is("make_tensor_view") && !arrow_) return {pointer_to(first), {}};
    if (is("partition_view") && !arrow_) return {{}, schematic_type(source_.context(), TypeSpec::Kind::tensor_view)};
    return {first, is("tassign") || is("set_validshape") ? schematic_type(source_.context()) : Type()};
  }
  Type pointer_to(Type view) const {
    const TypeSpec* spec = spec_of(view);
    if (!spec || spec->schematic) return schematic_type(source_.context(), TypeSpec::Kind::ptr);
    TypeSpec pointer;
    pointer.dtype = spec->dtype;
    return PtoType::get(source_.context(), pointer);
  }

  void write() {
    const char* start = tokens_[opcode_].text.data();
    text_.add("func.func @f(", start);
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      if (i) text_.add(", ", start);
      text_.add(names_[i], names_[i].data()), text_.add(": " + type_text(operands_[i].getType()), names_[i].data());
    }
    text_.add(") {\n", start);
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) write(i);
    const char* end = tokens_.back().text.data();
    const bool wants_type = (is("tassign") || is("set_validshape") || is("dcci") || is_arith()) && !operands_.empty();
    if (colon_ == 0 && wants_type) text_.add(": " + type_text(operands_[0].getType()), end);
    text_.add("\nreturn\n}\n", end);
  }
  void write(std::size_t i) {
    const std::string_view token = tokens_[i].text;
    const bool bare_type =
        tokens_[i].is(Kind::word) && token.starts_with("pto.") && token.find('<') != token.npos && i != opcode_;
    if (bare_type) text_.add("!", token.data());
    if (i == opcode_) {
      text_.add({name_.data(), name_.size()}, token.data());
      if (const auto bracket = token.find('<'); bracket != token.npos) text_.copy(token.substr(bracket));
    } else {
      // MLIR would read a type that follows `#pto.cache_line<...>` as the type of the attribute, so only `<...>` is
      // copied.
      const bool full = tokens_[i].is(Kind::attribute) && is("dcci") && token.find('<') != token.npos;
      text_.copy(full ? token.substr(token.find('<')) : token);
    }
    text_.add(" ", tokens_[i + 1].text.data());
    const bool view = is("make_tensor_view") || is("partition_view");
    if (i == colon_ && i > 0 && view && !arrow_ && !operands_.empty())
      text_.add(type_text(operands_[0].getType()) + " -> ", token.data());
  }

  /// Moves the parsed operation to the insertion point and connects it to the actual operands.
  Operation* take(mlir::Block& body) {
    Operation* op = &body.front();
    op->remove();
    for (mlir::OpOperand& operand : op->getOpOperands())
      operand.set(operands_[mlir::cast<mlir::BlockArgument>(operand.get()).getArgNumber()]);
    const mlir::Location loc = source_.loc(tokens_[opcode_].text.data());
    const std::vector<Token> results = defined_names(tokens_);
    op->setLoc(results.size() == 1 ? named(loc, {results[0].text.data() + 1, results[0].text.size() - 1}) : loc);
    return here_.builder.insert(op);
  }

  const Place& here_;
  Source& source_;
  const std::vector<Token>& tokens_;
  StringRef name_;
  std::size_t opcode_, colon_ = 0;
  bool arrow_ = false;
  std::vector<Type> types_;
  std::vector<Value> operands_;
  std::vector<std::string_view> names_;
  llvm::StringSet<> seen_;
  Excerpt text_;
};

}  // namespace

Operation* build_from_text(const Place& here, const std::vector<Token>& tokens, StringRef name) {
  return Text(here, tokens, name).build();
}

}  // namespace ptox::assembly
