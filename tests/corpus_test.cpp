// SPDX-License-Identifier: Apache-2.0
// Is every bad kernel found, under its own id, and no good one?
#include "corpus.hpp"

#include <gtest/gtest.h>

#include <map>
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

Report run(const Kernel& k, const Target& target) {
  Device dev(target, {Check::all});
  Memory memory(dev);
  return dev.launch(k.options, [&] { k.run(memory); });
}

TEST(bad_kernels, are_all_found) {
  for (const Kernel& k : bad())
    for (const Target* t : k.targets) {
      const Report r = run(k, *t);
      EXPECT_TRUE(r.has(k.expect)) << k.name << " on " << t->name << " is not found as " << k.expect << "\n" << r;
      for (const Finding& f : r.findings())
        if (f.id == k.expect) {
          EXPECT_FALSE(f.file.empty()) << k.name;
          EXPECT_GT(f.line, 0) << k.name;
        }
    }
}

TEST(good_kernels, are_clean) {
  for (const Kernel& k : good())
    for (const Target* t : k.targets) {
      const Report r = run(k, *t);
      EXPECT_TRUE(r.clean()) << k.name << " on " << t->name << "\n" << r;
    }
}

TEST(corpora, have_two_hundred_kernels_each) {
  EXPECT_GE(bad().size(), 200u);
  EXPECT_GE(good().size(), 200u);
}

TEST(bad_kernels, show_every_finding_three_ways_on_every_target_it_occurs_on) {
  const std::map<std::string, Targets> findings{
      {"oob-index", everywhere},   {"negative-index", everywhere}, {"oob-gm", everywhere},
      {"address-wrap", machines},  {"ub-overflow", machines},      {"ub-budget", a5_only},
      {"ub-misaligned", machines}, {"ub-clobber", machines},       {"uninit-read", everywhere},
      {"race", machines},          {"atomic-race", a2a3_only},     {"flag-deadlock", machines},
      {"flag-leak", machines},     {"flag-reuse", machines},       {"flag-id", machines},
      {"alias", everywhere},       {"dma-dropped", a2a3_only},     {"stale-cache", machines},
      {"simt-launch", a5_only},    {"illegal", everywhere}};
  std::map<std::pair<std::string, const Target*>, int> ways;
  for (const Kernel& k : bad())
    for (const Target* t : k.targets) ++ways[{k.expect, t}];
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
