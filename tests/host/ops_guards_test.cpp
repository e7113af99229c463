// SPDX-License-Identifier: Apache-2.0
// No byte outside the operands is read or written.
#include "host/guarded.hpp"
#include "host/ops_case.hpp"
#include "sizes.hpp"

namespace ptox::ops_test {
namespace {

class ops_guards : public AtLevel {};
INSTANTIATE_TEST_SUITE_P(level, ops_guards, testing::ValuesIn(all_levels()), level_name);

using Place = Guarded::Place;
constexpr std::array places{Place::begin, Place::end};

/// A table, indices and the other tensor, each between guard pages. Memory that is only read is write-protected. The
/// memory is allocated once, and a case uses its first or last bytes.
template <class T, class I>
class Operands {
 public:
  /// Allocates `count` indices below `limit` and the given numbers of elements. `by_elements`: calls gather and
  /// scatter, otherwise gather_rows and scatter_rows.
  Operands(std::int64_t limit, std::size_t count, std::size_t table_elements, std::size_t other_elements,
           bool by_elements = false)
      : table_(table_elements * sizeof(T), 41),
        idx_(count * sizeof(I), 42),
        other_(other_elements * sizeof(T), 43),
        by_elements_(by_elements) {
    Random random(44);
    I* first = idx_.template payload<I>(Place::begin, 0);
    const std::size_t whole = idx_.bytes().size() / sizeof(I);
    for (std::size_t i = 0; i < whole; ++i) first[i] = static_cast<I>(random.below(static_cast<std::uint64_t>(limit)));
    idx_.read_only();
  }

  void check_gather(Place place, const Shape& table, const Shape& out, pto::GatherOOB oob, int threads) {
    const Rows<T> from = rows(table_, place, table), to = rows(other_, place, out);
    const auto before = other_.bytes();
    auto expected = before;
    plain_gather_rows(read(from), idx(place, out), copied(to, other_, expected), oob);
    table_.read_only();
    const GatherOptions options{.oob = oob, .threads = threads};
    if (by_elements_)
      ptox::gather(all(read(from)), idx(place, out), all(to), options);
    else
      ptox::gather_rows(read(from), idx(place, out), to, options);
    ASSERT_TRUE(other_.holds(expected)) << "table " << table << ", out " << out << (place == Place::end ? " end" : "");
    other_.restore(before);
  }

  void check_scatter(Place place, const Shape& table, const Shape& src, const Update& u, int threads) {
    const Rows<T> to = rows(table_, place, table), from = rows(other_, place, src);
    const auto before = table_.bytes();
    auto expected = before;
    plain_scatter_rows(copied(to, table_, expected), idx(place, src), read(from), u.op, u.oob);
    other_.read_only();
    const ScatterOptions options{.op = u.op, .oob = u.oob, .threads = threads};
    if (by_elements_)
      ptox::scatter(all(to), idx(place, src), all(read(from)), options);
    else
      ptox::scatter_rows(to, idx(place, src), read(from), options);
    if (u.op == pto::ScatterAtomicOp::Add)
      take_nans(to.data, copied(to, table_, expected).data, static_cast<std::size_t>(table.elements()));
    ASSERT_TRUE(table_.holds(expected)) << "table " << table << ", src " << src << (place == Place::end ? " end" : "");
    table_.restore(before);
  }

