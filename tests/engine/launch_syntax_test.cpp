// SPDX-License-Identifier: Apache-2.0
// kernel<<<...>>>(...), as rewritten, launches on the default device with the given operands.
#include "ptox/launch_syntax.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "launched.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

#define COMMA ,
// The expression that `ptox c++` generates for k<<<...>>>; the parenthesised arguments follow.
#define LAUNCH(k, ...) ::ptox::detail::on_default_device(#k, [&](auto&... ptox_args) { k(ptox_args...); }, __VA_ARGS__)

namespace ptox {
namespace {

using namespace pto;

/// Resets the default device to cpu and clears its findings before and after each test.
class DefaultLaunch : public ::testing::Test {
 protected:
  void SetUp() override { reset(); }
  void TearDown() override { reset(); }
  static void reset() {
    NPU_MEMORY_CLEAR();
    (void)take_plain_report();
  }
};

std::atomic<int> calls, last;
void count(int n) { ++calls, last = n; }
void count(const char* text) { ++calls, last = text[0]; }
template <class T, int n>
AICORE void count_times(T value) {
  ++calls, last = static_cast<int>(value) * n;
}

TEST_F(DefaultLaunch, runs_every_block_once_with_arguments_evaluated_once) {
  calls = 0;
  int evaluated = 0;
  LAUNCH(count, 8, 0, nullptr)(++evaluated);
  EXPECT_EQ(calls, 8);
  EXPECT_EQ(evaluated, 1);
  EXPECT_EQ(last, 1);
}

TEST_F(DefaultLaunch, overloaded_and_template_kernels_are_chosen_by_the_arguments) {
  calls = 0;
  LAUNCH(count, 1)("A");
  EXPECT_EQ(last, 'A');
  LAUNCH(count_times<float COMMA 3>, 1)(2.5f);
  EXPECT_EQ(last, 6);
  const auto local = [](int a, int b) { last = a - b; };
  LAUNCH(local, 1, nullptr)(9, 4);
  EXPECT_EQ(last, 5);
  LAUNCH([] { last = 0; }, 1)();
  EXPECT_EQ(last, 0);
}

TEST_F(DefaultLaunch, operands_are_numbers_of_any_type_and_null_pointers) {
  enum Blocks : std::uint8_t { two = 2 };
  calls = 0;
  void* none = nullptr;
  LAUNCH(count, two, none, none)(1);
  LAUNCH(count, std::uint64_t{2}, 0u, 0)(1);
  LAUNCH(count, short{2}, nullptr, none, 7)(1);
  EXPECT_EQ(calls, 6);
}

std::string refusal(std::int64_t blocks, std::int64_t bytes) {
  try {
    LAUNCH(count, blocks, bytes)(1);
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST_F(DefaultLaunch, operands_that_no_launch_has_are_refused) {
  EXPECT_EQ(refusal(0, 0), "launch: numBlocks is 0; it must be from 1 to 2147483647");
  EXPECT_EQ(refusal(-1, 0), "launch: numBlocks is -1; it must be from 1 to 2147483647");
  EXPECT_EQ(refusal(std::int64_t{1} << 31, 0), "launch: numBlocks is 2147483648; it must be from 1 to 2147483647");
  EXPECT_EQ(refusal(1, -32), "launch: dynUBufSize is -32; it must be 0 or more bytes");
}

TEST_F(DefaultLaunch, a_kernels_exception_comes_back) {
  const auto throws = [](int n) { throw n; };
  EXPECT_THROW(LAUNCH(throws, 2)(5), int);
}

/// Writes a tile of 160 KiB, which needs all of the UB that the second launch operand requests.
AICORE void wide() {
  Tile<TileType::Vec, float, 160, 256> t;
  TASSIGN(t, 0);
  TEXPANDS(t, 1.0f);
}

TEST_F(DefaultLaunch, the_second_operand_is_the_dynamic_part_of_ub) {
  NPU_MEMORY_INIT(NPUArch::A5);
  LAUNCH(wide, 1, 160 * 1024, nullptr)();
  EXPECT_TRUE(take_plain_report().clean());
  LAUNCH(wide, 4, nullptr, nullptr)();
  LAUNCH(wide, 2, 0, nullptr)();
  const Report r = take_plain_report();
  ASSERT_EQ(r.findings().size(), 1u) << "one place, one finding";
  EXPECT_TRUE(r.has(FindingKind::ub_budget)) << r;
  EXPECT_EQ(r.findings()[0].count, 6);
  EXPECT_EQ(r.target(), "a5");
  EXPECT_EQ(r.blocks(), 4);
  EXPECT_EQ(take_plain_report().blocks(), 1);
}

TEST_F(DefaultLaunch, the_report_names_the_kernels) {
  const auto other = [](int) {};
  EXPECT_EQ(take_plain_report().kernel(), "plain calls");
  LAUNCH(count, 1)(1);
  LAUNCH(count, 2)(1);
  LAUNCH(other, 1)(1);
  EXPECT_EQ(take_plain_report().kernel(), "count, other");
  EXPECT_EQ(take_plain_report().kernel(), "plain calls");
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h", "i"}) detail::on_default_device(name, other, 1)(1);
  EXPECT_EQ(take_plain_report().kernel(), "a, b, c, d, e, f, g, h, ...");
}

TEST_F(DefaultLaunch, plain_calls_with_findings_are_named_beside_kernels) {
  NPU_MEMORY_INIT(NPUArch::A5);
  LAUNCH(wide, 1)();
  wide();
  EXPECT_EQ(take_plain_report().kernel(), "wide, plain calls");
}

TEST_F(DefaultLaunch, a_plain_call_before_it_is_over) {
  NPU_MEMORY_INIT(NPUArch::A5);
  Tile<TileType::Vec, float, 8, 8> held;
  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
  LAUNCH(count, 1)(1);
  EXPECT_TRUE(take_plain_report().has(FindingKind::flag_leak));
}

class DefaultLaunchDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override {
    GTEST_FLAG_SET(death_test_style, "fast");
    for (const char* name : {"PTOX_TARGET", "PTOX_CHECK", "PTOX_SEED"}) unsetenv(name);
  }
};

[[noreturn]] void print_order_and_exit() {
  std::string order;
  const auto note = [&] { order += static_cast<char>('0' + get_block_idx()); };
  LAUNCH(note, 8)();
  std::fprintf(stderr, "order %s\n", order.c_str());
  std::exit(0);
}

TEST_F(DefaultLaunchDeathTest, the_seed_from_outside_orders_the_blocks) {
  // The reference order is determined before the variables are set, because the first launch of a process reads them
  // for all launches.
  std::string order;
  require_clean(Device(target::a5).launch({.blocks = 8, .dyn_ub_bytes = 0, .seed = ~std::uint64_t{0}}, [&] {
    order += static_cast<char>('0' + get_block_idx());
  }));
  EXPECT_NE(order, "01234567");
  setenv("PTOX_TARGET", "a5", 1);
  EXPECT_EXIT(print_order_and_exit(), ::testing::ExitedWithCode(0), "order 01234567");
  setenv("PTOX_SEED", "18446744073709551615", 1);
  EXPECT_EXIT(print_order_and_exit(), ::testing::ExitedWithCode(0), "order " + order);
}

TEST_F(DefaultLaunchDeathTest, a_wrong_value_from_outside_is_refused_without_any_plain_call) {
  const std::pair<const char*, const char*> wrong[] = {{"PTOX_TARGET", "b7"}, {"PTOX_CHECK", "some"},
                                                       {"PTOX_SEED", "-1"},   {"PTOX_SEED", "1 "},
                                                       {"PTOX_SEED", "0x1"},  {"PTOX_SEED", "18446744073709551616"}};
  for (const auto& [name, value] : wrong) {
    setenv(name, value, 1);
    EXPECT_EXIT(print_order_and_exit(), ::testing::ExitedWithCode(2),
                std::string(name) + " is " + value + "; it must be ");
    unsetenv(name);
  }
}

TEST_F(DefaultLaunchDeathTest, findings_print_at_exit_and_the_exit_code_is_1) {
  setenv("PTOX_TARGET", "a5", 1);
  EXPECT_EXIT(
      {
        LAUNCH(wide, 3)();
        std::exit(0);
      },
      ::testing::ExitedWithCode(1), "launch_syntax_test.cpp:[0-9]+: error: \\[ub-budget\\].*\na5, 3 blocks: 1 error");
}

}  // namespace
}  // namespace ptox
