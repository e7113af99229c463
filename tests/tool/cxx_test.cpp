// SPDX-License-Identifier: Apache-2.0
// `ptox c++` builds programs from sources with launches, and `ptox check` checks them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "compiler.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

const std::string programs = PTOX_SOURCE_DIR "/tests/tool/programs/";

bool has(const Ended& e, const std::string& part) { return e.output.find(part) != std::string::npos; }

/// A folder to work in, and the tool as it is called there, with the compiler and flags of this build.
struct Work {
  Folder folder;

  Ended run(const std::string& command) const { return shell("cd '" + folder.path.string() + "' && " + command); }
  Ended tool(const std::string& arguments) const {
    return run("CXX='" + test_compiler() + "' '" PTOX_TOOL "' " + arguments);
  }
  Ended compile(const std::string& arguments) const { return tool("c++ -Wall -Wextra " PTOX_FLAGS " " + arguments); }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder.path / name).parent_path());
    std::ofstream(folder.path / name) << text;
    return name;
  }
};

/// The example of a kernel that asks for more of UB than the default, in two files, compiled once.
const Work& wide_gather() {
  static const Work work;
  static const Ended built =
      work.compile("'" + programs + "wide_gather_kernel.cpp' '" + programs + "wide_gather_main.cpp' -Werror -o prog");
  EXPECT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(built.output, "");
  return work;
}

TEST(check, a_clean_program_is_clean_on_every_target) {
  for (const std::string target : {"cpu", "a2a3", "a5"})
    for (const std::string how : {"", "narrow"}) {
      const Ended e = wide_gather().tool("check --target " + target + " ./prog " + how);
      EXPECT_EQ(e.code, 0) << e.output;
      EXPECT_EQ(e.output.find("ptox check: ./prog on " + target + ", check all, seed 0\n0 wrong\n"), 0u) << e.output;
      EXPECT_TRUE(has(e, "\nptox check: ./prog on " + target + " is clean\n"));
    }
}

TEST(check, a_finding_names_the_users_file_and_line) {
  const std::string source = contents(programs + "wide_gather_kernel.cpp");
  const auto line = 1 + std::count(source.begin(), source.begin() + static_cast<long>(source.find("MGATHER<")), '\n');
  for (const std::string target : {"cpu", "a2a3", "a5"}) {
    const Ended e = wide_gather().tool("check --target " + target + " ./prog oob");
    EXPECT_EQ(e.code, 1) << e.output;
    EXPECT_TRUE(has(e, programs + "wide_gather_kernel.cpp:" + std::to_string(line) +
                           ": error: [oob-index] mgather reads table element 1023, table has 1000 elements"))
        << e.output;
    EXPECT_TRUE(has(e, target + ", 3 blocks: 1 error, 0 warnings\n")) << e.output;
    EXPECT_TRUE(has(e, "ptox check: ./prog on " + target + " has findings\n")) << e.output;
  }
}

TEST(check, a_launch_without_dynamic_bytes_has_the_default_budget) {
  const Ended e = wide_gather().tool("check ./prog undeclared");
  EXPECT_EQ(e.code, 1);
  EXPECT_TRUE(has(e, "[ub-budget]") && has(e, "Launch with dynUBufSize = 163840")) << e.output;
  EXPECT_EQ(wide_gather().tool("check --target a2a3 ./prog undeclared").code, 0) << "only a5 divides UB";
}

TEST(check, all_targets_run_one_after_another_with_a_report_each) {
  const Work& work = wide_gather();
  const Ended e = work.tool("check --target all --report r.json -- ./prog undeclared");
  EXPECT_EQ(e.code, 1);
  EXPECT_TRUE(has(e, "on cpu is clean") && has(e, "on a2a3 is clean") && has(e, "on a5 has findings")) << e.output;
  for (const std::string target : {"cpu", "a2a3", "a5"})
    EXPECT_NE(contents(work.folder.path / ("r." + target + ".json")).find("\"target\": \"" + target + "\""),
              std::string::npos);
}

