// SPDX-License-Identifier: Apache-2.0
// The files of findings that PTOX_REPORT names.
#include "engine/report/report_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "shell.hpp"

namespace ptox {
namespace {

Report with(const std::string& kernel) { return {"a5", kernel, 1, {}}; }
bool has(const std::string& path, const std::string& part) { return contents(path).find(part) != std::string::npos; }

TEST(report_file, has_a_part_until_it_is_complete) {
  const Folder folder;
  const std::string name = folder.path / "r.json";
  ReportFile file(name);
  file.write_part(with("so_far"));
  EXPECT_TRUE(has(name + ".part", "so_far"));
  EXPECT_FALSE(std::filesystem::exists(name));
  file.write(with("whole"));
  EXPECT_TRUE(has(name, "whole"));
  EXPECT_FALSE(std::filesystem::exists(name + ".part"));
}

TEST(report_file, of_each_copy_of_ptox_in_a_process_has_a_name_of_its_own) {
  const Folder folder;
  const std::string pid = std::to_string(getpid());
  ReportFile first(folder.path / "r.%p.json"), second(folder.path / "r.%p.json"), third(folder.path / "r.%p.json");
  first.write_part(with("first"));
  second.write(with("second"));
  first.write(with("first"));
  third.write(with("third"));
  EXPECT_TRUE(has(folder.path / ("r." + pid + ".json"), "first"));
  EXPECT_TRUE(has(folder.path / ("r." + pid + ".2.json"), "second"));
  EXPECT_TRUE(has(folder.path / ("r." + pid + ".3.json"), "third"));
}

TEST(report_file, expands_only_the_last_component_of_its_path) {
  const std::string pid = std::to_string(getpid());
  EXPECT_EQ(with_process("a%p/b.%p.%p"), "a%p/b." + pid + "." + pid);
  EXPECT_EQ(with_process("%p"), pid);
  EXPECT_EQ(with_process("plain.json"), "plain.json");
}

}  // namespace
}  // namespace ptox
