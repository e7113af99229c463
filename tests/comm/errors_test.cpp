// SPDX-License-Identifier: Apache-2.0
// Errors that the root of a collective can detect are reported by the root with the actual and the required value, and
// end every rank.
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "comm/cases.hpp"
#include "comm/on_ranks.hpp"
#include "launched.hpp"
#include "pto/pto-inst.hpp"

namespace {

using namespace pto;
using namespace comm_test;
using comm::detail::Staging;
using ptox::Engine;
using ptox::Rank;
using ptox::RanksError;

/// A valid call, which each test makes invalid.
struct Wrong {
  Group group;
  TensorDesc own;
  Form form;
  int root = 1, caller = 1;
  Staging staging;
};
using Spoil = std::function<void(Wrong&, const ptox::Symmetric<float>&)>;

constexpr int ranks = 3;

void call(Kind kind, const Wrong& w) {
  const auto site = instr::Site::current();
  const TileDesc acc = w.form.tile(DType::f32, 2);
  if (kind == Kind::scatter) comm::detail::scatter(w.group(w.root), w.own, w.staging, site);
  if (kind == Kind::gather) comm::detail::gather(w.group(w.root), w.own, w.staging, site);
  if (kind == Kind::broadcast) comm::detail::broadcast(w.group(w.root), w.own, w.staging, site);
  if (kind == Kind::reduce_sum) comm::detail::reduce(w.group(w.root), w.own, acc, w.staging, comm::ReduceOp::Sum, site);
  if (kind == Kind::put) comm::detail::put(w.group.tensors[0], w.own, w.staging, AtomicType::AtomicNone, site);
  if (kind == Kind::get) comm::detail::get(w.own, w.group.tensors[0], w.staging, site);
}

void spoiled_call(Rank& r, Kind kind, ptox::FindingKind wanted, const Spoil& spoil) {
  Wrong w;
  const bool spread = kind == Kind::scatter || kind == Kind::gather;
  const auto memory = r.symmetric<float>(4096);
  auto mine = r.device().alloc<float>(4096);
  w.form = {.h = 8, .w = 24, .tile_rows = 4, .tile_cols = 24, .dynamic = false};
  for (int k = 0; k < ranks; ++k) w.group.tensors.push_back(w.form.tensor(memory.at(k), DType::f32, w.form.h));
  w.own = w.form.tensor(mine.data(), DType::f32, (spread ? ranks : 1) * w.form.h);
  w.staging = w.form.staging(DType::f32);
  spoil(w, memory);
  r.barrier();
  if (r.id() == w.caller) {
    const ptox::Report report = r.device().launch({}, [&] { call(kind, w); });
    EXPECT_TRUE(report.has(wanted)) << report;
  }
  r.barrier();
  ADD_FAILURE() << "nobody comes here";
}

/// Expects that every rank ends with that error.
void expect_error(Kind kind, ptox::FindingKind wanted, const std::vector<std::string>& says, const Spoil& spoil,
                  std::span<const Engine> on = engines) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (Engine engine : on) {
      SCOPED_TRACE(std::string(name(kind)) + " " + ptox::name(wanted) + " " + t->name + " " + name(engine));
      try {
        ptox::run_ranks(ranks, engine, [&](Rank& r) { spoiled_call(r, kind, wanted, spoil); }, {.target = *t});
        ADD_FAILURE() << "no error";
      } catch (const RanksError& e) {
        EXPECT_EQ(e.kind(), wanted) << e.what();
        for (const std::string& part : says) EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
      }
    }
}

constexpr Kind by_group[] = {Kind::scatter, Kind::gather, Kind::broadcast, Kind::reduce_sum};

TEST(comm_errors, only_the_root_calls) {
  for (Kind k : by_group)
    expect_error(k, ptox::FindingKind::comm_nonroot, {"root is rank 1", "caller rank 2", "at rank 2 of 3"},
                 [](Wrong& w, const auto&) { w.caller = 2; });
}

TEST(comm_errors, the_root_is_one_of_the_ranks) {
  for (Kind k : by_group)
    expect_error(k, ptox::FindingKind::comm_root, {"root 7 of 3"}, [](Wrong& w, const auto&) { w.root = 7; });
}

TEST(comm_errors, ranks_agree_in_shape_and_stride) {
  for (Kind k : by_group) {
    expect_error(k, ptox::FindingKind::comm_shape, {"rank 2 has Shape[3] = 7", "rank 0 has 8"},
                 [](Wrong& w, const auto&) { w.group.tensors[2].shape[3] = 7; });
    expect_error(k, ptox::FindingKind::comm_shape, {"rank 1 has", "Stride[3] = 25", "24"},
                 [](Wrong& w, const auto&) { w.group.tensors[1].stride[3] = 25; });
  }
}

