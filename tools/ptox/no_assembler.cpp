// SPDX-License-Identifier: Apache-2.0
// What do run, verify and emit say in a build without MLIR?
#include <iostream>

#include "verbs.hpp"

#ifndef PTOX_ASM
namespace ptox::tool {

namespace {

constexpr const char* how =
    "this build has no assembler: apt-get install libmlir-19-dev llvm-19-dev, then build ptox again\n";

int refuse(Arguments) {
  std::cerr << "ptox: " << how;
  return usage;
}

}  // namespace

const Verb emit_verb{"emit", "print a .pto file in another form (not in this build)", how, refuse};
const Verb run_verb{"run", "run a .pto file (not in this build)", how, refuse};
const Verb verify_verb{"verify", "check a .pto file against the rules (not in this build)", how, refuse};

}  // namespace ptox::tool
#endif