TEST(check, options_and_variables_choose_the_run) {
  const Work& work = wide_gather();
  const Ended unchecked = work.tool("check --check off --target=a5 ./prog oob");
  EXPECT_EQ(unchecked.code, 0);
  EXPECT_TRUE(has(unchecked, "ptox check: ./prog on a5 was not checked, since the check is off; nothing was found\n"));
  const Ended options = work.tool("check --target a2a3 --seed 7 --report out.json ./prog");
  EXPECT_TRUE(has(options, "./prog on a2a3, check all, seed 7\n")) << options.output;
  EXPECT_NE(contents(work.folder.path / "out.json").find("\"findings\""), std::string::npos);
  const Ended variables = work.run("PTOX_TARGET=cpu PTOX_CHECK=off PTOX_SEED=3 '" PTOX_TOOL "' check prog oob");
  EXPECT_EQ(variables.code, 0) << "a program of this folder needs no ./";
  EXPECT_TRUE(has(variables, "prog on cpu, check off, seed 3\n")) << variables.output;
  const Ended nowhere = work.tool("check --report /nowhere/r.json ./prog");
  EXPECT_EQ(nowhere.code, 2);
  EXPECT_TRUE(has(nowhere, "ptox check: there is no folder '/nowhere' for /nowhere/r.json\n")) << nowhere.output;
}

TEST(check, a_wrong_value_is_reported_with_the_name_of_its_option_or_its_variable) {
  const Work& work = wide_gather();
  const Ended option = work.run("PTOX_TARGET=a5 '" PTOX_TOOL "' check --target=a7 ./prog");
  EXPECT_EQ(option.code, 2);
  EXPECT_TRUE(has(option, "ptox check: --target is 'a7'; it must be ")) << option.output;
  const Ended variable = work.run("PTOX_TARGET=a7 '" PTOX_TOOL "' check ./prog");
  EXPECT_EQ(variable.code, 2);
  EXPECT_TRUE(has(variable, "ptox check: PTOX_TARGET is 'a7'; it must be ")) << variable.output;
  EXPECT_FALSE(has(variable, "--target is")) << variable.output;
  const Ended number = work.run("PTOX_SEED=-1 '" PTOX_TOOL "' check ./prog");
  EXPECT_EQ(number.code, 2);
  EXPECT_TRUE(has(number, "ptox check: PTOX_SEED is '-1'; it must be from 0 to 2^64 - 1")) << number.output;
  EXPECT_EQ(work.run("PTOX_TARGET= '" PTOX_TOOL "' check ./prog").code, 0);
}

TEST(check, a_trace_is_written_where_there_is_time) {
  const Work& work = wide_gather();
  const Ended all = work.tool("check --target all --trace t.json ./prog");
  EXPECT_EQ(all.code, 0) << all.output;
  EXPECT_TRUE(has(all, "ptox: no trace: cpu has no time estimate. Choose a2a3 or a5\n")) << all.output;
  EXPECT_FALSE(std::filesystem::exists(work.folder.path / "t.cpu.json"));
  for (const char* target : {"a2a3", "a5"})
    EXPECT_NE(contents(work.folder.path / (std::string("t.") + target + ".json")).find("mgather"), std::string::npos);
  work.write("folder/file", "");
  const Ended folder = work.tool("check --trace folder ./prog");
  EXPECT_EQ(folder.code, 1);
  EXPECT_TRUE(has(folder, "ptox: trace: cannot write folder\n")) << folder.output;
}

TEST(check, the_report_names_the_kernel) {
  const Work& work = wide_gather();
  work.tool("check --report named.json ./prog");
  EXPECT_NE(
      contents(work.folder.path / "named.json").find("\"kernel\": \"wide::run_gather<float, kRows, kCols, kTable>\""),
      std::string::npos)
      << contents(work.folder.path / "named.json");
}

/// Launches of every kind, compiled once.
const Work& devices() {
  static const Work work;
  static const Ended built = work.compile("'" + programs + "devices.cpp' -Werror -o prog");
  EXPECT_EQ(built.code, 0) << built.output;
  return work;
}

