// SPDX-License-Identifier: Apache-2.0
// Selects the kernel to run and checks that the module can be run.
#include <map>

#include "asm/dialect/dialect.hpp"
#include "asm/run/lower.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace ptox::assembly {

using llvm::StringRef;
using mlir::Operation;
using mlir::Type;
namespace func = mlir::func;

namespace {

/// Whether compiled code supports the type. Types of the dialect are not included; they become integers.
bool is_scalar(Type type) {
  return type.isIndex() || (type.isSignlessInteger() && type.getIntOrFloatBitWidth() <= 64) || type.isF16() ||
         type.isBF16() || type.isF32() || type.isF64();
}

/// Reports constructs that cannot be run, before the module is changed.
class Refusals {
 public:
  Refusals(mlir::ModuleOp module, Diagnostics& out) : module_(module), out_(out) {}

  bool none() {
    module_.walk([&](Operation* op) { judge(op); });
    find_recursion();
    return !out_.has_errors();
  }

 private:
  void refuse(Operation* op, const std::string& why) { out_.error(why, place_of(op->getLoc())); }
  void judge(Operation* op) {
    if (auto function = mlir::dyn_cast<func::FuncOp>(op); function && function.isExternal())
      return refuse(op, "function @" + function.getName().str() + " has no body to run");
    if (auto function = mlir::dyn_cast<func::FuncOp>(op); function && llvm::any_of(function.getResultTypes(), is_tile))
      return refuse(op,
                    "function @" + function.getName().str() +
                        " returns a tile, which would lie at one place whatever call it came from. Take the tile as "
                        "an argument");
    for (Type type : op->getResultTypes())
      if (!spec_of(type) && !is_scalar(type)) return refuse(op, unrunnable(op, type));
    for (mlir::Region& region : op->getRegions())
      for (mlir::Block& block : region)
        for (Type type : block.getArgumentTypes())
          if (!spec_of(type) && !is_scalar(type)) return refuse(op, unrunnable(op, type));
  }
  static std::string unrunnable(Operation* op, Type type) {
    std::string text;
    llvm::raw_string_ostream(text) << type;
    return op->getName().getStringRef().str() + " has a value of type " + text +
           "; a kernel that runs has index, integers up to 64 bits, f16, bf16, f32, f64 and the types of pto";
  }
  void find_recursion() {
    std::map<std::string, std::vector<func::CallOp>> calls;
    module_.walk(
        [&](func::CallOp call) { calls[call->getParentOfType<func::FuncOp>().getName().str()].push_back(call); });
    std::map<std::string, int> state;  // 1: on the current path, 2: finished
    for (const auto& [start, unused] : std::map(calls))
      if (state[start] == 0 && circles(start, calls, state)) return;
  }
  /// Depth-first search of the call graph from `start`; reports a recursive call and returns true if there is one.
  bool circles(const std::string& start, std::map<std::string, std::vector<func::CallOp>>& calls,
               std::map<std::string, int>& state) {
    std::vector<std::pair<std::string, std::size_t>> path{{start, 0}};
    state[start] = 1;
    while (!path.empty()) {
      auto& [name, next] = path.back();
      const auto& mine = calls[name];
      if (next == mine.size()) {
        state[name] = 2, path.pop_back();
        continue;
      }
      func::CallOp call = mine[next++];
      const std::string callee = call.getCallee().str();
      if (state[callee] == 1)
        return refuse(call, "@" + callee + " calls itself, directly or through other functions"), true;
      if (state[callee] == 0) state[callee] = 1, path.emplace_back(callee, 0);
    }
    return false;
  }

  mlir::ModuleOp module_;
  Diagnostics& out_;
};

}  // namespace

bool can_run(const Module& module, Diagnostics& out) { return Refusals(module.op.get(), out).none(); }

std::string entry_of(const Module& module, const std::string& asked, Diagnostics& out) {
  std::vector<std::string> all, marked;
  for (auto function : module.op.get().getOps<func::FuncOp>()) {
    if (function.isExternal()) continue;
    all.push_back(function.getName().str());
    if (function->hasAttr("pto.entry")) marked.push_back(all.back());
  }
  std::string names;
  for (const std::string& name : all) names += (names.empty() ? "" : ", ") + name;
  if (!asked.empty()) {
    if (llvm::is_contained(all, asked)) return asked;
    out.error("there is no kernel '" + asked + "'; the kernels of the file are " + (names.empty() ? "none" : names),
              {module.file, 0, 0});
    return "";
  }
  if (marked.size() == 1) return marked[0];
  if (marked.empty() && all.size() == 1) return all[0];
  out.error(all.empty() ? "there is no kernel in the file"
                        : "which kernel? --kernel names one of " + names + ", or one has the attribute pto.entry",
            {module.file, 0, 0});
  return "";
}

}  // namespace ptox::assembly
