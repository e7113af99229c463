// SPDX-License-Identifier: Apache-2.0
// Prints one function as C++; declarations that the parts of the printer share.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "asm/module.hpp"
#include "asm/operands.hpp"
#include "asm/print_cpp_names.hpp"
#include "asm/print_cpp_types.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ptox::assembly::cpp {

/// Thrown where something has no C++ form, and caught in to_cpp; no MLIR frame is ever between.
struct Refusal {
  std::string message;
  SourcePlace place;
};
[[noreturn]] void refuse(mlir::Operation* op, const std::string& why);

/// The functions of a module by their symbols.
struct Functions {
  std::map<std::string, mlir::Operation*> operations;
  std::map<std::string, std::string> names;
  std::set<std::string> called;  ///< by others of the module
};

/// What is known of a tensor without a run. The stride of a single outer block is never taken: 1 when it is open.
TensorDesc described(mlir::Value tensor);

/// Whether something reads the view itself; a part of it only needs its text.
bool is_read(mlir::Value view);

/// A tensor as C++ text: where it begins, and its extents and strides as expressions.
struct View {
  TensorDesc desc;
  std::string base, offset;
  std::array<std::string, 5> shape, stride;
};

/// ", {n}, {s}": the arguments of a tensor after its pointer.
std::string open_extents(const View& view);

/// The statements of one function.
class Body {
 public:
  Body(const Functions& functions, Names names) : functions_(functions), names_(std::move(names)) {}

  /// `AICORE void lookup(__gm__ float* table)`, arguments named from now on.
  std::string signature(mlir::Operation* function);
  /// What stands between the braces.
  std::string statements(mlir::Operation* function);

 private:
  /// `GlobalTensor<...>& view`; a kernel that nothing calls takes the pointer of a view whose type says the rest.
  std::string parameter(mlir::Operation* function, mlir::BlockArgument argument);

  // Each prints an operation that is its own and says whether it was.
  bool print_arith(mlir::Operation* op);   // print_cpp_arith.cpp
  bool print_flow(mlir::Operation* op);    // print_cpp_flow.cpp
  bool print_memory(mlir::Operation* op);  // print_cpp_memory.cpp
  bool print_issue(mlir::Operation* op);   // print_cpp_issue.cpp
  bool print_ranks(mlir::Operation* op);   // print_cpp_ranks.cpp

  void print(mlir::Operation* op);
  void print_block(mlir::Block& block);
  /// `head {`, the block and what comes after its operations, `}`.
  template <class After>
  void braces(const std::string& head, mlir::Block& block, After&& after, bool closed = true) {
    line(head.empty() ? "{" : head + " {");
    ++depth_;
    print_block(block);
    after();
    --depth_;
    if (closed) line("}");
  }

  // Flow.
  void print_for(mlir::Operation* op);
  void print_if(mlir::Operation* op);
  void print_while(mlir::Operation* op);
  void print_call(mlir::Operation* op);
  void print_return(mlir::Operation* op);
  /// Variables with these first values, for arguments of a block and results of its operation.
  std::vector<mlir::Value> carry(mlir::Operation* op, mlir::ValueRange arguments, mlir::ValueRange first);
  /// An operation's results are what its variables hold in the end.
  void name_results(mlir::Operation* op, llvm::ArrayRef<mlir::Value> variables);
  /// All at once, as a yield does.
  void assign(mlir::Operation* op, mlir::ValueRange targets, mlir::ValueRange values);

  // Memory.
  void print_view(mlir::Operation* op);
  void print_tile(mlir::Operation* op);
  View whole_view(mlir::Operation* op);
  View part_of_view(mlir::Operation* op);
  /// A tensor that stands in a variable.
  void adopt_view(mlir::Value tensor, const std::string& name);
  void place_tile(mlir::Operation* op, mlir::Value tile, mlir::OpFoldResult offset);
  void set_valid_shape(mlir::Operation* op);

  // Instructions.
  void print_instruction(mlir::Operation* op, const Fields& fields);
  std::string filling(mlir::Operation* op, const Fields& fields);
  void print_event(mlir::Operation* op);
  void declare_events(mlir::Operation* function);

  // Ranks.
  void print_group(mlir::Operation* op);
  void spread(mlir::Operation* op, const std::string& type, const std::string& tensors);
  void print_at_rank(mlir::Operation* op);
  void print_collective(mlir::Operation* op);

  // Values.
  std::string expression(mlir::Operation* op);
  std::string cast(mlir::Operation* op);
  std::string comparison(mlir::Operation* op);
  /// The text of a value: a name, or a constant.
  std::string use(mlir::Operation* user, mlir::Value value) const;
  std::string use(mlir::Operation* user, mlir::OpFoldResult value) const;
  std::string list(mlir::Operation* user, mlir::ValueRange values) const;
  /// A name for a value, from now on.
  std::string declare(mlir::Value value, std::string_view otherwise = "v");
  /// Its C++ type; refused when it has none.
  std::string type_of(mlir::Operation* user, mlir::Value value) const;
  std::string type_of(mlir::Operation* user, mlir::Type type) const;
  void find_dead(mlir::Operation* function);
  bool reads(mlir::OpOperand& use) const;
  void line(const std::string& text) { text_ += std::string(static_cast<std::size_t>(2 * depth_), ' ') + text + "\n"; }

  const Functions& functions_;
  Names names_;
  std::string text_;
  int depth_ = 1;
  llvm::DenseMap<mlir::Value, std::string> texts_;
  llvm::DenseMap<mlir::Value, View> views_;
  llvm::DenseSet<mlir::Operation*> dead_;  ///< results that nothing printed reads
  std::map<std::string, std::string> events_;
};

/// The includes, and the functions that the text calls.
std::string preamble(const std::string& file, const std::string& text);

}  // namespace ptox::assembly::cpp
