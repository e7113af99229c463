// SPDX-License-Identifier: Apache-2.0
// Every loop of every SIMD level gives the result of a plain loop, for near and far tables, with and without
// non-temporal stores.
#include "loops/kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "host/ops_oracle.hpp"
#include "loops/caches.hpp"
#include "ptox/ops.hpp"
#include "sizes.hpp"

namespace ptox {
namespace {

/// A SIMD level, and whether the loops assume a large L2.
struct Ways {
  Level level;
  bool large_second;
};
struct kernels_of : testing::TestWithParam<Ways> {
  void SetUp() override {
    force_level(GetParam().level);
    force_second_cache(GetParam().large_second ? 2 << 20 : 1 << 20);
  }
  void TearDown() override {
    force_level(levels().back());
    force_second_cache(0);
  }
};
/// Every level with either size of L2; in a plain `./test` only the highest level has both.
std::vector<Ways> all_ways() {
  std::vector<Ways> out;
  const bool full = std::getenv("PTOX_FULL") != nullptr;
  for (const Level level : levels()) {
    out.push_back({level, false});
    if (full || level == levels().back()) out.push_back({level, true});
  }
  return out;
}

/// Rows at any offset in a cache line, surrounded by bytes that must not change.
struct Place {
  std::vector<std::byte> bytes;
  std::int64_t at, stride;
  Place(std::int64_t rows, std::int64_t row, std::int64_t gap, std::mt19937& random)
      : bytes(static_cast<std::size_t>(rows * (row + gap) + 256)),
        at(64 + static_cast<std::int64_t>(random() % 2 == 0 ? 0 : random() % 64)),
        stride(row + gap) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  std::byte* row(std::int64_t i) {
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    return bytes.data() + (-begin & 63) + at + i * stride;
  }
};

struct Flags {
  bool wide, far, near, stream, checked;
};

struct Trial {
  static constexpr std::int64_t capacity = 37, count = 150;
  std::mt19937 random;
  std::int64_t row_bytes;
  Flags flags;
  Place table, data;
  std::vector<std::uint64_t> wide;
  std::vector<std::uint32_t> narrow;

