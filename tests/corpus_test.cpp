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
