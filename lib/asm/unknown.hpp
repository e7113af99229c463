// SPDX-License-Identifier: Apache-2.0
// Keeps operations that the dialect does not have, to report each once and print it again.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace ptox::assembly {

/// `[...] <...> {...} ins(...) outs(...) -> T {region}` or `%a, %b : T, T -> T`, any part left out.
mlir::ParseResult parse_unknown(mlir::OpAsmParser& parser, mlir::OperationState& state);
void print_unknown(mlir::Operation* op, mlir::OpAsmPrinter& printer);

}  // namespace ptox::assembly