  Trial(std::int64_t row, std::int64_t gap, Flags f, unsigned seed)
      : random(seed), row_bytes(row), flags(f), table(capacity, row, gap, random), data(count, row, gap, random) {
    for (std::int64_t i = 0; i < count; ++i) wide.push_back(random() % (f.checked ? capacity + 9 : capacity));
    narrow.assign(wide.begin(), wide.end());
  }
  Move move() {
    Move m{};
    m.table = table.row(0), m.stride = table.stride, m.data = data.row(0), m.data_stride = data.stride;
    m.capacity = flags.checked ? capacity : Move::unchecked, m.row_bytes = row_bytes, m.count = count;
    m.slots = flags.wide ? static_cast<const void*>(wide.data()) : narrow.data();
    m.far = flags.far, m.near = flags.near, m.stream = flags.stream;
    return m;
  }
};

template <class F>
void each_trial(bool checked_too, F&& f) {
  unsigned seed = 0;
  std::vector<std::int64_t> widths{384, 511, 512, 513, 1024, 1500, 4095, 4096, 4097, 9000};
  for (std::int64_t w = 1; w <= 300; w += w <= 65 ? 1 : size_step) widths.push_back(w);  // every width up to one line
  for (const std::int64_t w : widths)
    for (int bits = 0; bits < 32; ++bits) {
      const Flags flags{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, (bits & 16) != 0};
      if (flags.checked && !checked_too) continue;
      const std::int64_t gap = ++seed % 3 == 0 ? static_cast<std::int64_t>(seed % 130) : 0;
      SCOPED_TRACE(testing::Message() << "rows of " << w << " + " << gap << ", flags " << bits);
      Trial t(w, gap, flags, seed);
      f(t);
      if (testing::Test::HasFailure()) return;
    }
}

TEST_P(kernels_of, gather_as_the_plain_loop) {
  each_trial(true, [](Trial& t) {
    auto expected = t.data.bytes;
    for (std::int64_t i = 0; i < Trial::count; ++i) {
      const auto slot = static_cast<std::int64_t>(t.wide[static_cast<std::size_t>(i)]);
      std::byte* to = expected.data() + (t.data.row(i) - t.data.bytes.data());
      for (std::int64_t c = 0; c < t.row_bytes; ++c)
        to[c] = slot < Trial::capacity ? t.table.row(slot)[c] : std::byte{0};
    }
    kernels().gather[t.flags.wide](t.move());
    kernels().fence();
    EXPECT_EQ(t.data.bytes, expected);
  });
}

/// Gathers more rows than are prefetched ahead, from tables that are aligned to a cache line or not, to every offset in
/// a line.
TEST_P(kernels_of, gather_many_short_rows) {
  constexpr std::int64_t capacity = 50, most = 700;
  std::mt19937 random(1);
  for (const std::int64_t row : {8, 16, 32, 48})
    for (const std::int64_t count : {0, 1, 3, 4, 5, 255, 256, 257, 260, 263, 264, 700})
      for (int trial = 0; trial < 64; ++trial) {
        const bool checked = (trial & 1) != 0, wide = (trial & 2) != 0;
        Place table(capacity, row, 0, random), data(most, row, 0, random);
        table.at = 64 + (trial >> 2 & 1) * 16, data.at = 64 + (trial >> 3) * 8;
        std::vector<std::uint64_t> slots;
        for (std::int64_t i = 0; i < count; ++i) slots.push_back(random() % (checked ? capacity + 20 : capacity));
        if (checked && count > 0) slots.back() = wide ? ~0ull : ~0u;
        const std::vector<std::uint32_t> narrow(slots.begin(), slots.end());
        auto expected = data.bytes;
        for (std::int64_t i = 0; i < count; ++i) {
          const std::uint64_t slot = slots[static_cast<std::size_t>(i)];
          std::byte* to = expected.data() + (data.row(i) - data.bytes.data());
          std::memset(to, 0, static_cast<std::size_t>(row));
          if (slot < capacity)
            std::memcpy(to, table.row(static_cast<std::int64_t>(slot)), static_cast<std::size_t>(row));
        }
        Move m{};
        m.table = table.row(0), m.stride = row, m.data = data.row(0), m.data_stride = row, m.row_bytes = row;
        m.capacity = checked ? capacity : Move::unchecked, m.count = count, m.far = m.stream = true;
        m.slots = wide ? static_cast<const void*>(slots.data()) : narrow.data();
        kernels().gather[wide](m);
        kernels().fence();
        ASSERT_EQ(data.bytes, expected) << row << " bytes, " << count << " rows, trial " << trial;
      }
}

/// Sizes around the threshold above which a copy proceeds at four positions at the same time.
TEST_P(kernels_of, copy_long_rows) {
  std::mt19937 random(1);
  for (const std::int64_t bytes : {32767, 32768, 65535, 65536, 65537, 65536 + 255, 131072, 131072 + 63})
    for (int trial = 0; trial < 8; ++trial) {
      Place from(1, bytes, 0, random), to(1, bytes, 0, random);
      from.at = 64 + (trial & 1) * 13, to.at = 64 + (trial >> 1 & 1) * 29;
      auto expected = to.bytes;
      std::memcpy(expected.data() + (to.row(0) - to.bytes.data()), from.row(0), static_cast<std::size_t>(bytes));
      kernels().copy(to.row(0), from.row(0), bytes, (trial & 4) != 0);
      kernels().fence();
      ASSERT_EQ(to.bytes, expected) << bytes << " bytes, trial " << trial;
    }
}

TEST_P(kernels_of, gather_whatever_is_fetched_between) {
  const std::byte nowhere[64] = {};
  each_trial(false, [&](Trial& t) {
    if (t.flags.wide || !t.flags.far || t.flags.stream) return;
    std::vector<const std::byte*> asked(Trial::count, nowhere);
    for (std::size_t i = 0; i < asked.size(); i += 2) asked[i] = t.table.row(static_cast<std::int64_t>(i) % 37);
    const std::vector<std::uint32_t> next(Trial::count, ~0u);  // slots outside the table
    auto expected = t.data.bytes;
    for (std::int64_t i = 0; i < Trial::count; ++i)
      std::memcpy(expected.data() + (t.data.row(i) - t.data.bytes.data()),
                  t.table.row(t.narrow[static_cast<std::size_t>(i)]), static_cast<std::size_t>(t.row_bytes));
    for (const std::int64_t some : {std::int64_t{1}, Trial::count / 2, Trial::count})
      for (const int bits : {0, 1, 2, 3}) {
        Move by_slots = t.move(), by_rows = t.move();
        by_slots.fetched = by_rows.fetched = (bits & 1) != 0;
        by_slots.tile = by_rows.tile = (bits & 2) != 0;
        by_slots.following = next.data(), by_slots.following_count = some;
        by_rows.asked = asked.data(), by_rows.asked_count = some;
        for (const Move& m : {by_slots, by_rows}) {
          const auto before = t.data.bytes;
          kernels().gather[0](m);
          ASSERT_EQ(t.data.bytes, expected);
          t.data.bytes.assign(before.begin(), before.end());
        }
      }
  });
}

TEST_P(kernels_of, scatter_as_the_plain_loop) {
  each_trial(false, [](Trial& t) {
    auto expected = t.table.bytes;
    std::vector<std::uint32_t> positions;
    for (std::int64_t i = 0; i < Trial::count; ++i)
      positions.push_back(static_cast<std::uint32_t>(t.flags.near ? i : t.random() % Trial::count));
    for (std::int64_t i = 0; i < Trial::count; ++i) {
      const auto slot = static_cast<std::int64_t>(t.wide[static_cast<std::size_t>(i)]);
      std::memcpy(expected.data() + (t.table.row(slot) - t.table.bytes.data()),
                  t.data.row(positions[static_cast<std::size_t>(i)]), static_cast<std::size_t>(t.row_bytes));
    }
    Move m = t.move();
    if (!t.flags.near) m.positions = positions.data();
    kernels().scatter[t.flags.wide](m);
    kernels().fence();
    EXPECT_EQ(t.table.bytes, expected);
  });
}

/// Compares the sums of rows of T by one loop, with several kinds of prefetching, with a plain loop.
template <class T>
void check_sums(Trial& t, pto::instr::DType dtype, T (*number)(std::mt19937&)) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(T));
  for (Place* p : {&t.table, &t.data}) {
    p->at = p->at / size * size, p->stride = (p->stride + size - 1) / size * size;
    p->bytes.resize(static_cast<std::size_t>(Trial::count * p->stride + 256));
    for (std::size_t i = 0; i + sizeof(T) <= p->bytes.size(); i += sizeof(T)) {
      const T value = number(t.random);
      std::memcpy(&p->bytes[i], &value, sizeof value);
    }
  }
  std::vector<std::uint32_t> positions, next(Trial::count, ~0u);  // next: slots outside the table
  for (std::int64_t i = 0; i < Trial::count; ++i)
    positions.push_back(static_cast<std::uint32_t>(t.flags.near ? i : t.random() % Trial::count));
  const auto before = t.table.bytes;
  auto expected = before;
  for (std::size_t i = 0; i < Trial::count; ++i)
    for (std::int64_t c = 0; c < t.row_bytes; c += size) {
      T old, value;
      std::byte* to = expected.data() + (t.table.row(static_cast<std::int64_t>(t.wide[i])) - t.table.bytes.data()) + c;
      std::memcpy(static_cast<void*>(&old), to, sizeof old);
      std::memcpy(static_cast<void*>(&value), t.data.row(positions[i]) + c, sizeof value);
      const T sum = ops_test::sum(old, value);
      std::memcpy(to, &sum, sizeof sum);
    }
  const auto run = [&](std::int64_t count, int bits) {
    Move m = t.move();
    m.count = count;
    if (!t.flags.near) m.positions = positions.data();
    if (bits & 1) m.following = next.data(), m.following_count = bits & 2 ? count : count / 2;
    m.fetched = (bits & 4) != 0;
    if (bits & 8) m.next = t.data.row(0);
    kernels().updating(t.flags.wide, pto::ScatterAtomicOp::Add, dtype)(m);
  };
  const int bits = static_cast<int>(t.random() % 16);
  run(Trial::count, bits);
  ASSERT_EQ(t.table.bytes, expected) << "fetches " << bits;
  t.table.bytes.assign(before.begin(), before.end());
  for (std::int64_t i = 0; i < Trial::count; i += 3) {  // the same, three rows at a time
    Move m = t.move();
    m.slots = t.flags.wide ? static_cast<const void*>(&t.wide[static_cast<std::size_t>(i)])
                           : &t.narrow[static_cast<std::size_t>(i)];
    m.positions = &positions[static_cast<std::size_t>(i)], m.count = 3;
    kernels().updating(t.flags.wide, pto::ScatterAtomicOp::Add, dtype)(m);
  }
  ASSERT_EQ(t.table.bytes, expected) << "by threes";
  t.table.bytes.assign(before.begin(), before.end());
}

