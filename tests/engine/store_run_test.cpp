// SPDX-License-Identifier: Apache-2.0
// Selection of the stores that use non-temporal instructions.
#include "engine/core/store_run.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "launched.hpp"
#include "loops/caches.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using ptox::StoreRun;

const std::byte* at(std::uintptr_t address) { return reinterpret_cast<const std::byte*>(address); }

TEST(store_run, a_run_goes_past_the_caches_once_it_is_longer_than_they_are) {
  StoreRun run;
  run.start(100);
  EXPECT_FALSE(run.streams(at(1000), 60));
  EXPECT_FALSE(run.streams(at(1060), 40));
  EXPECT_TRUE(run.streams(at(1100), 1));
  EXPECT_TRUE(run.streams(at(1101), 60));
}

TEST(store_run, a_store_elsewhere_begins_anew) {
  StoreRun run;
  run.start(100);
  EXPECT_FALSE(run.streams(at(1000), 100));
  EXPECT_FALSE(run.streams(at(1000), 100));
  EXPECT_FALSE(run.streams(at(1101), 100));
  EXPECT_TRUE(run.streams(at(1201), 1));
  EXPECT_FALSE(run.streams(at(900), 100));
}

TEST(store_run, one_store_larger_than_the_caches_goes_past_them) {
  StoreRun run;
  run.start(100);
  EXPECT_TRUE(run.streams(at(1000), 101));
}

TEST(store_run, outside_launches_nothing_does) {
  StoreRun run;
  EXPECT_FALSE(run.streams(at(1000), INT64_MAX / 2));
  run.start(0);
  EXPECT_FALSE(run.streams(at(1000), INT64_MAX / 2));
}

TEST(store_run, a_block_begins_without_the_run_of_the_last_one) {
  StoreRun run;
  run.start(100);
  EXPECT_TRUE(run.streams(at(1000), 101));
  run.start(100);
  EXPECT_FALSE(run.take_unfenced());
  EXPECT_FALSE(run.streams(at(1101), 100));
}

TEST(store_run, a_fence_is_due_once_after_what_went_past) {
  StoreRun run;
  run.start(100);
  run.streams(at(1000), 100);
  EXPECT_FALSE(run.take_unfenced());
  run.streams(at(1100), 1), run.streams(at(5), 1);
  EXPECT_TRUE(run.take_unfenced());
  EXPECT_FALSE(run.take_unfenced());
}

TEST(store_run, long_runs_of_tstore_write_what_they_should) {
  using namespace pto;
  constexpr int rows = 64, width = 100;  // the row size is not a multiple of a vector
  const std::int64_t tiles = 2 * ptox::caches().last / (rows * width * 4) + 1;
  ptox::Device dev(ptox::target::cpu);
  auto out = dev.alloc<float>(tiles * rows * width + 1);
  ptox::require_clean(dev.launch({}, [&] {
    Tile<TileType::Vec, float, 1, rows * width> tile;
    for (std::int64_t k = 0; k < tiles; ++k) {
      GlobalTensor<float, Shape<1, 1, 1, 1, rows * width>, Stride<1, 1, 1, 1, 1>> there(out.data() + 1 +
                                                                                        k * rows * width);
      TEXPANDS(tile, static_cast<float>(k));
      TSTORE(there, tile);
    }
  }));
  EXPECT_EQ(out[0], 0.0f);
  for (std::int64_t i = 0; i < tiles * rows * width; ++i)
    ASSERT_EQ(out[i + 1], static_cast<float>(i / (rows * width))) << i;
}

}  // namespace
