// SPDX-License-Identifier: Apache-2.0
// What do run, verify and emit share? A file, its form, a target, and how findings about it are printed.
#pragma once

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "asm/module.hpp"
#include "verbs.hpp"

namespace ptox::tool {

/// What every verb on a .pto file understands.
struct Input {
  std::string file, target, format = "text";
  assembly::TextForm form = assembly::TextForm::detect;
  bool strict = false;
};

/// One argument, or its `--name=value` spelling split; walks over the arguments of a verb.
class ArgumentWalk {
 public:
  explicit ArgumentWalk(Arguments arguments) : arguments_(arguments) {}
  bool next();
  const std::string& name() const { return name_; }
  /// Whether the argument is `--name=value`; an option without values refuses that.
  bool has_value() const { return inline_value_.has_value(); }
  /// The value of the option at hand; nullopt, and an error to show, when there is none.
  std::optional<std::string> value();

 private:
  Arguments arguments_;
  std::size_t at_ = 0;
  std::string name_;
  std::optional<std::string> inline_value_;
};

/// Takes an argument that is Input's; false when it is another's. A wrong value leaves a sentence in `error`.
bool take_input(ArgumentWalk& walk, Input& input, std::string& error);

/// The file's text; a sentence in `error` when it cannot be read. `-` is standard input.
std::string file_text(const std::string& path, std::string& error);

/// Prints what was found in the format asked for: text to stderr, JSON and SARIF to `out`.
void print(const assembly::Diagnostics& diagnostics, const Input& input, const std::string& target,
           std::ostream& out = std::cout);

}  // namespace ptox::tool
