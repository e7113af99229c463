// SPDX-License-Identifier: Apache-2.0
// The MPI engine behaves like the other engines with each MPI of this machine, and ends properly when a rank fails.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/system/pool.hpp"
#include "ptox/ranks.hpp"
#include "shell.hpp"

namespace {

using ptox::Ended;

struct Mpi {
  const char* name;
  const char* run;
  const char* tests;
  const char* fault;
  bool open;  ///< whether it is Open MPI
};
const std::vector<Mpi> mpis = {
#ifdef PTOX_OPENMPI_RUN
    {"Open MPI", PTOX_OPENMPI_RUN " --oversubscribe --mca orte_abort_print_stack 0", PTOX_OPENMPI_TESTS,
     PTOX_OPENMPI_FAULT, true},
#endif
#ifdef PTOX_MPICH_RUN
    {"MPICH", PTOX_MPICH_RUN, PTOX_MPICH_TESTS, PTOX_MPICH_FAULT, false},
#endif
};
constexpr const char* no_mpi =
    "no MPI was found when this was built, or sanitizers are on. Debian: libopenmpi-dev libmpich-dev";

/// A lock across processes: only one MPI job runs at a time, so that new segments in /dev/shm belong to it.
class OneAtATime {
 public:
  OneAtATime() : file_(mpis.empty() ? -1 : open(mpis.front().tests, O_RDONLY | O_CLOEXEC)) { flock(file_, LOCK_EX); }
  OneAtATime(const OneAtATime&) = delete;
  ~OneAtATime() {
    if (file_ >= 0) close(file_);
  }

