// SPDX-License-Identifier: Apache-2.0
// Addresses are correct if elements, rows or bytes exceed 32 bits.
#include <sys/mman.h>

#include <map>

#include "host/ops_case.hpp"

namespace ptox::ops_test {
namespace {

class ops_huge : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_huge, testing::ValuesIn(all_levels()), level_name);

constexpr std::int64_t giga = std::int64_t{1} << 30;

/// Reserved address space; physical memory is allocated only for pages that are accessed.
class Sparse {
 public:
  explicit Sparse(std::int64_t bytes) : size_(static_cast<std::size_t>(bytes)) {
    data_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  }
  Sparse(const Sparse&) = delete;
  ~Sparse() {
    if (there()) munmap(data_, size_);
  }
  bool there() const { return data_ != MAP_FAILED; }
  template <class T>
  T* data() {
    return static_cast<T*>(data_);
  }

 private:
  std::size_t size_;
  void* data_;
};

#define PTO_NEEDS(sparse) \
  if (!(sparse).there()) GTEST_SKIP() << "the system refuses this much address space"

/// Indices around the limits of 31, 32 and 33 bits, and at both ends of the table.
std::vector<std::int64_t> far_places(std::int64_t capacity) {
  std::vector<std::int64_t> all{0, 1, capacity - 1, capacity - 2};
  for (const std::int64_t edge : {2 * giga, 4 * giga, 6 * giga, 8 * giga})
    for (std::int64_t i = edge - 2; i < edge + 3; ++i)
      if (i < capacity - 2) all.push_back(i);
  return all;
}

template <class I>
std::vector<I> those_that_fit(const std::vector<std::int64_t>& places) {
  std::vector<I> idx;
  for (const std::int64_t p : places)
    if (sizeof(I) == 8 || p <= std::int64_t{UINT32_MAX}) idx.push_back(static_cast<I>(p));
  return idx;
}

template <class T>
T mark(std::int64_t i) {
  return static_cast<T>(i % 97 + i / giga + 1);
}

/// A gather, a sum and a scatter at these indices; the results are checked at all of them.
template <class T, class I>
void check_elements(T* data, std::int64_t capacity) {
  const std::span<T> table(data, static_cast<std::size_t>(capacity));
  const auto places = far_places(capacity);
  const auto idx = those_that_fit<I>(places);
  for (const std::int64_t p : places) data[p] = mark<T>(p);
  for (const int threads : thread_counts) {
    std::vector<T> out(idx.size());
    ptox::gather(table, idx, out, {.threads = threads});
    for (std::size_t i = 0; i < idx.size(); ++i)
      ASSERT_EQ(out[i], mark<T>(static_cast<std::int64_t>(as_read(idx[i])))) << as_read(idx[i]);
    ptox::scatter(table, idx, std::vector<T>(idx.size(), T(3)), {.op = pto::ScatterAtomicOp::Add, .threads = threads});
    for (const I i : idx) ASSERT_EQ(data[as_read(i)], T(mark<T>(static_cast<std::int64_t>(as_read(i))) + 3));
    ptox::scatter(table, idx, out, {.threads = threads});
    for (const std::int64_t p : places) ASSERT_EQ(data[p], mark<T>(p)) << p;
  }
}

TEST_P(ops_huge, bytes_by_every_index_type) {
  Sparse memory(8 * giga);
  PTO_NEEDS(memory);
  for_each_index_type([&]<class I>() { check_elements<std::uint8_t, I>(memory.data<std::uint8_t>(), 8 * giga); });
}

TEST_P(ops_huge, floats_by_every_index_type) {
  Sparse memory(4 * 6 * giga);
  PTO_NEEDS(memory);
  for_each_index_type([&]<class I>() { check_elements<float, I>(memory.data<float>(), 6 * giga); });
}

TEST_P(ops_huge, minus_one_in_32_bits_names_the_row_4294967295) {
  Sparse memory(5 * giga);
  PTO_NEEDS(memory);
  auto* data = memory.data<std::uint8_t>();
  data[4294967295] = 77;
  std::uint8_t out[1] = {};
  ptox::gather_rows(Rows{data, 5 * giga, 1}, std::vector<std::int32_t>{-1}, Rows{out, 1, 1});
  EXPECT_EQ(out[0], 77);
}

TEST_P(ops_huge, rows_of_one_byte) {
  Sparse memory(5 * giga);
  PTO_NEEDS(memory);
  auto* data = memory.data<std::uint8_t>();
  const auto places = far_places(5 * giga);
  for (const std::int64_t p : places) data[p] = mark<std::uint8_t>(p);
  const auto n = static_cast<std::int64_t>(places.size());
  std::vector<std::uint8_t> out(places.size());
  ptox::gather_rows(Rows{data, 5 * giga, 1}, places, Rows{out.data(), n, 1});
  for (std::size_t i = 0; i < places.size(); ++i) EXPECT_EQ(out[i], mark<std::uint8_t>(places[i]));
  ptox::scatter_rows(Rows{data, 5 * giga, 1}, places, Rows{out.data(), n, 1}, {.op = pto::ScatterAtomicOp::Max});
  for (const std::int64_t p : places) EXPECT_EQ(data[p], mark<std::uint8_t>(p));
}

/// A few rows with a large stride: index times stride needs 34 bits.
template <class I>
void check_far_rows(std::uint16_t* data, std::int64_t stride, std::int64_t rows) {
  const std::int64_t width = 40;
  const std::vector<I> idx{0, 1, static_cast<I>(rows / 2), static_cast<I>(rows - 1), static_cast<I>(rows / 2 + 1)};
  const Rows<std::uint16_t> table{data, rows, width, stride};
  std::vector<std::uint16_t> src(5 * 40), out(5 * 40);
  for (std::size_t i = 0; i < src.size(); ++i) src[i] = static_cast<std::uint16_t>(i * 7 + sizeof(I));
  for (const int threads : thread_counts) {
    ptox::scatter_rows(table, idx, Rows{src.data(), 5, width}, {.threads = threads});
    for (std::size_t i = 0; i < 5; ++i)
      for (std::size_t c = 0; c < 40; ++c)
        ASSERT_EQ(data[as_read(idx[i]) * static_cast<std::uint64_t>(stride) + c], src[i * 40 + c]);
    ptox::gather_rows(table, idx, Rows{out.data(), 5, width}, {.threads = threads});
    ASSERT_EQ(out, src);
  }
}

TEST_P(ops_huge, rows_that_lie_far_apart) {
  Sparse memory(2 * 8 * giga);
  PTO_NEEDS(memory);
  for_each_index_type([&]<class I>() { check_far_rows<I>(memory.data<std::uint16_t>(), 8192, 8 * giga / 8192); });
  for_each_index_type([&]<class I>() { check_far_rows<I>(memory.data<std::uint16_t>(), giga, 8); });
}

/// src and out with large strides: position times stride needs 34 bits as well.
TEST_P(ops_huge, out_and_src_that_lie_far_apart) {
  Sparse memory(8 * giga);
  PTO_NEEDS(memory);
  auto* data = memory.data<std::uint32_t>();
  const std::vector<std::uint32_t> table{1, 2, 3, 4, 5, 6};
  const Rows<std::uint32_t> far{data, 8, 3, giga / 4};
  ptox::gather_rows(Rows{table.data(), 2, 3}, std::vector<std::int32_t>{0, 1, 0, 1, 0, 1, 0, 1}, far);
  EXPECT_EQ(data[7 * (giga / 4) + 2], 6u);
  EXPECT_EQ(data[6 * (giga / 4)], 1u);
  std::vector<std::uint32_t> sums(3);
  ptox::scatter_rows(Rows{sums.data(), 1, 3}, std::vector<std::int32_t>(8, 0), far, {.op = pto::ScatterAtomicOp::Add});
  EXPECT_EQ(sums, (std::vector<std::uint32_t>{20, 28, 36}));
}

TEST_P(ops_huge, wrap_and_clamp_to_more_than_32_bits) {
  const std::int64_t capacity = 6 * giga + 1;
  Sparse memory(capacity);
  PTO_NEEDS(memory);
  auto* data = memory.data<std::uint8_t>();
  data[capacity - 1] = 9;
  data[UINT64_MAX % static_cast<std::uint64_t>(capacity)] = 8;
  data[5] = 7;
  const std::span<const std::uint8_t> table(data, static_cast<std::size_t>(capacity));
  std::vector<std::uint8_t> out(3);
  const std::vector<std::int64_t> idx{-1, capacity + 5, capacity - 1};
  ptox::gather(table, idx, out, {.oob = pto::GatherOOB::Wrap});
  EXPECT_EQ(out, (std::vector<std::uint8_t>{8, 7, 9}));
  ptox::gather(table, idx, out, {.oob = pto::GatherOOB::Clamp});
  EXPECT_EQ(out, (std::vector<std::uint8_t>{9, 9, 9}));
  EXPECT_THROW(ptox::gather(table, idx, out), std::out_of_range);
}

/// Many indices in a few pages: the threads that share a sum must divide large indices consistently.
TEST_P(ops_huge, many_sums_at_far_places) {
  const std::int64_t capacity = 5 * giga;
  Sparse memory(4 * capacity);
  PTO_NEEDS(memory);
  auto* data = memory.data<float>();
  const std::span<float> table(data, static_cast<std::size_t>(capacity));
  Random random(61);
  std::vector<std::int64_t> idx(300'000 / (emulated ? 10 : 1));
  std::vector<float> src(idx.size());
  for (std::size_t i = 0; i < idx.size(); ++i) {
    const auto page = static_cast<std::int64_t>(random.below(50)) * (capacity / 50);
    idx[i] = page + static_cast<std::int64_t>(random.below(1000));
    src[i] = static_cast<float>(random.below(1 << 20)) / 1000.0f;
  }
  std::map<std::int64_t, float> expected;
  for (std::size_t i = 0; i < idx.size(); ++i) expected[idx[i]] += src[i];
  for (const int threads : {1, 3}) {
    for (const auto& slot : expected) data[slot.first] = 0.0f;
    ptox::scatter(table, idx, src, {.op = pto::ScatterAtomicOp::Add, .threads = threads});
    for (const auto& [i, sum] : expected) ASSERT_EQ(data[i], sum) << i << ", " << threads << " threads";
  }
}

}  // namespace
}  // namespace ptox::ops_test
