// SPDX-License-Identifier: Apache-2.0
// The command line of `ptox emit`.
#include "pto_options.hpp"

namespace ptox::tool {

namespace {

std::string wrong_in(const EmitOptions& o) {
  if (o.as.empty()) return "--as is missing; it must be level1, level2, as or cpp";
  if (o.insert_sync && o.as == "level1") return "--insert-sync: only Level 2 has flags; use --as level2, as or cpp";
  return "";
}

CommandLine command_line(EmitOptions& o) {
  CommandLine line("ptox emit", "FILE --as FORM",
                   "Reads PTO-AS in either form and prints it in another one; diagnostics go to stderr.");
  line.choice("--as", o.as, {"level1", "level2", "as", "cpp"},
              "tiles as values, tiles in buffers, the manuals' bare statements, or a kernel for <pto/pto-inst.hpp>",
              "none, it must be given")
      .flag("--insert-sync", o.insert_sync, "add the flags between pipes that the target needs");
  add_input(line, o.input, {"cpu", "a2a3", "a5"});
  return line.require([&o] { return wrong_in(o); })
      .note("Exit code 0: printed; 1: the file was rejected; 2: usage; 3: internal error.")
      .example("ptox emit kernel.pto --as cpp", "the kernel as C++")
      .example("ptox emit kernel.pto --as level2 --insert-sync --target a5", "with the flags that a5 needs");
}

int run(Arguments arguments) {
  EmitOptions o;
  const CommandLine line = command_line(o);
  if (const auto code = line.parse(arguments)) return *code;
  return emit_file(o, line);
}

std::string help() {
  EmitOptions o;
  return command_line(o).help();
}

}  // namespace

const Verb emit_verb{"emit", "print a .pto file in another form, or as C++", help, run};

}  // namespace ptox::tool