/// One word for each finding in the report of `ptox check`: kernel, count, and the target where that is another one.
std::string found_by(const std::string& arguments, int code) {
  const Work& work = devices();
  const Ended e = work.tool("check --report r.json " + arguments);
  EXPECT_EQ(e.code, code) << e.output;
  const std::string source = contents(programs + "devices.cpp"), json = contents(work.folder.path / "r.json");
  work.write("kernels.py",
             "import json, re, sys\n"
             "lines = open(sys.argv[1]).read().split('\\n')\n"
             "for f in json.load(open('r.json'))['findings']:\n"
             "  print(lines[f['line'] - 1][7:-1], f['id'], f['count'], f['where'].get('target', ''), end='; ')\n");
  const Ended kernels = work.run("python3 kernels.py '" + programs + "devices.cpp'");
  EXPECT_EQ(kernels.code, 0) << kernels.output << json;
  // What is in the report is printed once, and nothing else is.
  std::size_t printed = 0;
  for (std::size_t at = e.output.find("error: ["); at != e.output.npos; at = e.output.find("error: [", at + 1))
    ++printed;
  EXPECT_EQ(printed, static_cast<std::size_t>(std::count(kernels.output.begin(), kernels.output.end(), ';')))
      << e.output;
  return kernels.output;
}

TEST(check, a_device_without_a_target_follows_the_check) {
  for (const std::string target : {"cpu", "a2a3", "a5"}) {
    const Ended e = devices().tool("check --target " + target + " ./prog target wrong default");
    EXPECT_EQ(e.code, 1) << e.output;
    EXPECT_TRUE(has(e, "target " + target + "\nclean 0\n")) << e.output;
    EXPECT_TRUE(has(e, "[oob-index] mgather reads table row 8")) << e.output;
    EXPECT_TRUE(has(e, "./prog on " + target + " has findings\n")) << e.output;
  }
  EXPECT_EQ(devices().run("./prog target").output, "target cpu\n");
  EXPECT_EQ(devices().run("PTOX_TARGET=a5 ./prog target").output, "target a5\n");
}

TEST(check, a_device_with_a_target_keeps_it) {
  const Ended e = devices().tool("check --target a5 ./prog wrong a2a3");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_TRUE(has(e, "on a2a3\n")) << e.output;
  EXPECT_EQ(found_by("--target a5 ./prog wrong a2a3", 1), "on_a2a3 oob-index 1 a2a3; ");
}

TEST(check, every_launch_is_in_the_report_once) {
  EXPECT_EQ(found_by("./prog wrong default", 1), "on_default oob-index 1 ; ");
  EXPECT_EQ(found_by("./prog wrong dropped", 1), "on_default oob-index 1 ; ");
  EXPECT_EQ(found_by("./prog wrong default default", 1), "on_default oob-index 2 ; ");
  EXPECT_EQ(found_by("./prog wrong default a2a3 cpu syntax call", 1),
            "on_default oob-index 1 ; on_a2a3 oob-index 1 a2a3; on_cpu oob-index 1 cpu; by_syntax oob-index 1 ; "
            "by_call oob-index 1 ; ");
}

TEST(check, what_the_program_took_is_in_the_report_too) {
  EXPECT_EQ(found_by("./prog wrong call take syntax", 1), "by_syntax oob-index 1 ; by_call oob-index 1 ; ");
  EXPECT_TRUE(has(devices().tool("check ./prog wrong call take"), "took 1\n"));
}

TEST(check, ranks_follow_the_target_of_the_check) {
  for (const std::string target : {"cpu", "a2a3", "a5"}) {
    const Ended clean = devices().tool("check --target " + target + " ./prog ranks");
    EXPECT_EQ(clean.code, 0) << clean.output;
    EXPECT_TRUE(has(clean, "./prog on " + target + " is clean\n")) << clean.output;
  }
}

TEST(check, what_ranks_and_kernels_that_throw_found_is_in_the_report) {
  EXPECT_EQ(found_by("./prog wrong ranks", 1), "on_ranks oob-index 2 ; ");
  EXPECT_EQ(found_by("./prog wrong throw", 1), "before_throw oob-index 1 ; ");
}

TEST(check, findings_of_forked_processes_count) {
  Work work;
  ASSERT_EQ(work.compile("'" + programs + "forks.cpp' -o prog").code, 0);
  const auto ids = [&](const std::string& mode, int code) {
    const Ended e = work.tool("check --report r.json ./prog " + mode);
    EXPECT_EQ(e.code, code) << e.output;
    const std::string json = contents(work.folder.path / "r.json");
    std::string all;
    for (std::size_t at = json.find("\"id\": \""); at != json.npos; at = json.find("\"id\": \"", at + 1))
      all += json.substr(at + 7, json.find('"', at + 7) - at - 7) + ' ';
    return all;
  };
  EXPECT_EQ(ids("child", 1), "flag-leak ");
  EXPECT_EQ(ids("both", 1), "flag-reuse flag-leak ") << "each process reports its own findings, once";
}

