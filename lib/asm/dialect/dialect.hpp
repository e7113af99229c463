// SPDX-License-Identifier: Apache-2.0
// The pto dialect for MLIR: its types, attributes and operations.
#pragma once

#include <optional>
#include <string>

#include "asm/text/forms.hpp"
#include "asm/text/type_text.hpp"
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

/// Every type of the dialect. Its contents are in its spec.
class PtoType : public mlir::Type::TypeBase<PtoType, mlir::Type, detail::TypeStorage> {
 public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "pto.type";
  static PtoType get(mlir::MLIRContext* context, const TypeSpec& spec);
  const TypeSpec& spec() const;
};

/// `#pto.gather_oob<zero>`: a kind and one of its values, spelled as in policy_kinds().
class PtoAttr : public mlir::Attribute::AttrBase<PtoAttr, mlir::Attribute, detail::AttrStorage> {
 public:
  using Base::Base;
  static constexpr llvm::StringLiteral name = "pto.attr";
  static PtoAttr get(mlir::MLIRContext* context, llvm::StringRef kind, llvm::StringRef value);
  llvm::StringRef kind() const;
  llvm::StringRef value() const;
  /// The position of the value in the list of its kind; 0 if the kind is unknown.
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

/// The attribute of a policy kind; null if the operation does not have it.
PtoAttr policy_attr(mlir::Operation* op, llvm::StringRef kind);
void set_policy(mlir::Operation* op, llvm::StringRef kind, llvm::StringRef value);

/// Lists such as `[%n, 64]` are stored as an array attribute of numbers plus the SSA values as operands. This number in
/// the array stands for an SSA value.
inline constexpr std::int64_t given_by_value = INT64_MIN;
/// The list `name` (shape, strides, offsets, sizes) of a view operation; constants are integer attributes.
llvm::SmallVector<mlir::OpFoldResult> view_list(mlir::Operation* view, llvm::StringRef name);
/// The integer if the value is an attribute or the result of a constant operation, otherwise std::nullopt.
std::optional<std::int64_t> constant_of(mlir::OpFoldResult value);
std::optional<std::int64_t> constant_of(mlir::Value value);
/// An optional operand (addr, valid_row, valid_col) of alloc_tile; null if it is absent.
mlir::Value alloc_operand(mlir::Operation* alloc, llvm::StringRef name);
/// Adds the given operands of alloc_tile, and the attribute that records which ones are present. Null: absent.
void set_alloc_operands(mlir::OperationState& state, mlir::Value addr, mlir::Value valid_row, mlir::Value valid_col);

/// Creates the operation `pto.` + base.
mlir::Operation* create_op(mlir::OpBuilder& builder, mlir::Location loc, llvm::StringRef base, mlir::TypeRange results,
                           mlir::ValueRange operands, llvm::ArrayRef<mlir::NamedAttribute> attributes = {});

/// Whether the dialect has the operation `pto.` + base.
bool has_operation(llvm::StringRef base);

/// The order of written operands as the operation stores them: the inputs in the order of the instruction, then the
/// output. Operands are assigned to roles by their types.
struct Ordered {
  llvm::SmallVector<int> position;  ///< for each operand of the operation, the index of the written operand
  std::string error;                ///< not empty: the types do not match the instruction
};
Ordered order_operands(llvm::StringRef base, llvm::ArrayRef<mlir::Type> written, bool has_result, bool masked);

}  // namespace ptox::assembly
