// SPDX-License-Identifier: Apache-2.0
// A report with errors that are not examined prints itself once.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <utility>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

Report with(Severity severity) { return Report("a5", "k", 1, {{FindingKind::race, severity, "two meet", "k.cpp", 3}}); }
Report erroneous() { return with(Severity::error); }

std::string text_of(const Report& r) {
  std::ostringstream out;
  out << r;
  return out.str();
}

/// The output of `f` on stderr.
template <class F>
std::string to_stderr(F&& f) {
  testing::internal::CaptureStderr();
  f();
  return testing::internal::GetCapturedStderr();
}

TEST(unread_report, with_errors_prints_itself_once) {
  EXPECT_EQ(to_stderr([] { const Report r = erroneous(); }), text_of(erroneous()));
}

TEST(unread_report, that_could_not_be_written_prints_itself) {
  for (const bool sarif : {false, true})
    EXPECT_EQ(to_stderr([&] {
                const Report r = erroneous();
                EXPECT_THROW(sarif ? r.write_sarif("/nowhere/r") : r.write_json("/nowhere/r"), std::invalid_argument);
              }),
              text_of(erroneous()));
}

TEST(unread_report, of_a_launch_whose_kernel_throws_prints_itself) {
  const std::string said = to_stderr([] {
    const auto kernel = [] {
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
      set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
      throw 1;
    };
    EXPECT_THROW(static_cast<void>(Device(target::a5).launch({}, kernel)), int);
  });
  EXPECT_NE(said.find("error: [flag-reuse] "), std::string::npos) << said;
}

TEST(unread_report, without_errors_is_silent) {
  EXPECT_EQ(to_stderr([] {
              const Report none;
              const Report clean("a5", "k", 1, {});
              const Report note = with(Severity::note), warning = with(Severity::warning);
            }),
            "");
}

TEST(unread_report, of_a_launch_prints_itself) {
  const std::string said = to_stderr(
      [] { static_cast<void>(Device(target::a5).launch({}, [] { set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2); })); });
  EXPECT_NE(said.find("error: [flag-leak] "), std::string::npos) << said;
  EXPECT_NE(said.find("a5, 1 block: 1 error, 0 warnings\n"), std::string::npos) << said;
  EXPECT_NE(said.find("time (estimate): "), std::string::npos) << said;
}

TEST(read_report, is_silent_whatever_reads_it) {
  const Folder folder;
  const std::string file = folder.path / "r.json";
  const std::pair<const char*, std::function<void(const Report&)>> readers[] = {
      {"clean", [](const Report& r) { EXPECT_FALSE(r.clean()); }},
      {"findings", [](const Report& r) { EXPECT_EQ(r.findings().size(), 1u); }},
      {"has", [](const Report& r) { EXPECT_TRUE(r.has(FindingKind::race)); }},
      {"target", [](const Report& r) { EXPECT_EQ(r.target(), "a5"); }},
      {"kernel", [](const Report& r) { EXPECT_EQ(r.kernel(), "k"); }},
      {"blocks", [](const Report& r) { EXPECT_EQ(r.blocks(), 1); }},
      {"cycles", [](const Report& r) { EXPECT_EQ(r.cycles(), 0u); }},
      {"time", [](const Report& r) { EXPECT_EQ(r.time().total, 0u); }},
      {"hints", [](const Report& r) { EXPECT_TRUE(r.hints().empty()); }},
      {"ub_map", [](const Report& r) { EXPECT_TRUE(r.ub_map().owners.empty()); }},
      {"json", [](const Report& r) { EXPECT_NE(r.json(), ""); }},
      {"sarif", [](const Report& r) { EXPECT_NE(r.sarif(), ""); }},
      {"write_json", [&](const Report& r) { r.write_json(file); }},
      {"write_sarif", [&](const Report& r) { r.write_sarif(file); }},
      {"write_trace", [&](const Report& r) { r.write_trace(file); }},
      {"<<", [](const Report& r) { EXPECT_NE(text_of(r), ""); }}};
  for (const auto& [name, reader] : readers)
    EXPECT_EQ(to_stderr([&, &read = reader] { read(erroneous()); }), "") << name;
}

TEST(unread_report, that_was_moved_from_is_silent) {
  EXPECT_EQ(to_stderr([] {
              Report from = erroneous();
              const Report to = std::move(from);
              EXPECT_FALSE(to.clean());
            }),
            "");
  EXPECT_EQ(to_stderr([] {
              Report from = erroneous();
              const Report to = std::move(from);
            }),
            text_of(erroneous()));
}

TEST(unread_report, that_is_assigned_to_prints_itself_first) {
  std::optional<Report> r = erroneous();
  EXPECT_EQ(to_stderr([&] { *r = Report(); }), text_of(erroneous()));
  EXPECT_EQ(to_stderr([&] { r.reset(); }), "");
}

TEST(unread_report, with_copies_is_printed_by_the_last_of_them) {
  std::optional<Report> first = erroneous();
  std::optional<Report> second = first;
  EXPECT_EQ(to_stderr([&] { first.reset(); }), "");
  EXPECT_EQ(to_stderr([&] { second.reset(); }), text_of(erroneous()));
}

TEST(unread_report, is_printed_by_one_process_only) {
  const std::string said = to_stderr([] {
    const Report r = erroneous();
    const pid_t child = fork();
    if (child == 0) {
      {
        const Report copy_of_the_child = std::move(const_cast<Report&>(r));
      }
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
  });
  EXPECT_EQ(said, text_of(erroneous()));
}

TEST(read_report, makes_its_copies_read) {
  EXPECT_EQ(to_stderr([] {
              const Report first = erroneous();
              const Report second = first;
              EXPECT_FALSE(second.clean());
            }),
            "");
}

TEST(report, of_a_launch_that_is_dropped_is_a_warning_of_the_compiler) {
  const Folder folder;
  const std::string source = folder.path / "dropped.cpp";
  std::ofstream(source) << "#include <ptox/ptox.hpp>\n"
                           "int main() {\n"
                           "  ptox::Device dev(ptox::target::cpu);\n"
                           "#ifdef DROPPED\n"
                           "  dev.launch({}, [] {});\n"
                           "#else\n"
                           "  return dev.launch({}, [] {}).clean() ? 0 : 1;\n"
                           "#endif\n"
                           "}\n";
  const std::string compile =
      PTOX_CXX " -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I'" PTOX_SOURCE_DIR "/include' '" + source + "'";
  EXPECT_EQ(shell(compile).code, 0) << shell(compile).output;
  const Ended dropped = shell(compile + " -DDROPPED");
  EXPECT_NE(dropped.code, 0);
  EXPECT_NE(dropped.output.find("nodiscard"), std::string::npos) << dropped.output;
}

}  // namespace
}  // namespace ptox
