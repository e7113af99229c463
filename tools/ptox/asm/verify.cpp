// SPDX-License-Identifier: Apache-2.0
// Does a .pto file keep the rules?
#include "asm/verify.hpp"

#include <iostream>

#include "asm/input.hpp"
#include "asm/operands.hpp"

namespace ptox::tool {

namespace {

/// What "ok" does not say.
std::string unasked(const assembly::Module& module) {
  int count = 0;
  module.op.get().walk([&](mlir::Operation* op) { count += assembly::has_schematic(op); });
  if (count == 0) return module.op.get().getBody()->empty() ? "; there is no kernel in it" : "";
  return "; " + std::to_string(count) + (count == 1 ? " statement has" : " statements have") +
         " schematic types, whose rules were not asked";
}

int run(Arguments arguments) {
  Input input;
  std::string error;
  for (ArgumentWalk walk(arguments); walk.next();) {
    if (!take_input(walk, input, error)) error = "there is no option '" + walk.name() + "'";
    if (!error.empty()) return usage_error(verify_verb, error);
  }
  if (input.file.empty()) return usage_error(verify_verb, "which file?");
  const std::string text = file_text(input.file, error);
  if (!error.empty()) return std::cerr << "ptox verify: " << error << '\n', usage;
  assembly::Diagnostics found_;
  const auto module = assembly::read(text, input.file, input.form, found_);
  std::string target = input.target;
  if (module && input.target == "portable") {
    assembly::write_coalesce(*module, found_);
    assembly::verify_portable(*module, found_);
  } else if (module) {
    if (const Target* t = assembly::target_of(*module, input.target, found_)) {
      assembly::write_coalesce(*module, found_);
      assembly::verify(*module, *t, found_);
      target = t->name;
    } else if (!input.target.empty())
      return usage_error(verify_verb, found_.all().back().message + ", or portable");
  }
  if (input.strict) found_.make_strict();
  print(found_, input, target);
  if (input.format == "text" && found_.all().empty())
    std::cout << input.file << ": ok on " << target << (module ? unasked(*module) : "") << '\n';
  return found_.has_errors() ? found : ok;
}

}  // namespace

const Verb verify_verb{
    "verify", "check a .pto file against the rules of a target",
    "usage: ptox verify FILE [--target cpu|a2a3|a5|portable] [--strict] [--form as|mlir]\n"
    "                   [--format text|json|sarif]\n\n"
    "Reads PTO-AS in either form, the bare statements of the manuals or MLIR text, and asks the rules of\n"
    "every instruction for the target in force: --target, else the file's pto.target_arch or .target, else\n"
    "cpu. portable: legal, and with one meaning, on all. FILE - is standard input. Exit code 0: no error;\n"
    "--strict makes warnings errors; 1: rejected; 2: usage; 3: internal error.\n",
    run};

}  // namespace ptox::tool
