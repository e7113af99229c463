// SPDX-License-Identifier: Apache-2.0
// Is what must not compile refused, by the rule it breaks, and is what stands beside it accepted?
//
// A file of tests/compile has one section a case, `#if CASE == n  // expect: TEXT`, where TEXT is in the compiler's
// message; `; target: NAME` compiles it with PTO_TARGET, and without it, or for cpu, the section must then compile.
// CASE 0 is the control: it compiles for every target.
#include <sys/wait.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "isa/rule_check.hpp"

namespace {

const std::string directory = PTOX_SOURCE_DIR "/tests/compile/";

struct Section {
  int number = 0;
  std::string expect, target;
};
struct Source {
  std::string name;
  std::vector<Section> sections;
  std::set<std::string> run_time_only;
};

/// What stands between `after` and the next `until`, or the end of the line.
std::string part(const std::string& line, const std::string& after, const std::string& until) {
  const std::size_t found = line.find(after);
  if (found == std::string::npos) return "";
  const std::size_t begin = found + after.size();
  return line.substr(begin, line.find(until, begin) - begin);
}

Source read_source(const std::string& name) {
  Source source{name, {}, {}};
  std::ifstream file(directory + name + ".cpp");
  for (std::string line; std::getline(file, line);) {
    const std::string number = part(line, "if CASE == ", " ");
    if (!number.empty())
      source.sections.push_back({std::stoi(number), part(line, "// expect: ", ";"), part(line, "; target: ", " ")});
    std::istringstream rules(part(line, "// Run time only: ", "."));
    for (std::string rule; rules >> rule;) source.run_time_only.insert(rule);
  }
  return source;
}

/// One call of the compiler, and what is expected of it: an error with that text, or none at all.
struct Job {
  std::string name, target, expect;
  int number;
  int status = -1;
  std::string output{};

  std::string command() const {
    return "LC_ALL=C '" PTOX_CXX "' -std=c++20 -fsyntax-only -I'" PTOX_SOURCE_DIR "/include' -DCASE=" +
           std::to_string(number) + (target.empty() ? "" : " -DPTO_TARGET=" + target) + " '" + directory + name +
           ".cpp' 2>&1";
  }
  void run() {
    FILE* pipe = popen(command().c_str(), "r");
    if (!pipe) return;
    std::array<char, 4096> piece;
    for (std::size_t n; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) output.append(piece.data(), n);
    const int ended = pclose(pipe);
    status = WIFEXITED(ended) ? WEXITSTATUS(ended) : -1;
  }
  void judge() const {
    const std::string where = name + ".cpp, CASE " + std::to_string(number) + " for " +
                              (target.empty() ? "no target" : target) + "\n" + output.substr(0, 3000);
    if (expect.empty()) {
      EXPECT_EQ(status, 0) << "does not compile: " << where;
    } else {
      EXPECT_EQ(status, 1) << "should be a compile error: " << where;
      EXPECT_NE(output.find(expect), std::string::npos) << "the message has no \"" << expect << "\": " << where;
    }
  }
};

std::vector<Job> jobs_of(const Source& source) {
  std::vector<Job> jobs;
  for (const char* target : {"", "cpu", "a2a3", "a5"}) jobs.push_back({source.name, target, "", 0});
  for (const Section& s : source.sections) {
    jobs.push_back({source.name, s.target, s.expect, s.number});
    if (s.target.empty() || s.target == "cpu") continue;
    jobs.push_back({source.name, "", "", s.number});
    jobs.push_back({source.name, "cpu", "", s.number});
  }
  return jobs;
}

void run_two_at_a_time(std::vector<Job>& jobs) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i; (i = next++) < jobs.size();) jobs[i].run();
  };
  std::jthread other(work);
  work();
}

/// Compiles every section of a file that has `sections` of them.
void expect_refused(const std::string& name, std::size_t sections) {
  const Source source = read_source(name);
  ASSERT_EQ(source.sections.size(), sections) << directory << name << ".cpp";
  for (std::size_t i = 0; i < sections; ++i) {
    EXPECT_EQ(source.sections[i].number, static_cast<int>(i) + 1) << name << ".cpp: cases are numbered from 1";
    ASSERT_FALSE(source.sections[i].expect.empty()) << name << ".cpp, CASE " << i + 1 << " expects nothing";
  }
  std::vector<Job> jobs = jobs_of(source);
  run_two_at_a_time(jobs);
  for (const Job& job : jobs) job.judge();
}

TEST(must_not_compile, collectives) { expect_refused("collectives", 9); }
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

/// A type that breaks the rule has a section, or the file says that only run-time values break it.
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
