// SPDX-License-Identifier: Apache-2.0
// Instructions return events, kernels can wait for them, and flags have the documented names.
#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;

static_assert(PIPE_S == 0 && PIPE_V == 1 && PIPE_MTE1 == 2 && PIPE_MTE2 == 3 && PIPE_MTE3 == 4 && PIPE_M == 5);
static_assert(PIPE_ALL == 6 && PIPE_FIX == 7 && std::same_as<pipe_t, int> && std::same_as<event_t, int>);
static_assert(EVENT_ID0 == 0 && EVENT_ID1 == 1 && EVENT_ID2 == 2 && EVENT_ID3 == 3 && EVENT_ID4 == 4);
static_assert(EVENT_ID5 == 5 && EVENT_ID6 == 6 && EVENT_ID7 == 7);
static_assert(cache_line_t::SINGLE_CACHE_LINE != cache_line_t::ENTIRE_DATA_CACHE);
static_assert(cache_line_t::CACHELINE_OUT != cache_line_t::ENTIRE_DATA_CACHE);

using Data = Tile<TileType::Vec, float, 8, 8>;
using Index = Tile<TileType::Vec, std::int32_t, 8, 8>;
using RowIndex = Tile<TileType::Vec, std::int32_t, 1, 8>;
using Half = Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 4>;
using Blocks = Tile<TileType::Vec, std::uint32_t, 8, 8, BLayout::RowMajor, 8, 1>;
using Mat = Tile<TileType::Mat, float, 16, 8, BLayout::ColMajor, 8, 8, SLayout::RowMajor>;
using Tensor = GlobalTensor<float, Shape<1, 1, 1, 8, 8>, Stride<1, 1, 1, 8, 1>>;
using Wide = GlobalTensor<float, Shape<1, 1, 1, 16, 8>, Stride<1, 1, 1, 8, 1>>;
using Indices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 8, 8>, Stride<1, 1, 1, 8, 1>>;
using RowIndices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
using Group = comm::ParallelGroup<Tensor>;

template <class T>
T& a();
template <class R>
constexpr bool records = std::same_as<R, RecordEvent>;

static_assert(records<decltype(TLOAD(a<Data>(), a<Tensor>()))>);
static_assert(records<decltype(TSTORE(a<Tensor>(), a<Data>()))>);
static_assert(records<decltype(TSTORE<AtomicType::AtomicAdd>(a<Tensor>(), a<Data>()))>);
static_assert(records<decltype(TPREFETCH(a<Data>(), a<Tensor>()))>);
static_assert(records<decltype(MGATHER(a<Data>(), a<Tensor>(), a<Index>()))>);
static_assert(records<decltype(MGATHER<Coalesce::Elem, GatherOOB::Zero>(a<Data>(), a<Tensor>(), a<Index>()))>);
static_assert(records<decltype(MGATHER<Coalesce::Row>(a<Mat>(), a<Tensor>(), a<RowIndices>()))>);
static_assert(records<decltype(MGATHER<Coalesce::Elem>(a<Mat>(), a<Tensor>(), a<Indices>(), a<Wide>()))>);
static_assert(records<decltype(MSCATTER(a<Tensor>(), a<Data>(), a<Index>()))>);
static_assert(records<decltype(MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(a<Tensor>(), a<Data>(), a<RowIndex>()))>);
static_assert(records<decltype(TGATHER(a<Data>(), a<Data>(), a<Index>()))>);
static_assert(records<decltype(TGATHER(a<Data>(), a<Data>(), a<Index>(), a<Data>()))>);
static_assert(records<decltype(TGATHER<MaskPattern::P0101>(a<Half>(), a<Data>()))>);
static_assert(records<decltype(TSCATTER(a<Data>(), a<Data>(), a<Index>()))>);
static_assert(records<decltype(TSCATTER<MaskPattern::P1010>(a<Data>(), a<Half>()))>);
static_assert(records<decltype(TGATHERB(a<Data>(), a<Data>(), a<Blocks>()))>);
static_assert(records<decltype(TMOV(a<Data>(), a<Data>()))>);
static_assert(records<decltype(TEXPANDS(a<Data>(), 1.0f))>);
static_assert(records<decltype(TASSIGN(a<Data>(), 0x100))>);
static_assert(records<decltype(comm::TSCATTER(a<Group>(), a<Tensor>(), a<Data>()))>);
static_assert(records<decltype(comm::TSCATTER(a<Group>(), a<Tensor>(), a<Data>(), a<Data>()))>);

constexpr Op documented[] = {Op::TLOAD,   Op::TSTORE_VEC, Op::MGATHER_VEC, Op::MGATHER_MAT, Op::MSCATTER,
                             Op::TGATHER, Op::TSCATTER,   Op::VECTOR,      Op::SCALAR};