TEST(check, findings_of_processes_that_skip_their_exit_handlers_count) {
  Work work;
  ASSERT_EQ(work.compile("'" + programs + "forks.cpp' -o prog").code, 0);
  for (const std::string mode : {"_exit", "exec", "abort", "crash"}) {
    const std::string id = mode == "crash" ? "flag-reuse" : "flag-leak";
    const Ended e = work.tool("check --report r.json ./prog " + mode);
    EXPECT_EQ(e.code, 1) << mode << '\n' << e.output;
    EXPECT_TRUE(has(e, ": error: [" + id + "] ")) << mode << '\n' << e.output;
    EXPECT_TRUE(has(e, "has findings\n")) << mode << '\n' << e.output;
    EXPECT_NE(contents(work.folder.path / "r.json").find("\"id\": \"" + id + '"'), std::string::npos) << mode;
  }
}

TEST(check, a_report_that_the_program_spoils_counts_as_findings) {
  const Work& work = wide_gather();
  for (const std::string text :
       {"{\\\"findings\\\":5}", "[1]", "[{\\\"severity\\\":3}]", "{\\\"findings\\\":null}", "{\\\"find"}) {
    std::ofstream(work.folder.path / "spoil.sh")
        << "#!/bin/sh\n./prog\nprintf '%s' \"" << text << "\" > \"$(dirname \"$PTOX_REPORT\")/report.$$.json\"\n";
    ASSERT_EQ(work.run("chmod +x spoil.sh").code, 0);
    const Ended e = work.tool("check ./spoil.sh");
    EXPECT_EQ(e.code, 1) << text << '\n' << e.output;
    EXPECT_TRUE(has(e, "has findings")) << e.output;
  }
}

TEST(check, clean_launches_by_devices_are_clean) {
  EXPECT_EQ(found_by("./prog default a2a3 cpu syntax call ranks throw take", 0), "");
  const Ended e = devices().tool("check ./prog default");
  EXPECT_TRUE(has(e, "./prog on a5 is clean\n")) << e.output;
  const Ended none = devices().tool("check ./prog");
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(has(none, "./prog on a5 wrote no report: no process of it ran a kernel")) << none.output;
}

TEST(check, without_the_check_reports_of_devices_are_the_programs_affair) {
  const Ended e = devices().run("PTOX_TARGET=a5 ./prog wrong default a2a3");
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.output, "clean 0\non a2a3\n");
}

TEST(check, a_program_that_fails_by_itself_is_said_so) {
  const std::pair<const char*, const char*> cases[] = {
      {"./prog fail", "ptox check: ./prog on a5 ended with exit code 7\n"},
      {"./prog no_kernel", "./prog on a5 wrote no report: no process of it ran a kernel. Was it built by"},
      {"/bin/true", "/bin/true on a5 wrote no report"},
      {"/bin/false", "/bin/false on a5 ended with exit code 1\n"}};
  for (const auto& [command, message] : cases) {
    const Ended e = wide_gather().tool(std::string("check ") + command);
    EXPECT_EQ(e.code, 1) << command;
    EXPECT_TRUE(has(e, message)) << e.output;
  }
  const Ended aborted = wide_gather().tool("check ./prog abort");
  EXPECT_EQ(aborted.code, 1);
  EXPECT_TRUE(has(aborted, "was ended by signal 6 (Aborted)\n")) << aborted.output;
}