TEST_P(kernels_of, sums_as_the_plain_loop) {
  using pto::instr::DType;
  each_trial(false, [](Trial& t) {
    if (t.flags.stream) return;
    check_sums<std::uint8_t>(t, DType::u8, [](std::mt19937& r) { return static_cast<std::uint8_t>(r()); });
    if (t.row_bytes % 2 == 0)
      check_sums<pto::bfloat16_t>(
          t, DType::bf16, [](std::mt19937& r) { return pto::bfloat16_t(static_cast<float>(r()) / 3e6f - 700); });
    if (t.row_bytes % 2 == 0)
      check_sums<pto::half>(t, DType::f16,
                            [](std::mt19937& r) { return pto::half(static_cast<float>(r()) / 3e7f - 70); });
    if (t.row_bytes % 4 == 0)
      check_sums<float>(t, DType::f32, [](std::mt19937& r) { return static_cast<float>(r()) / 3e6f - 700; });
  });
}

TEST_P(kernels_of, sums_of_bfloats_beside_one_that_is_no_number) {
  constexpr std::size_t width = 64;
  for (std::size_t where = 0; where < width; ++where)
    for (const std::uint16_t odd : {0x7f81, 0x7fc1, 0xff80, 0x7f80, 0x0001, 0x8001}) {
      std::vector<pto::bfloat16_t> table(width, pto::bfloat16_t(1.0f)), src(width, pto::bfloat16_t(0x1.02p-8f));
      std::memcpy(static_cast<void*>(&src[where]), &odd, sizeof odd);
      const std::uint32_t slot = 0;
      Move m{};
      m.table = reinterpret_cast<std::byte*>(table.data()), m.data = reinterpret_cast<std::byte*>(src.data());
      m.stride = m.data_stride = m.row_bytes = 2 * width, m.slots = &slot, m.count = 1, m.capacity = Move::unchecked;
      kernels().updating(false, pto::ScatterAtomicOp::Add, pto::instr::DType::bf16)(m);
      for (std::size_t i = 0; i < width; ++i) {
        std::uint16_t got;
        std::memcpy(&got, &table[i], sizeof got);
        const std::uint16_t there = odd == 0x7f81 || odd == 0x7fc1   ? 0x7fc1
                                    : odd >= 0x8002 || odd == 0x7f80 ? odd
                                                                     : 0x3f80;
        ASSERT_EQ(got, i == where ? there : 0x3f81) << i << " beside " << where;
      }
    }
}

