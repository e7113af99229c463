// SPDX-License-Identifier: Apache-2.0
// An assembly file after it was read.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "asm/text/diagnostic.hpp"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

namespace ptox::assembly {

/// A context with the dialects that files may use.
std::unique_ptr<mlir::MLIRContext> make_context();

/// One file. The names of SSA values are stored in their locations (NameLoc).
struct Module {
  std::unique_ptr<mlir::MLIRContext> context = make_context();
  mlir::OwningOpRef<mlir::ModuleOp> op;
  std::string file;
  TextForm form = TextForm::mlir;
};

/// Rewrites messages of MLIR such as "custom op 'pto.mgather' ..." and "'pto.mgather' op ..." to "mgather: ...";
/// messages of ptox are unchanged.
std::string in_our_words(std::string text);

/// Collects the diagnostics of an MLIR context while the object exists.
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

/// Maximum size of an input file.
inline constexpr std::size_t most_file_bytes = 16u << 20;

/// Reads a file in either form; null if there are errors. The result is well formed: operands and types agree. The
/// rules of the instructions are checked by `verify`.
std::unique_ptr<Module> read(std::string_view text, const std::string& file, TextForm form, Diagnostics& out);

/// Reads the AS form; called by `read`.
std::unique_ptr<Module> read_statements(std::string_view text, const std::string& file, Diagnostics& out);

/// The file, line and column of a location.
SourcePlace place_of(mlir::Location loc);
/// The name of a value in the file; empty if it has none.
std::string name_of(mlir::Value value);
mlir::Location named(mlir::Location loc, llvm::StringRef name);
/// The location without the name of a value.
mlir::Location unnamed(mlir::Location loc);

/// MLIR text of the module at its current level.
std::string to_mlir(const Module& module);

}  // namespace ptox::assembly
