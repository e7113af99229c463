// SPDX-License-Identifier: Apache-2.0
// The command line of `ptox verify`.
#include "pto_options.hpp"

namespace ptox::tool {

namespace {

CommandLine command_line(VerifyOptions& o) {
  CommandLine line("ptox verify", "FILE",
                   "Reads PTO-AS, the bare statements of the manuals or MLIR text, and checks the rules of every "
                   "instruction for a target. FILE - is standard input.");
  add_input(line, o.input, {"cpu", "a2a3", "a5", "portable"});
  return line.note("--target portable: legal on every target, with the same meaning.")
      .note("Exit code 0: no error; 1: rejected; 2: usage; 3: internal error.")
      .example("ptox verify kernel.pto --target a5", "the rules of a5")
      .example("ptox verify kernel.pto --target portable --strict", "legal everywhere, warnings are errors");
}

int run(Arguments arguments) {
  VerifyOptions o;
  const CommandLine line = command_line(o);
  if (const auto code = line.parse(arguments)) return *code;
  return verify_file(o, line);
}

std::string help() {
  VerifyOptions o;
  return command_line(o).help();
}

}  // namespace

const Verb verify_verb{"verify", "check a .pto file against the rules of a target", help, run};

}  // namespace ptox::tool
