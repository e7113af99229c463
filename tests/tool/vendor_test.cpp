// SPDX-License-Identifier: Apache-2.0
// The programs of tests/vendor compile unchanged, and pass on every target for which they are written.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "compiler.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

const std::string vendor = PTOX_SOURCE_DIR "/tests/vendor";

/// A program, compiled in a folder of its own.
struct Program {
  Folder folder;

  explicit Program(const std::string& name, const std::string& flags = "") {
    const Ended built =
        run("CXX='" + test_compiler() + "' '" PTOX_TOOL "' c++ -O0 -Wall -Wextra -Werror " PTOX_FLAGS " " + flags +
            " '" + vendor + "/" + name + "/kernel.cpp' '" + vendor + "/" + name + "/main.cpp' -I '" + vendor +
            "' -lgtest -ldl -o prog");
    EXPECT_EQ(built.code, 0) << name << '\n' << built.output;
    EXPECT_EQ(built.output, "") << name;
  }
  /// The program is one of GoogleTest too, and must not follow the variables by which CTest divides this one.
  Ended run(const std::string& command) const {
    return shell("unset GTEST_TOTAL_SHARDS GTEST_SHARD_INDEX GTEST_FILTER; cd '" + folder.path.string() + "' && " +
                 command);
  }
  Ended check(const std::string& arguments) const {
    return run("timeout -k 5 300 '" PTOX_TOOL "' check " + arguments + " ./prog --gtest_color=no");
  }
};

/// All tests passed, at least one ran, and there is no finding.
void expect_passes(const Ended& e, const std::string& what) {
  EXPECT_EQ(e.code, 0) << what << '\n' << e.output;
  EXPECT_NE(e.output.find(" is clean\n"), std::string::npos) << what << '\n' << e.output;
  EXPECT_NE(e.output.find("[       OK ]"), std::string::npos) << what << '\n' << e.output;
}

bool full() { return std::getenv("PTOX_FULL") != nullptr; }

class collectives : public testing::TestWithParam<const char*> {};

/// With 8 ranks a program tests groups of 1, 2, 3, 4 and 8 of them.
TEST_P(collectives, pass_on_every_target_and_number_of_ranks) {
  const Program program(GetParam());
  for (const std::string target : {"cpu", "a2a3", "a5"})
    for (const int ranks : full() ? std::vector<int>{1, 2, 3, 4, 8} : std::vector<int>{8}) {
      const std::string how = "--target " + target + " --ranks " + std::to_string(ranks);
      expect_passes(program.check(how), GetParam() + (" " + how));
    }
}

class without_collective : public testing::TestWithParam<const char*> {};

TEST_P(without_collective, every_test_fails) {
  const Program program(GetParam(), "-DWITHOUT_COLLECTIVE");
  const Ended e = program.run("timeout -k 5 300 '" PTOX_TOOL
                              "' check --ranks 3 --deadline 10000 ./prog --gtest_color=no --gtest_filter='*3Ranks*'");
  EXPECT_EQ(e.code, 1) << e.output;
  const std::regex run(R"(\[ RUN      \] (\S+))");
  std::set<std::string> tests;
  for (std::sregex_iterator at(e.output.begin(), e.output.end(), run), end; at != end; ++at) tests.insert((*at)[1]);
  EXPECT_FALSE(tests.empty());
  for (const std::string& test : tests)  // at least on the ranks that receive data
    EXPECT_NE(e.output.find("[  FAILED  ] " + test + " ("), std::string::npos) << test << '\n' << e.output;
}

constexpr const char* programs[] = {"tscatter", "tgather", "tbroadcast", "treduce", "tput", "tget", "tnotify", "ttest"};

constexpr const char* moves[] = {"mgather", "mgather_l1", "mscatter", "mgather_split"};

std::string name_of(const testing::TestParamInfo<const char*>& info) { return info.param; }

/// A plain `./test` compiles some of the programs with clang; `--full` all of them.
const std::size_t compiled = compiler_is_clang() ? 2 : std::size(programs),
                  compiled_moves = compiler_is_clang() ? 2 : std::size(moves);

INSTANTIATE_TEST_SUITE_P(vendor, collectives,
                         testing::ValuesIn(std::begin(programs), full() ? std::end(programs) : programs + compiled),
                         name_of);
INSTANTIATE_TEST_SUITE_P(vendor, without_collective,
                         testing::ValuesIn(full() ? std::vector(std::begin(programs), std::end(programs))
                                                  : std::vector{programs[5]}),
                         name_of);

class indexed_moves : public testing::TestWithParam<const char*> {};

/// A plain `./test` compiles some programs for one target only, because each target needs a compilation of all kernels.
TEST_P(indexed_moves, pass_on_every_target) {
  const std::string name = GetParam();
  std::vector<std::pair<std::string, std::string>> targets{
      {"a5", "-DREGISTER_BASE"}, {"a2a3", "-DMEMORY_BASE"}, {"cpu", ""}};
  if (name == "mgather_l1") targets.erase(targets.begin());  // on a5 a tile leaves L1 through another core
  if ((name == "mscatter" || name == "mgather_split") && !full()) targets.resize(1);
  for (const auto& [target, flags] : targets)
    expect_passes(Program(name, flags).check("--target " + target), name + " on " + target);
}

class without_move : public testing::TestWithParam<const char*> {};

TEST_P(without_move, every_test_fails) {
  const Ended e = Program(GetParam(), "-DMEMORY_BASE -DWITHOUT_COLLECTIVE").check("--target a2a3");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_EQ(e.output.find("[       OK ]"), std::string::npos) << e.output;
  EXPECT_NE(e.output.find("[  FAILED  ]"), std::string::npos) << e.output;
}

INSTANTIATE_TEST_SUITE_P(vendor, without_move,
                         testing::ValuesIn(full() ? std::vector(std::begin(moves), std::end(moves))
                                                  : std::vector{moves[1]}),
                         name_of);

INSTANTIATE_TEST_SUITE_P(vendor, indexed_moves,
                         testing::ValuesIn(std::begin(moves), full() ? std::end(moves) : moves + compiled_moves),
                         name_of);

TEST(vendor, one_process_plays_all_ranks_in_a_simulation) {
  const Program program("tscatter", "-D__CPU_SIM");
  const Ended e = program.run("./prog --gtest_color=no");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_NE(e.output.find("[       OK ]"), std::string::npos) << e.output;
}

#ifdef PTOX_MPICH_RUN  // ./test fails if MPICH is missing
TEST(vendor, the_same_program_runs_under_a_real_mpich) {
  const Program program("tbroadcast");
  for (const std::string target : {"cpu", "a5"}) {
    const Ended e =
        program.run("MPI_LIB_PATH=libmpich.so.12 PTOX_TARGET=" + target +
                    " timeout -k 5 300 " PTOX_MPICH_RUN " -n 4 ./prog --gtest_color=no --gtest_filter='*4*'");
    EXPECT_EQ(e.code, 0) << e.output;
    EXPECT_NE(e.output.find("[       OK ]"), std::string::npos) << e.output;
  }
}
#endif

}  // namespace
}  // namespace ptox
