// SPDX-License-Identifier: Apache-2.0
// A checked block on the GPU reports the same findings as the checker of the host, with the same messages.
#include <gtest/gtest.h>

#include "cuda/cases.hpp"
#include "cuda/host_block.hpp"
#include "cuda/tile_cases.hpp"
#include "engine/core/core.hpp"
#include "engine/launch/accelerator.hpp"
#include "observe/bounds.hpp"
#include "observe/indices.hpp"
#include "pto/cuda/reach.hpp"
#include "pto/cuda/twice.hpp"

namespace ptox::cuda_test {
namespace {

using pto::instr::cuda::Allocation;
using pto::instr::cuda::Bounds;
using pto::instr::cuda::Count;
using pto::instr::cuda::Found;
using pto::instr::cuda::LaunchResult;
using pto::instr::cuda::Moved;

/// The findings of that kind as text, with their counts.
std::vector<std::string> text(const std::vector<Finding>& findings, FindingKind kind) {
  std::vector<std::string> all;
  for (const Finding& f : findings)
    if (f.kind == kind) all.push_back(f.id + ": " + f.message + ", " + std::to_string(f.count));
  return all;
}

template <class F>
std::vector<std::string> said_on_host(FindingKind kind, F&& watch) {
  Core core(target::cuda, Check::all);
  const CoreScope scope(core);
  core.start({.block = 0});
  watch(core);
  return text(core.log().take(), kind);
}

/// The findings that a block writes as plain data, and their messages as the launch reports them.
struct Left {
  std::unique_ptr<LaunchResult> result = std::make_unique<LaunchResult>();

  template <class I>
  Found& add(Found::Kind kind, const char* name, const typename I::Operands& o, std::uint32_t count) {
    Found& f = result->found[0];
    int number = 0;
    AllInstructions::each([&]<class J>() {
      if (std::is_same_v<I, J>) f.instruction = number;
      ++number;
    });
    f.state = 2, f.kind = kind, f.count = count, result->any_found = 1;
    std::strcpy(f.name, name);
    std::memcpy(f.operands, static_cast<const void*>(&o), sizeof o);
    return f;
  }
  std::vector<std::string> said(FindingKind kind) const {
    SiteBook sites;
    FindingLog log;
    OwnerLog owners;
    report_found(target::cuda, *result, sites, log, owners);
    return text(log.take(), kind);
  }
};

/// UB of the blocks in these tests.
alignas(16) std::byte ub[256 * 1024];

class cuda_watch : public testing::TestWithParam<int> {
 protected:
  Team team_{GetParam()};

  std::vector<std::string> alias_of(const Mscatter::Operands& o) {
    Left left;
    if (!Mscatter::writes_once(o)) return {};
    team_.run(ub, [&](HostBlock& b) {
      const Bounds w = pto::instr::cuda::bounds(o);
      pto::instr::cuda::find_twice(b, w.count(), [&](Count i) { return w.slot(b, i); });
      const pto::instr::cuda::Twice& twice = b.state().twice;
      if (b.tid() != 0 || twice.count == 0) return;
      Found& f = left.add<Mscatter>(Found::Kind::index_twice, "idx", o, twice.count);
      for (const auto& [at, i] : {std::pair(0, ~twice.first), std::pair(3, ~twice.second)})
        f.value[at] = w.value(b, i), f.value[at + 1] = w.position(i).r, f.value[at + 2] = w.position(i).c;
    });
    return left.said(FindingKind::alias);
  }

  template <class I>
  std::vector<std::string> outside_of(const typename I::Operands& o) {
    Left left;
    std::vector<Allocation> known;
    for (const Extent& e : Registry::instance().all()) known.push_back({e.begin, e.bytes, e.reach()});
    team_.run(ub, [&](HostBlock& b) {
      if (b.tid() == 0) b.state().launch.allocations = known.data();
      if (b.tid() == 0) b.state().launch.allocation_count = static_cast<std::int32_t>(known.size());
      b.sync();
      Bounds w;
      Moved m = pto::instr::cuda::moved(o);
      if constexpr (requires { pto::instr::cuda::bounds(o); }) w = pto::instr::cuda::bounds(o), m.named = &w;
      const Allocation* a = pto::instr::cuda::allocation_of(b.state().launch, m.tensor->base);
      if (!a) return;
      pto::instr::cuda::find_outside(b, m, *a);
      if (b.tid() != 0 || b.state().ranges.count == 0) return;
      const Reached bytes = pto::instr::cuda::first_outside(b, m, *a);
      Found& f = left.add<I>(Found::Kind::outside_allocation, m.operand, o, b.state().ranges.count);
      f.value[0] = bytes.first, f.value[1] = bytes.end - 1, f.value[2] = static_cast<std::int64_t>(a->bytes);
    });
    return left.said(FindingKind::oob_gm);
  }
};
INSTANTIATE_TEST_SUITE_P(threads, cuda_watch, testing::Values(1, 3, 32));

std::vector<std::string> alias_on_host(const Mscatter::Operands& o) {
  return said_on_host(FindingKind::alias, [&](Core& core) {
    IndexWatch watch(Mscatter::mnemonic, Mscatter::lookup(target::cuda, o));
    PlainMachine m(ub);
    Mscatter::indices(m, o, [&](std::uint32_t v, std::int64_t r, std::int64_t c) { watch.see(v, r, c); });
    watch.report(core, Site::current());
  });
}

template <class I>
std::vector<std::string> outside_on_host(const typename I::Operands& o) {
  return said_on_host(FindingKind::oob_gm, [&](Core& core) {
    BoundsWatch watch;
    I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
      if constexpr (std::is_same_v<D, TensorDesc>) watch.tensor(F::name, d);
    });
    PlainMachine m(ub);
    I::effects(m, o, [&](const Effect& e) { watch.see(e); });
    watch.report(core, I::mnemonic, Site::current());
  });
}

