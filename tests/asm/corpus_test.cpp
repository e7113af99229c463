// SPDX-License-Identifier: Apache-2.0
// The inputs kept from fuzzing, and those that once made a reader fail, are read without a failure.
#include <gtest/gtest.h>

#include <filesystem>

#include "fuzz/fuzz.hpp"
#include "shell.hpp"

namespace ptox::fuzz {

namespace {

int replay(const char* folder, assembly::TextForm form) {
  int files = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(PTOX_SOURCE_DIR) + "/tests/fuzz/corpus/" + folder)) {
    EXPECT_EQ(disproved(contents(file.path()), form), "") << file.path();
    ++files;
  }
  return files;
}

}  // namespace

TEST(corpus, mlir) { EXPECT_GE(replay("mlir", assembly::TextForm::mlir), 36); }
TEST(corpus, as) { EXPECT_GE(replay("as", assembly::TextForm::as), 12); }

TEST(corpus, lit_files_in_either_form) {
  int files = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(std::string(PTOX_SOURCE_DIR) + "/tests/lit")) {
    if (file.path().extension() != ".pto") continue;
    const std::string text = contents(file.path());
    EXPECT_EQ(disproved(text, assembly::TextForm::mlir), "") << file.path();
    EXPECT_EQ(disproved(text, assembly::TextForm::as), "") << file.path();
    ++files;
  }
  EXPECT_GE(files, 190);
}

}  // namespace ptox::fuzz