TEST(check, wrong_arguments_are_exit_code_2) {
  const Work& work = wide_gather();
  work.write("text.txt", "no program");
  const std::pair<const char*, const char*> wrong[] = {
      {"", "there is no program to run"},
      {"--", "there is no program to run"},
      {"./missing", "there is no program './missing'"},
      {"text.txt", "'text.txt' is not a program"},
      {".", "'.' is a folder, not a program"},
      {"--target b7 ./prog", "--target is 'b7'; it must be cpu, a2a3, a5 or all\n"},
      {"--target a2a ./prog", "--target is 'a2a'; it must be cpu, a2a3, a5 or all; did you mean a2a3?\n"},
      {"--check some ./prog", "--check is 'some'; it must be off or all"},
      {"--seed -1 ./prog", "--seed is '-1'; it must be from 0 to 2^64 - 1"},
      {"--report r.json --trace ./r.json ./prog",
       "the report and the trace are files of their own; both are './r.json'"},
      {"--fast ./prog", "there is no option '--fast'"},
      {"--traget a5 ./prog", "there is no option '--traget'; did you mean --target?\n"},
      {"--traget=a5 ./prog", "there is no option '--traget'; did you mean --target?\n"},
      {"--report", "--report needs a value"}};
  for (const auto& [arguments, message] : wrong) {
    const Ended e = work.tool(std::string("check ") + arguments);
    EXPECT_EQ(e.code, 2) << arguments;
    EXPECT_TRUE(has(e, std::string("ptox check: ") + message)) << e.output;
  }
}

TEST(check, help_is_asked_for_anywhere_before_the_program) {
  const Ended e = wide_gather().tool("check --target a5 --help ./prog");
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.output.find("usage: ptox check [OPTIONS] [--] PROG [ARGUMENTS]"), 0u) << e.output;
}

TEST(check, an_option_may_be_given_twice_and_empty_and_the_last_value_counts) {
  const Ended e = wide_gather().tool("check --target=a5 --target cpu --trace= --report '' -- ./prog --trace=");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_TRUE(has(e, "./prog on cpu is clean")) << e.output;
}

TEST(check, what_follows_the_program_is_the_programs) {
  const Ended e = wide_gather().tool("check ./prog --help --target b7");
  EXPECT_EQ(e.code, 0);
  EXPECT_TRUE(has(e, "0 wrong")) << e.output;
  EXPECT_TRUE(has(e, "note: '--target' is passed to ./prog; options of ptox check stand before the program"))
      << e.output;
}

TEST(cxx, objects_and_other_endings_go_to_the_compiler) {
  const Work work;
  work.run("cp '" + programs + "wide_gather.hpp' . && cp '" + programs + "wide_gather_kernel.cpp' kernel.cce");
  const Ended kernel = work.compile("-c kernel.cce -DPTO_TARGET=a5 -MMD");
  ASSERT_EQ(kernel.code, 0) << kernel.output;
  EXPECT_NE(contents(work.folder.path / "kernel.d").find("kernel.o: kernel.cce"), std::string::npos);
  const Ended main = work.compile("-c '" + programs + "wide_gather_main.cpp' -o main.o");
  ASSERT_EQ(main.code, 0) << main.output;
  const Ended linked = work.compile("kernel.o main.o -o prog");
  ASSERT_EQ(linked.code, 0) << linked.output;
  EXPECT_TRUE(has(work.tool("check ./prog oob"), "\nkernel.cce:25: error: [oob-index]"));
}

TEST(cxx, every_file_finds_the_headers_beside_it) {
  const Work work;
  for (const std::string name : {"a", "b"}) {
    work.write(name + "/who.hpp", "#define WHO \"" + name + "\"\n");
    work.write(name + "/kernel.cpp",
               "#include <pto/pto-inst.hpp>\n#include <cstdio>\n#include \"../shared.hpp\"\n#include \"who.hpp\"\n"
               "AICORE void kernel_" +
                   name +
                   "(int n) { std::printf(\"%s %d %s:%d\\n\", WHO, n, __FILE__, __LINE__); }\n"
                   "void launch_" +
                   name + "() { kernel_" + name + "<<<1, 0, nullptr>>>(ANSWER); }\n");
  }
  work.write("shared.hpp", "#define ANSWER 42\n");
  work.write("main.cpp", "void launch_a();\nvoid launch_b();\nint main() {\n  launch_a();\n  launch_b();\n}\n");
  const Ended built = work.compile("-Werror a/kernel.cpp main.cpp b/kernel.cpp -lm -o prog");
  ASSERT_EQ(built.code, 0) << built.output;
  EXPECT_EQ(work.run("./prog").output, "a 42 a/kernel.cpp:5\nb 42 b/kernel.cpp:5\n");
  EXPECT_EQ(work.compile("-c a/kernel.cpp b/kernel.cpp").code, 2);
}