static_assert(sizeof documented == 9 * sizeof(Op));

using Loaded = Event<Op::TLOAD, Op::MGATHER_VEC>;
static_assert(std::convertible_to<RecordEvent, Loaded> && std::assignable_from<Loaded&, RecordEvent>);
static_assert(std::same_as<Loaded, Event<Op::TLOAD, Op::MGATHER_VEC, true, EVENT_ID0>>);

// Only events may follow the operands; an index tile is not accepted as an event.
template <class... Trailing>
concept Gathers = requires(Data& d, Tensor& t, Index& i, Trailing&... trailing) { MGATHER(d, t, i, trailing...); };
template <class... Trailing>
concept Scatters = requires(Data& d, Tensor& t, Index& i, Trailing&... trailing) { MSCATTER(t, d, i, trailing...); };
static_assert(Gathers<> && Gathers<Loaded> && Gathers<Loaded, Loaded, Loaded, Loaded>);
static_assert(!Gathers<Index> && !Gathers<Data> && !Gathers<Tensor> && !Gathers<int> && !Gathers<Loaded, Index>);
static_assert(Scatters<> && Scatters<Loaded> && !Scatters<Index> && !Scatters<Tensor> && !Scatters<RecordEvent>);

TEST(event, any_number_may_trail_an_instruction) {
  EXPECT_TRUE((Gathers<Loaded, Loaded, Loaded, Loaded, Loaded>));
  EXPECT_TRUE((Scatters<Loaded, Loaded, Loaded, Loaded, Loaded, Loaded>));
}

/// 64 values, and indices that reverse their order.
struct Memory {
  ptox::Device dev;
  ptox::Buffer<float> table, out;
  ptox::Buffer<std::int32_t> idx;
  explicit Memory(const ptox::Target& t)
      : dev(t), table(dev.alloc<float>(64)), out(dev.alloc<float>(64)), idx(dev.alloc<std::int32_t>(64)) {
    for (int i = 0; i < 64; ++i) table[i] = static_cast<float>(i + 1), idx[i] = 63 - i;
  }
  void expect_reversed(const ptox::Report& r) const {
    EXPECT_TRUE(r.clean()) << r;
    for (int i = 0; i < 64; ++i) EXPECT_EQ(out[i], static_cast<float>(64 - i));
  }
};

TEST(event, orders_a_gather_after_its_load_and_a_store_after_the_gather) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    Memory m(*t);
    m.expect_reversed(m.dev.launch({}, [&] {
      Data dst;
      Index idx;
      Tensor table(m.table.data()), out(m.out.data());
      Indices indices(m.idx.data());
      Event<Op::TLOAD, Op::MGATHER_VEC> e = TLOAD(idx, indices);
      Event<Op::MGATHER_VEC, Op::TSTORE_VEC> done = MGATHER(dst, table, idx, e);
      TSTORE(out, dst, done);
    }));
  }
}

TEST(event, orders_a_row_gather_after_its_load) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    Memory m(*t);
    for (int r = 0; r < 8; ++r) m.idx[r] = 7 - r;
    const ptox::Report report = m.dev.launch({}, [&] {
      Data dst;
      RowIndex idx;
      Tensor table(m.table.data()), out(m.out.data());
      RowIndices indices(m.idx.data());
      Event<Op::TLOAD, Op::MGATHER_VEC> e = TLOAD(idx, indices);
      Event<Op::MGATHER_VEC, Op::TSTORE_VEC> done = MGATHER<Coalesce::Row>(dst, table, idx, e);
      TSTORE(out, dst, done);
    });
    EXPECT_TRUE(report.clean()) << report;
    for (int i = 0; i < 64; ++i) EXPECT_EQ(m.out[i], m.table[(7 - i / 8) * 8 + i % 8]);
  }
}

TEST(event, several_trail_one_instruction) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    Memory m(*t);
    m.expect_reversed(m.dev.launch({}, [&] {
      Data src;
      Index idx;
      Tensor table(m.table.data()), out(m.out.data());
      Indices indices(m.idx.data());
      Event<Op::TLOAD, Op::MSCATTER, true, EVENT_ID1> a = TLOAD(src, table);
      Event<Op::TLOAD, Op::MSCATTER, true, EVENT_ID2> b = TLOAD(idx, indices);
      MSCATTER<Coalesce::Elem>(out, src, idx, a, b);
    }));
  }
}

