// SPDX-License-Identifier: Apache-2.0
// The command line explains itself, answers, and refuses what it does not know.
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
  for (const std::string verb : {"demo", "run", "verify", "emit", "c++", "check", "isa", "bench", "completion"}) {
    const Ended e = tool(verb + " --help");
    EXPECT_EQ(e.code, 0);
    EXPECT_EQ(e.output.find("usage: ptox " + verb), 0u) << e.output;
  }
}

TEST(tool, prints_its_version) { EXPECT_EQ(tool("--version").output, "ptox " PTOX_VERSION "\n"); }

TEST(tool, launches_of_its_own_ignore_the_variables_for_programs) {
  const Folder folder;
  const std::string report = (folder.path / "r.json").string(), plain = tool("demo").output;
  for (const std::string& variable :
       {"PTOX_REPORT=" + report, std::string("PTOX_CHECK=off"), std::string("PTOX_SEED=3"),
        std::string("PTOX_TARGET=a2a3"), std::string("PTOX_SEED=none")}) {
    const Ended e = shell(variable + " '" PTOX_TOOL "' demo");
    EXPECT_EQ(e.code, 0) << variable << '\n' << e.output;
    EXPECT_EQ(e.output, plain) << variable;
  }
  EXPECT_FALSE(std::filesystem::exists(report));
}

TEST(tool, refuses_what_it_does_not_know_with_exit_code_2) {
  const std::pair<const char*, const char*> wrong[] = {
      {"fly", "there is no verb 'fly'; there are demo run verify emit c++ check isa bench completion"},
      {"chekc", "there is no verb 'chekc'; did you mean check?"},
      {"--versoin", "there is no verb '--versoin'; did you mean --version?"},
      {"isa --xml", "there is no option '--xml'\n"},
      {"isa --jsn", "there is no option '--jsn'; did you mean --json?"},
      {"isa madd", "there is no instruction 'madd'; there are mgather"},
      {"isa mgahter", "there is no instruction 'mgahter'; did you mean mgather?"},
      {"isa mgather tload", "one INSTRUCTION at a time; 'mgather' and 'tload' were given"},
      {"isa ''", "INSTRUCTION is empty"},
      {"isa --md --json", "--md and --json do not go together"},
      {"isa --out x", "--out goes with --md"},
      {"run", "FILE is missing"},
      {"run a.pto b.pto", "one FILE at a time; 'a.pto' and 'b.pto' were given"},
      {"run a.pto --engien mpi", "there is no option '--engien'; did you mean --engine?"},
      {"run a.pto --ranks 2 --engine thread", "it must be threads, processes or mpi; did you mean threads?"},
      {"run a.pto --blocks 0", "--blocks is '0'; it must be from 1 to 65535"},
      {"verify k.cpp", "'k.cpp' is C++; `ptox c++` compiles it"},
      {"verify a.pto --target portabel", "it must be cpu, a2a3, a5 or portable; did you mean portable?"},
      {"verify a.pto --strict=yes", "--strict takes no value"},
      {"verify a.pto --strict=", "--strict takes no value"},
      {"verify a.pto --help=1", "--help takes no value"},
      {"emit a.pto", "--as is missing; it must be level1, level2, as or cpp"},
      {"emit a.pto --as level3", "--as is 'level3'; it must be level1, level2, as or cpp; did you mean level1?"},
      {"emit a.pto --as level1 --insert-sync", "only Level 2 has flags"},
      {"help isa demo", "one VERB at a time; 'isa' and 'demo' were given"},
      {"isa --json=true", "--json takes no value"},
      {"isa --json=false", "--json takes no value"},
      {"run a.pto --target --blocks 2", "--target needs a value"},
      {"demo now", "it takes no arguments; 'now' was given"}};
  for (const auto& [arguments, message] : wrong) {
    const Ended e = tool(arguments);
    EXPECT_EQ(e.code, 2) << arguments;
    EXPECT_NE(e.output.find(message), std::string::npos) << e.output;
  }
}

TEST(tool, help_shows_every_option_with_its_default_and_an_example) {
  for (const char* verb : {"demo", "run", "verify", "emit", "c++", "check", "isa", "bench", "completion"}) {
    const Ended e = tool(std::string(verb) + " --help");
    EXPECT_EQ(e.code, 0) << verb;
    const std::size_t examples = e.output.find("\nexample");
    ASSERT_NE(examples, std::string::npos) << e.output;
    EXPECT_NE(e.output.find(std::string("ptox ") + verb, examples), std::string::npos) << e.output;
    int options = 0, defaults = 0;
    std::istringstream lines(e.output.substr(0, examples));
    for (std::string line; std::getline(lines, line);) {
      options += line.starts_with("  -") && !line.starts_with("  --help ");
      defaults += line.find("[default: ") != std::string::npos;
    }
    EXPECT_EQ(options, defaults) << e.output;
  }
}

TEST(tool, demo_checks_everything_it_shows) {
  const Ended e = tool("demo");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_EQ(e.output.find("WRONG"), std::string::npos) << e.output;
  EXPECT_NE(e.output.find("All results are correct."), std::string::npos);
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

}  // namespace
}  // namespace ptox
