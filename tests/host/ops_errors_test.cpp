// SPDX-License-Identifier: Apache-2.0
// Invalid calls throw an exception with the right message, and nothing is written.
#include <climits>
#include <vector>

#include "host/ops_case.hpp"
#include "host/ops_says.hpp"

namespace ptox::ops_test {
namespace {

using Ints = std::vector<std::int32_t>;
using Floats = std::vector<float>;
using Op = pto::ScatterAtomicOp;

/// A valid call, of which each test makes parts invalid.
struct ops_errors : testing::Test {
  Floats memory = Floats(64, 1.0f), other = Floats(64, 2.0f);
  Ints idx{3, 0, 1, 2};
  Rows<float> table{memory.data(), 4, 8}, moved{other.data(), 4, 8};
  GatherOptions gather_options;
  ScatterOptions scatter_options;

  void gather_rows() { ptox::gather_rows(table, idx, moved, gather_options); }
  void scatter_rows() { ptox::scatter_rows(table, idx, moved, scatter_options); }
  /// Expects that gather_rows and scatter_rows throw, with `parts` in both messages and, if the operand `other` is
  /// invalid, its name: `out` or `src`.
  void both(std::initializer_list<std::string_view> parts, bool names_other) {
    expect_invalid([&] { gather_rows(); }, parts);
    expect_invalid([&] { gather_rows(); }, {"gather_rows"});
    expect_invalid([&] { scatter_rows(); }, parts);
    expect_invalid([&] { scatter_rows(); }, {"scatter_rows"});
    if (!names_other) return;
    expect_invalid([&] { gather_rows(); }, {"out"});
    expect_invalid([&] { scatter_rows(); }, {"src"});
  }
  void TearDown() override {
    EXPECT_EQ(memory, Floats(64, 1.0f)) << "the table was written";
    EXPECT_EQ(other, Floats(64, 2.0f)) << "out or src was written";
  }
};
constexpr bool names_other = true, names_table = false;

TEST(ops_errors_control, the_call_that_the_others_change_is_right) {
  Floats memory(32, 1.0f), other(32, 2.0f);
  const Ints idx{3, 0, 1, 2};
  ptox::gather_rows(Rows{memory.data(), 4, 8}, idx, Rows{other.data(), 4, 8});
  EXPECT_EQ(other, Floats(32, 1.0f));
}

TEST_F(ops_errors, as_many_indices_as_rows) {
  idx = {0, 1, 2};
  both({"idx", "3", "4", "rows"}, names_other);
  idx = {0, 1, 2, 3, 0};
  both({"idx", "5", "4", "rows"}, names_other);
}

TEST_F(ops_errors, as_many_indices_as_elements) {
  idx = {0, 1, 2};
  Floats out(4, 7.0f);
  expect_invalid([&] { ptox::gather(memory, idx, out); }, {"gather", "idx", "3", "out", "4"});
  expect_invalid([&] { ptox::scatter(memory, idx, out); }, {"scatter", "idx", "3", "src", "4"});
  EXPECT_EQ(out, Floats(4, 7.0f));
}

TEST_F(ops_errors, rows_of_one_width) {
  moved = {other.data(), 4, 7};
  both({"table", "8", "7"}, names_other);
}

TEST_F(ops_errors, no_negative_number_of_rows) {
  table.rows = -1;
  both({"table", "-1"}, names_table);
  table.rows = 4;
  moved.rows = INT64_MIN;
  both({"-9223372036854775808"}, names_other);
}

TEST_F(ops_errors, no_negative_width) {
  table.width = -3;
  both({"table", "-3"}, names_table);
  table.width = 8;
  moved.width = -8;
  both({"-8"}, names_other);
}

TEST_F(ops_errors, no_negative_stride) {
  table.stride = -8;
  both({"table", "-8"}, names_table);
  table.stride = 8;
  moved.stride = -1;
  both({"-1"}, names_other);
}

TEST_F(ops_errors, rows_that_are_written_lie_apart) {
  moved.stride = 7;
  expect_invalid([&] { gather_rows(); }, {"gather_rows", "out", "stride", "7", "8"});
  moved.stride = 0;
  expect_invalid([&] { gather_rows(); }, {"gather_rows", "out", "stride", "0", "8"});
  moved.stride = 8, table.stride = 7;
  expect_invalid([&] { scatter_rows(); }, {"scatter_rows", "table", "stride", "7", "8"});
}

TEST(ops_errors_control, one_row_that_is_written_has_no_neighbour) {
  Floats memory(8, 1.0f), other(8, 2.0f);
  ptox::gather_rows(Rows{memory.data(), 1, 8}, Ints{0}, Rows{other.data(), 1, 8, 0});
  EXPECT_EQ(other, Floats(8, 1.0f));
  ptox::scatter_rows(Rows{memory.data(), 1, 8, 3}, Ints{0}, Rows{other.data(), 1, 8});
  EXPECT_EQ(memory, Floats(8, 1.0f));
}

TEST_F(ops_errors, memory_where_there_are_rows) {
  table.data = nullptr;
  both({"table", "null"}, names_table);
  table.data = memory.data();
  moved.data = nullptr;
  both({"null"}, names_other);
  moved.data = other.data();
  const std::span<const std::int32_t> none(static_cast<const std::int32_t*>(nullptr), 4);
  expect_invalid([&] { ptox::gather_rows(table, none, moved); }, {"gather_rows", "idx", "null"});
  expect_invalid([&] { ptox::scatter_rows(table, none, moved); }, {"scatter_rows", "idx", "null"});
}

TEST(ops_errors_control, an_empty_table_needs_no_memory) {
  Floats other(8, 2.0f);
  ptox::gather_rows(Rows<float>{nullptr, 0, 8}, Ints{5}, Rows{other.data(), 1, 8}, {.oob = pto::GatherOOB::Zero});
  EXPECT_EQ(other, Floats(8, 0.0f));
  EXPECT_NO_THROW(ptox::scatter_rows(Rows<float>{nullptr, 0, 8}, Ints{5}, Rows{other.data(), 1, 8},
                                     {.oob = pto::ScatterOOB::Skip}));
}

TEST_F(ops_errors, bytes_that_63_bits_can_count) {
  table.rows = std::int64_t{1} << 61;  // times 8 elements of 4 bytes
  both({"table"}, names_table);
  table.rows = 4;
  table.stride = INT64_MAX;
  both({"table"}, names_table);
  table.stride = 8;
  moved.stride = std::int64_t{1} << 60;  // three strides and a row of 4 bytes each
  both({}, names_other);
}

TEST_F(ops_errors, widths_whose_bytes_63_bits_can_count) {
  table = {memory.data(), 1, std::int64_t{1} << 61};
  moved = {other.data(), 1, std::int64_t{1} << 61};
  idx = {0};
  both({}, names_table);
}

TEST_F(ops_errors, no_negative_number_of_threads) {
  gather_options.threads = -1, scatter_options.threads = -1;
  both({"threads", "-1"}, names_table);
  gather_options.threads = INT_MIN, scatter_options.threads = INT_MIN;
  both({"threads", "-2147483648"}, names_table);
}

TEST_F(ops_errors, policies_that_exist) {
  gather_options.oob = pto::GatherOOB{4};
  expect_invalid([&] { gather_rows(); }, {"gather_rows", "oob", "4"});
  scatter_options.oob = pto::ScatterOOB{255};
  expect_invalid([&] { scatter_rows(); }, {"scatter_rows", "oob", "255"});
  scatter_options = {.op = Op{4}};
  expect_invalid([&] { scatter_rows(); }, {"scatter_rows", "op", "4"});
  scatter_options = {.conflict = pto::ScatterConflict{2}};
  expect_invalid([&] { scatter_rows(); }, {"scatter_rows", "conflict", "2"});
  Floats out(4);
  expect_invalid([&] { ptox::gather(memory, idx, out, {.oob = pto::GatherOOB{99}}); }, {"gather", "oob", "99"});
  expect_invalid([&] { ptox::scatter(memory, idx, out, {.op = Op{99}}); }, {"scatter", "op", "99"});
}

/// Elements of type T can be moved; every update of them is rejected.
template <class T>
void check_moved_only() {
  std::vector<T> table(8), src(4);
  const Ints idx{0, 1, 2, 3};
  EXPECT_NO_THROW(ptox::scatter(table, idx, src));
  for (const Op op : updates) {
    const char* name = pto::instr::name(op);
    expect_invalid([&] { ptox::scatter(table, idx, src, {.op = op}); }, {"scatter", name});
    expect_invalid(
        [&] { ptox::scatter_rows(Rows{table.data(), 4, 2}, Ints{0, 1}, Rows{src.data(), 2, 2}, {.op = op}); },
        {"scatter_rows", name});
  }
}

TEST_F(ops_errors, updates_of_types_that_are_added) {
  check_moved_only<pto::float8_e4m3_t>();
  check_moved_only<pto::float8_e5m2_t>();
  check_moved_only<pto::hifloat8_t>();
  check_moved_only<Triple>();
}

TEST_F(ops_errors, indices_in_range) {
  idx = {0, 1, 2, 4};
  expect_out_of_range([&] { gather_rows(); },
                      {"gather_rows", "idx[3] = 4", "table", "4 rows", "Clamp", "Wrap", "Zero"});
  expect_out_of_range([&] { scatter_rows(); },
                      {"scatter_rows", "idx[3] = 4", "table", "4 rows", "Clamp", "Wrap", "Skip"});
  Floats out(4, 7.0f);
  idx = {0, 64, 2, 99};
  expect_out_of_range([&] { ptox::gather(memory, idx, out); }, {"gather", "idx[1] = 64", "table", "64"});
  expect_out_of_range([&] { ptox::scatter(memory, idx, out, {.op = Op::Add}); }, {"scatter", "idx[1] = 64", "table"});
  EXPECT_EQ(out, Floats(4, 7.0f));
}

TEST_F(ops_errors, negative_indices_as_written_and_as_read) {
  idx = {0, -1, 2, 3};
  expect_out_of_range([&] { gather_rows(); }, {"idx[1] = -1 (read as 4294967295)", "define this; Wrap makes it 3"});
  expect_out_of_range([&] { scatter_rows(); }, {"idx[1] = -1 (read as 4294967295)"});
  const std::vector<std::int64_t> wide{0, 1, -2, 3};
  expect_out_of_range([&] { ptox::gather_rows(table, wide, moved); }, {"idx[2] = -2 (read as 18446744073709551614)"});
  const Floats seven(7);
  Floats one(1);
  expect_out_of_range([&] { ptox::gather(seven, std::vector{-1}, one); },
                      {"Clamp, Wrap or Zero define this; Wrap makes it 3, and 1 where indices have 64 bits"});
  expect_out_of_range([&] { ptox::gather(seven, std::vector<std::int64_t>{-1}, one); },
                      {"Clamp, Wrap or Zero define this; Wrap makes it 1, and 3 where indices have 32 bits"});
  const std::vector<std::uint32_t> narrow{UINT32_MAX, 1, 2, 3};
  expect_out_of_range([&] { ptox::gather_rows(table, narrow, moved); }, {"idx[0] = 4294967295"});
  const std::vector<std::uint64_t> large{0, 1, 2, std::uint64_t{1} << 32};
  expect_out_of_range([&] { ptox::gather_rows(table, large, moved); }, {"idx[3] = 4294967296"});
}

TEST_F(ops_errors, a_row_to_clamp_or_wrap_to) {
  table = {memory.data(), 0, 8};
  idx = {5, 0, 0, 0};
  for (const auto oob : {pto::GatherOOB::Undefined, pto::GatherOOB::Clamp, pto::GatherOOB::Wrap}) {
    gather_options.oob = oob;
    expect_out_of_range([&] { gather_rows(); }, {"gather_rows", "idx[0] = 5", "table has 0 rows", "Only Zero"});
  }
  for (const auto oob : {pto::ScatterOOB::Undefined, pto::ScatterOOB::Clamp, pto::ScatterOOB::Wrap}) {
    scatter_options.oob = oob;
    expect_out_of_range([&] { scatter_rows(); }, {"scatter_rows", "idx[0] = 5", "table has 0 rows", "Only Skip"});
  }
}

}  // namespace
}  // namespace ptox::ops_test