 private:
  int file_;
};
/// Runs a program on n ranks and ends all its processes; nodes > 1: simulates that many nodes.
Ended job(const Mpi& mpi, int n, int nodes, const std::string& program, int seconds = 120) {
  return ptox::shell(
      "env -u GTEST_TOTAL_SHARDS -u GTEST_SHARD_INDEX OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
      "PTOX_MPI_NODES=" +
      std::to_string(nodes) + " timeout -k 5 " + std::to_string(seconds) + " " + mpi.run + " -n " + std::to_string(n) +
      " " + program);
}

std::set<std::string> shared_memory() {
  std::set<std::string> names;
  if (DIR* d = opendir("/dev/shm")) {
    while (const dirent* e = readdir(d)) names.insert(e->d_name);
    closedir(d);
  }
  return names;
}

/// The files of processes: what /proc/PID/`file` of each process contains.
std::map<std::string, std::string> of_processes(const char* file) {
  std::map<std::string, std::string> texts;
  DIR* d = opendir("/proc");
  while (const dirent* e = d ? readdir(d) : nullptr) {
    if (e->d_name[0] < '0' || e->d_name[0] > '9') continue;
    std::ifstream in(std::string("/proc/") + e->d_name + "/" + file);
    std::stringstream text;
    text << in.rdbuf();
    texts[e->d_name] = text.str();
  }
  if (d) closedir(d);
  return texts;
}

/// New segments in /dev/shm that no process maps, and processes whose command line contains `word`.
std::string left_behind_now(const std::set<std::string>& before, const std::string& word) {
  std::string left;
  std::set<std::string> names;
  for (const std::string& name : shared_memory())
    if (!before.contains(name) && name.find("sem.") != 0) names.insert(name);
  if (!names.empty())
    for (const auto& [process, maps] : of_processes("maps"))
      std::erase_if(names, [&](const std::string& name) { return maps.find("/dev/shm/" + name) != std::string::npos; });
  for (const std::string& name : names) left += " /dev/shm/" + name;
  for (const auto& [process, line] : of_processes("cmdline"))
    if (line.find(word) != std::string::npos) left += " process " + process;
  return left;
}

/// The segments in /dev/shm and the processes that a job left since `before`. Jobs of other programs may run at the
/// same time: a segment that a live process maps belongs to them, and a segment that is being created or removed is
/// mapped or gone when the check is repeated.
std::string left_behind(const std::set<std::string>& before, const std::string& word) {
  std::string left = left_behind_now(before, word);
  for (int look = 0; look < 20 && !left.empty(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    left = left_behind_now(before, word);
  }
  return left;
}

void expect_passes(int n, int nodes, const std::string& filter, std::size_t most_mpis = 2) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  const OneAtATime one;
  for (const Mpi& mpi : std::span(mpis).first(std::min(most_mpis, mpis.size()))) {
    const Ended ended = job(mpi, n, nodes, std::string(mpi.tests) + " --gtest_color=no --gtest_filter=" + filter, 300);
    EXPECT_EQ(ended.code, 0) << mpi.name << " on " << n << " ranks:\n" << ended.output;
    EXPECT_TRUE(std::regex_search(ended.output, std::regex(R"(\[  PASSED  \] [1-9])"))) << ended.output;
  }
}

/// Ranks poll, so jobs of more ranks than cores are slow. A plain `./test` runs in some of the jobs only the tests in
/// which ranks communicate, those on several nodes with one MPI, and leaves 2 and 4 ranks on one node to `--full`.
const bool full = std::getenv("PTOX_FULL") != nullptr;
const std::string communicating = "mpi_group.*:signals.*:sharded*:*on_the_host";
const std::string most = full ? "*" : communicating;

TEST(mpi, the_core_tests_pass_on_1_rank) { expect_passes(1, 1, "collectives.*"); }
class mpi_ranks : public testing::TestWithParam<int> {};
TEST_P(mpi_ranks, of_one_node_pass_the_core_tests) { expect_passes(GetParam(), 1, "*"); }
INSTANTIATE_TEST_SUITE_P(mpi, mpi_ranks, testing::ValuesIn(full ? std::vector{2, 3, 4} : std::vector{3}));
TEST(mpi, the_core_tests_pass_on_8_ranks) { expect_passes(8, 1, "collectives.every_case_on_the_host"); }
TEST(mpi, ranks_that_are_bound_to_cores_use_these_cores) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  if (ptox::cores_of_this_process() < 2) GTEST_SKIP() << "two ranks cannot be bound to different cores of one core";
  const OneAtATime one;
  for (const Mpi& mpi : mpis) {
    Mpi bound = mpi;
    const std::string run = std::string(mpi.run) + (mpi.open ? " --bind-to core" : " -bind-to core");
    bound.run = run.c_str();
    const Ended ended = job(bound, 2, 1, std::string(mpi.tests) + " --gtest_color=no --gtest_filter=mpi_group.*bound*");
    EXPECT_EQ(ended.code, 0) << mpi.name << ":\n" << ended.output;
    EXPECT_NE(ended.output.find("[  PASSED  ] 1 test"), std::string::npos) << ended.output;
  }
}
TEST(mpi, they_pass_where_each_rank_has_a_node) { expect_passes(2, 2, most + "-*machines*"); }
TEST(mpi, they_pass_where_some_ranks_share_a_node) { expect_passes(3, 2, most, full ? 2 : 1); }
TEST(mpi, they_pass_on_two_nodes_of_two) {
  expect_passes(4, 2, full ? communicating : "mpi_group.*:signals.*:collectives.*on_the_host", full ? 2 : 1);
}

/// Expects that a job in which one rank fails ends in time with an error code and leaves no resources. Returns its
/// output.
std::string expect_ends(const Mpi& mpi, int n, int nodes, const std::string& how, int wrong, int deadline_ms) {
  const OneAtATime one;
  const std::string word = "mark" + std::to_string(getpid());
  const auto before = shared_memory();
  const auto begin = std::chrono::steady_clock::now();
  const Ended ended = job(
      mpi, n, nodes,
      std::string(mpi.fault) + " " + how + " " + std::to_string(wrong) + " " + std::to_string(deadline_ms) + " " + word,
      40);
  const auto took =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
  const std::string context = std::string(mpi.name) + ", rank " + std::to_string(wrong) + " " + how + " on " +
                              std::to_string(nodes) + " nodes:\n" + ended.output;
  EXPECT_NE(ended.code, 0) << context;
  EXPECT_NE(ended.code, 124) << context;
  EXPECT_LT(took, 5000 + deadline_ms) << context;
  EXPECT_EQ(left_behind(before, word), "") << context;
  return ended.output;
}

