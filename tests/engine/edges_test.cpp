// SPDX-License-Identifier: Apache-2.0
// Edge cases of the lifetimes of threads, processes and objects.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "acl/acl.h"
#include "launched.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"
#include "shell.hpp"

namespace ptox {
namespace {

using namespace pto;

template <class T, int R, int C>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, BaseShape2D<T, R, C>>;
using Line = Tile<TileType::Vec, float, 1, 8>;

TEST(plain_call, live_tiles_keep_their_bytes_across_a_runtime_call) {
  std::vector<float> from(16), to(8);
  for (int i = 0; i < 16; ++i) from[static_cast<std::size_t>(i)] = static_cast<float>(i);
  Matrix<float, 1, 8> first(from.data()), second(from.data() + 8), out(to.data());
  Line x, y;
  TLOAD(x, first);
  TLOAD(y, second);
  aclrtSynchronizeStream(nullptr);
  TSTORE(out, y);
  EXPECT_EQ(to, std::vector<float>(from.begin() + 8, from.end()));
}

void let_a_tile_die_elsewhere() {
  auto far = std::make_unique<Line>();
  far->SetValue(0, 1.0f);
  Line near;
  near.SetValue(0, 2.0f);
  std::thread([&] { far.reset(); }).join();
  Line third;
  third.SetValue(0, 3.0f);
  EXPECT_EQ(near.GetValue(0), 2.0f);
}

TEST(plain_call, a_tile_may_die_on_another_thread) {
  std::thread(let_a_tile_die_elsewhere).join();
  EXPECT_TRUE(take_plain_report().clean());
}

TEST(plain_call, a_tile_of_thread_storage_outlives_the_threads_core) {
  std::thread([] {
    thread_local Line mine;
    mine.SetValue(0, 1.0f);
  }).join();
  EXPECT_TRUE(take_plain_report().clean());
}

/// Adds 1 to each of eight cells, 1000 times.
void add_ones(float* cells) {
  Line ones;
  Tile<TileType::Vec, std::int32_t, 1, 8> idx;
  Matrix<float, 1, 8> gm(cells);
  TEXPANDS(ones, 1.0f);
  for (int i = 0; i < 8; ++i) idx.SetValue(i, i);
  for (int k = 0; k < 1000; ++k) MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(gm, ones, idx);
}

TEST(atomics, lose_no_update_between_launches_and_plain_calls_of_many_threads) {
  Device dev(target::cpu);
  auto cells = dev.alloc<float>(8);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      if (t % 2)
        add_ones(cells.data());
      else
        require_clean(dev.launch({}, add_ones, cells.data()));
    });
  for (std::thread& t : threads) t.join();
  for (const float c : cells) EXPECT_EQ(c, 4000.0f);
}