TEST(cxx, the_compilers_errors_name_the_users_line) {
  const Work work;
  work.write("k.cpp", "void k(int);\n\nint main() {\n  k<<<1, 0, nullptr>>>(1);\n  return undeclared_name;\n}\n");
  const Ended e = work.compile("k.cpp -o k");
  EXPECT_EQ(e.code, 1);
  EXPECT_TRUE(has(e, "k.cpp:5:")) << e.output;
  EXPECT_FALSE(has(e, "/ptox_")) << "no temporary name: " << e.output;
}

TEST(cxx, a_launch_that_is_not_whole_is_said_before_the_compiler_runs) {
  const Work work;
  work.write("k.cpp", "int main() {\n  k<<<1, 0>>(1);\n}\n");
  const Ended e = work.compile("k.cpp -o k");
  EXPECT_EQ(e.code, 1);
  EXPECT_EQ(e.output.find("k.cpp:2: error: this <<< has no >>> that closes it"), 0u) << e.output;
}

/// A header with a launch of a template of several lines, a kernel in a second one, and a main that uses them.
void write_header_launch(const Work& work) {
  work.write("kernels/k.hpp",
             "#pragma once\n#include <pto/pto-inst.hpp>\n#include <cstdio>\n"
             "template <int a, int b>\nAICORE void add(int* sum, int n) { *sum += a + b + n; }\n");
  work.write("kernels/go.hpp",
             "#include \"k.hpp\"\n// <<<\ninline int go(void* stream) {\n  int sum = 0;\n  add<1,\n      20>\n"
             "  <<<1, nullptr, stream>>>(&sum, 300);\n  return sum;\n}\n");
  work.write("main.cpp",
             "#include GO\nint main() {\n  int sum = go(nullptr);\n"
             "  add<1000, 0><<<1, nullptr, nullptr>>>(&sum, 0);\n  std::printf(\"%d %s %d\\n\", sum, __FILE__, "
             "__LINE__);\n}\n");
  work.write("quoted.cpp",
             "#include \"kernels/go.hpp\"\n#undef GO\n#define GO \"kernels/k.hpp\"\n#include \"main.cpp\"\n");
}

/// The output of the program. clang writes ./main.cpp for a quoted include.
std::string output_of_header_launch(const Work& work) {
  std::string output = work.run("./prog").output;
  if (const std::size_t at = output.find("./main.cpp"); at != output.npos) output.erase(at, 2);
  return output;
}

TEST(cxx, a_header_may_launch) {
  const Work work;
  write_header_launch(work);
  for (const std::string how : {"quoted.cpp", "-I kernels -Werror main.cpp -include kernels/go.hpp '-DGO=<k.hpp>'"}) {
    const Ended built = work.compile(how + " -Werror -o prog");
    ASSERT_EQ(built.code, 0) << built.output;
    EXPECT_EQ(built.output, "");
    EXPECT_EQ(output_of_header_launch(work), "1321 main.cpp 5\n");
  }
}

TEST(cxx, messages_about_headers_that_launch_name_file_line_and_column) {
  const Work work;
  write_header_launch(work);
  work.write("kernels/bad.hpp",
             "#pragma once\n#include \"k.hpp\"\n#define PAD /* a macro before the error */\n"
             "inline void bad() { PAD int x = undeclared; add<1, 2><<<1, 0, nullptr>>>(&x, 3); }\n");
  work.write("k.cpp", "#include \"kernels/bad.hpp\"\nint main() { bad(); }\n");
  const Ended wrong = work.compile("k.cpp -o k");
  EXPECT_EQ(wrong.code, 1);
  EXPECT_TRUE(has(wrong, "kernels/bad.hpp:4:33: error:")) << wrong.output;
  EXPECT_FALSE(has(wrong, "/ptox_")) << "no temporary name: " << wrong.output;
  work.write("kernels/bad.hpp", "\n\ninline void bad() { k<<<1, 0>>(1); }\n");
  const Ended open = work.compile("k.cpp -o k");
  EXPECT_EQ(open.code, 1);
  EXPECT_TRUE(has(open, "kernels/bad.hpp:3: error: this <<< has no >>> that closes it")) << open.output;
}

