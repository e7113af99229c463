// SPDX-License-Identifier: Apache-2.0
#include "asm/run/jit.hpp"

#include <bit>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/TargetSelect.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "pto/tile/number.hpp"

namespace ptox::assembly {

struct Compiled::State {
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Compiled::Compiled() = default;
Compiled::~Compiled() = default;

namespace {

bool convert(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  passes.addPass(mlir::arith::createArithExpandOpsPass());
  passes.addPass(mlir::createConvertSCFToCFPass());
  passes.addPass(mlir::createArithToLLVMConversionPass());
  passes.addPass(mlir::createConvertControlFlowToLLVMPass());
  passes.addPass(mlir::createConvertFuncToLLVMPass());
  passes.addPass(mlir::createReconcileUnrealizedCastsPass());
  return succeeded(passes.run(module));
}

// Run-time library functions that LLVM calls on hosts without instructions for 16-bit floats. By LLVM's calling
// convention both f16 and bf16 are passed as _Float16.
template <class Narrow, class Wide>
_Float16 narrowed(Wide value) {
  return std::bit_cast<_Float16>(static_cast<Narrow>(value).bits());
}
float widened_half(_Float16 value) { return static_cast<float>(half::from_bits(std::bit_cast<std::uint16_t>(value))); }

/// Adds the message of an LLVM error to the diagnostics.
bool failed_with(llvm::Error error, const Kernel& kernel, Diagnostics& out) {
  out.error("kernel @" + kernel.name + " could not be compiled: " + llvm::toString(std::move(error)), {});
  return false;
}

}  // namespace

bool Compiled::compile(Kernel& kernel, Diagnostics& out) {
  mlir::MLIRContext& context = *kernel.module->getContext();
  const Listener listener(context, out);
  mlir::registerBuiltinDialectTranslation(context);
  mlir::registerLLVMDialectTranslation(context);
  if (!convert(*kernel.module)) return false;
  auto llvm_context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> code = mlir::translateModuleToLLVMIR(*kernel.module, *llvm_context);
  if (!code) return false;
  static const bool ready = !llvm::InitializeNativeTarget() && !llvm::InitializeNativeTargetAsmPrinter();
  if (!ready) return out.error("LLVM has no code generator for this machine", {}), false;
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) return failed_with(jit.takeError(), kernel, out);
  state_ = std::make_unique<State>();
  state_->jit = std::move(*jit);
  llvm::orc::SymbolMap ours;
  const auto provide = [&](const char* name, auto* function) {
    ours[state_->jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                                llvm::JITSymbolFlags::Exported};
  };
  provide("ptox_call", runtime_entry());
  provide("__truncdfbf2", narrowed<bfloat16_t, double>), provide("__truncsfbf2", narrowed<bfloat16_t, float>);
  provide("__truncdfhf2", narrowed<half, double>), provide("__truncsfhf2", narrowed<half, float>);
  provide("__extendhfsf2", widened_half);
  if (auto error = state_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(ours))))
    return failed_with(std::move(error), kernel, out);
  code->setDataLayout(state_->jit->getDataLayout());
  if (auto error = state_->jit->addIRModule({std::move(code), std::move(llvm_context)}))
    return failed_with(std::move(error), kernel, out);
  auto main = state_->jit->lookup("ptox_main");
  if (!main) return failed_with(main.takeError(), kernel, out);
  main_ = main->toPtr<Main>();
  return true;
}

}  // namespace ptox::assembly
