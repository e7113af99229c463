// SPDX-License-Identifier: Apache-2.0
// The pto dialect for MLIR: its types, attributes and operations.
#pragma once

#include <optional>
#include <string>

#include "asm/forms.hpp"
#include "asm/type_text.hpp"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/Operation.h"

namespace ptox::assembly {

namespace detail {
struct TypeStorage;
struct AttrStorage;
}  // namespace detail

/// Any type of the dialect; what it says is in its spec.
class PtoType : public mlir::Type::TypeBase<PtoType, mlir::Type, detail::TypeStorage> {
 public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "pto.type";
  static PtoType get(mlir::MLIRContext* context, const TypeSpec& spec);
  const TypeSpec& spec() const;
};

/// `#pto.gather_oob<zero>`: a kind and a value of it, spelled as policy_kinds() does.
class PtoAttr : public mlir::Attribute::AttrBase<PtoAttr, mlir::Attribute, detail::AttrStorage> {
 public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "pto.attr";
  static PtoAttr get(mlir::MLIRContext* context, llvm::StringRef kind, llvm::StringRef value);
  llvm::StringRef kind() const;
  llvm::StringRef value() const;
  /// The position of the value among those of its kind, 0 when the kind is not known.
  int index() const;
};

class PtoDialect : public mlir::Dialect {
 public:
  explicit PtoDialect(mlir::MLIRContext* context);
  static constexpr llvm::StringLiteral getDialectNamespace() { return "pto"; }

  mlir::Type parseType(mlir::DialectAsmParser& parser) const override;
  void printType(mlir::Type type, mlir::DialectAsmPrinter& printer) const override;
  mlir::Attribute parseAttribute(mlir::DialectAsmParser& parser, mlir::Type type) const override;
  void printAttribute(mlir::Attribute attribute, mlir::DialectAsmPrinter& printer) const override;
  std::optional<ParseOpHook> getParseOperationHook(llvm::StringRef name) const override;
};

/// The spec behind a type of the dialect, nullptr for others.
inline const TypeSpec* spec_of(mlir::Type type) {
  const auto pto = mlir::dyn_cast_or_null<PtoType>(type);
  return pto ? &pto.spec() : nullptr;
}
inline bool is_tile(mlir::Type type) { return spec_of(type) && spec_of(type)->is_tile(); }
inline bool is_tensor(mlir::Type type) { return spec_of(type) && spec_of(type)->is_tensor(); }
inline bool is_group(mlir::Type type) { return spec_of(type) && spec_of(type)->kind == TypeSpec::Kind::group; }
inline bool is_schematic(mlir::Type type) { return spec_of(type) && spec_of(type)->schematic; }

/// `mgather` of `pto.mgather`, empty for operations of other dialects.
llvm::StringRef base_name(mlir::Operation* op);
inline bool is_pto(mlir::Operation* op) { return op->getName().getDialectNamespace() == "pto"; }

/// The attribute of a policy kind, null when it is left out.
PtoAttr policy_attr(mlir::Operation* op, llvm::StringRef kind);
void set_policy(mlir::Operation* op, llvm::StringRef kind, llvm::StringRef value);

/// Operands written as `[%n, 64]`: numbers in an array attribute, values among the operands.
inline constexpr std::int64_t given_by_value = INT64_MIN;
/// The list `name` (shape, strides, offsets, sizes) of a view operation; numbers as attributes.
llvm::SmallVector<mlir::OpFoldResult> view_list(mlir::Operation* view, llvm::StringRef name);
/// The number behind it when it is one or a constant.
std::optional<std::int64_t> constant_of(mlir::OpFoldResult value);
std::optional<std::int64_t> constant_of(mlir::Value value);
/// An optional operand (addr, valid_row, valid_col) of alloc_tile; null when left out.
mlir::Value alloc_operand(mlir::Operation* alloc, llvm::StringRef name);
/// Builds alloc_tile's operands and their bookkeeping from the optional ones.
void set_alloc_operands(mlir::OperationState& state, mlir::Value addr, mlir::Value valid_row, mlir::Value valid_col);

/// The operation of that name, `pto.` left out, wherever it came from.
mlir::Operation* create_op(mlir::OpBuilder& builder, mlir::Location loc, llvm::StringRef base, mlir::TypeRange results,
                           mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

/// Whether the dialect has an operation of that name, `pto.` left out.
bool has_operation(llvm::StringRef base);

/// Puts operands that were written in some order into the operation's own: inputs as the instruction lists them, what
/// it writes last. Roles come from the types. An error says what does not fit.
struct Ordered {
  llvm::SmallVector<int> position;  ///< the written operand for each of the operation's
  std::string error;
};
Ordered order_operands(llvm::StringRef base, llvm::ArrayRef<mlir::Type> written, bool has_result, bool masked);

}  // namespace ptox::assembly