TEST_P(cuda_watch, aliases_of_random_scatters) {
  Random random(static_cast<std::uint64_t>(GetParam()) + 3);
  int aliases = 0;
  for (int i = 0; i < 400; ++i) {
    Case c = i % 4 ? next_case(random) : next_wide_case(random);
    if (!c.scatter) continue;
    if (i % 2) c.op = 0, c.conflict = static_cast<int>(random.below(3));
    if (!random_test::legal(c)) continue;
    const random_test::Plan p(c);
    const random_test::Outcome before = random_test::before(c);
    std::memcpy(ub, before.ub.data(), before.ub.size());
    std::vector<std::uint8_t> gm = before.gm;
    const auto o = random_test::scatter_operands(c, p, gm.data() + p.table_at);
    const auto expected = alias_on_host(o);
    ASSERT_EQ(alias_of(o), expected) << "case " << i << "\n" << c;
    aliases += !expected.empty();
  }
  EXPECT_GT(aliases, 20);
}

/// Registers a random part of the memory around a tensor as one allocation.
struct Adopted {
  const std::uint8_t* begin;
  Device dev{target::cpu};
  Adopted(Random& random, Bytes& gm, std::int64_t base) {
    const auto size = static_cast<std::int64_t>(gm.size());
    const auto before = static_cast<std::uint64_t>(std::min<std::int64_t>(base, random.below(2) ? 64 : 400));
    const std::int64_t first = base - static_cast<std::int64_t>(random.below(before + 1));
    const std::int64_t most = random.below(2) ? 600 : size;
    begin = gm.data() + first;
    dev.adopt(begin,
              std::min(size - first, 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most)))));
  }
  ~Adopted() { dev.forget(begin); }
};

template <class I>
bool expect_same_outside(const std::vector<std::string>& found, const typename I::Operands& o) {
  const auto expected = outside_on_host<I>(o);
  EXPECT_EQ(found, expected) << I::mnemonic;
  return !expected.empty();
}

TEST_P(cuda_watch, tables_of_random_gathers_and_scatters_that_leave_their_allocation) {
  Random random(static_cast<std::uint64_t>(GetParam()));
  int outside = 0;
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    const Case c = i % 4 ? next_case(random) : next_wide_case(random);
    const random_test::Plan p(c);
    const random_test::Outcome before = random_test::before(c);
    std::memcpy(ub, before.ub.data(), before.ub.size());
    Bytes gm = before.gm;
    const Adopted part(random, gm, p.table_at);
    SCOPED_TRACE(testing::Message() << "case " << i << "\n" << c);
    if (c.scatter) {
      const auto o = random_test::scatter_operands(c, p, gm.data() + p.table_at);
      outside += expect_same_outside<Mscatter>(outside_of<Mscatter>(o), o);
    } else {
      const auto o = random_test::gather_operands(c, p, gm.data() + p.table_at);
      outside += expect_same_outside<Mgather>(outside_of<Mgather>(o), o);
    }
  }
  EXPECT_GT(outside, 40);
}

TEST_P(cuda_watch, random_loads_stores_and_prefetches_that_leave_their_allocation) {
  int outside = 0;
  for (std::uint64_t seed = 1; seed <= 200 && !HasFailure(); ++seed) {
    Arena a(seed);
    constexpr std::int64_t base = 4096;
    const auto load = legal_operands<Tload>(a, a.gm.data() + base);
    const Tprefetch::Operands prefetch{load.dst, load.src, {}};
    const auto store = legal_operands<Tstore>(a, a.gm.data() + base);
    const Adopted part(a.random, a.gm, base);
    SCOPED_TRACE(seed);
    outside += expect_same_outside<Tload>(outside_of<Tload>(load), load);
    outside += expect_same_outside<Tstore>(outside_of<Tstore>(store), store);
    outside += expect_same_outside<Tprefetch>(outside_of<Tprefetch>(prefetch), prefetch);
  }
  EXPECT_GT(outside, 40);
}

TEST(cuda_allocations, an_address_belongs_to_the_last_that_begins_before_it_while_in_its_reach) {
  const Allocation known[] = {{100, 50, 80}, {200, 0, 1}, {300, 10, 10}};
  pto::instr::cuda::LaunchData launch{};
  const auto at = [&](std::uintptr_t p) { return pto::instr::cuda::allocation_of(launch, reinterpret_cast<void*>(p)); };
  EXPECT_EQ(at(100), nullptr);
  launch.allocations = known, launch.allocation_count = 3;
  const std::pair<std::uintptr_t, const Allocation*> cases[] = {{0, nullptr},   {99, nullptr},    {100, known},
                                                                {179, known},   {180, nullptr},   {200, known + 1},
                                                                {201, nullptr}, {309, known + 2}, {310, nullptr}};
  for (const auto& [p, allocation] : cases) EXPECT_EQ(at(p), allocation) << p;
}

}  // namespace
}  // namespace ptox::cuda_test
