// SPDX-License-Identifier: Apache-2.0
// In random cases, gathers and scatters give the bytes that the manual specifies.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <sstream>

#include "random/layout.hpp"

namespace ptox::random_test {
namespace {

constexpr int cases_a_shard = 15'000, shards = 8;

bool right(const Case& c) { return actual(c) == expected(c); }

std::string difference(const Case& c) {
  const Outcome a = actual(c), e = expected(c);
  std::ostringstream out;
  const auto first = [&](const char* what, const auto& x, const auto& y) {
    for (std::size_t i = 0; i < x.size(); ++i)
      if (x[i] != y[i])
        return void(out << "\n  " << what << " byte " << i << ": expected " << int{y[i]} << ", found " << int{x[i]});
  };
  first("ub", a.ub, e.ub);
  first("gm", a.gm, e.gm);
  out << "\n  findings expected {";
  for (const auto& id : e.findings) out << " " << id;
  out << " }, found {";
  for (const auto& id : a.findings) out << " " << id;
  out << " }";
  return out.str();
}

void run_shard(int shard) {
  Random random(static_cast<std::uint64_t>(shard) * 7919 + 1);
  for (int i = 0; i < cases_a_shard; ++i) {
    const Case c = random_case(random);
    if (right(c)) continue;
    const Case least = shrunk(c, [](const Case& k) { return !right(k); });
    FAIL() << "case " << i << " of shard " << shard << ", shrunk:\n" << least << difference(least);
  }
}

class indexed : public testing::TestWithParam<int> {};
TEST_P(indexed, random_cases_equal_the_plain_loop) { run_shard(GetParam()); }
INSTANTIATE_TEST_SUITE_P(shards, indexed, testing::Range(0, shards));

TEST(random_cases, cover_every_target_type_policy_and_layout) {
  Random random(7);
  std::map<std::string, int> seen;
  for (int i = 0; i < 6000; ++i) {
    const Case c = random_case(random);
    const std::string t = c.target->name;
    ++seen[t + (c.scatter ? " scatter " : " gather ") + pto::instr::name(c.dtype)];
    ++seen[t + (c.scatter ? " scatter oob " : " gather oob ") + std::to_string(c.oob)];
    ++seen[t + (c.row ? " row " : " elem ") + std::to_string(static_cast<int>(c.layout))];
    if (c.scatter) ++seen[t + " op " + std::to_string(c.op)];
  }
  for (const Target* t : target::on_host) {
    for (int oob = 0; oob < 4; ++oob)
      for (const char* what : {" scatter oob ", " gather oob "})
        EXPECT_GT(seen[t->name + std::string(what) + std::to_string(oob)], 20);
    for (const pto::instr::DType d : pto::instr::all_dtypes)
      if (t->dtypes.has(d)) {
        EXPECT_GT(seen[t->name + std::string(" gather ") + pto::instr::name(d)], 10);
      }
  }
  for (const char* what :
       {"cpu row 0", "cpu row 1", "cpu row 2", "cpu elem 2", "a2a3 row 0", "a2a3 row 2", "a2a3 elem 2", "a5 row 0",
        "a5 row 1", "a5 elem 1", "cpu op 1", "cpu op 2", "cpu op 3", "a2a3 op 1", "a5 op 3"})
    EXPECT_GT(seen[what], 5) << what;
}

TEST(random_cases, shrink_to_the_least_failing_one) {
  Random random(11);
  Case c = random_case(random);
  while (c.rows < 5 || !c.row || c.target != &target::cpu) c = random_case(random);
  const Case least = shrunk(c, [](const Case& k) { return k.rows >= 3; });
  EXPECT_EQ(least.rows, 3);
  EXPECT_EQ(least.cols, 1);
  EXPECT_EQ(least.op, 0);
  EXPECT_EQ(least.index, (std::vector<std::uint32_t>{0, 0, 0}));
}

}  // namespace
}  // namespace ptox::random_test
