// SPDX-License-Identifier: Apache-2.0
// An assembly file after it was read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "asm/diagnostic.hpp"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace ptox::assembly {

/// A context with the dialects that files may use.
std::unique_ptr<mlir::MLIRContext> make_context();

/// One file. Names of values live in their locations.
struct Module {
  std::unique_ptr<mlir::MLIRContext> context = make_context();
  mlir::OwningOpRef<mlir::ModuleOp> op;
  std::string file;
  TextForm form = TextForm::mlir;
};

/// MLIR's "custom op 'pto.mgather' ..." and "'pto.mgather' op ..." as "mgather: ...", our own words as they are.
std::string in_our_words(std::string text);

/// Collects what MLIR says about a context for as long as it lives.
class Listener {
 public:
  Listener(mlir::MLIRContext& context, Diagnostics& out);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  mlir::MLIRContext& context_;
  std::uint64_t id_;
};

/// Files that are larger are refused.
inline constexpr std::size_t most_file_bytes = 16u << 20;

/// Reads either form; null when there is an error among the diagnostics. What is read is well formed: operands and
/// types agree. The instructions' rules are asked by `verify`.
std::unique_ptr<Module> read(std::string_view text, const std::string& file, TextForm form, Diagnostics& out);

/// The AS form of a module: `read` calls it.
std::unique_ptr<Module> read_statements(std::string_view text, const std::string& file, Diagnostics& out);

/// The file, line and column behind a location.
SourcePlace place_of(mlir::Location loc);
/// The name that a value has in the file, empty when it has none.
std::string name_of(mlir::Value value);
mlir::Location named(mlir::Location loc, llvm::StringRef name);
/// The place without the name of a value.
mlir::Location unnamed(mlir::Location loc);

/// Level 1 or 2 text, as the module is.
std::string to_mlir(const Module& module);

}  // namespace ptox::assembly
