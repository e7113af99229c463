// SPDX-License-Identifier: Apache-2.0
// Interprets the command line of a compiler: its sources, and the meaning of the other arguments.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "verbs.hpp"

namespace ptox::tool {

/// An argument that is passed to the compiler. `source`: C++ that may launch kernels; `input`: any other file; `last`:
/// a flag that is passed to the final command only, not to separate compilations of single files.
struct Word {
  enum class Kind { flag, last, source, input } kind;
  std::string text;
  bool is_file() const { return kind == Kind::source || kind == Kind::input; }
};

struct CompileOrder {
  std::vector<Word> words;
  std::string output;                ///< value of -o, or empty
  std::string dependencies;          ///< value of -MF, or empty
  std::vector<std::string> folders;  ///< search path for headers
  std::vector<std::string> forced;   ///< values of -include
  bool links = true, has_standard = false, has_optimization = false;
  bool only_preprocesses = false;  ///< -E, -M or -MM
  std::string old_standard{};      ///< a -std= before C++20, which is left out, or empty
  std::string wrong{};             ///< what is wrong with the words, or empty
};

/// Understands the options that g++ and clang++ have in common. Unknown options are treated as flags without a value.
CompileOrder compile_order(Arguments arguments);

}  // namespace ptox::tool
