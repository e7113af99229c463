// SPDX-License-Identifier: Apache-2.0
// For every rule that a text can break there is a file with that name that breaks it.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "asm/dialect/group_rules.hpp"
#include "pto/isa/all.hpp"
#include "shell.hpp"

namespace {

const std::string errors = std::string(PTOX_SOURCE_DIR) + "/tests/lit/errors/";

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// No text can break this rule: the tile type is rejected first, and run-time values are not known here.
bool no_text_breaks(std::string_view sentence) { return sentence.starts_with("valid extents are at least 1"); }

TEST(lit_files, each_rule_has_one) {
  int files = 0;
  pto::instr::AllInstructions::each([&]<class I>() {
    I::Rules::each([&]<class R>() {
      const std::string path = errors + I::mnemonic + "-" + lower(R::label.code) + ".pto";
      ASSERT_EQ(std::filesystem::exists(path), !no_text_breaks(R::label.sentence)) << path;
      if (no_text_breaks(R::label.sentence)) return;
      const std::string text = ptox::contents(path), said = std::string("error: ") + I::mnemonic + " " + R::label.code;
      EXPECT_NE(text.find(said + ": " + R::label.sentence), std::string::npos) << path << " checks the rule's words";
      EXPECT_NE(text.find("func.func @right("), std::string::npos) << path << " has a neighbour that is right";
      EXPECT_NE(text.find("--implicit-check-not=error:"), std::string::npos) << path << " allows no other error";
      ++files;
    });
  });
  EXPECT_GE(files, 88);
}

TEST(lit_files, each_rule_of_collectives_has_one) {
  for (const ptox::assembly::GroupRule& rule : ptox::assembly::group_rules()) {
    const std::string path = errors + "group-" + lower(rule.label) + ".pto", text = ptox::contents(path);
    EXPECT_NE(text.find(std::string(" ") + rule.label + ": " + rule.sentence), std::string::npos) << path;
    EXPECT_NE(text.find("func.func @right("), std::string::npos) << path;
    EXPECT_NE(text.find("--implicit-check-not=error:"), std::string::npos) << path;
  }
}

}  // namespace