/// Whether a line of the output is about that rank and contains the text.
bool says(const std::string& output, int rank, const std::string& text) {
  std::istringstream lines(output);
  const std::string who = "rank " + std::to_string(rank);
  for (std::string line; std::getline(lines, line);)
    if ((line.find("ptox: " + who + " of") == 0 || line.find(who + " ended:") == 0) &&
        line.find(text) != std::string::npos)
      return true;
  return false;
}

TEST(mpi_faults, each_survivor_names_the_rank_that_died) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  for (const Mpi& mpi : mpis)
    for (int nodes : {1, 2})
      for (const char* how : {"killed", "exits", "leaves", "aborts"})
        for (int victim : {0, 2}) {
          const std::string output = expect_ends(mpi, 3, nodes, how, victim, 5000);
          for (int rank = 0; rank < 3 && mpi.open; ++rank)
            EXPECT_TRUE(rank == victim || says(output, rank, "rank " + std::to_string(victim) + " (last in"))
                << mpi.name << ": rank " << rank << " does not name rank " << victim << ", " << how << ":\n"
                << output;
        }
}

TEST(mpi_faults, a_rank_that_throws_or_never_comes_ends_the_job) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  for (const Mpi& mpi : mpis)
    for (int nodes : {1, 2})
      for (const char* how : {"throws", "never", "stopped"}) {
        const std::string output = expect_ends(mpi, 3, nodes, how, 1, 2000);
        const char* word = how == std::string("throws") ? "no bread left" : "rank 1 (last in";
        EXPECT_NE(output.find(word), std::string::npos) << mpi.name << " " << how << ":\n" << output;
      }
}

TEST(mpi_faults, a_rank_that_skips_a_group_is_named) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  for (const Mpi& mpi : mpis)
    for (int nodes : {1, 2}) {
      const std::string output = expect_ends(mpi, 4, nodes, "skips", 1, 1000);
      const bool named = output.find("rank 1 never came to run_ranks number 2") != std::string::npos ||
                         (nodes > 1 && output.find("rank 1 (last in no operation yet)") != std::string::npos);
      EXPECT_TRUE(named) << mpi.name << ":\n" << output;
    }
}

TEST(mpi_faults, a_job_that_ends_well_leaves_nothing) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  const OneAtATime one;
  for (const Mpi& mpi : mpis) {
    const auto before = shared_memory();
    const std::string word = "mark" + std::to_string(getpid());
    const Ended ended = job(mpi, 3, 1, std::string(mpi.fault) + " none 0 5000 " + word);
    EXPECT_EQ(ended.code, 0) << ended.output;
    EXPECT_EQ(left_behind(before, word), "") << ended.output;
  }
}

TEST(mpi_faults, hosts_work_together_and_notice_that_they_are_cut_off) {
#ifndef PTOX_OPENMPI_RUN
  GTEST_SKIP() << no_mpi;
#else
  const OneAtATime one;
  const Ended ended =
      ptox::shell("bash " PTOX_SOURCE_DIR "/tests/mpi/two_hosts.sh " PTOX_OPENMPI_RUN " " PTOX_OPENMPI_FAULT);
  if (ended.code == 77) GTEST_SKIP() << ended.output;
  EXPECT_EQ(ended.code, 0) << ended.output;
#endif
}

TEST(mpi, a_program_without_it_says_how_to_get_it) {
  try {
    ptox::run_ranks(2, ptox::Engine::mpi, [](ptox::Rank&) {});
    ADD_FAILURE();
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("ptox::mpi"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("libopenmpi-dev"), std::string::npos) << e.what();
  }
}

TEST(mpi, a_job_of_one_says_how_to_start_more) {
  if (mpis.empty()) GTEST_SKIP() << no_mpi;
  for (const Mpi& mpi : mpis) {
    const Ended ended = ptox::shell(std::string("timeout -k 5 60 ") + mpi.fault + " none");
    EXPECT_EQ(ended.code, 0) << mpi.name << ": " << ended.output;
  }
}

}  // namespace