TEST(fork, a_child_launches_without_the_parents_threads) {
  Device dev(target::cpu);
  require_clean(dev.launch({.blocks = 8}, [] {}));
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    auto cells = dev.alloc<float>(8);
    require_clean(dev.launch({.blocks = 4}, add_ones, cells.data()));
    _exit(cells[3] == 4000.0f ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(adopt, the_newest_extent_of_a_place_counts) {
  Device dev(target::a5);
  std::vector<float> memory(64, 1.0f);
  dev.adopt(memory.data() + 8, 8);
  dev.adopt(memory.data(), 64);
  const Report r = dev.launch({}, [&] {
    Tile<TileType::Vec, float, 8, 8> all;
    Matrix<float, 8, 8> gm(memory.data());
    TLOAD(all, gm);
  });
  dev.forget(memory.data());
  EXPECT_TRUE(r.clean()) << r;
}

TEST(adopt, part_of_what_was_adopted_whole_says_nothing_new) {
  Device dev(target::a5);
  std::vector<float> memory(64, 1.0f);
  dev.adopt(memory.data(), 32);
  dev.adopt(memory.data() + 8, 4);
  const Report r = dev.launch({}, [&] {
    Tile<TileType::Vec, float, 8, 8> all;
    Matrix<float, 8, 8> gm(memory.data());
    TLOAD(all, gm);
  });
  dev.forget(memory.data());
  EXPECT_TRUE(r.has(FindingKind::oob_gm)) << r;
}

TEST(launch, a_block_may_wait_for_a_thread_that_launches) {
  Device dev(target::cpu);
  std::atomic<int> inner = 0;
  require_clean(dev.launch(
      {.blocks = 2}, [&] { std::thread([&] { require_clean(dev.launch({.blocks = 2}, [&] { ++inner; })); }).join(); }));
  EXPECT_EQ(inner, 4);
}

TEST(comm_tscatter, null_tensors_of_several_chunks_are_found) {
  for (const Target* t : target::on_host)
    for (const bool null_source : {true, false}) {
      Device dev(*t);
      auto memory = dev.alloc<float>(16 * 8);
      const Report r = dev.launch({}, [&] {
        Matrix<const float, 16, 8> src(null_source ? nullptr : memory.data());
        Matrix<float, 8, 8> ranks[2] = {Matrix<float, 8, 8>(memory.data()), Matrix<float, 8, 8>(nullptr)};
        comm::ParallelGroup<Matrix<float, 8, 8>> group(ranks, 2, 0);
        Tile<TileType::Vec, float, 2, 8> staging;
        comm::TSCATTER(group, src, staging);
      });
      EXPECT_TRUE(r.has(FindingKind::oob_gm)) << r;
    }
}

TEST(comm_tscatter, zero_rows_of_a_huge_outer_extent_are_over_at_once) {
  using Any = GlobalTensor<float, Shape<>, Stride<>>;
  float cell = 0;
  const std::int64_t many = std::int64_t{1} << 40;
  Device dev(target::cpu);
  const Report r = dev.launch({}, [&] {
    Any src(&cell, {many, 1, 1, 0, 8}, {0, 0, 0, 8, 1}), rank(&cell, {many, 1, 1, 0, 8}, {0, 0, 0, 8, 1});
    comm::ParallelGroup<Any> group(&rank, 1, 0);
    Tile<TileType::Vec, float, 2, 8> staging;
    comm::TSCATTER(group, src, staging);
  });
  EXPECT_TRUE(r.clean()) << r;
}

TEST(tensor, shapes_of_matrices_take_dynamic_extents_or_all_five) {
  const TileShape2D<float, -1, 16> rows(8);
  EXPECT_EQ(rows.value[3], 8);
  const TileShape2D<float> all(1, 1, 1, 8, 16);
  EXPECT_EQ(all.value[4], 16);
  const BaseShape2D<float> strides(std::int64_t{1} << 40, std::int64_t{1} << 40);
  EXPECT_EQ(strides.value[0], INT64_MAX);
}

TEST(texpands, floats_past_an_integer_end_at_its_nearest_value) {
  Device dev(target::cpu);
  require_clean(dev.launch({}, [] {
    Tile<TileType::Vec, std::int32_t, 1, 8> tile;
    TEXPANDS(tile, 1e20);
    EXPECT_EQ(tile.GetValue(0), INT32_MAX);
    TEXPANDS(tile, -1e20f);
    EXPECT_EQ(tile.GetValue(0), INT32_MIN);
  }));
}

TEST(aclrt_memset, stays_inside_what_was_given) {
  void* p = nullptr;
  ASSERT_EQ(aclrtMalloc(&p, 8, ACL_MEM_MALLOC_HUGE_FIRST), 0);
  EXPECT_NE(aclrtMemset(p, 4096, 0, 64), 0);
  EXPECT_NE(aclrtMemcpy(p, 4096, p, 64, ACL_MEMCPY_DEVICE_TO_DEVICE), 0);
  EXPECT_EQ(aclrtMemset(p, 8, 1, 8), 0);
  EXPECT_EQ(aclrtFree(p), 0);
}

TEST(mgather, an_nz_row_wider_than_the_buffer_is_an_overflow_and_does_nothing) {
  Device dev(target::a2a3);
  auto table = dev.alloc<float>(1024);
  const Report r = dev.launch({}, [&] {
    Tile<TileType::Vec, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> dst;
    Tile<TileType::Vec, std::int32_t, 1, 16> idx;
    GlobalTensor<float, Shape<1, -1, 1, 16, 8>, Stride<-1, 128, 128, 8, 1>, Layout::NZ> gm(
        table.data(), {std::int64_t{1} << 40}, {std::int64_t{1} << 50});
    TEXPANDS(idx, 0);
    MGATHER<Coalesce::Row>(dst, gm, idx);
  });
  ASSERT_EQ(r.findings().size(), 1u) << r;
  EXPECT_EQ(r.findings()[0].kind, FindingKind::ub_overflow);
}

TEST(tensor, a_dimension_that_is_none_is_a_finding) {
  Device dev(target::cpu);
  const Report r = dev.launch({}, [] {
    Matrix<float, 2, 8> gm;
    EXPECT_EQ(gm.GetShape(5), 0);
    EXPECT_EQ(gm.GetStride(-1), 0);
    gm.SetShape(7, 1);
  });
  EXPECT_EQ(r.findings().size(), 3u) << r;
  EXPECT_TRUE(r.has(FindingKind::illegal));
}

TEST(mgather, to_l1_by_row_does_not_look_at_scratch) {
  for (const Target* t : target::on_host) {
    Device dev(*t);
    auto table = dev.alloc<float>(16 * 16);
    auto idx = dev.alloc<std::int32_t>(16);
    const Report r = dev.launch({}, [&] {
      Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> dst;
      Matrix<float, 16, 16> gm(table.data()), none;
      Matrix<std::int32_t, 1, 16> index(idx.data());
      MGATHER<Coalesce::Row>(dst, gm, index, none);
    });
    EXPECT_TRUE(r.clean()) << r;
  }
}

TEST(aclrt_free, of_what_it_did_not_give_is_an_error) {
  float mine = 0;
  EXPECT_NE(aclrtFree(&mine), 0);
  EXPECT_EQ(aclrtFree(nullptr), 0);
}

/// A program with a plain call that is illegal on a5. It writes its own log and has its own exit code.
constexpr const char* failing_program = R"(
#include <pto/pto-inst.hpp>
#include <atomic>
#include <fstream>
#include <cstdlib>
std::ofstream log_file;
int main(int, char** argv) {
  log_file.open(argv[1]);
  log_file << "kept";
  pto::Tile<pto::TileType::Vec, float, 1, 8, pto::BLayout::RowMajor, -1, -1> tile(0, 0);
  pto::TEXPANDS(tile, 1.0f);
  return std::atoi(argv[2]);
})";

TEST(plain_call, findings_fail_the_program_after_everything_of_its_own) {
  char folder[] = "/tmp/ptox_test_XXXXXX";
  ASSERT_TRUE(mkdtemp(folder));
  const std::string path = folder;
  std::ofstream(path + "/p.cpp") << failing_program;
  const Ended built = shell(PTOX_CXX " -std=c++20 " PTOX_FLAGS " -I'" PTOX_SOURCE_DIR "/include' " + path +
                            "/p.cpp '" PTOX_LIBRARY "' -lpthread -o " + path + "/p");
  ASSERT_EQ(built.code, 0) << built.output;
  const Ended fine = shell(path + "/p " + path + "/log 0"), failed = shell(path + "/p " + path + "/log 3");
  EXPECT_EQ(fine.code, 1) << fine.output;
  EXPECT_EQ(failed.code, 3);
  EXPECT_NE(fine.output.find("[illegal] texpands C2"), std::string::npos) << fine.output;
  EXPECT_EQ(contents(path + "/log"), "kept");
  shell("rm -r " + path);
}

}  // namespace
}  // namespace ptox
