// SPDX-License-Identifier: Apache-2.0
// `ptox check --ranks` runs host programs of several ranks, and ends all of them when one fails.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "compiler.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

/// A folder with the programs, each compiled when a test first uses it.
class Programs {
 public:
  Folder folder;

  Ended run(const std::string& command) {
    return compile(command), shell("cd '" + folder.path.string() + "' && " + command);
  }
  Ended check(const std::string& arguments) { return run("'" PTOX_TOOL "' check " + arguments); }

 private:
  /// Compiles the programs whose name the command contains.
  void compile(const std::string& command) {
    constexpr std::pair<const char*, const char*> sources[] = {{"./prog", "ranks.cpp'"},
                                                               {"./without", "ranks.cpp' -DWITHOUT_COLLECTIVE"},
                                                               {"./forked", "forked_ranks.cpp'"},
                                                               {"./wrong", "wrong_collectives.cpp'"}};
    for (const auto& [name, source] : sources) {
      if (command.find(name) == std::string::npos || !compiled_.insert(name).second) continue;
      const Ended built = shell("cd '" + folder.path.string() + "' && CXX='" + test_compiler() +
                                "' '" PTOX_TOOL "' c++ -O0 -Wall -Wextra -Werror " PTOX_FLAGS " -ldl '" PTOX_SOURCE_DIR
                                "/tests/tool/programs/" +
                                source + " -o " + name);
      EXPECT_EQ(built.code, 0) << built.output;
    }
  }
  std::set<std::string> compiled_;
};

Programs& programs() {
  static Programs all;
  return all;
}

bool has(const Ended& e, const std::string& part) { return e.output.find(part) != std::string::npos; }

/// The names in /dev/shm, without those of Open MPI and MPICH, whose tests run at the same time.
std::set<std::string> shared_memory() {
  const std::regex of_mpi("^(vader|osc|sm|ucx|mpich|psm|sem).*");
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/dev/shm"))
    if (const std::string name = entry.path().filename(); !std::regex_match(name, of_mpi)) names.insert(name);
  return names;
}

TEST(check_ranks, a_broadcast_reaches_all_ranks_on_every_target) {
  for (const std::string target : {"cpu", "a2a3", "a5"})
    for (const int ranks : {1, 2, 3, 4, 8}) {
      const std::string n = std::to_string(ranks);
      const Ended e = programs().check("--ranks " + n + " --target " + target + " ./prog");
      EXPECT_EQ(e.code, 0) << e.output;
      for (int r = 0; r < ranks; ++r)
        EXPECT_TRUE(has(e, "rank " + std::to_string(r) + " of " + n + ": right\n")) << e.output;
      EXPECT_TRUE(has(e, "./prog on " + target + " is clean\n")) << e.output;
    }
}

TEST(check_ranks, without_the_collective_the_program_fails) {
  const Ended e = programs().check("--ranks 3 ./without");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_TRUE(has(e, "rank 1 of 3: 512 wrong\n")) << e.output;
}

TEST(check_ranks, output_is_prefixed_with_the_rank) {
  const Ended e = programs().check("--ranks 2 --prefix ./prog");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_TRUE(has(e, "[0] rank 0 of 2: right\n") && has(e, "[1] rank 1 of 2: right\n")) << e.output;
}

/// Each fault of the last of three ranks ends all of them with exit code 1 and a sentence that names the rank.
TEST(check_ranks, a_faulty_rank_ends_all) {
  const std::pair<const char*, const char*> faults[] = {
      {"exit", "rank 2 has ended without HcclCommDestroy, last in HcclBarrier"},
      {"throw", "rank 2 was ended by signal 6"},
      {"kill", "rank 2 was ended by signal 9"},
      {"hang", " waits for rank 2 (last in HcclBarrier), which did not come within 1500 ms"},
      {"twice", "rank 0 joins a second time with the same root info"},
      {"other_number", "joins a group of "},
      {"never", "for rank 2 to join (HCCL_CONNECT_TIMEOUT)"}};
  const std::set<std::string> before = shared_memory();
  for (const auto& [fault, sentence] : faults) {
    const auto began = std::chrono::steady_clock::now();
    const Ended e = programs().run(
        std::string("HCCL_CONNECT_TIMEOUT=1 timeout 60 '" PTOX_TOOL "' check --ranks 3 --deadline 1500 ./prog ") +
        fault);
    EXPECT_EQ(e.code, 1) << fault << '\n' << e.output;
    EXPECT_TRUE(has(e, sentence)) << fault << '\n' << e.output;
    EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(50))
        << fault << " waited for the time limit";
  }
  EXPECT_EQ(shared_memory(), before);
}