TEST(comm_errors, the_roots_tensor_is_large_enough) {
  for (Kind k : by_group)
    expect_error(k, ptox::FindingKind::comm_shape, {"Shape[3] = 5", "the ranks take "},
                 [](Wrong& w, const auto&) { w.own.shape[3] = 5; });
  for (Kind k : {Kind::put, Kind::get})
    expect_error(k, ptox::FindingKind::comm_shape, {"Shape[3] = ", "5", "8"},
                 [](Wrong& w, const auto&) { w.own.shape[3] = 5; });
}

TEST(comm_errors, the_roots_tensor_is_its_own) {
  for (Kind k : {Kind::scatter, Kind::gather, Kind::broadcast, Kind::reduce_sum, Kind::put, Kind::get})
    expect_error(k, ptox::FindingKind::comm_source, {"lies at rank 2", "caller is rank 1"},
                 [](Wrong& w, const auto& memory) { w.own.base = memory.at(2); });
}

TEST(comm_errors, between_processes_the_other_tensors_are_in_symmetric_memory) {
  static float anywhere[4096];
  constexpr Engine processes[] = {Engine::processes};
  for (Kind k : by_group)
    expect_error(
        k, ptox::FindingKind::comm_source, {"tensor of rank 2", "symmetric memory"},
        [](Wrong& w, const auto&) { w.group.tensors[2].base = anywhere; }, processes);
}

TEST(comm_errors, a_static_tile_divides_the_extents) {
  for (Kind k : {Kind::scatter, Kind::gather, Kind::broadcast, Kind::put, Kind::get}) {
    expect_error(k, ptox::FindingKind::comm_divisible, {"8 rows", "static 3"},
                 [](Wrong& w, const auto&) { w.staging.tiles[0].valid_rows = 3; });
    expect_error(k, ptox::FindingKind::comm_divisible, {"24 columns", "static 5"},
                 [](Wrong& w, const auto&) { w.staging.tiles[0].valid_cols = 5; });
  }
  expect_error(Kind::reduce_sum, ptox::FindingKind::comm_divisible, {"8 rows", "static 3"},
               [](Wrong& w, const auto&) { w.form.tile_rows = 3, w.staging = w.form.staging(DType::f32); });
}

TEST(comm_errors, the_first_error_is_every_ranks) {
  std::mutex mutex;
  std::vector<std::string> seen(ranks);
  EXPECT_THROW(ptox::run_ranks(ranks, Engine::threads,
                               [&](Rank& r) {
                                 try {
                                   spoiled_call(r, Kind::scatter, ptox::FindingKind::comm_root,
                                                [](Wrong& w, const auto&) { w.root = -1; });
                                 } catch (const RanksError& e) {
                                   std::lock_guard lock(mutex);
                                   seen[static_cast<std::size_t>(r.id())] = e.what();
                                   throw;
                                 }
                               }),
               RanksError);
  for (const std::string& said : seen) EXPECT_EQ(said, seen[0]);
  EXPECT_NE(seen[0].find("tscatter at rank 1 of 3: root -1 of 3 ranks"), std::string::npos) << seen[0];
}

TEST(comm_errors, after_an_error_the_kernel_goes_on_and_its_collectives_do_nothing) {
  EXPECT_THROW(
      ptox::run_ranks(
          2, Engine::threads,
          [&](Rank& r) {
            const auto memory = r.symmetric<float>(4096);
            auto mine = r.device().alloc<float>(4096);
            mine[0] = 1;
            r.barrier();
            if (r.id() != 0) return r.barrier();
            bool reached = false;
            const ptox::Report report = r.device().launch({}, [&] {
              const Form f{.h = 4, .w = 24};
              Group group;
              for (int k : {0, 1}) group.tensors.push_back(f.tensor(memory.at(k), DType::f32, 4));
              const TensorDesc own = f.tensor(mine.data(), DType::f32, 8);
              const auto site = instr::Site::current();
              comm::detail::scatter(group(7), own, f.staging(DType::f32), site);
              comm::detail::scatter(group(0), own, f.staging(DType::f32), site);
              reached = true;
            });
            EXPECT_TRUE(reached);
            EXPECT_TRUE(report.has(ptox::FindingKind::comm_root) && report.has(ptox::FindingKind::comm_dead_rank))
                << report;
            EXPECT_EQ(memory[0], 0.0f);
          }),
      RanksError);
}

TEST(comm_errors, an_error_ends_a_rank_that_waits_for_a_signal_or_returns) {
  for (Engine engine : engines)
    for (bool waits : {false, true}) {
      EXPECT_THROW(ptox::run_ranks(2, engine,
                                   [&](Rank& r) {
                                     const auto flag = r.symmetric<std::int32_t>(1);
                                     ptox::ignore_findings(r.device().launch({}, [&] {
                                       comm::Signal mine(flag.data());
                                       if (r.id() == 0)
                                         comm::detail::scatter({nullptr, nullptr, 2, 9}, {}, {},
                                                               instr::Site::current());
                                       if (r.id() == 1 && waits) comm::TWAIT(mine, 1, comm::WaitCmp::EQ);
                                     }));
                                   }),
                   RanksError);
    }
}

}  // namespace