TEST(cxx, a_launch_in_a_header_that_a_condition_excludes_is_not_compiled) {
  const Work work;
  work.write("k.hpp", "#if 0\ninline void go() { k<<<1, 0, nullptr>>>(1); }\n#endif\n");
  work.write("k.cpp", "#include \"k.hpp\"\nint main() {}\n");
  const Ended e = work.compile("k.cpp -Werror -o k");
  EXPECT_EQ(e.code, 0) << e.output;
}

TEST(cxx, headers_that_launch_are_compiled_into_objects_with_their_dependencies) {
  const Work work;
  write_header_launch(work);
  const std::string flags = "-I kernels -include kernels/go.hpp '-DGO=<k.hpp>' ";
  work.write("other.cpp", "int other() { return 1; }\n");
  ASSERT_EQ(work.compile(flags + "-MD -c main.cpp -o out.o").code, 0);
  EXPECT_EQ(contents(work.folder.path / "out.d").find("out.o:"), 0u);
  EXPECT_NE(contents(work.folder.path / "out.d").find("main.cpp"), std::string::npos);
  EXPECT_NE(contents(work.folder.path / "out.d").find("kernels/go.hpp"), std::string::npos);
  ASSERT_EQ(work.compile(flags + "-MMD -MF deps -MT goal -c main.cpp").code, 0);
  EXPECT_EQ(contents(work.folder.path / "deps").find("goal: main.cpp"), 0u) << contents(work.folder.path / "deps");
  ASSERT_EQ(work.compile("main.o other.cpp -o prog").code, 0) << "the object of a source is named after it";
  EXPECT_EQ(output_of_header_launch(work), "1321 main.cpp 5\n");
  ASSERT_EQ(work.compile("quoted.cpp other.cpp -c").code, 0);
  ASSERT_EQ(work.compile("quoted.o other.o -o prog").code, 0);
  EXPECT_EQ(output_of_header_launch(work), "1321 main.cpp 5\n");
  EXPECT_EQ(work.compile(flags + "-fsyntax-only main.cpp").code, 0);
  EXPECT_EQ(work.compile("-c quoted.cpp other.cpp -o both.o").code, 2);
}

TEST(cxx, launches_are_written_in_the_ways_that_sources_use) {
  const Work work;
  work.write("k.cpp",
             "#include <pto/pto-inst.hpp>\n#include <cstdio>\n"
             "extern \"C\" __global__ AICORE void run_add_one(int* x) { ++*x; }\n"
             "template <class T, int n> AICORE void add(T* x) { *x += n; }\n"
             "AICORE void add(int* x, int n = 1000) { *x += n; }\n"
             "#define LAUNCH(NAME, ...)                      \\\n  do {                                         \\\n"
             "    run_##NAME<<<1, nullptr, stream>>>(__VA_ARGS__); \\\n  } while (0)\n"
             "#define ON_ONE <<<1, nullptr, stream>>>\n"
             "#define CHECK(...) __VA_ARGS__\n"
             "void launch(int* x, void* stream) { return add<int, 20><<<1, nullptr, stream>>>(x); }\n"
             "int main() {\n  int x = 0;\n  void* stream = nullptr;\n"
             "  LAUNCH(add_one, &x);\n"
             "  launch(&x, stream);\n"
             "  add<int,\n      300>\n#ifndef __CPU_SIM\n      <<<1, nullptr, stream>>>\n#endif\n      (&x);\n"
             "  [&] { CHECK(add<<<1, nullptr, stream>>>(&x)); }();\n"
             "  void (*kernels[])(int*) = {add<int, 10000>};\n  kernels[0]<<<1, nullptr, stream>>>(&x);\n"
             "  run_add_one ON_ONE (&x);\n"
             "  std::printf(\"%d <<<1>>>\\n\", x);\n}\n");
  for (const std::string macro : {"", "-D__CPU_SIM"}) {
    const Ended built = work.compile("-Werror k.cpp -o prog " + macro);
    ASSERT_EQ(built.code, 0) << built.output;
    EXPECT_EQ(work.run("./prog").output, "11322 <<<1>>>\n");
    const Ended checked = work.tool("check --report r.json ./prog");
    EXPECT_EQ(checked.code, 0) << checked.output;
    const std::string report = contents(work.folder.path / "r.json");
    EXPECT_NE(report.find("run_add_one"), std::string::npos) << report;
  }
}

