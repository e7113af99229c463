// SPDX-License-Identifier: Apache-2.0
// How does a .pto file look in another form?
#include <iostream>

#include "asm/input.hpp"
#include "asm/verify.hpp"

namespace ptox::tool {

namespace {

int run(Arguments arguments) {
  Input input;
  std::string error, as;
  for (ArgumentWalk walk(arguments); walk.next();) {
    if (walk.name() == "--as") {
      const auto value = walk.value();
      if (value) as = *value;
    } else if (!take_input(walk, input, error)) {
      error = "there is no option '" + walk.name() + "'";
    }
    if (!error.empty()) return usage_error(emit_verb, error);
  }
  if (input.file.empty()) return usage_error(emit_verb, "which file?");
  const std::string text = file_text(input.file, error);
  if (!error.empty()) return std::cerr << "ptox emit: " << error << '\n', usage;
  assembly::Diagnostics found_;
  const auto module = assembly::read(text, input.file, input.form, found_);
  if (module) assembly::write_coalesce(*module, found_);
  print(found_, input, input.target);
  if (found_.has_errors()) return found;
  std::cout << assembly::to_mlir(*module);
  return ok;
}

}  // namespace

const Verb emit_verb{"emit", "print a .pto file in another form, or as C++",
                     "usage: ptox emit FILE --as level1|level2|as|cpp\n", run};
const Verb run_verb{"run", "run a .pto file", "usage: ptox run FILE\n", run};

}  // namespace ptox::tool
