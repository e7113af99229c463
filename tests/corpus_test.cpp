// SPDX-License-Identifier: Apache-2.0
// Every bad kernel has exactly the expected findings, and no good kernel has any.
#include "corpus.hpp"

#include <gtest/gtest.h>

#include <map>
#include <ostream>
#include <set>

namespace ptox::corpus {

std::vector<Kernel>& bad() {
  static std::vector<Kernel> kernels;
  return kernels;
}
std::vector<Kernel>& good() {
  static std::vector<Kernel> kernels;
  return kernels;
}

namespace {

/// One kernel on one target.
struct Case {
  const Kernel* kernel;
  const Target* target;
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.kernel->name << " on " << c.target->name; }

std::vector<Case> cases_of(const std::vector<Kernel>& kernels) {
  std::vector<Case> cases;
  for (const Kernel& k : kernels)
    for (const Target* t : k.targets) cases.push_back({&k, t});
  return cases;
}
std::string name_of(const testing::TestParamInfo<Case>& info) {
  return info.param.kernel->name + "_on_" + info.param.target->name;
}

Report run(const Case& c) {
  Device dev(*c.target, {Check::all});
  Memory memory(dev);
  return dev.launch(c.kernel->options, [&] { c.kernel->run(memory); });
}

/// The number of findings of each kind.
using Kinds = std::map<FindingKind, int>;

/// The severity that the documentation states for a kind. A few kernels are about a note.
Severity documented(FindingKind kind) {
  switch (kind) {
    case FindingKind::alias:
      return Severity::warning;
    case FindingKind::negative_index:
    case FindingKind::ub_scratch:
    case FindingKind::dyn_ub_ignored:
    case FindingKind::inferred_row:
      return Severity::note;
    default:
      return Severity::error;
  }
}

/// The errors and warnings of a report, and the notes that the kernel expects.
Kinds told(const Report& r, const Kernel& k) {
  Kinds kinds;
  for (const Finding& f : r.findings())
    if (f.severity != Severity::note || k.expects(f.kind)) ++kinds[f.kind];
  return kinds;
}

class BadKernel : public testing::TestWithParam<Case> {};
class GoodKernel : public testing::TestWithParam<Case> {};

TEST_P(BadKernel, has_its_findings_and_no_others) {
  const Kernel& k = *GetParam().kernel;
  const Report r = run(GetParam());
  Kinds expected;
  for (FindingKind kind : k.expected_on(*GetParam().target)) ++expected[kind];
  EXPECT_EQ(told(r, k), expected) << r;
  for (const Finding& f : r.findings())
    if (k.expects(f.kind)) {
      EXPECT_EQ(f.severity, documented(f.kind)) << f;
      EXPECT_FALSE(f.file.empty()) << f;
      EXPECT_GT(f.line, 0) << f;
    }
}

TEST_P(GoodKernel, is_clean) {
  const Report r = run(GetParam());
  EXPECT_TRUE(r.clean()) << r;
}

// Static objects of other files fill the lists before GoogleTest registers the parameterised tests.
INSTANTIATE_TEST_SUITE_P(corpus, BadKernel, testing::ValuesIn(cases_of(bad())), name_of);
INSTANTIATE_TEST_SUITE_P(corpus, GoodKernel, testing::ValuesIn(cases_of(good())), name_of);

TEST(corpora, every_bad_kernel_expects_something_and_no_good_one_does) {
  for (const Kernel& k : bad()) EXPECT_FALSE(k.expect.empty()) << k.name;
  for (const Kernel& k : good()) EXPECT_TRUE(k.expect.empty()) << k.name;
}

TEST(corpora, have_two_hundred_kernels_each) {
  EXPECT_GE(bad().size(), 200u);
  EXPECT_GE(good().size(), 200u);
}

TEST(bad_kernels, show_every_finding_three_ways_on_every_target_it_occurs_on) {
  const std::map<FindingKind, Targets> findings{
      {FindingKind::oob_index, everywhere},   {FindingKind::negative_index, everywhere},
      {FindingKind::oob_gm, everywhere},      {FindingKind::address_wrap, machines},
      {FindingKind::ub_overflow, machines},   {FindingKind::ub_budget, a5_only},
      {FindingKind::ub_misaligned, machines}, {FindingKind::ub_clobber, machines},
      {FindingKind::uninit_read, everywhere}, {FindingKind::race, machines},
      {FindingKind::atomic_race, a2a3_only},  {FindingKind::flag_deadlock, machines},
      {FindingKind::flag_leak, machines},     {FindingKind::flag_reuse, machines},
      {FindingKind::flag_id, machines},       {FindingKind::alias, everywhere},
      {FindingKind::dma_dropped, a2a3_only},  {FindingKind::stale_cache, machines},
      {FindingKind::simt_launch, a5_only},    {FindingKind::illegal, everywhere}};
  std::map<std::pair<FindingKind, const Target*>, int> ways;
  for (const Kernel& k : bad())
    for (const Target* t : k.targets) ++ways[{k.expect.front().kind, t}];
  for (const auto& [id, targets] : findings)
    for (const Target* t : targets) EXPECT_GE((ways[{id, t}]), 3) << id << " on " << t->name;
}

TEST(corpora, have_names_of_their_own) {
  for (const auto* corpus : {&bad(), &good()}) {
    std::set<std::string> names;
    for (const Kernel& k : *corpus) {
      EXPECT_TRUE(names.insert(k.name).second) << k.name << " twice";
      EXPECT_FALSE(k.targets.empty()) << k.name;
    }
  }
}

}  // namespace
}  // namespace ptox::corpus