 private:
  template <class U>
  static std::span<U> all(const Rows<U>& r) {
    return {r.data, static_cast<std::size_t>(r.rows)};
  }
  static Rows<const T> read(const Rows<T>& r) { return {r.data, r.rows, r.width, r.stride}; }
  static Rows<T> rows(Guarded& g, Place place, const Shape& s) {
    return {g.payload<T>(place, static_cast<std::size_t>(s.elements()) * sizeof(T)), s.rows, s.width, s.stride()};
  }
  static Rows<T> copied(Rows<T> r, const Guarded& g, std::vector<std::byte>& copy) {
    r.data = reinterpret_cast<T*>(copy.data() + g.offset(r.data));
    return r;
  }
  std::span<const I> idx(Place place, const Shape& s) {
    const auto n = static_cast<std::size_t>(s.rows);
    return {idx_.payload<I>(place, n * sizeof(I)), n};
  }
  Guarded table_, idx_, other_;
  bool by_elements_;
};

constexpr std::int64_t capacity = 6, limit = 9;

/// Every width at both ends; the last row ends at the guard page, whatever the stride is.
template <class T, class I>
void check_widths(std::int64_t widest) {
  Random random(45);
  Operands<T, I> gathered(limit, 64, 4096, 4096), scattered(limit, 64, 4096, 4096);
  for (std::int64_t width = 1; width <= widest; ++width)
    for (const Place place : places)
      for (const std::int64_t gap : {0, 3}) {
        const Shape table{capacity, width, gap}, other{static_cast<std::int64_t>(1 + random.below(11)), width, gap};
        const std::size_t policy = 1 + random.below(3);
        gathered.check_gather(place, table, other, gather_policies[policy], 1);
        scattered.check_scatter(place, table, other, {.oob = scatter_policies[policy]}, 1);
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST_P(ops_guards, around_rows_of_bytes) { check_widths<std::uint8_t, std::int32_t>(300); }
TEST_P(ops_guards, around_rows_of_floats) { check_widths<float, std::int64_t>(75); }
TEST_P(ops_guards, around_rows_of_structs) { check_widths<Triple, std::uint32_t>(25); }

template <class T>
void check_updates() {
  Operands<T, std::int32_t> operands(limit, 64, 4096, 4096);
  const auto widest = static_cast<std::int64_t>(300 / sizeof(T));
  for (std::int64_t width = 1; width <= widest; ++width)
    for (const Place place : places)
      for (const auto op : updates) {
        operands.check_scatter(place, {capacity, width}, {1 + width % 7, width}, {op, pto::ScatterOOB::Skip}, 1);
        if (testing::Test::HasFatalFailure()) return;
      }
}

TEST_P(ops_guards, around_updates) {
  check_updates<std::int8_t>();
  check_updates<std::uint16_t>();
  check_updates<std::int32_t>();
  check_updates<std::uint64_t>();
  check_updates<pto::half>();
  check_updates<pto::bfloat16_t>();
  check_updates<float>();
  check_updates<double>();
}

/// Elements: tables of several lengths, and every number of indices up to 300.
template <class T, class I>
void check_elements() {
  Random random(46);
  Operands<T, I> gathered(limit, 512, 512, 512, true), scattered(limit, 512, 512, 512, true);
  for (std::int64_t n = 0; n <= 300; ++n)
    for (const Place place : places) {
      const Shape table{1 + n % 9, 1}, other{n, 1};
      const std::size_t policy = 1 + random.below(3);
      gathered.check_gather(place, table, other, gather_policies[policy], 1);
      Update u{.oob = scatter_policies[policy]};
      if constexpr (Updated<T>) u.op = static_cast<pto::ScatterAtomicOp>(n % 4);
      scattered.check_scatter(place, table, other, u, 1);
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_P(ops_guards, around_elements) {
  check_elements<std::uint8_t, std::int32_t>();
  check_elements<pto::half, std::uint32_t>();
  check_elements<float, std::int64_t>();
  check_elements<float, std::int32_t>();
  check_elements<double, std::int32_t>();
  check_elements<std::uint64_t, std::int64_t>();
  check_elements<Triple, std::int32_t>();
}

/// Large enough for several threads, for non-temporal stores and for sorting by region.
template <class T>
void check_large(std::int64_t rows, std::int64_t count, std::int64_t width) {
  const auto elements = [&](std::int64_t n) { return static_cast<std::size_t>(n * width); };
  Operands<T, std::int32_t> gathered(rows, static_cast<std::size_t>(count), elements(rows), elements(count),
                                     width == 1);
  Operands<T, std::int32_t> scattered(rows, static_cast<std::size_t>(count), elements(rows), elements(count),
                                      width == 1);
  for (const Place place : places)
    for (const int threads : {1, 3}) {
      const Shape table{rows - 1, width}, other{count - 3, width};
      gathered.check_gather(place, table, other, pto::GatherOOB::Clamp, threads);
      scattered.check_scatter(place, table, other, {.oob = pto::ScatterOOB::Skip}, threads);
      scattered.check_scatter(place, table, other, {pto::ScatterAtomicOp::Add, pto::ScatterOOB::Skip}, threads);
      if (testing::Test::HasFatalFailure()) return;
    }
}

constexpr std::int64_t many = emulated ? 200'000 : 1'000'000;

TEST_P(ops_guards, around_many_rows) {
  constexpr std::array<std::int64_t, 9> widths{3, 5, 9, 15, 24, 64, 77, 128, 300};
  for (std::size_t i = 0; i < widths.size(); i += size_step > 1 ? 2 : 1) {
    const std::int64_t width = widths[i], rows = 8 * many / width;
    check_large<std::uint8_t>(rows, rows, width);
  }
}
TEST_P(ops_guards, around_many_halves) { check_large<pto::half>(3 * many, many, 1); }
TEST_P(ops_guards, around_many_floats) { check_large<float>(5 * many, many, 1); }

}  // namespace
}  // namespace ptox::ops_test
