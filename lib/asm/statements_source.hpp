// SPDX-License-Identifier: Apache-2.0
// Positions in a file of statements, and the names and types that are defined there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "asm/module.hpp"
#include "asm/statements.hpp"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Types.h"

namespace ptox::assembly {

/// A text made from parts of the file that knows where they came from.
class Excerpt {
 public:
  /// A part of the file, as it is.
  void copy(std::string_view source) { pieces_.push_back({text_.size(), source.data(), true}), text_ += source; }
  /// A text that the file leaves out; what MLIR says about it is said about `at`.
  void add(std::string_view text, const char* at) { pieces_.push_back({text_.size(), at, false}), text_ += text; }
  const std::string& text() const { return text_; }
  /// The place in the file of a line and column of the text, from 1.
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

/// The file: places, and what is said about them. It stops to listen after the twentieth error.
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
  /// The type of that text; null, with an error, when it is none. `pto.tile<...>` needs no `!`.
  mlir::Type type(std::string_view text);
  /// The attribute in an excerpt; null, with an error, when it is none.
  mlir::Attribute attribute(const Excerpt& excerpt);
  /// What the braces say; null with an error.
  mlir::DictionaryAttr dictionary(std::string_view braces);
  /// Parses an excerpt's operations into the block.
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

/// What the names of a file stand for. One that no statement defines is an argument.
class Values {
 public:
  Values(Source& source, mlir::Block* entry) : source_(source), entry_(entry) { scopes_.emplace_back(); }

  /// Somewhere in the file there is a statement that defines it.
  void announce(std::string_view name) { announced_.insert(name); }
  void define(const Token& name, mlir::Value value);
  /// The name of something that could not be read: who uses it is passed over.
  void poison(const Token& name);
  void argument(const Token& name, mlir::Type type);
  /// The type that is known of it, null when there is none yet.
  mlir::Type known(const Token& name) const;
  /// The value, with the type written for it at this use, or the other one when there is none. Null when it has none;
  /// that has been said.
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
  bool declares_ = false;  ///< there is an .arg
  std::vector<std::vector<llvm::StringRef>> scopes_;
};

inline std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }
std::string type_text(mlir::Type type);

}  // namespace ptox::assembly
