// SPDX-License-Identifier: Apache-2.0
#include "asm/jit.hpp"

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

/// LLVM's sentence, for a diagnostic of ours.
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
  const llvm::orc::SymbolMap ours{
      {state_->jit->mangleAndIntern("ptox_call"),
       {llvm::orc::ExecutorAddr::fromPtr(runtime_entry()), llvm::JITSymbolFlags::Exported}}};
  if (auto error = state_->jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(ours)))
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
