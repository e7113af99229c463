// SPDX-License-Identifier: Apache-2.0
// A kernel can read its rank and address its memory at another rank.
#include "pto/comm/rank.hpp"

#include <gtest/gtest.h>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"
#include "ptox/ranks.hpp"

namespace ptox {

namespace {

using namespace pto;
using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>>;

bool is_root(float* const (&rows)[2], int root) {
  Row tensors[] = {Row(rows[0]), Row(rows[1])};
  return pto::comm::is_root(pto::comm::ParallelGroup<Row>(tensors, 2, root));
}

TEST(rank, outside_run_ranks_there_is_one_and_it_is_the_root) {
  Device device(target::cpu);
  auto memory = device.alloc<float>(16);
  EXPECT_EQ(pto::comm::get_rank(), 0);
  EXPECT_EQ(pto::comm::get_rank_num(), 1);
  EXPECT_TRUE(is_root({memory.data(), memory.data() + 8}, 1));
  const Report report = device.launch({}, [&] {
    EXPECT_EQ(pto::comm::at_rank(memory.data(), 0), memory.data());
    EXPECT_EQ(pto::comm::at_rank(memory.data(), 1), nullptr);
  });
  ASSERT_EQ(report.findings().size(), 1u) << report;
  EXPECT_NE(report.findings()[0].message.find("at_rank: rank 1 of 1"), std::string::npos) << report;
}

TEST(rank, knows_itself_and_others) {
  for (const Engine engine : {Engine::threads, Engine::processes})
    run_ranks(3, engine, [](Rank& r) {
      auto row = r.symmetric<float>(8);
      std::vector<float> own(8);
      const Report report = r.device().launch({}, [&] {
        const bool knows = pto::comm::get_rank() == r.id() && pto::comm::get_rank_num() == 3;
        const bool finds = pto::comm::at_rank(row.data() + 3, 2) == row.at(2) + 3 &&
                           pto::comm::at_rank(row.data(), r.id()) == row.data();
        const bool root = is_root({row.at(2), row.at(1)}, 0) == (r.id() == 2);  // the rank that owns the root's tensor
        if (!knows || !finds || !root) throw std::runtime_error("rank " + std::to_string(r.id()) + " is lost");
        if (pto::comm::at_rank(row.data(), 3) || pto::comm::at_rank(own.data(), (r.id() + 1) % 3))
          throw std::runtime_error("strange");
      });
      if (report.findings().size() != 2) throw std::runtime_error("two addresses are none");
      r.barrier();
    });
}

}  // namespace

}  // namespace ptox
