// SPDX-License-Identifier: Apache-2.0
// Kernels in PTO-AS give the results of plain loops, on every target.
#include "asm/run/run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "asm/verify/verify.hpp"
#include "cases.hpp"
#include "engine/report/site_book.hpp"
#include "engine/system/random.hpp"

namespace ptox::assembly {

namespace {

using pto::instr::size_of;

/// A temporary folder, removed by the destructor.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("ptox_run_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

/// The slot that an index selects under a policy; -1 for none.
std::int64_t slot_of(std::int32_t index, std::int64_t capacity, const std::string& oob) {
  const std::int64_t i = static_cast<std::uint32_t>(index);
  if (i < capacity) return i;
  return oob == "clamp" ? capacity - 1 : oob == "wrap" ? i % capacity : -1;
}

template <class T>
T combined(int op, T a, T b) {
  if (op == 0) return b;
  if constexpr (std::is_integral_v<T>) {
    using U = std::make_unsigned_t<T>;
    return op == 1 ? static_cast<T>(static_cast<U>(a) + static_cast<U>(b)) : op == 2 ? std::max(a, b) : std::min(a, b);
  } else {
    const float x = static_cast<float>(a), y = static_cast<float>(b);
    return static_cast<T>(op == 1 ? x + y : op == 2 ? std::max(x, y) : std::min(x, y));
  }
}

struct Arrays {
  std::vector<std::byte> data, table;
  std::vector<std::int32_t> idx;
};

Arrays arrays_of(const Case& c) {
  Random random(c.seed);
  Arrays a;
  const auto size = static_cast<std::size_t>(size_of(c.dtype));
  a.data.resize(static_cast<std::size_t>(c.rows * c.cols) * size);
  a.table.resize(static_cast<std::size_t>(c.table_rows() * c.table_cols()) * size);
  const auto fill = [&](std::vector<std::byte>& bytes) {
    pto::instr::with_type(c.dtype, [&]<class T>() {
      for (std::size_t i = 0; i < bytes.size() / sizeof(T); ++i) {
        const int number = static_cast<int>(random.below(100)) - (c.op == 0 ? 0 : 50);
        T value{};
        if constexpr (std::is_integral_v<T>)
          value = static_cast<T>(number);
        else
          value = static_cast<T>(static_cast<float>(number));
        std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
      }
    });
  };
  fill(a.data), fill(a.table);
  const std::int32_t edges[] = {
      0,        static_cast<std::int32_t>(c.capacity - 1), static_cast<std::int32_t>(c.capacity),
      -1,       static_cast<std::int32_t>(c.capacity + 1), INT32_MIN,
      INT32_MAX};
  a.idx.resize(static_cast<std::size_t>(c.row ? c.rows : c.rows * c.cols));
  for (std::int32_t& i : a.idx)
    i = random.below(3) == 0 ? edges[random.below(7)]
                             : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(c.capacity)));
  return a;
}

/// The expected contents of the data or of the table, by a plain loop.
std::vector<std::byte> expected(const Case& c, const Arrays& a, std::int64_t valid_rows) {
  std::vector<std::byte> out = c.gather ? a.data : a.table;
  const std::string oob = c.gather ? gather_oobs[c.oob] : scatter_oobs[c.oob];
  pto::instr::with_type(c.dtype, [&]<class T>() {
    const auto load = [](const std::vector<std::byte>& from, std::int64_t i) {
      T v;
      std::memcpy(&v, from.data() + static_cast<std::size_t>(i) * sizeof(T), sizeof(T));
      return v;
    };
    const auto store = [&](std::int64_t i, T v) {
      std::memcpy(out.data() + static_cast<std::size_t>(i) * sizeof(T), &v, sizeof(T));
    };
    for (std::int64_t r = 0; r < valid_rows; ++r)
      for (std::int64_t col = 0; col < c.cols; ++col) {
        const std::int64_t at = r * c.cols + col;
        const std::int64_t slot = slot_of(a.idx[static_cast<std::size_t>(c.row ? r : at)], c.capacity, oob);
        const std::int64_t element = c.row ? slot * c.cols + col : slot;
        if (c.gather)
          store(at, slot < 0 ? T{} : load(a.table, element));
        else if (slot >= 0)
          store(element, combined(c.op, load(out, element), load(a.data, at)));
      }
  });
  return out;
}

