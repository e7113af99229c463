// SPDX-License-Identifier: Apache-2.0
// The options of `ptox run`, `verify` and `emit`. The three functions at the end use the assembler, which needs MLIR:
// they are in tools/ptox/asm, or in no_assembler.cpp where MLIR is absent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command_line.hpp"

namespace ptox::tool {

/// The options that all three have in common.
struct PtoInput {
  std::string file, target, format = "text", form;
  bool strict = false;
};

struct VerifyOptions {
  PtoInput input;
};

struct EmitOptions {
  PtoInput input;
  std::string as;
  bool insert_sync = false;
};

struct RunOptions {
  PtoInput input;
  std::vector<std::string> in, out, arguments;  ///< name=value each
  std::string kernel, check, trace, engine;
  std::uint64_t seed = 0, dyn_ub_bytes = 0;
  int blocks = 1, ranks = 0, deadline_ms = 0;  ///< 0: not given
  bool insert_sync = false;
};

/// Declares the options of `input`; `targets` are the values of --target.
CommandLine& add_input(CommandLine& line, PtoInput& input, const std::vector<std::string>& targets);

int verify_file(const VerifyOptions&, const CommandLine&);
int emit_file(const EmitOptions&, const CommandLine&);
/// `arguments` are the arguments from which `options` were parsed.
int run_file(const RunOptions& options, const CommandLine&, Arguments arguments);

}  // namespace ptox::tool
