// SPDX-License-Identifier: Apache-2.0
// Interprets the command line of a compiler: its sources, and what the other words request.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verbs.hpp"

namespace ptox::tool {

/// A word as it goes to the compiler. `source`: C++ that may launch kernels; `input`: any other file; `last`: a flag of
/// the last step, which no step before it wants.
struct Word {
  enum class Kind { flag, last, source, input } kind;
  std::string text;
  bool is_file() const { return kind == Kind::source || kind == Kind::input; }
};

struct CompileOrder {
  std::vector<Word> words;
  std::string output;                ///< of -o, or empty
  std::string dependencies;          ///< of -MF, or empty
  std::vector<std::string> folders;  ///< that headers are looked for in
  bool links = true, has_standard = false, has_optimization = false;
  std::string old_standard{};  ///< a -std= from before C++20, which was left out, or empty
  std::string wrong{};         ///< what is wrong with the words, or empty
};

/// Understands what g++ and clang++ have in common; a flag it does not know is a flag.
CompileOrder compile_order(Arguments arguments);

}  // namespace ptox::tool