/// Without a shorter time limit of its own, joining ends at the deadline too.
TEST(check_ranks, a_rank_that_never_joins_ends_all_at_the_deadline) {
  const auto began = std::chrono::steady_clock::now();
  const Ended e = programs().check("--ranks 3 --deadline 1500 ./prog never");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_TRUE(has(e, "waited 1500 ms for rank 2 to join (the deadline of ranks)")) << e.output;
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30)) << "it waited for HCCL_CONNECT_TIMEOUT";
}

TEST(check_ranks, a_rank_that_hangs_after_the_others_have_ended_is_stopped) {
  const auto began = std::chrono::steady_clock::now();
  const Ended e = programs().check("--ranks 3 --deadline 1500 ./prog hang_at_end");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_TRUE(has(e, "rank 2 was stopped, because ")) << e.output;
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30));
}

TEST(check_ranks, a_refused_join_fails_the_program_even_if_it_ignores_the_code) {
  const Ended e = programs().check("--ranks 3 --deadline 5000 ./prog join_again");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_TRUE(has(e, "rank 2 joins a second time with the same root info")) << e.output;
  EXPECT_TRUE(has(e, "rank 0 of 3: right\n") && has(e, "rank 2 of 3: right\n")) << e.output;
}

TEST(check_ranks, deadline_and_prefix_are_for_ranks) {
  for (const std::string option : {"--deadline 5", "--prefix"}) {
    const Ended e = programs().check(option + " ./prog");
    EXPECT_EQ(e.code, 2) << e.output;
    EXPECT_TRUE(has(e, option.substr(0, option.find(' ')) + " is for --ranks N")) << e.output;
  }
}

TEST(check_ranks, many_faulty_runs_leave_no_shared_memory) {
  const std::set<std::string> before = shared_memory();
  const char* const faults[] = {"exit", "kill", "twice", "other_number"};
  const int runs = std::getenv("PTOX_FULL") ? 200 : 12;
  for (int i = 0; i < runs; ++i) {
    const std::string fault = faults[i % std::size(faults)];
    EXPECT_EQ(programs().check("--ranks 3 --deadline 1000 ./prog " + fault).code, 1) << fault << " in run " << i;
  }
  EXPECT_EQ(shared_memory(), before);
}

TEST(check_ranks, a_program_may_fork_its_ranks_itself) {
  for (const std::string target : {"cpu", "a2a3", "a5"})
    for (const std::string ranks : {"1", "3", "8"}) {
      const Ended e = programs().check("--target " + target + " ./forked " + ranks);
      EXPECT_EQ(e.code, 0) << e.output;
      EXPECT_TRUE(has(e, "0 of the ranks failed\n") && has(e, "./forked on " + target + " is clean\n")) << e.output;
    }
}

TEST(check_ranks, a_dead_rank_is_noticed_before_its_parent_waits_for_it) {
  const Ended e = programs().run("PTOX_DEADLINE=20000 timeout 100 '" PTOX_TOOL "' check ./forked 3 die");
  EXPECT_EQ(e.code, 1) << e.output;
  EXPECT_TRUE(has(e, "rank 2 has ended without HcclCommDestroy")) << e.output;
  EXPECT_FALSE(has(e, "did not come within")) << "it waited for the deadline\n" << e.output;
}

