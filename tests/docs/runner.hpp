// SPDX-License-Identifier: Apache-2.0
// Compiles or runs the snippets of one page, in order, in a folder of the page's own.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "docs/page.hpp"
#include "shell.hpp"

namespace ptox::docs {

/// The kinds of snippets:
///   cpp              a program is compiled and run, a file without a main is compiled
///   cpp FILE         saved under that name; a later command of the page must name it. Likewise pto, cmake
///   sh               each line is run; `./ptox` is the tool, `examples` the folder of the tree
///   text             the output of the snippet before it
///   ANY illustrative: REASON
///                    neither compiled nor run; options of ./ptox and ./test in it must exist
class Runner {
 public:
  Runner() {
    const std::string tool = "'" PTOX_TOOL "'";
    write("ptox", "#!/bin/sh\nexport CXX='" PTOX_CXX "'\nif [ \"$1\" = c++ ]; then shift; exec " + tool +
                      " c++ " PTOX_FLAGS " \"$@\"; fi\nexec " + tool + " \"$@\"\n");
    write("test", "#!/bin/sh\nexec '" PTOX_SOURCE_DIR "/test' \"$@\"\n");
    for (const char* script : {"ptox", "test"})
      std::filesystem::permissions(folder_.path / script, std::filesystem::perms::owner_all);
    std::filesystem::create_symlink(PTOX_SOURCE_DIR "/examples", folder_.path / "examples");
  }

  /// What is wrong with the snippets of the page, one sentence each; empty when all are right.
  std::vector<std::string> check(const std::string& page) {
    for (const Snippet& s : snippets_of(page)) check(s);
    for (const auto& [file, line] : unused_) complain(line, "no later command uses " + file);
    return std::move(complaints_);
  }

 private:
  void check(const Snippet& s) {
    if (s.illustrative()) return check_options(s);
    if (s.language == "text" && s.argument.empty()) return compare(s);
    outcome_.clear(), shown_ = false;
    const bool file = !s.argument.empty() && s.argument.find_first_of(" :") == std::string::npos;
    if (file && (s.language == "cpp" || s.language == "pto" || s.language == "cmake"))
      save(s);
    else if (s.language == "cpp" && s.argument.empty())
      compile_and_run(s);
    else if (s.language == "sh" && s.argument.empty())
      run(s);
    else
      complain(s.line, "unknown kind of snippet: '" + s.language + " " + s.argument + "'");
  }

  /// Sources that a CMakeLists.txt of the page names are used by it.
  void save(const Snippet& s) {
    write(s.argument, s.text);
    shown_ = true;
    if (s.language == "cmake") build_file_ = s.text;
    if (build_file_.find(s.argument) == std::string::npos) unused_.emplace_back(s.argument, s.line);
  }

  void compile_and_run(const Snippet& s) {
    const std::string name = "line_" + std::to_string(s.line);
    write(name + ".cpp", s.text);
    const std::string compiler =
        PTOX_CXX " -std=c++20 -Wall -Wextra -Werror " PTOX_FLAGS " -I'" PTOX_SOURCE_DIR "/include' " + name + ".cpp ";
    shown_ = s.text.find("int main(") == std::string::npos;
    expect(s, {compiler + (shown_ ? "-fsyntax-only" : "'" PTOX_LIBRARY "' -lpthread -o " + name)});
    outcome_.clear();
    if (!shown_) expect(s, {"./" + name});
  }

  void run(const Snippet& s) {
    for (const Command& c : commands_of(s.text)) {
      std::erase_if(unused_, [&](const auto& file) {
        return c.text.find(file.first) != std::string::npos ||
               (file.first == "CMakeLists.txt" && c.text.find("cmake ") != std::string::npos);
      });
      expect(s, c);
    }
  }

  void expect(const Snippet& s, const Command& c) {
    const std::string clean =
        // A program that links a library with sanitizers needs the compiler and the flags of that library.
        std::string(*PTOX_FLAGS ? "export CXX='" PTOX_CXX "' CXXFLAGS='" PTOX_FLAGS "'; " : "") +
        "unset PTOX_TARGET PTOX_CHECK PTOX_SEED PTOX_REPORT PTOX_TRACE PTOX_SIMD; export PTOX_LIBRARY='" PTOX_LIBRARY
        "' PTOX_SOURCE_DIR='" PTOX_SOURCE_DIR "' ptox_DIR='" PTOX_SOURCE_DIR "/tests/docs/package'; ";
    const Ended e = shell("cd '" + folder_.path.string() + "' && { " + clean + c.text + "\n}");
    outcome_ += e.output;
    if (e.code != c.code)
      complain(s.line, "'" + c.text + "' ended with " + std::to_string(e.code) + ", not " + std::to_string(c.code) +
                           ":\n" + e.output);
  }

  void compare(const Snippet& s) {
    if (shown_) return complain(s.line, "there is no snippet before this output");
    shown_ = true;
    if (!shows(s.text, outcome_)) complain(s.line, "the page shows\n" + s.text + "and this was printed\n" + outcome_);
  }

  /// The options that a command of ours is shown with stand in its help.
  void check_options(const Snippet& s) {
    if (s.language != "sh") return;
    for (const Command& c : commands_of(s.text)) {
      std::istringstream words(c.text);
      std::string program, verb;
      words >> program;
      if (program != "./ptox" && program != "./test") continue;
      if (program == "./ptox") words >> verb;
      const std::string help =
          shell("cd '" + folder_.path.string() + "' && " + program + " " + verb + " --help").output;
      for (std::string word; words >> word;)
        if (const std::string option = word.substr(0, word.find('=')); option.starts_with("--"))
          if (help.find(option) == std::string::npos) complain(s.line, program + " " + verb + " has no " + option);
    }
  }

  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.path / name) << text; }
  void complain(int line, const std::string& what) {
    complaints_.push_back("line " + std::to_string(line) + ": " + what);
  }

  Folder folder_;
  std::string outcome_;     ///< what the snippet before printed
  bool shown_ = true;       ///< its output was compared, or it has none
  std::string build_file_;  ///< the CMakeLists.txt
  std::vector<std::pair<std::string, int>> unused_;
  std::vector<std::string> complaints_;
};

}  // namespace ptox::docs