TEST(cxx, another_pto_on_the_include_path_is_warned_of) {
  const Work work;
  work.write("other/pto/pto-inst.hpp", "#error this one\n");
  work.write("k.cpp", "#include <pto/pto-inst.hpp>\nint main() {}\n");
  for (const std::string flag : {"-Iother", "-I other", "-isystem other"}) {
    const Ended e = work.compile("-fsyntax-only k.cpp " + flag);
    EXPECT_EQ(e.code, 0) << e.output;
    EXPECT_TRUE(has(e, "ptox c++: warning: other/pto/pto-inst.hpp is not the header of ptox")) << e.output;
  }
  EXPECT_EQ(work.compile("-fsyntax-only k.cpp -I '" PTOX_SOURCE_DIR "/include'").output, "");
}

TEST(cxx, a_standard_that_is_too_old_is_left_out_aloud) {
  const Work work;
  work.write("k.cpp", "#include <pto/pto-inst.hpp>\nint main() {}\n");
  for (const std::string old : {"-std=c++17", "-std=gnu++14", "-std=c++2003"}) {
    const Ended e = work.compile("-fsyntax-only k.cpp " + old);
    EXPECT_EQ(e.code, 0) << e.output;
    EXPECT_EQ(e.output, "ptox c++: warning: " + old + " is left out, the headers of ptox are C++20\n");
  }
  for (const std::string fine : {"-std=c++20", "-std=gnu++2a", "-std=c++2b"})
    EXPECT_EQ(work.compile("-fsyntax-only k.cpp " + fine).output, "");
  EXPECT_EQ(work.compile("-fsyntax-only k.cpp -std=").code, 1) << "the compiler says what is wrong";
}

TEST(cxx, wrong_arguments_are_exit_code_2) {
  const Work work;
  work.write("k.cpp", "int main() {}\n");
  work.write("kernel.pto", "");
  const std::pair<const char*, const char*> wrong[] = {
      {"c++", "there is no file to compile"},
      {"c++ -c", "there is no file to compile"},
      {"c++ missing.cpp", "there is no file 'missing.cpp'"},
      {"c++ . -o k", "'.' is a folder, not a file"},
      {"c++ ''", "a file has a name; it is empty"},
      {"c++ kernel.pto -o k", "'kernel.pto' is PTO-AS; `ptox run` runs it"},
      {"c++ k.cpp -DPTO_TARGET=a9", "-DPTO_TARGET is 'a9'; it must be cpu, a2a3 or a5\n"},
      {"c++ k.cpp -D PTO_TARGET", "-DPTO_TARGET is ''; it must be cpu, a2a3 or a5\n"},
      {"c++ k.cpp -o", "-o needs a value"},
      {"c++ k.cpp -o ./k.cpp", "-o ./k.cpp would overwrite the input"}};
  for (const auto& [arguments, message] : wrong) {
    const Ended e = work.tool(arguments);
    EXPECT_EQ(e.code, 2) << arguments;
    EXPECT_TRUE(has(e, std::string("ptox c++: ") + message)) << e.output;
  }
  EXPECT_EQ(contents(work.folder.path / "k.cpp"), "int main() {}\n");
}

TEST(cxx, a_compiler_that_is_not_there_is_a_sentence) {
  const Work work;
  work.write("-k.cpp", "int main() {}\n");
  const Ended none = work.run("env -u CXX PATH=/nowhere '" PTOX_TOOL "' c++ -- -k.cpp");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.output, "ptox c++: there is no C++ compiler; install g++ or name one in CXX\n");
  const Ended wrong = work.run("CXX='no_compiler -m64' '" PTOX_TOOL "' c++ -- -k.cpp");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.output, "ptox c++: CXX is 'no_compiler', which is not a program\n");
  EXPECT_EQ(work.compile("-fsyntax-only -- -k.cpp").code, 0);
}

TEST(cxx, a_tool_without_its_headers_says_what_is_missing) {
  const Work work;
  work.write("k.cpp", "int main() {}\n");
  work.run("mkdir bin && cp '" PTOX_TOOL "' bin");
  const Ended e = work.run("bin/ptox c++ k.cpp -o k");
  EXPECT_EQ(e.code, 3);
  EXPECT_TRUE(has(e, "ptox c++: the headers of ptox are missing: there is no " + work.folder.path.string()))
      << e.output;
}

}  // namespace
}  // namespace ptox
