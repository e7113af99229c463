// SPDX-License-Identifier: Apache-2.0
// Stores operations that the dialect does not have, so that each is reported once and can be printed again.
#pragma once

#include "mlir/IR/OpImplementation.h"

namespace ptox::assembly {

/// Parses `[...] <...> {...} ins(...) outs(...) -> T {region}` or `%a, %b : T, T -> T`; every part is optional.
mlir::ParseResult parse_unknown(mlir::OpAsmParser& parser, mlir::OperationState& state);
void print_unknown(mlir::Operation* op, mlir::OpAsmPrinter& printer);

}  // namespace ptox::assembly
