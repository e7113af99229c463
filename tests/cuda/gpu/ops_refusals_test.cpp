// SPDX-License-Identifier: Apache-2.0
// Calls that are rejected before any work is put on the stream, and their messages.
#include <gtest/gtest.h>

#include "ops_cases.hpp"

namespace {

using pto::ScatterAtomicOp;
using ptox::Rows;
using ptox::ScatterOptions;
using namespace ptox::testing;

template <class F>
std::string refused(F&& call) {
  try {
    call();
    return "nothing";
  } catch (const std::invalid_argument& e) {
    return e.what();
  }
}
/// The address plus some bytes. It is not dereferenced on the host.
template <class T>
T* past(T* p, std::uintptr_t bytes) {
  return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(p) + bytes);
}

/// Operands of which one at a time has a misaligned address.
template <class T, class I>
struct Misaligned {
  Guarded<T> table{std::vector<T>(100)}, moved{std::vector<T>(20)};
  Guarded<I> idx{std::vector<I>(10)};
  std::uintptr_t table_by = 0, moved_by = 0, idx_by = 0;

  Rows<T> rows(const Guarded<T>& of, std::uintptr_t by, std::int64_t n) const { return {past(of.data(), by), n, 2}; }
  std::span<I> indices() const { return {past(idx.data(), idx_by), 9}; }
  std::string scatter(ScatterAtomicOp op) const {
    return refused([&] {
      ptox::cuda::scatter_rows(rows(table, table_by, 40), indices(), rows(moved, moved_by, 9),
                               ScatterOptions{.op = op});
    });
  }
  std::string gather() const {
    return refused([&] { ptox::cuda::gather_rows(rows(table, table_by, 40), indices(), rows(moved, moved_by, 9)); });
  }
};

template <class T, class I>
void names_what_is_misaligned() {
  const std::string call = "ptox::cuda::scatter_rows: ", needs = " bytes; a GPU needs such a multiple";
  const auto at = [&](const char* who, std::uintptr_t by, std::size_t size) {
    return std::string(who) + " is " + std::to_string(by) + " past a multiple of its element's " +
           std::to_string(size) + needs;
  };
  for (std::uintptr_t by = 1; by < sizeof(T); ++by)
    for (const auto op : {ScatterAtomicOp::Add, ScatterAtomicOp::Max, ScatterAtomicOp::Min}) {
      Misaligned<T, I> m{.table_by = by};
      EXPECT_EQ(m.scatter(op), call + at("table", by, sizeof(T)));
      m.table_by = 0, m.moved_by = by;
      EXPECT_EQ(m.scatter(op), call + at("src", by, sizeof(T)));
    }
  for (std::uintptr_t by = 1; by < sizeof(I); ++by) {
    const Misaligned<T, I> m{.idx_by = by};
    const std::string sentence = at("idx", by, sizeof(I));
    EXPECT_EQ(m.scatter(ScatterAtomicOp::None), call + sentence);
    EXPECT_EQ(m.scatter(ScatterAtomicOp::Add), call + sentence);
    EXPECT_EQ(m.gather(), "ptox::cuda::gather_rows: " + sentence);
  }
  const Misaligned<T, I> aligned{};
  EXPECT_EQ(aligned.scatter(ScatterAtomicOp::Add), "nothing");
  EXPECT_EQ(aligned.gather(), "nothing");
  ptox::cuda::synchronize();
}
TEST(cuda_ops, what_is_misaligned_is_named) {
  names_what_is_misaligned<float, std::int32_t>();
  names_what_is_misaligned<half, std::uint64_t>();
  names_what_is_misaligned<double, std::int64_t>();
  names_what_is_misaligned<std::int16_t, std::uint32_t>();
}

