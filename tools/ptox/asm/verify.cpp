// SPDX-License-Identifier: Apache-2.0
// Checks a .pto file by the rules of the instructions.
#include "asm/verify/verify.hpp"

#include <iostream>

#include "asm/dialect/operands.hpp"
#include "asm/input.hpp"

namespace ptox::tool {

namespace {

/// A remark about what was not checked, for a file without errors.
std::string unasked(const assembly::Module& module) {
  int count = 0;
  module.op.get().walk([&](mlir::Operation* op) { count += assembly::has_schematic(op); });
  if (count == 0) return module.op.get().getBody()->empty() ? "; there is no kernel in it" : "";
  return "; " + std::to_string(count) + (count == 1 ? " statement has" : " statements have") +
         " schematic types, whose rules were not checked";
}

}  // namespace

int verify_file(const VerifyOptions& options, const CommandLine& line) {
  const PtoInput& input = options.input;
  std::string error;
  const std::string text = file_text(input.file, error);
  if (!error.empty()) return std::cerr << "ptox verify: " << error << '\n', usage;
  assembly::Diagnostics found_;
  const auto module = assembly::read(text, input.file, text_form(input), found_);
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
      return line.wrong(found_.all().back().message + ", or portable");
  }
  if (input.strict) found_.make_strict();
  print(found_, input, target);
  if (input.format == "text" && found_.all().empty())
    std::cout << input.file << ": ok on " << target << (module ? unasked(*module) : "") << '\n';
  return found_.has_errors() ? found : ok;
}

}  // namespace ptox::tool