TEST_P(kernels_of, a_stream_that_fetches_copies_all_and_no_more) {
  std::mt19937 random(5);
  std::vector<std::byte> from(5000), rows(4096);
  for (std::byte& b : from) b = static_cast<std::byte>(random());
  for (const std::int64_t bytes : {0, 1, 63, 64, 65, 300, 1024, 4001})
    for (std::int64_t at = 0; at < 64; ++at)
      for (const std::int64_t count : {0, 1, 7, 64}) {
        std::vector<std::byte> to(5000), expected(5000);
        const std::int64_t begin = 64 + at;
        std::memcpy(expected.data() + begin, from.data() + at, static_cast<std::size_t>(bytes));
        const std::vector<const std::byte*> fetched(static_cast<std::size_t>(count), rows.data() + at);
        kernels().stream_fetching(to.data() + begin, from.data() + at, bytes, {fetched.data(), count, 100});
        kernels().fence();
        ASSERT_EQ(to, expected) << bytes << " bytes at " << at;
      }
}

template <class Slot>
void check_pick(std::uint64_t first, std::uint64_t end) {
  std::vector<Slot> from;
  for (std::uint64_t i = 0; i < 100; ++i) from.push_back(static_cast<Slot>(i * 0x9e3779b97f4a7c15u >> (i % 60)));
  for (std::uint64_t i = 0; i < 77; ++i) from.push_back(static_cast<Slot>(i));
  std::vector<Slot> slots(from.size() + 16);
  std::vector<std::uint32_t> positions(from.size() + 16), expected;
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i] >= first && from[i] < end) expected.push_back(static_cast<std::uint32_t>(i));
  const std::int64_t kept = kernels().pick[sizeof(Slot) == 8](from.data(), static_cast<std::int64_t>(from.size()),
                                                              first, end, {slots.data(), positions.data()});
  ASSERT_EQ(kept, static_cast<std::int64_t>(expected.size())) << first << " to " << end;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_EQ(positions[i], expected[i]);
    ASSERT_EQ(slots[i], from[expected[i]]);
  }
}

