// SPDX-License-Identifier: Apache-2.0
// Calls that must not compile are rejected with the rule that they break, and similar legal calls compile.
//
// A file of tests/compile has one section per case, `#if CASE == n  // expect: TEXT`, where TEXT is part of the
// compiler's message. With `; target: NAME` the section is compiled with PTO_TARGET, and it must compile without
// PTO_TARGET and for cpu. CASE 0 is the control: it compiles for every target. All sections of a file that share a
// target and an expectation are compiled in one run, and errors are assigned to sections by their lines.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "compiler.hpp"
#include "isa/rule_check.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

const std::string directory = PTOX_SOURCE_DIR "/tests/compile/";

struct Section {
  int number = 0;
  std::string expect, target;
  int line = 0;  ///< of the first line of `text` in the file, counted from 1
  std::string text{};

  /// Whether the section must compile without PTO_TARGET and for cpu, because only another target rejects it.
  bool legal_elsewhere() const { return !target.empty() && target != "cpu"; }
};
struct Source {
  std::string name;
  std::vector<Section> sections;
  std::set<std::string> run_time_only;
  std::string preamble{}, opening{};  ///< text before the function, and its lines before the first section
  Section control{};
};

/// The text of `line` between `after` and the next `until`, or the end of the line.
std::string part(const std::string& line, const std::string& after, const std::string& until) {
  const std::size_t found = line.find(after);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + after.size();
  return line.substr(begin, line.find(until, begin) - begin);
}

/// Reads a file: a preamble, and a function `kernel` with the sections and, after `#else`, the control.
Source read_source(const std::string& name) {
  Source source{name, {}, {}};
  std::ifstream file(directory + name + ".cpp");
  Section* section = nullptr;
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string case_number = part(line, "if CASE == ", " ");
    if (!case_number.empty()) {
      source.sections.push_back(
          {std::stoi(case_number), part(line, "// expect: ", ";"), part(line, "; target: ", " "), number + 1});
      section = &source.sections.back();
    } else if (section && line == "#else") {
      section = &source.control;
      section->line = number + 1;
    } else if (section && line == "#endif") {
      break;
    } else {
      (section ? section->text : source.preamble) += line + '\n';
    }
    std::istringstream rules(part(line, "// Run time only: ", "."));
    for (std::string rule; rules >> rule;) source.run_time_only.insert(rule);
  }
  const std::size_t opening = source.preamble.rfind("void kernel(");
  if (opening == std::string::npos) return source;  // instructions without rules have no file
  source.opening = source.preamble.substr(opening);
  source.preamble.resize(opening);
  return source;
}

Ended compile(const std::string& file, const std::string& flags) {
  const std::string all_errors = compiler_is_clang() ? "-ferror-limit=0" : "-fmax-errors=0";
  return shell("LC_ALL=C '" + test_compiler() + "' -std=c++20 -fsyntax-only -w " + all_errors +
               " -I'" PTOX_SOURCE_DIR "/include' -I'" + directory + "' " + flags + " '" + file + "'");
}

std::string flag_of(const std::string& target) { return target.empty() ? "" : "-DPTO_TARGET=" + target; }

/// Several sections of a file as one translation unit, each in its own function. Diagnostics refer to the lines of the
/// file.
class Batch {
 public:
  Batch(const Source& source, std::string target) : source_(source), target_(std::move(target)) {
    text_ = "#line 1 \"" + path() + "\"\n" + source.preamble;
  }
  void add(const Section& s) {
    std::string opening = source_.opening;
    opening.insert(opening.find('('), "_" + std::to_string(s.number));
    text_ += opening + "#line " + std::to_string(s.line) + '\n' + s.text + "}\n";
    sections_.push_back(&s);
  }
  bool empty() const { return sections_.empty(); }
  std::string path() const { return directory + source_.name + ".cpp"; }

  Ended run() const {
    const Folder folder;
    const std::string file = (folder.path / "batch.cpp").string();
    std::ofstream(file) << text_;
    return compile(file, flag_of(target_));
  }
  /// Expects that every section compiles.
  void expect_accepted() const {
    const Ended c = run();
    EXPECT_EQ(c.code, 0) << "does not compile for " << name_of_target() << "\n" << c.output.substr(0, 3000);
  }
  /// Expects that every section has its error. A section without it is compiled once more, alone: the compiler reports
  /// a failing instantiation only at its first use, which may be in another section.
  /// With PTOX_FULL (`./test --full`) every section is compiled alone.
  void expect_refused() const {
    const bool separately = std::getenv("PTOX_FULL") != nullptr;
    const std::vector<Diagnostic> found = separately ? std::vector<Diagnostic>() : diagnostics(run().output);
    for (const Section* s : sections_)
      if (!refused(found, *s)) expect_refused_alone(*s);
  }

 private:
  /// One error of the compiler with its chain of instantiations.
  struct Diagnostic {
    std::set<int> lines{};  ///< the lines of the file that it mentions
    std::string text{};
    bool is_error = false;
  };

