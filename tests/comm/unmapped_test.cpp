// SPDX-License-Identifier: Apache-2.0
// Do collectives reach memory that a rank cannot load and store, by put and get alone?
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "comm/cases.hpp"
#include "comm/engine.hpp"
#include "comm/reserved.hpp"
#include "comm/threads.hpp"
#include "pto/pto-inst.hpp"

namespace {

using namespace ptox::comm;
using ptox::Rank;

/// Threads that pretend: each rank maps its own memory only.
class Unmapped : public Fabric {
 public:
  explicit Unmapped(std::unique_ptr<Fabric> inner) : inner_(std::move(inner)) {}

  int id() const override { return inner_->id(); }
  int size() const override { return inner_->size(); }
  std::optional<std::size_t> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  std::byte* address(int rank, std::size_t offset) const override {
    return rank == id() ? inner_->address(rank, offset) : nullptr;
  }
  std::optional<Place> locate(const void* at) const override {
    const std::optional<Place> place = inner_->locate(at);
    return place && place->rank == id() ? place : std::nullopt;
  }
  bool one_process() const override { return true; }
  void put(Place to, const std::byte* from, const Rectangle& r) override { inner_->put(to, from, r); }
  void get(std::byte* to, Place from, const Rectangle& r) override { inner_->get(to, from, r); }
  void add(Place to, const std::byte* from, pto::instr::DType d, const Rectangle& r) override {
    inner_->add(to, from, d, r);
  }
  bool quiet(Deadline deadline) override { return inner_->quiet(deadline); }
  void notify(Place at, pto::comm::NotifyOp op, std::int32_t value) override { inner_->notify(at, op, value); }
  std::int32_t peek(Place at) override { return inner_->peek(at); }
  std::uint32_t bell() override { return inner_->bell(); }
  void sleep(std::uint32_t seen, Deadline deadline) override { inner_->sleep(seen, deadline); }
  std::uint64_t arrive() override { return inner_->arrive(); }
  bool all_arrived(std::uint64_t barrier) override { return inner_->all_arrived(barrier); }
  std::vector<int> missing(std::uint64_t barrier) override { return inner_->missing(barrier); }
  bool alive(int rank) override { return inner_->alive(rank); }
  bool returned(int rank) override { return inner_->returned(rank); }
  void fail(const Failure& failure) override { inner_->fail(failure); }
  bool failed() const override { return inner_->failed(); }
  Failure failure() const override { return inner_->failure(); }
  void progress(const char* op, std::int64_t rows, std::int64_t of_rows) override {
    inner_->progress(op, rows, of_rows);
  }
  std::string last_op(int rank) override { return inner_->last_op(rank); }
  std::uint64_t pulse(int rank) override { return inner_->pulse(rank); }

 private:
  std::unique_ptr<Fabric> inner_;
};

template <class F>
void run_unmapped(int n, F f, const ptox::RanksOptions& options = {}) {
  run_threads(
      n, [f](Rank& r) { return f(r), std::string(); }, options,
      [](std::unique_ptr<Fabric> inner) { return std::make_unique<Unmapped>(std::move(inner)); });
}

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
  for (const ptox::Target* t : ptox::target::all)
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
  for (const ptox::Target* t : ptox::target::all)
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
                   ASSERT_TRUE(report.has("illegal")) << report;
                   EXPECT_NE(report.findings()[0].message.find("rank " + std::to_string(1 - r.id())),
                             std::string::npos);
                 },
                 {.target = *t});
}

}  // namespace
