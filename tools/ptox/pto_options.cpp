// SPDX-License-Identifier: Apache-2.0
#include "pto_options.hpp"

namespace ptox::tool {

namespace {

std::string wrong_in(const PtoInput& input) {
  for (const char* ending : {".cpp", ".cc", ".cxx", ".cce", ".hpp", ".h", ".cu"})
    if (input.file.ends_with(ending)) return "'" + input.file + "' is C++; `ptox c++` compiles it";
  return "";
}

}  // namespace

CommandLine& add_input(CommandLine& line, PtoInput& input, const std::vector<std::string>& targets) {
  return line.choice("--target", input.target, targets, "the machine", "the target in the file, else cpu", {"a2", "a3"})
      .choice("--form", input.form, {"as", "mlir"}, "how FILE is written: bare statements, or MLIR text",
              "what it looks like")
      .choice("--format", input.format, {"text", "json", "sarif"}, "how findings are printed")
      .flag("--strict", input.strict, "warnings are errors")
      .word("FILE", input.file, true)
      .require([&input] { return wrong_in(input); });
}

}  // namespace ptox::tool
