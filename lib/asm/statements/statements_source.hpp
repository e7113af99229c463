// SPDX-License-Identifier: Apache-2.0
// Source positions in a file of statements, and the names and types that it defines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "asm/statements/statements.hpp"
#include "asm/text/module.hpp"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"

namespace ptox::assembly {

/// A text for the MLIR parser that is assembled from parts of the file and maps positions back to the file.
class Excerpt {
 public:
  /// Appends a part of the file unchanged.
  void copy(std::string_view source) { pieces_.push_back({text_.size(), source.data(), true}), text_ += source; }
  /// Appends a text that is not in the file. Diagnostics about it are reported at `at`.
  void add(std::string_view text, const char* at) { pieces_.push_back({text_.size(), at, false}), text_ += text; }
  const std::string& text() const { return text_; }
  /// The position in the file for a line and column of the excerpt, both counted from 1.
  const char* origin(int line, int column) const;

 private:
  struct Piece {
    std::size_t at;
    const char* source;
    bool verbatim;
  };
  std::string text_;
  std::vector<Piece> pieces_;
};

/// The file being read: source positions and diagnostics. Errors after the twentieth are dropped.
class Source {
 public:
  static constexpr int most_errors = 20;

  Source(std::string_view text, Module& module, Diagnostics& out);
  SourcePlace place(const char* at) const;
  mlir::Location loc(const char* at) const;
  void fail(std::string_view at, const std::string& message) { say(Severity::error, at, message); }
  void warn(std::string_view at, const std::string& message) { say(Severity::warning, at, message); }
  bool stopped() const { return errors_ >= most_errors; }
  int errors() const { return errors_; }

  mlir::MLIRContext* context() const { return context_; }
  /// Parses a type; null after reporting an error. The `!` before `pto.tile<...>` may be omitted.
  mlir::Type type(std::string_view text);
  /// Parses an attribute; null after reporting an error.
  mlir::Attribute attribute(const Excerpt& excerpt);
  /// Parses a dictionary attribute including its braces; null after reporting an error.
  mlir::DictionaryAttr dictionary(std::string_view braces);
  /// Parses the operations of an excerpt into a block.
  bool parse(const Excerpt& excerpt, mlir::Block& into);

 private:
  void say(Severity severity, std::string_view at, const std::string& message);
  void add(Severity severity, const std::string& message, SourcePlace place);
  mlir::LogicalResult heard(mlir::Diagnostic& d);

  std::string_view text_;
  Diagnostics& out_;
  mlir::MLIRContext* context_;
  mlir::StringAttr file_;
  std::vector<std::size_t> lines_;
  llvm::StringMap<mlir::Type> types_;
  const Excerpt* reading_ = nullptr;
  int errors_ = 0;
  mlir::ScopedDiagnosticHandler handler_;
};

/// The SSA values by name. A name that no statement defines becomes an argument of the function.
class Values {
 public:
  Values(Source& source, mlir::Block* entry) : source_(source), entry_(entry) { scopes_.emplace_back(); }

  /// Records that a statement of the file defines this name.
  void announce(std::string_view name) { announced_.insert(name); }
  void define(const Token& name, mlir::Value value);
  /// Records a name whose definition could not be read; statements that use it are skipped without an error.
  void poison(const Token& name);
  void argument(const Token& name, mlir::Type type);
  /// The type of a name; null if it is not known yet.
  mlir::Type known(const Token& name) const;
  /// The value of a name at a use. If the name is not defined yet, it becomes an argument of type `written`, or
  /// `otherwise` if that is null. Null after reporting an error, or if the name is poisoned.
  mlir::Value use(const Token& name, mlir::Type written, mlir::Type otherwise = {});

  void open_scope() { scopes_.emplace_back(); }
  void close_scope();

 private:
  struct Named {
    mlir::Value value;  ///< null: poisoned
    bool untyped = false;
    const char* at = nullptr;
  };
  static llvm::StringRef key(const Token& name) { return {name.text.data() + 1, name.text.size() - 1}; }
  bool bind(const Token& name, Named named);

  Source& source_;
  mlir::Block* entry_;
  llvm::StringMap<Named> names_;
  llvm::StringSet<> announced_;
  bool declares_ = false;  ///< there is an .arg directive
  std::vector<std::vector<llvm::StringRef>> scopes_;
};

inline std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }
std::string type_text(mlir::Type type);

}  // namespace ptox::assembly