/// Moves do not depend on the element type, so they work at any address.
TEST(cuda_ops, a_move_takes_any_address) {
  Random random(8);
  constexpr std::int64_t rows = 50, width = 12, count = 400, bytes = 4;
  const auto table = values<std::uint8_t>(random, rows * width * bytes + 3);
  const auto moved = values<std::uint8_t>(random, count * width * bytes + 3);
  const auto idx = indices<std::int32_t>(random, count, rows, false);
  const Guarded<std::int32_t> device_idx(idx);
  for (std::uintptr_t at = 0; at < 4; ++at)
    for (const bool gather : {true, false}) {
      auto expected_table = table, expected_moved = moved;
      const Guarded<std::uint8_t> device_table(table), device_moved(moved);
      const Rows to{expected_table.data() + at, rows, width * bytes},
          from{expected_moved.data() + 3 - at, count, width * bytes};
      const Rows device_to{reinterpret_cast<float*>(device_table.data() + at), rows, width};
      const Rows device_from{reinterpret_cast<float*>(device_moved.data() + 3 - at), count, width};
      gather ? ptox::gather_rows(to, idx, from) : ptox::scatter_rows(to, idx, from);
      gather ? ptox::cuda::gather_rows(device_to, device_idx.span(), device_from)
             : ptox::cuda::scatter_rows(device_to, device_idx.span(), device_from);
      ptox::cuda::synchronize();
      EXPECT_TRUE(equal(expected_table, device_table.get()) && device_table.guards_stand()) << at << gather;
      EXPECT_TRUE(equal(expected_moved, device_moved.get()) && device_moved.guards_stand()) << at << gather;
    }
}

TEST(cuda_ops, what_shares_memory_is_named) {
  const Guarded<float> table(std::vector<float>(100));
  const Guarded<std::int32_t> idx({1, 2, 3, 4});
  const auto inside = table.span().subspan(96);
  EXPECT_EQ(refused([&] { ptox::cuda::gather(table.span(), idx.span(), inside); }),
            "ptox::cuda::gather: out shares memory with table. Give each its own bytes");
  EXPECT_EQ(refused([&] { ptox::cuda::scatter(table.span(), idx.span(), inside); }),
            "ptox::cuda::scatter: table shares memory with src. Give each its own bytes");
  const std::span<std::int32_t> as_table(idx.data(), 4);
  EXPECT_EQ(refused([&] { ptox::cuda::scatter(as_table, idx.span(), Guarded<std::int32_t>({1, 2, 3, 4}).span()); }),
            "ptox::cuda::scatter: table shares memory with idx. Give each its own bytes");
  EXPECT_EQ(table.get(), std::vector<float>(100));
}

TEST(cuda_ops, sizes_and_types_that_do_not_fit_are_named) {
  const Guarded<float> table(std::vector<float>(100)), moved(std::vector<float>(40));
  const Guarded<std::int32_t> idx({1, 2, 3, 4});
  const auto gather = [&](Rows<float> t, Rows<float> o) {
    return refused([&] { ptox::cuda::gather_rows(t, idx.span(), o); });
  };
  const auto scatter = [&](Rows<float> t, Rows<float> s) {
    return refused([&] { ptox::cuda::scatter_rows(t, idx.span(), s); });
  };
  float *t = table.data(), *m = moved.data();
  EXPECT_EQ(gather({t, 10, 10}, {m, 3, 10}), "ptox::cuda::gather_rows: idx has 4 indices, out has 3 rows");
  EXPECT_EQ(scatter({t, 10, 10}, {m, 4, 9}), "ptox::cuda::scatter_rows: table rows are 10 wide, src rows 9");
  EXPECT_EQ(gather({t, 10, 10}, {m, 4, 10, 9}),
            "ptox::cuda::gather_rows: out has stride 9 and rows of 10 elements: rows that are written lie apart. Use a "
            "stride of at least 10");
  EXPECT_EQ(scatter({t, 10, 10, 9}, {m, 4, 10}),
            "ptox::cuda::scatter_rows: table has stride 9 and rows of 10 elements: rows that are written lie apart. "
            "Use a stride of at least 10");
  EXPECT_EQ(scatter({nullptr, 10, 10}, {m, 4, 10}), "ptox::cuda::scatter_rows: table is null and has 10 rows");
  EXPECT_EQ(gather({t, -1, 10}, {m, 4, 10}), "ptox::cuda::gather_rows: table has rows -1; it must be at least 0");
  const Guarded<hifloat8_t> codes(std::vector<hifloat8_t>(8)), more(std::vector<hifloat8_t>(4));
  EXPECT_EQ(refused([&] { ptox::cuda::scatter(codes.span(), idx.span(), more.span(), {.op = ScatterAtomicOp::Add}); }),
            "ptox::cuda::scatter: op is Add, and elements of this type are only moved. It is there for integers, half, "
            "bfloat16_t, float and double");
  ptox::cuda::synchronize();  // nothing was put on the stream
  EXPECT_EQ(table.get(), std::vector<float>(100));
}

}  // namespace