TEST_P(kernels_of, pick_what_lies_between) {
  const std::uint64_t edges[] = {0,          1,           10,          64,          0x7fffffff, 0x80000000,
                                 0xffffffff, 0x100000000, 0x100000005, 0x100000064, UINT64_MAX};
  for (const std::uint64_t first : edges)
    for (const std::uint64_t end : edges)
      if (first < end) check_pick<std::uint32_t>(first, end), check_pick<std::uint64_t>(first, end);
}

TEST_P(kernels_of, largest_of_any_number) {
  std::mt19937_64 random(1);
  for (std::int64_t n = 0; n < 300; ++n) {
    std::vector<std::uint64_t> wide;
    for (std::int64_t i = 0; i < n; ++i) wide.push_back(random());
    const std::vector<std::uint32_t> narrow(wide.begin(), wide.end());
    std::uint64_t most = 0, most_narrow = 0;
    for (const std::uint64_t w : wide) most = std::max(most, w);
    for (const std::uint32_t w : narrow) most_narrow = std::max<std::uint64_t>(most_narrow, w);
    EXPECT_EQ(kernels().largest[true](wide.data(), n), most);
    EXPECT_EQ(kernels().largest[false](narrow.data(), n), most_narrow);
  }
}

INSTANTIATE_TEST_SUITE_P(level, kernels_of, testing::ValuesIn(all_ways()), [](const auto& ways) {
  return name(ways.param.level) + std::string(ways.param.large_second ? "_large_second" : "");
});

TEST(rows_of, rows_that_come_out_even) {
  const std::vector<float> v(12);
  const Rows<const float> r = rows_of(v, std::size_t{4});
  EXPECT_EQ(r.rows, 3);
  EXPECT_EQ(r.width, 4);
  EXPECT_EQ(r.data, v.data());
  EXPECT_THROW(rows_of(v, 5), std::invalid_argument);
  EXPECT_THROW(rows_of(v, 0), std::invalid_argument);
}

}  // namespace
}  // namespace ptox
