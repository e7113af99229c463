// SPDX-License-Identifier: Apache-2.0
// How is an operation read that the dialect does not have? Kept as it is written, to be named once and printed again.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace ptox::assembly {

/// `[...] <...> {...} ins(...) outs(...) -> T {region}` or `%a, %b : T, T -> T`, any part left out.
mlir::ParseResult parse_unknown(mlir::OpAsmParser& parser, mlir::OperationState& state);
void print_unknown(mlir::Operation* op, mlir::OpAsmPrinter& printer);

}  // namespace ptox::assembly