  /// g++ prints the chain of instantiations before the error, clang after it.
  std::vector<Diagnostic> diagnostics(const std::string& output) const {
    const bool chain_first = !compiler_is_clang();
    std::vector<Diagnostic> all(1);
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
      const bool error = line.find(" error: ") != std::string::npos;
      const bool chain = line.find(": In ") != std::string::npos || line.starts_with("In file included from ");
      if (chain_first ? all.back().is_error && (error || chain) : error) all.emplace_back();
      Diagnostic& d = all.back();
      d.is_error |= error;
      d.text += line + '\n';
      d.lines.insert(std::atoi(part(line, path() + ":", ":").c_str()));  // 0 if the line has no number
    }
    return all;
  }
  static bool refused(const std::vector<Diagnostic>& found, const Section& s) {
    const int end = s.line + static_cast<int>(std::count(s.text.begin(), s.text.end(), '\n'));
    return std::any_of(found.begin(), found.end(), [&](const Diagnostic& d) {
      const auto line = d.lines.lower_bound(s.line);
      return d.is_error && line != d.lines.end() && *line < end && d.text.find(s.expect) != std::string::npos;
    });
  }
  void expect_refused_alone(const Section& s) const {
    const Ended c = compile(path(), "-DCASE=" + std::to_string(s.number) + " " + flag_of(target_));
    const std::string where =
        path() + ", CASE " + std::to_string(s.number) + " for " + name_of_target() + "\n" + c.output.substr(0, 3000);
    EXPECT_EQ(c.code, 1) << "should be a compile error: " << where;
    EXPECT_NE(c.output.find(s.expect), std::string::npos) << "the message has no \"" << s.expect << "\": " << where;
  }
  std::string name_of_target() const { return target_.empty() ? "no target" : target_; }

  const Source& source_;
  std::string target_, text_;
  std::vector<const Section*> sections_{};
};

/// Compiles every section of a file and checks that there are `sections` of them.
void expect_refused(const std::string& name, std::size_t sections) {
  const Source source = read_source(name);
  ASSERT_EQ(source.sections.size(), sections) << directory << name << ".cpp";
  for (std::size_t i = 0; i < sections; ++i) {
    EXPECT_EQ(source.sections[i].number, static_cast<int>(i) + 1) << name << ".cpp: cases are numbered from 1";
    ASSERT_FALSE(source.sections[i].expect.empty()) << name << ".cpp, CASE " << i + 1 << " expects nothing";
  }
  ASSERT_FALSE(source.control.text.empty()) << name << ".cpp has no control";
  for (const std::string target : {"", "cpu", "a2a3", "a5"}) {
    Batch accepted(source, target), refused(source, target);
    accepted.add(source.control);
    for (const Section& s : source.sections) {
      if (s.target == target) refused.add(s);
      if (s.legal_elsewhere() && (target.empty() || target == "cpu")) accepted.add(s);
    }
    accepted.expect_accepted();
    if (!refused.empty()) refused.expect_refused();
  }
}

TEST(must_not_compile, collectives) { expect_refused("collectives", 13); }
TEST(must_not_compile, copy_cbuf) { expect_refused("copy_cbuf", 1); }
TEST(must_not_compile, mgather) { expect_refused("mgather", 33); }
TEST(must_not_compile, mgather_mat) { expect_refused("mgather_mat", 25); }
TEST(must_not_compile, mscatter) { expect_refused("mscatter", 41); }
TEST(must_not_compile, tensor) { expect_refused("tensor", 8); }
TEST(must_not_compile, texpands) { expect_refused("texpands", 3); }
TEST(must_not_compile, tgather) { expect_refused("tgather", 8); }
TEST(must_not_compile, tgather_mask) { expect_refused("tgather_mask", 5); }
TEST(must_not_compile, tgatherb) { expect_refused("tgatherb", 6); }
TEST(must_not_compile, tile) { expect_refused("tile", 19); }
TEST(must_not_compile, tload) { expect_refused("tload", 11); }
TEST(must_not_compile, tmov) { expect_refused("tmov", 4); }
TEST(must_not_compile, tprefetch) { expect_refused("tprefetch", 4); }
TEST(must_not_compile, tscatter) { expect_refused("tscatter", 7); }
TEST(must_not_compile, tscatter_mask) { expect_refused("tscatter_mask", 4); }
TEST(must_not_compile, tstore) { expect_refused("tstore", 14); }

TEST(compile_sections, every_file_is_compiled) {
  std::set<std::string> tests;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const auto& suite = *all.GetTestSuite(s);
    if (std::string(suite.name()) != "must_not_compile") continue;
    for (int t = 0; t < suite.total_test_count(); ++t) tests.insert(suite.GetTestInfo(t)->name());
  }
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    if (entry.path().extension() == ".cpp") files.insert(entry.path().stem());
  EXPECT_EQ(files, tests);
}

/// For every rule there is a section that breaks it, or the file states that only run-time values can break it.
TEST(compile_sections, every_rule_has_one_or_is_run_time_only) {
  pto::instr::AllInstructions::each([]<class I>() {
    const Source source = read_source(rule_check::suite_name<I>());
    I::Rules::each([&]<class R>() {
      const std::string rule = rule_check::rule_name<R>();
      bool has_section = false;
      for (const Section& s : source.sections) has_section |= s.expect.ends_with("::" + rule + ", false>");
      EXPECT_NE(has_section, source.run_time_only.contains(rule)) << source.name << ".cpp and " << rule;
    });
  });
}

}  // namespace
}  // namespace ptox