TEST(event, is_assigned_and_waited_for_by_hand) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    Memory m(*t);
    m.expect_reversed(m.dev.launch({}, [&] {
      Data src, dst;
      Index idx;
      Tensor table(m.table.data()), out(m.out.data());
      Indices indices(m.idx.data());
      Event<Op::TLOAD, Op::TGATHER, true, EVENT_ID3> loaded;
      loaded.Wait();  // nothing was recorded, so this does not wait
      TLOAD(src, table);
      loaded = TLOAD(idx, indices);
      loaded.Wait();
      Event<Op::TGATHER, Op::TSTORE_VEC> gathered = TGATHER(dst, src, idx);
      TSYNC(gathered);
      TSTORE(out, dst);
    }));
  }
}

TEST(event, tsync_waits_for_several_or_drains_a_pipe) {
  for (const ptox::Target* t : ptox::target::on_host) {
    SCOPED_TRACE(t->name);
    Memory m(*t);
    m.expect_reversed(m.dev.launch({}, [&] {
      Data src, dst, moved;
      Index idx;
      Tensor table(m.table.data()), out(m.out.data());
      Indices indices(m.idx.data());
      Event<Op::TLOAD, Op::VECTOR, true, EVENT_ID4> a = TLOAD(src, table);
      Event<Op::TLOAD, Op::VECTOR, true, EVENT_ID5> b = TLOAD(idx, indices);
      TSYNC(a, b);
      TGATHER(dst, src, idx);
      TSYNC<Op::VECTOR>();
      Event<Op::TMOV, Op::TSTORE_VEC> done = TMOV(moved, dst);
      TSTORE(out, moved, done);
    }));
  }
}

ptox::Report flags(const ptox::Target& t, event_t id) {
  ptox::Device dev(t);
  return dev.launch({}, [id] {
    set_flag(PIPE_MTE2, PIPE_V, id);
    wait_flag(PIPE_MTE2, PIPE_V, id);
  });
}

TEST(flag, ids_are_zero_to_seven_on_the_machines) {
  for (const ptox::Target* t : ptox::target::on_host)
    for (event_t id : {0, 7}) EXPECT_TRUE(flags(*t, id).clean()) << t->name << " " << id;
  for (event_t id : {-1, 8, 100, INT32_MAX, INT32_MIN}) {
    EXPECT_TRUE(flags(ptox::target::cpu, id).clean()) << id;
    for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
      const ptox::Report r = flags(*t, id);
      ASSERT_TRUE(r.has(ptox::FindingKind::flag_id)) << r;
      EXPECT_NE(r.findings()[0].message.find(std::to_string(id)), std::string::npos) << r;
      EXPECT_NE(r.findings()[0].file.find("event_test.cpp"), std::string::npos) << r;
    }
  }
}

TEST(flag, an_event_with_a_bad_id_is_found_at_the_kernels_line) {
  for (const ptox::Target* t : {&ptox::target::a2a3, &ptox::target::a5}) {
    Memory m(*t);
    const ptox::Report r = m.dev.launch({}, [&] {
      Data src;
      Tensor table(m.table.data());
      Event<Op::TLOAD, Op::VECTOR, true, 8> made = TLOAD(src, table);
      Event<Op::TLOAD, Op::VECTOR, true, 9> assigned;
      assigned = TLOAD(src, table);
      TSYNC(made, assigned);
    });
    EXPECT_TRUE(r.has(ptox::FindingKind::flag_id)) << r;
    for (const ptox::Finding& f : r.findings())
      if (f.kind == ptox::FindingKind::flag_id) {
        EXPECT_NE(f.file.find("event_test.cpp"), std::string::npos) << f;
      }
  }
}

__global__ AICORE void names(__gm__ float* p, __gm__ int* seen) {
  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID7);
  wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID7);
  pipe_barrier(PIPE_V);
  pipe_barrier(PIPE_ALL);
  dcci(p, cache_line_t::SINGLE_CACHE_LINE);
  dcci(p, cache_line_t::ENTIRE_DATA_CACHE, cache_line_t::CACHELINE_OUT);
  dcci(p, SINGLE_CACHE_LINE, dcci_dst_t::CACHELINE_OUT);
  dsb(DSB_DDR);
  dsb(DSB_ALL);
  dsb(DSB_UB);
  seen[get_block_idx()] += get_block_num() + get_subblockid() + get_subblockdim();
  EXPECT_GE(get_coreid(), 0);
}

TEST(global_names, kernels_use_them_on_every_target) {
  for (const ptox::Target* t : ptox::target::on_host) {
    ptox::Device dev(*t);
    auto data = dev.alloc<float>(16);
    auto seen = dev.alloc<int>(5);
    const ptox::Report r = dev.launch<names>({.blocks = 5}, data.data(), seen.data());
    EXPECT_TRUE(r.clean()) << r;
    for (int n : seen) EXPECT_EQ(n, 5 + 0 + 1);
  }
}

}  // namespace