bool any_outside(const Case& c, const Arrays& a, std::int64_t valid_rows) {
  const auto count = static_cast<std::size_t>(c.row ? valid_rows : valid_rows * c.cols);
  return std::any_of(a.idx.begin(), a.idx.begin() + static_cast<std::ptrdiff_t>(count),
                     [&](std::int32_t i) { return static_cast<std::uint32_t>(i) >= c.capacity; });
}

/// Runs the text on a target; std::nullopt if the target rejects it.
std::optional<RunResult> run_text(const std::string& text, const Target& target, const RunOptions& options,
                                  Diagnostics& said) {
  const auto module = read(text, "k.pto", TextForm::detect, said);
  if (!module) return std::nullopt;
  return run(*module, target, options, said);
}

}  // namespace

TEST(run, gathers_and_scatters_as_a_plain_loop_does) {
  const Folder folder;
  Random random(7);
  int ran = 0, refused = 0;
  for (int k = 0; k < 120; ++k) {
    const Case c = random_case(random);
    const Arrays a = arrays_of(c);
    const std::string text = text_of(c);
    const std::int64_t valid = c.dynamic ? std::max<std::int64_t>(1, c.rows - 2) : c.rows;
    write_npy(folder / "data.npy", c.dtype, std::vector{c.rows, c.cols}, a.data.data());
    write_npy(folder / "table.npy", c.dtype, std::vector{c.table_rows(), c.table_cols()}, a.table.data());
    write_npy(folder / "idx.npy", DType::i32, std::vector{static_cast<std::int64_t>(a.idx.size())}, a.idx.data());
    for (const Target* target : target::on_host) {
      RunOptions options;
      options.in = {{"data", folder / "data.npy"}, {"table", folder / "table.npy"}, {"idx", folder / "idx.npy"}};
      options.scalars = {{"n", std::to_string(valid)}};
      options.check = Check::all;
      options.launch.seed = random.below(3);
      Diagnostics said;
      const auto result = run_text(text, *target, options, said);
      if (!result) {
        ASSERT_FALSE(said.all().empty()) << text;
        EXPECT_NE(said.all().front().message.find(" C"), std::string::npos) << said.all().front().message;
        ++refused;
        continue;
      }
      ++ran;
      const Argument& out = result->arguments[c.gather ? 0 : 1];
      // With a seed, the order of sums on a SIMT machine is not specified, so only exact sums can be compared.
      const bool open_order = !c.gather && target->simt && options.launch.seed != 0 && c.op == 1;
      const bool rounds = c.dtype == DType::f16 || c.dtype == DType::bf16;
      if (!open_order || !rounds) {
        EXPECT_EQ(out.bytes, expected(c, a, valid)) << target->name << "\n" << text;
      }
      EXPECT_EQ(result->report.has(FindingKind::oob_index), c.oob == 0 && any_outside(c, a, valid))
          << target->name << text;
    }
  }
  EXPECT_GT(ran, 150);
  EXPECT_GT(refused, 20);
}

TEST(run, call_sites_are_lines_of_the_file) {
  SiteBook book;
  const pto::instr::Site site = book.add("kernel.pto", 12), same_file = book.add("kernel.pto", 13);
  EXPECT_STREQ(site.file_name(), "kernel.pto");
  EXPECT_EQ(site.line(), 12);
  EXPECT_EQ(same_file.line(), 13);
  EXPECT_EQ(site.file_name(), same_file.file_name());
}

}  // namespace ptox::assembly
