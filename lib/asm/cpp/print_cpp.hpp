// SPDX-License-Identifier: Apache-2.0
// Prints one function as C++; shared declarations of the files of this printer.
#pragma once

#include <array>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "asm/cpp/print_cpp_names.hpp"
#include "asm/cpp/print_cpp_types.hpp"
#include "asm/dialect/operands.hpp"
#include "asm/text/module.hpp"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ptox::assembly::cpp {

/// Thrown for operations without a C++ form, and caught in to_cpp. No MLIR stack frame is in between.
struct Refusal {
  std::string message;
  SourcePlace place;
};
[[noreturn]] void refuse(mlir::Operation* op, const std::string& why);

/// The functions of a module, by symbol.
struct Functions {
  std::map<std::string, mlir::Operation*> operations;
  std::map<std::string, std::string> names;
  std::set<std::string> called;  ///< functions that others of the module call
};

/// The static descriptor of a tensor. An unknown stride of an outer dimension with extent 1 is never used and becomes
/// 1.
TensorDesc described(mlir::Value tensor);

/// Whether the C++ code needs a variable for the view. A partition_view of it only needs its expressions.
bool is_read(mlir::Value view);

/// A tensor as C++ text: base address, and extents and strides as expressions.
struct View {
  TensorDesc desc;
  std::string base, offset;
  std::array<std::string, 5> shape, stride;
};

/// ", {n}, {s}": the constructor arguments of a tensor after its pointer.
std::string open_extents(const View& view);

/// The statements of one function.
class Body {
 public:
  Body(const Functions& functions, Names names) : functions_(functions), names_(std::move(names)) {}

  /// `AICORE void lookup(__gm__ float* table)`. Assigns names to the arguments.
  std::string signature(mlir::Operation* function);
  /// The statements of the function body.
  std::string statements(mlir::Operation* function);

 private:
  /// `GlobalTensor<...>& view`, or a pointer for a view in a kernel that no function calls, if the type of the view
  /// determines the rest.
  std::string parameter(mlir::Operation* function, mlir::BlockArgument argument);

  // Each of these prints `op` if it handles that operation, and returns whether it did.
  bool print_arith(mlir::Operation* op);   // print_cpp_arith.cpp
  bool print_flow(mlir::Operation* op);    // print_cpp_flow.cpp
  bool print_memory(mlir::Operation* op);  // print_cpp_memory.cpp
  bool print_issue(mlir::Operation* op);   // print_cpp_issue.cpp
  bool print_ranks(mlir::Operation* op);   // print_cpp_ranks.cpp

  void print(mlir::Operation* op);
  void print_block(mlir::Block& block);
  /// Prints `head {`, the operations of the block, what `after` prints, and `}` (if `closed`).
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
  /// Declares variables, initialised with `first`, for the arguments of a block.
  std::vector<mlir::Value> carry(mlir::Operation* op, mlir::ValueRange arguments, mlir::ValueRange first);
  /// Gives the results of an operation the names of these variables.
  void name_results(mlir::Operation* op, llvm::ArrayRef<mlir::Value> variables);
  /// Parallel assignment as in scf.yield: temporaries are used if a target is the source of a later assignment.
  void assign(mlir::Operation* op, mlir::ValueRange targets, mlir::ValueRange values);

  // Memory.
  void print_view(mlir::Operation* op);
  void print_tile(mlir::Operation* op);
  View whole_view(mlir::Operation* op);
  View part_of_view(mlir::Operation* op);
  /// Registers a tensor that is a C++ variable.
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
  /// The C++ text of a value: a name or a constant.
  std::string use(mlir::Operation* user, mlir::Value value) const;
  std::string use(mlir::Operation* user, mlir::OpFoldResult value) const;
  std::string list(mlir::Operation* user, mlir::ValueRange values) const;
  /// Assigns a name to a value.
  std::string declare(mlir::Value value, std::string_view otherwise = "v");
  /// The C++ type of a value; throws Refusal if there is none.
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
  llvm::DenseSet<mlir::Operation*> dead_;  ///< operations whose results are not printed
  std::map<std::string, std::string> events_;
};

/// The includes and the definitions of the helper functions that the text calls.
std::string preamble(const std::string& file, const std::string& text);

}  // namespace ptox::assembly::cpp
