// SPDX-License-Identifier: Apache-2.0
// A launch on an accelerator requests the right resources and reports findings with the same text as other targets.
#include "engine/launch/accelerator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <vector>

#include "launched.hpp"
#include "pto/isa/all.hpp"

namespace ptox {
namespace {

using pto::instr::Mgather;
using pto::instr::Mscatter;
using pto::instr::TileDesc;
using pto::instr::cuda::Found;
using pto::instr::cuda::LaunchResult;
using Kind = Found::Kind;

void some_kernel() {}

/// The position of the instruction in AllInstructions.
template <class I>
int number_of() {
  int number = 0, found = -1;
  pto::instr::AllInstructions::each([&]<class J>() {
    if (std::is_same_v<I, J>) found = number;
    ++number;
  });
  return found;
}

std::string thrown(const std::function<void()>& f) {
  try {
    f();
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
  return "";
}

TEST(accelerator, a_launch_compiled_for_the_host_is_refused_with_a_sentence) {
  Device dev(target::cuda);
  EXPECT_EQ(dev.check(), Check::off);
  EXPECT_EQ(thrown([&] { ignore_findings(dev.launch<some_kernel>({})); }),
            "launch: " + detail::kernel_name<some_kernel>() +
                " was compiled for the host; cuda runs what nvcc compiles, by launch<kernel>");
}

TEST(accelerator, without_its_library_there_is_no_memory) {
  ASSERT_EQ(linked_accelerator, nullptr);
  EXPECT_EQ(thrown([] { static_cast<void>(Device(target::cuda).alloc<int>(4)); }),
            "cuda: its library is not linked. Link ptox::cuda, built where nvcc is");
}

TEST(accelerator, targets_that_run_here_are_all_but_accelerators) {
  std::size_t here = 0;
  for (const Target* t : target::all) {
    EXPECT_EQ(target::all[t->id], t);
    if (t->accelerator) continue;
    EXPECT_EQ(target::on_host[here++], t);
    EXPECT_EQ(find_on_host(t->name), t);
  }
  EXPECT_EQ(here, std::size(target::on_host));
  EXPECT_EQ(find_on_host("cuda"), nullptr);
  EXPECT_EQ(find_target("cuda"), &target::cuda);
}

/// A fake device that records the launch and returns prepared results.
struct Fake {
  AcceleratorLaunch asked;
  std::vector<pto::instr::cuda::Allocation> known;
  std::int64_t uses = 0;
  LaunchResult leaves{};
};
Fake fake;

class accelerator_launch : public testing::Test {
 protected:
  accelerator_launch() {
    static constexpr Accelerator does{
        .allocate = [](std::size_t bytes) { return ::operator new(bytes); },
        .free = [](void* p) noexcept { ::operator delete(p); },
        .limits = [](const void*) -> AcceleratorLimits {
          return {.ub_bytes = 200 * 1024, .own_bytes = 4096, .processor_bytes = 228 * 1024, .processor_threads = 2048};
        },
        .launch =
            [](const detail::Job&, const AcceleratorLaunch& l, LaunchResult& result) {
              fake.asked = l, result = fake.leaves, result.used = static_cast<unsigned long long>(fake.uses);
              fake.known.assign(l.allocations.begin(), l.allocations.end());
            }};
    linked_accelerator = &does;
    fake = {};
  }
  ~accelerator_launch() override { linked_accelerator = nullptr; }

  Report launch(const LaunchOptions& options = {}, Check check = Check::off) {
    void* arguments[1] = {};
    detail::Job job;
    job.kernel = "kernel", job.entry = this, job.arguments = arguments, job.ub_used = &used_;
    return launch_on_accelerator(target::cuda, check, options, job);
  }
  std::atomic<std::int64_t> used_ = -1;
};

TEST_F(accelerator_launch, the_first_has_all_of_ub_and_later_ones_what_was_used) {
  fake.uses = 10'000;
  EXPECT_EQ(launch().ub_map().used, 10'000);
  EXPECT_EQ(fake.asked.ub_bytes, 200 * 1024);
  EXPECT_EQ(fake.asked.threads, 1024);
  require_clean(launch({.blocks = 7}, Check::all));
  EXPECT_EQ(fake.asked.blocks, 7);
  EXPECT_EQ(fake.asked.ub_bytes, 10 * 1024);
  EXPECT_EQ(fake.asked.ub_limit, 200 * 1024);
  EXPECT_EQ(fake.asked.threads, 128);  // 16 blocks per multiprocessor
  EXPECT_TRUE(fake.asked.checked);
  fake.uses = 60 * 1024;
  require_clean(launch());
  require_clean(launch());
  EXPECT_EQ(fake.asked.ub_bytes, 60 * 1024);
  EXPECT_EQ(fake.asked.threads, 512);
}

TEST_F(accelerator_launch, ub_that_is_asked_for_is_given_or_its_lack_is_said) {
  EXPECT_TRUE(launch({.dyn_ub_bytes = 5000}).clean());
  EXPECT_EQ(fake.asked.ub_bytes, 5000);
  const Report report = launch({.dyn_ub_bytes = 300 * 1024});
  ASSERT_EQ(report.findings().size(), 1u);
  EXPECT_EQ(
      report.findings()[0].message,
      "launch: dynUBufSize is 307200, at most 204800 bytes are available. Launch with dynUBufSize = 204800 or less");
}

TEST_F(accelerator_launch, memory_is_the_devices_and_given_back) {
  Device dev(target::cuda);
  auto memory = dev.alloc<int>(100);
  EXPECT_TRUE(is_accelerator_memory(memory.data()));
  const void* at = memory.data();
  {
    auto last = std::move(memory);
  }
  EXPECT_FALSE(is_accelerator_memory(at));
}

TEST_F(accelerator_launch, a_checked_one_knows_all_allocations_in_order) {
  Device dev(target::cuda);
  auto ours = dev.alloc<int>(100);
  std::vector<int> adopted(10);
  dev.adopt(adopted.data(), 10);
  require_clean(launch({}, Check::all));
  dev.forget(adopted.data());
  const auto known = [&](const void* p) {
    for (const auto& a : fake.known)
      if (a.begin == reinterpret_cast<std::uintptr_t>(p)) return std::pair(a.bytes, a.reach);
    return std::pair<std::uint64_t, std::uint64_t>();
  };
  EXPECT_EQ(known(ours.data()), std::pair(std::uint64_t{400}, std::uint64_t{912}));
  EXPECT_EQ(known(adopted.data()), std::pair(std::uint64_t{40}, std::uint64_t{40}));
  EXPECT_TRUE(std::is_sorted(fake.known.begin(), fake.known.end(),
                             [](const auto& a, const auto& b) { return a.begin < b.begin; }));
  require_clean(launch());
  EXPECT_TRUE(fake.known.empty());
}

class accelerator_found : public accelerator_launch {
 protected:
  Found& add(Kind kind, const char* name = "") {
    Found& f = fake.leaves.found[next_++];
    f.state = 2, f.kind = kind, f.instruction = 0, f.block = 3, f.line = 12, f.count = 1;
    std::strcpy(f.name, name), std::strcpy(f.file, "kernel.cu");
    fake.leaves.any_found = 1;
    return f;
  }
  template <class O>
  void operands(Found& f, const O& o) {
    std::memcpy(f.operands, static_cast<const void*>(&o), sizeof o);
  }
  Finding only() {
    const Report report = launch();
    EXPECT_EQ(report.findings().size(), 1u) << report;
    return report.findings().empty() ? Finding{} : report.findings()[0];
  }

 private:
  int next_ = 0;
};

TEST_F(accelerator_found, a_broken_rule_is_said_as_everywhere) {
  auto o = Mgather::sample();
  o.dst.valid_rows = 0;
  Found& f = add(Kind::illegal);
  operands(f, o), f.count = 5;
  const Finding said = only();
  EXPECT_EQ(said.kind, FindingKind::illegal);
  EXPECT_EQ(said.message.substr(0, 83),
            "mgather C11: valid extents are at least 1 and at most the padded ones; dst is RowMa");
  EXPECT_EQ(said.file, "kernel.cu");
  EXPECT_EQ(said.line, 12);
  EXPECT_EQ(said.block, 3);
  EXPECT_EQ(said.count, 5);
}

TEST_F(accelerator_found, indices_out_of_range_are_said_with_the_first_and_the_highest) {
  Found& f = add(Kind::index_outside, "idx");
  operands(f, Mgather::sample());
  f.count = 18, f.value[0] = 260, f.value[1] = 0, f.value[2] = 3, f.value[3] = 911;
  const Finding said = only();
  EXPECT_EQ(said.kind, FindingKind::oob_index);
  EXPECT_EQ(said.message,
            "mgather reads table row 260, table has 64 rows; idx[0,3] = 260 (17 more, up to 911). Clamp, Wrap or Zero "
            "define this");
  EXPECT_EQ(said.count, 18);
}

TEST_F(accelerator_found, an_alias_is_said_with_both_positions_and_where_they_lead) {
  auto o = Mscatter::sample();
  o.policy.oob = pto::ScatterOOB::Wrap;
  Found& f = add(Kind::index_twice, "idx");
  f.instruction = number_of<Mscatter>(), operands(f, o), f.count = 3;
  f.value[0] = 70, f.value[1] = 0, f.value[2] = 1, f.value[3] = 6, f.value[4] = 0, f.value[5] = 5;
  const Finding said = only();
  EXPECT_EQ(said.kind, FindingKind::alias);
  EXPECT_EQ(said.severity, Severity::warning);
  EXPECT_EQ(
      said.message,
      "mscatter writes table row 6 twice; idx[0,1] = 70 and idx[0,5] = 6. Make the indices unique, use an atomic, "
      "or spell ScatterConflict::Last where the target has it");
  EXPECT_EQ(said.count, 3);
}

TEST_F(accelerator_found, bytes_outside_an_allocation_are_said_as_everywhere) {
  Found& f = add(Kind::outside_allocation, "table");
  operands(f, Mgather::sample());
  f.count = 2, f.value[0] = 8192, f.value[1] = 8319, f.value[2] = 8000;
  const Finding said = only();
  EXPECT_EQ(said.kind, FindingKind::oob_gm);
  EXPECT_EQ(
      said.message,
      "mgather touches bytes 8192 to 8319 of the allocation that holds table, which has 8000 bytes. Allocate what "
      "the tensor's shape says, or give it the shape that is there; the instruction does nothing");
  EXPECT_EQ(said.count, 2);
}

TEST_F(accelerator_found, places_are_said_as_everywhere) {
  TileDesc tile{.rows = 64, .cols = 1024, .valid_rows = 64, .valid_cols = 1024};
  Found& f = add(Kind::no_room, "room");
  operands(f, tile), f.value[0] = 4096;
  EXPECT_NE(only().message.find("auto mode finds no room for a tile of 262144 bytes"), std::string::npos)
      << only().message;
}

TEST_F(accelerator_found, a_place_by_hand_on_an_automatic_tile_is_said) {
  TileDesc tile{.rows = 8, .cols = 8, .valid_rows = 8, .valid_cols = 8};
  Found& f = add(Kind::clobber, "automatic");
  operands(f, tile), f.value[0] = 64, f.value[1] = 128, f.value[2] = 256;
  EXPECT_EQ(only().kind, FindingKind::ub_clobber);
}

TEST_F(accelerator_found, every_kind_has_words) {
  TileDesc tile{.rows = 8, .cols = 8, .valid_rows = 8, .valid_cols = 8};
  const std::pair<Kind, FindingKind> kinds[] = {
      {Kind::past_end, FindingKind::ub_overflow},       {Kind::misaligned, FindingKind::ub_misaligned},
      {Kind::too_many_tiles, FindingKind::ub_overflow}, {Kind::outside_tile, FindingKind::illegal},
      {Kind::outside_elements, FindingKind::illegal},   {Kind::valid_contradicts, FindingKind::illegal},
      {Kind::extent_contradicts, FindingKind::illegal}, {Kind::no_such_dim, FindingKind::illegal}};
  for (const auto& [kind, wanted] : kinds) {
    fake.leaves = {};
    Found& f = fake.leaves.found[0];
    f.state = 2, f.kind = kind, f.instruction = -1, f.count = 1;
    fake.leaves.any_found = 1;
    std::strcpy(f.name, "GetValue");
    operands(f, tile);
    f.value[0] = kind == Kind::past_end ? 1 << 30 : kind == Kind::misaligned ? 40 : 777;
    const Report report = launch();
    ASSERT_EQ(report.findings().size(), 1u) << wanted << report;
    EXPECT_EQ(report.findings()[0].kind, wanted);
  }
}

TEST_F(accelerator_found, a_null_tensor_is_said_as_everywhere) {
  Found& f = add(Kind::null_tensor, "table");
  f.value[0] = 2048;
  EXPECT_EQ(only().message, "mgather: table has a null pointer and 2048 elements. The instruction does nothing");
}

}  // namespace
}  // namespace ptox
