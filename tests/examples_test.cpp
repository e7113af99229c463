// SPDX-License-Identifier: Apache-2.0
// Every example gives correct results without findings on every target with every seed, and saves its arguments.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "ptox/npy.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

/// The arguments of the kernels of an example, and those that they write.
struct Arguments {
  std::set<std::string> all, written;
};
const std::map<std::string, Arguments> examples{
    {"embedding_lookup", {{"table", "idx", "out", "chunks"}, {"out"}}},
    {"moe", {{"tokens", "slots", "expert_in", "expert_out", "combined"}, {"expert_in", "combined"}}},
    {"paged_kv", {{"cache", "row_ids", "out", "tokens"}, {"out"}}},
    {"ping_pong", {{"table", "idx", "out", "pairs"}, {"out"}}},
    {"sparse_gradient", {{"table", "grad", "idx", "chunks"}, {"table"}}},
};

Ended run_example(const std::string& name, const std::string& arguments) {
  return shell("'" PTOX_EXAMPLES "/example_" + name + "' " + arguments);
}

TEST(examples, every_source_is_one_of_these) {
  std::set<std::string> sources, names{"ranks"};
  for (const auto& entry : std::filesystem::directory_iterator(PTOX_SOURCE_DIR "/examples"))
    if (entry.path().extension() == ".cpp") sources.insert(entry.path().stem());
  for (const auto& [name, arguments] : examples) names.insert(name);
  EXPECT_EQ(sources, names);
}

TEST(examples, are_right_and_clean_on_every_target_in_every_order) {
  for (const auto& [name, arguments] : examples)
    for (const std::string target : {"cpu", "a2a3", "a5"})
      for (int seed = 0; seed < 6; ++seed) {
        const Ended e = run_example(name, target + " --seed " + std::to_string(seed));
        EXPECT_EQ(e.code, 0) << name << '\n' << e.output;
        EXPECT_EQ(e.output.find(target), 0u) << name << '\n' << e.output;
        EXPECT_NE(e.output.find(": as the plain loop, clean"), std::string::npos) << name << '\n' << e.output;
      }
}

TEST(examples, ranks_are_right_and_clean_by_threads_and_by_processes) {
  for (const std::string engine : {"threads", "processes"})
    for (int seed = 0; seed < 4; ++seed) {
      const Ended e = run_example("ranks", "all --engine " + engine + " --seed " + std::to_string(seed));
      EXPECT_EQ(e.code, 0) << e.output;
      for (const std::string target : {"cpu", "a2a3", "a5"})
        EXPECT_NE(e.output.find(target), std::string::npos) << e.output;
    }
  EXPECT_EQ(run_example("ranks", "--engine pigeons").code, 2);
}

TEST(examples, save_every_argument_before_and_what_is_written_after) {
  for (const auto& [name, arguments] : examples) {
    const Folder folder;
    const Ended e = run_example(name, "all --dump '" + folder.path.string() + "/new'");
    ASSERT_EQ(e.code, 0) << e.output;
    std::set<std::string> files, expected;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path / "new")) {
      files.insert(entry.path().filename());
      EXPECT_GT(read_npy(entry.path()).count(), 0) << entry.path();
    }
    for (const std::string& argument : arguments.all) expected.insert(argument + ".npy");
    for (const std::string& argument : arguments.written) expected.insert(argument + ".out.npy");
    EXPECT_EQ(files, expected) << name;
    for (const std::string& argument : arguments.written)
      EXPECT_NE(read_npy(folder.path / "new" / (argument + ".npy")).bytes,
                read_npy(folder.path / "new" / (argument + ".out.npy")).bytes)
          << name << ' ' << argument;
  }
}

TEST(examples, refuse_a_command_line_that_they_do_not_know) {
  for (const std::string bad : {"b7", "--dump", "--seed x", "--help"}) {
    const Ended e = run_example("moe", bad);
    EXPECT_EQ(e.code, 2) << bad;
    EXPECT_NE(e.output.find("usage: "), std::string::npos) << bad;
  }
  EXPECT_EQ(run_example("moe", "cpu --dump /dev/null/x").code, 1);
}

}  // namespace
}  // namespace ptox
