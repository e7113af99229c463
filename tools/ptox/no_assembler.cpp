// SPDX-License-Identifier: Apache-2.0
// Implements run, verify and emit in a build without MLIR: they report that it is missing.
#include <iostream>

#include "pto_options.hpp"

#ifndef PTOX_ASM
namespace ptox::tool {

namespace {

int refuse() {
  std::cerr << "ptox: this build has no assembler: apt-get install libmlir-19-dev llvm-19-dev, then build ptox again\n";
  return usage;
}

}  // namespace

int verify_file(const VerifyOptions&, const CommandLine&) { return refuse(); }
int emit_file(const EmitOptions&, const CommandLine&) { return refuse(); }
int run_file(const RunOptions&, const CommandLine&, Arguments) { return refuse(); }

}  // namespace ptox::tool
#endif
