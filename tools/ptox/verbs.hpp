// SPDX-License-Identifier: Apache-2.0
// Which verbs does the tool have?
#pragma once

#include <span>
#include <string>

namespace ptox::tool {

using Arguments = std::span<const std::string>;

inline constexpr int ok = 0, found = 1, usage = 2, internal = 3;

/// One verb of the command line. `run` returns the exit code.
struct Verb {
  const char* name;
  const char* summary;
  const char* help;
  int (*run)(Arguments);
  bool for_another = false;  ///< later arguments are for another program, --help among them
};

extern const Verb bench_verb;
extern const Verb check_verb;
extern const Verb completion_verb;
extern const Verb cxx_verb;
extern const Verb demo_verb;
extern const Verb isa_verb;
// On MLIR: in tools/ptox/asm, or in no_assembler.cpp where that is absent.
extern const Verb emit_verb;
extern const Verb run_verb;
extern const Verb verify_verb;

/// In the order in which the tool explains them.
std::span<const Verb* const> all_verbs();

/// Says what is wrong with the arguments; returns the exit code for that.
int usage_error(const Verb& verb, const std::string& message);

}  // namespace ptox::tool
