// SPDX-License-Identifier: Apache-2.0
// Does the command line explain itself, answer, and refuse what it does not know?
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "shell.hpp"

namespace ptox {
namespace {

Ended tool(const std::string& arguments) { return shell("'" PTOX_TOOL "' " + arguments); }

TEST(tool, explains_itself) {
  for (const char* arguments : {"", "--help", "help"}) {
    const Ended e = tool(arguments);
    EXPECT_EQ(e.code, 0);
    EXPECT_NE(e.output.find("usage: ptox VERB"), std::string::npos);
    EXPECT_NE(e.output.find("demo"), std::string::npos);
  }
  std::vector<std::string> verbs{"demo", "c++", "check", "isa", "bench", "completion"};
#ifdef PTOX_ASM
  verbs.insert(verbs.end(), {"run", "verify", "emit"});
#endif
  for (const std::string& verb : verbs) {
    const Ended e = tool(verb + " --help");
    EXPECT_EQ(e.code, 0);
    EXPECT_EQ(e.output.find("usage: ptox " + verb), 0u) << e.output;
  }
}

TEST(tool, prints_its_version) { EXPECT_EQ(tool("--version").output, "ptox " PTOX_VERSION "\n"); }

TEST(tool, refuses_what_it_does_not_know_with_exit_code_2) {
  const std::pair<const char*, const char*> wrong[] = {
      {"fly", "there is no verb 'fly'; there are demo run verify emit c++ check isa bench completion"},
      {"isa --xml", "there is no option '--xml'"},
      {"isa madd", "there is no instruction 'madd'; there are mgather"},
      {"isa mgather tload", "one instruction at a time"},
      {"demo now", "it takes no arguments; 'now' was given"}};
  for (const auto& [arguments, message] : wrong) {
    const Ended e = tool(arguments);
    EXPECT_EQ(e.code, 2) << arguments;
    EXPECT_NE(e.output.find(message), std::string::npos) << e.output;
  }
}

TEST(tool, demo_checks_everything_it_shows) {
  const Ended e = tool("demo");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_EQ(e.output.find("WRONG"), std::string::npos) << e.output;
  EXPECT_NE(e.output.find("All as it should be."), std::string::npos);
  EXPECT_NE(e.output.find("[oob-index] mgather reads table row 64, table has 64 rows"), std::string::npos);
}

TEST(isa, prints_rules_and_tables) {
  const Ended e = tool("isa MGATHER");
  EXPECT_EQ(e.code, 0);
  EXPECT_NE(e.output.find("C3  idx elements are i32 or u32"), std::string::npos);
  EXPECT_NE(e.output.find("NZ, NZ                                      ✓       ✓       – C5"), std::string::npos)
      << e.output;
}

TEST(isa, json_is_json) {
  const Ended e = shell("'" PTOX_TOOL
                        "' isa --json | python3 -c 'import json,sys; d=json.load(sys.stdin); "
                        "print(len(d), [i[\"mnemonic\"] for i in d][0])'");
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.output, "18 mgather\n");
}

TEST(completion, bash_completes_verbs_options_and_values) {
  const Ended e = shell("bash -c 'source <(\"" PTOX_TOOL
                        "\" completion); words() { COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1)); _ptox; echo "
                        "\"${COMPREPLY[@]}\"; }; words ptox ver; words ptox isa --m; words ptox run --target a'");
  EXPECT_EQ(e.code, 0);
  EXPECT_EQ(e.output, "verify\n--md\na2a3 a5\n");
}

TEST(docs, the_committed_legality_pages_are_current) {
  const Folder folder;
  ASSERT_EQ(tool("isa --md --out '" + folder.path.string() + "'").code, 0);
  const std::filesystem::path committed = PTOX_SOURCE_DIR "/docs/isa";
  int pages = 0;
  for (const auto& page : std::filesystem::directory_iterator(folder.path)) {
    ++pages;
    EXPECT_EQ(contents(page.path()), contents(committed / page.path().filename())) << "run ./ptox isa --md";
  }
  int kept = 0;
  for (const auto& page : std::filesystem::directory_iterator(committed)) kept += page.is_regular_file();
  EXPECT_EQ(kept, pages);
}

/// The program of the README that begins with that line: compiled and run, and what the README says that it prints.
struct Shown {
  std::string ran, said, folder;
  Shown(const std::string& first_line, const std::string& name) {
    const std::string readme = contents(PTOX_SOURCE_DIR "/README.md");
    const std::size_t begin = readme.find("```cpp\n" + first_line) + 7, end = readme.find("```", begin);
    const Folder place;
    folder = place.path.string() + "/";
    const std::string source = folder + name, program = folder + "program";
    std::ofstream(source) << readme.substr(begin, end - begin);
    const Ended built = shell(PTOX_CXX " -std=c++20 -Wall -Wextra " PTOX_FLAGS " -I'" PTOX_SOURCE_DIR "/include' '" +
                              source + "' '" PTOX_LIBRARY "' -lpthread -o '" + program + "'");
    EXPECT_EQ(built.code, 0) << built.output;
    const Ended ended = shell("'" + program + "'");
    EXPECT_EQ(ended.code, 0);
    const std::size_t answer = readme.find("```\n", end + 3) + 4;
    ran = ended.output, said = readme.substr(answer, readme.find("```", answer) - answer);
  }
};

TEST(docs, the_readme_program_prints_what_the_readme_says) {
  const Shown lookup("#include <pto/pto-inst.hpp>", "lookup.cpp");
  EXPECT_EQ(lookup.ran, lookup.folder + lookup.said);
}

TEST(docs, the_readme_program_of_whole_tensors_prints_what_the_readme_says) {
  const Shown tensors("#include <ptox/ops.hpp>", "tensors.cpp");
  EXPECT_EQ(tensors.ran, tensors.said);
}

TEST(docs, the_readme_program_of_ranks_prints_what_the_readme_says) {
  const Shown ranks("#include <pto/comm/pto_comm_inst.hpp>", "ranks.cpp");
  EXPECT_EQ(ranks.ran, ranks.said);
}

TEST(docs, the_readme_program_of_a_table_over_ranks_prints_what_the_readme_says) {
  const Shown sharded("#include <ptox/sharded.hpp>", "sharded.cpp");
  EXPECT_EQ(sharded.ran, sharded.said);
}

}  // namespace
}  // namespace ptox
