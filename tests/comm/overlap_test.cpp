// SPDX-License-Identifier: Apache-2.0
// The store of one chunk overlaps the load of the next, in the estimated cycles and in the trace.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>

#include "comm/cases.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace comm_test;
using pto::comm::ReduceOp;

ptox::Report run(const ptox::Target& target, Kind kind, bool pong) {
  constexpr int ranks = 2;
  Form f{.h = 64, .w = 24, .tile_rows = 8, .tile_cols = 24, .pong = pong};
  ptox::Device dev(target);
  auto block = dev.alloc<float>(ranks * f.elements(f.h)), own = dev.alloc<float>(f.elements(ranks * f.h));
  return dev.launch({}, [&] {
    Group group;
    for (int k = 0; k < ranks; ++k)
      group.tensors.push_back(f.tensor(block.data() + k * f.elements(f.h), DType::f32, f.h));
    const TensorDesc mine = f.tensor(own.data(), DType::f32, ranks * f.h);
    const auto site = pto::instr::Site::current();
    const auto staging = f.staging(DType::f32);
    if (kind == Kind::scatter) pto::comm::detail::scatter(group(0), mine, staging, site);
    if (kind == Kind::gather) pto::comm::detail::gather(group(0), mine, staging, site);
    if (kind == Kind::broadcast) pto::comm::detail::broadcast(group(0), mine, staging, site);
    if (kind == Kind::reduce_sum)
      pto::comm::detail::reduce(group(0), mine, f.tile(DType::f32, 2), staging, ReduceOp::Sum, site);
  });
}

TEST(ping_pong, takes_fewer_cycles_and_its_pipes_work_at_once) {
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5})
    for (Kind kind : {Kind::scatter, Kind::gather, Kind::broadcast}) {
      const ptox::Report one = run(*t, kind, false), two = run(*t, kind, true);
      SCOPED_TRACE(std::string(t->name) + " " + name(kind));
      EXPECT_TRUE(one.clean()) << one;
      EXPECT_TRUE(two.clean()) << two;
      EXPECT_LT(two.cycles(), one.cycles());
      EXPECT_LE(one.time().mte2 + one.time().mte3, one.cycles()) << "with one tile they take turns";
      EXPECT_GT(two.time().mte2 + two.time().mte3, two.cycles()) << "with two they work at once";
    }
}

TEST(ping_pong, receiving_overlaps_combining) {
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
    const ptox::Report one = run(*t, Kind::reduce_sum, false), two = run(*t, Kind::reduce_sum, true);
    EXPECT_TRUE(two.clean()) << two;
    EXPECT_LE(two.cycles(), one.cycles());
    EXPECT_GT(two.time().v, 0u);
  }
}

TEST(ping_pong, the_trace_shows_both_pipes) {
  const std::string path = ::testing::TempDir() + "ptox_ping_pong_trace.json";
  run(ptox::target::a5, Kind::scatter, true).write_trace(path);
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  for (const char* part : {"tload", "tstore", "MTE2", "MTE3"})
    EXPECT_NE(text.str().find(part), std::string::npos) << part;
}

}  // namespace