TEST(check_ranks, leaving_a_window_is_found_with_the_rank_whose_window_it_is) {
  for (const std::string target : {"cpu", "a2a3", "a5"}) {
    const Ended e = programs().check("--target " + target + " ./forked 3 leave");
    EXPECT_EQ(e.code, 1) << e.output;
    EXPECT_TRUE(has(e,
                    "error: [oob-gm] tstore touches bytes 209715200 to 209715327 of the allocation at rank 2 that "
                    "holds dst, which has 209715200 bytes"))
        << e.output;
  }
}

TEST(check_ranks, without_the_option_each_process_writes_a_report_with_its_rank) {
  const Ended e = programs().run("PTOX_TARGET=a5 PTOX_REPORT=own.json ./forked 2");
  EXPECT_EQ(e.code, 0) << e.output;
  EXPECT_TRUE(has(e, "rank 0 of 2:\n")) << e.output;
  for (const char* name : {"own.json", "own.0.json", "own.1.json"})
    EXPECT_NE(contents(programs().folder.path / name).find("\"findings\""), std::string::npos) << name;
}

/// A wrong call of a collective ends all ranks, and the report has its finding at the rank that called.
TEST(check_ranks, wrong_collectives_are_found_as_under_run_ranks) {
  const struct {
    const char *fault, *finding;
  } wrongs[] = {{"nonroot", "error: [comm-nonroot] tscatter at rank 0 of 3: "},
                {"root", "error: [comm-root] tscatter at rank 0 of 3: root 7 of 3 ranks"},
                {"shape", "error: [comm-shape] tscatter at rank 0 of 3: "},
                {"small_source", "error: [comm-shape] tscatter at rank 0 of 3: "},
                {"other_source", "error: [comm-source] tscatter at rank 0 of 3: "},
                {"divisible", "error: [comm-divisible] tscatter at rank 0 of 3: "},
                {"timeout", "error: [comm-timeout] twait at rank 0 of 3: the signal is 0, waited for EQ 1 "},
                {"dead_rank", "error: [comm-dead-rank] rank 2 has ended without HcclCommDestroy"}};
  for (const std::string target : {"cpu", "a2a3", "a5"})
    for (const auto& [fault, finding] : wrongs) {
      const Ended e = programs().check("--ranks 3 --deadline 1500 --target " + target + " ./wrong " + fault);
      EXPECT_EQ(e.code, 1) << fault << '\n' << e.output;
      EXPECT_TRUE(has(e, finding)) << fault << " on " << target << '\n' << e.output;
    }
}

TEST(check_ranks, the_report_has_the_rank_of_each_finding) {
  const Ended e = programs().check("--ranks 3 --deadline 1500 --report r.json ./prog exit");
  EXPECT_EQ(e.code, 1) << e.output;
  const std::string json = contents(programs().folder.path / "r.json");
  EXPECT_NE(json.find("\"ranks\": 3"), std::string::npos) << json;
  EXPECT_NE(json.find("\"rank\": 0"), std::string::npos) << json;
  EXPECT_NE(json.find("\"rank\": 1"), std::string::npos) << json;
}

TEST(check_ranks, a_program_in_which_one_process_plays_all_ranks_is_refused) {
  const Folder folder;
  std::ofstream(folder.path / "sim.cpp") << "#include <pto/pto-inst.hpp>\n"
                                            "int main(int argc, char** argv) {\n"
                                            "  CommDeviceContext context{};\n"
                                            "  HcclHostBarrier(comm, stream);\n"
                                            "  return !CommMpiInit(&argc, &argv) || !argv || context.rankNum;\n"
                                            "}\n";
  const std::string in = "cd '" + folder.path.string() + "' && CXX='" + test_compiler() + "' '" PTOX_TOOL "' ";
  const Ended built = shell(in + "c++ " PTOX_FLAGS " -D__CPU_SIM sim.cpp -o sim && ./sim");
  EXPECT_EQ(built.code, 0) << built.output;
  const Ended e = shell(in + "check --ranks 2 ./sim");
  EXPECT_EQ(e.code, 2);
  EXPECT_TRUE(has(e, "'./sim' was compiled with -D__CPU_SIM, with which one process plays all ranks")) << e.output;
}

}  // namespace
}  // namespace ptox
