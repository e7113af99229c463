// SPDX-License-Identifier: Apache-2.0
// Every rule of every instruction has a number, a sentence and a test of its name.
#include <cctype>
#include <set>
#include <string>

#include "isa/rule_check.hpp"

namespace {

using rule_check::rule_name, rule_check::suite_name;

/// Calls visit.template operator()<Instruction, Rule>() for every rule of every instruction.
template <class V>
void each_rule(V&& visit) {
  pto::instr::AllInstructions::each(
      [&]<class I>() { I::Rules::each([&]<class R>() { visit.template operator()<I, R>(); }); });
}

std::set<std::string> registered_tests() {
  std::set<std::string> names;
  const auto& all = *testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const auto& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t)
      names.insert(std::string(suite.name()) + "." + suite.GetTestInfo(t)->name());
  }
  return names;
}

/// "c3_index_dtype" gives "C3".
std::string number_in(const std::string& rule) {
  const std::size_t end = rule.find('_');
  return rule.empty() || rule[0] != 'c' ? "" : "C" + rule.substr(1, end - 1);
}

TEST(rules, each_has_a_test_of_its_name) {
  const std::set<std::string> tests = registered_tests();
  int rules = 0;
  each_rule([&]<class I, class R>() {
    ++rules;
    EXPECT_TRUE(tests.contains(suite_name<I>() + "." + rule_name<R>()))
        << "write TEST(" << suite_name<I>() << ", " << rule_name<R>() << ")";
  });
  EXPECT_GE(rules, 99);
}

TEST(rules, the_number_in_the_label_is_the_one_in_the_name) {
  each_rule([]<class I, class R>() { EXPECT_EQ(R::label.code, number_in(rule_name<R>())) << I::mnemonic; });
}

TEST(rules, numbers_run_from_one_without_a_gap) {
  pto::instr::AllInstructions::each([]<class I>() {
    std::set<std::string> seen;
    std::size_t rules = 0;
    I::Rules::each([&]<class R>() { seen.insert(R::label.code), ++rules; });
    EXPECT_EQ(seen.size(), rules) << I::mnemonic << " has two rules of one number";
    for (std::size_t n = 1; n <= rules; ++n)
      EXPECT_TRUE(seen.contains("C" + std::to_string(n))) << I::mnemonic << " has no C" << n;
  });
}

TEST(rules, sentences_are_told_apart_and_end_without_a_period) {
  pto::instr::AllInstructions::each([]<class I>() {
    std::set<std::string> seen;
    I::Rules::each([&]<class R>() {
      const std::string sentence = R::label.sentence;
      ASSERT_FALSE(sentence.empty()) << I::mnemonic << " " << R::label.code;
      EXPECT_TRUE(std::isalnum(static_cast<unsigned char>(sentence.back())) || sentence.back() == ']') << sentence;
      EXPECT_TRUE(seen.insert(sentence).second) << I::mnemonic << " says twice: " << sentence;
    });
  });
}

TEST(rules, mnemonics_are_unique) {
  std::set<std::string> mnemonics, suites;
  pto::instr::AllInstructions::each([&]<class I>() {
    mnemonics.insert(I::mnemonic);
    suites.insert(suite_name<I>());
  });
  EXPECT_EQ(mnemonics.size(), static_cast<std::size_t>(pto::instr::AllInstructions::size));
  EXPECT_EQ(suites.size(), mnemonics.size());
}

}  // namespace
