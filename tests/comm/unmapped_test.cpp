// SPDX-License-Identifier: Apache-2.0
// Collectives access memory that a rank cannot load and store by put and get only.
#include "comm/unmapped.hpp"

#include <gtest/gtest.h>

#include "comm/cases.hpp"
#include "comm/group/reserved.hpp"
#include "pto/pto-inst.hpp"

namespace {

using namespace ptox::comm;
using comm_test::run_unmapped;
using ptox::Rank;

TEST(reserved, an_address_is_turned_back_into_rank_and_offset) {
  Reserved reserved;
  EXPECT_FALSE(reserved.any());
  EXPECT_FALSE(reserved.locate(&reserved));
  reserved.reserve(3);
  for (int rank : {0, 1, 2})
    for (std::size_t offset : {std::size_t{0}, std::size_t{12345}, std::size_t{1} << 30}) {
      const std::optional<Place> place = reserved.locate(reserved.address(rank, offset));
      ASSERT_TRUE(place);
      EXPECT_EQ(place->rank, rank);
      EXPECT_EQ(place->offset, offset);
    }
  EXPECT_FALSE(reserved.locate(&reserved));
}

TEST(unmapped, every_case_by_put_and_get) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (int n : {2, 3}) run_unmapped(n, [](Rank& r) { comm_test::run_all_cases(r, 2); }, {.target = *t});
}

TEST(unmapped, signals_reach_other_ranks) {
  run_unmapped(2, [](Rank& r) {
    const auto flag = r.symmetric<std::int32_t>(1);
    const ptox::Report report = r.device().launch({}, [&] {
      pto::comm::Signal mine(flag.data()), theirs(flag.at(1 - r.id()));
      pto::comm::TNOTIFY(theirs, 3, pto::comm::NotifyOp::Set);
      pto::comm::TWAIT(mine, 3, pto::comm::WaitCmp::EQ);
    });
    EXPECT_TRUE(report.clean()) << report;
  });
}

TEST(unmapped, tload_and_tstore_take_such_a_tensor_and_mgather_says_that_it_does_not) {
  for (const ptox::Target* t : ptox::target::on_host)
    run_unmapped(2,
                 [](Rank& r) {
                   using namespace pto;
                   const auto memory = r.symmetric<float>(64);
                   for (float& v : memory.span()) v = static_cast<float>(r.id() + 1);
                   r.barrier();
                   const ptox::Report report = r.device().launch({}, [&] {
                     GlobalTensor<float, Shape<1, 1, 1, 2, 32>, Stride<1, 1, 1, 32, 1>> theirs(memory.at(1 - r.id()));
                     Tile<TileType::Vec, float, 2, 32> tile, got;
                     Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 2> idx;
                     TLOAD(tile, theirs);
                     pipe_barrier(PIPE_ALL);
                     EXPECT_EQ(tile.GetValue(1, 31), static_cast<float>(2 - r.id()));
                     idx.SetValue(0, 0), idx.SetValue(1, 1);
                     pipe_barrier(PIPE_ALL);
                     MGATHER<Coalesce::Row>(got, theirs, idx);
                   });
                   ASSERT_TRUE(report.has(ptox::FindingKind::illegal)) << report;
                   EXPECT_NE(report.findings()[0].message.find("rank " + std::to_string(1 - r.id())),
                             std::string::npos);
                 },
                 {.target = *t});
}

}  // namespace
