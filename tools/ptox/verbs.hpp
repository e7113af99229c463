// SPDX-License-Identifier: Apache-2.0
// The verbs of the tool and its exit codes.
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
  std::string (*help)();
  int (*run)(Arguments);
};

extern const Verb bench_verb;
extern const Verb check_verb;
extern const Verb completion_verb;
extern const Verb cxx_verb;
extern const Verb demo_verb;
extern const Verb emit_verb;
extern const Verb isa_verb;
extern const Verb run_verb;
extern const Verb verify_verb;

/// All verbs, in the order of the help.
std::span<const Verb* const> all_verbs();

}  // namespace ptox::tool
