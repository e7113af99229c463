// SPDX-License-Identifier: Apache-2.0
// Does a kernel in text compute what a plain loop does, on every target?
#include "asm/run.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <sstream>

#include "asm/site.hpp"
#include "asm/verify.hpp"
#include "core/random.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly {

namespace {

using pto::ScatterAtomicOp;
using pto::instr::size_of;

/// A folder that is gone afterwards.
struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("ptox_run_" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
};

/// One gather or scatter of a whole tile.
struct Case {
  bool gather = true, row = true;
  DType dtype = DType::f32;
  std::int64_t rows = 8, cols = 32, capacity = 100;  // capacity in rows, or in elements
  int oob = 0, op = 0;
  bool dynamic = false;  ///< valid rows are a run-time value
  std::uint64_t seed = 0;

  std::int64_t table_rows() const { return row ? capacity : 1; }
  std::int64_t table_cols() const { return row ? cols : capacity; }
};

constexpr const char* gather_oobs[] = {"undefined", "clamp", "wrap", "zero"};
constexpr const char* scatter_oobs[] = {"undefined", "skip", "clamp", "wrap"};
constexpr const char* ops[] = {"none", "add", "max", "min"};

std::int64_t padded(std::int64_t n, std::int64_t size) { return (n * size + 31) / 32 * 32 / size; }

std::string text_of(const Case& c) {
  const std::string t = dtype_text(c.dtype);
  const std::int64_t size = size_of(c.dtype), cols = padded(c.cols, size);
  const std::string rows = std::to_string(c.rows), valid_rows = c.dynamic ? "?" : rows;
  const auto x = [](auto a, auto b) { return std::to_string(a) + "x" + std::to_string(b); };
  const std::int64_t ir = c.row ? 1 : c.rows, ic = c.row ? c.rows : c.cols;
  const std::string data =
      "!pto.tile_buf<vec, " + x(c.rows, cols) + "x" + t + ", valid=" + valid_rows + "x" + std::to_string(c.cols) + ">";
  const std::string valid_idx = c.row ? "1x" + valid_rows : valid_rows + "x" + std::to_string(c.cols);
  const std::string idx = "!pto.tile_buf<vec, " + x(ir, padded(ic, 4)) + "xi32, valid=" + valid_idx + ">";
  const std::string table = "!pto.tensor_view<" + x(c.table_rows(), c.table_cols()) + "x" + t + ">";
  const std::string block = "!pto.tensor_view<" + x(c.rows, c.cols) + "x" + t + ">";
  const std::string block_idx = "!pto.tensor_view<" + x(ir, ic) + "xi32>";
  const auto view = [](const std::string& name, const std::string& of, auto r, auto w, const std::string& type) {
    return "  %" + name + " = pto.make_tensor_view %" + of + ", shape = [" + std::to_string(r) + ", " +
           std::to_string(w) + "], strides = [" + std::to_string(w) + ", 1] : " + type + "\n";
  };
  const std::string wait = "  pto.barrier <PIPE_ALL>\n";
  std::ostringstream out;
  out << "func.func @k(%data: !pto.ptr<" << t << ">, %table: !pto.ptr<" << t << ">, %idx: !pto.ptr<i32>, %n: index) {\n"
      << "  %a0 = arith.constant 0 : i64\n  %a1 = arith.constant 65536 : i64\n"
      << view("tv", "table", c.table_rows(), c.table_cols(), table) << view("dv", "data", c.rows, c.cols, block)
      << view("iv", "idx", ir, ic, block_idx) << "  %d = pto.alloc_tile addr = %a0"
      << (c.dynamic ? " valid_row = %n" : "") << " : " << data << "\n  %i = pto.alloc_tile addr = %a1"
      << (!c.dynamic ? ""
          : c.row    ? " valid_col = %n"
                     : " valid_row = %n")
      << " : " << idx << "\n  pto.tload ins(%iv : " << block_idx << ") outs(%i : " << idx << ")\n";
  const std::string mode = c.row ? "row" : "elem";
  if (c.gather) {
    out << wait << "  pto.mgather ins(%tv, %i : " << table << ", " << idx << ") outs(%d : " << data
        << ") {coalesce = #pto.coalesce<" << mode << ">, gatherOob = #pto.gather_oob<" << gather_oobs[c.oob] << ">}\n"
        << wait << "  pto.tstore ins(%d : " << data << ") outs(%dv : " << block << ")\n";
  } else {
    out << "  pto.tload ins(%dv : " << block << ") outs(%d : " << data << ")\n"
        << wait << "  pto.mscatter ins(%d, %i : " << data << ", " << idx << ") outs(%tv : " << table
        << ") {coalesce = #pto.coalesce<" << mode << ">, scatterOob = #pto.scatter_oob<" << scatter_oobs[c.oob]
        << ">, scatterAtomicOp = #pto.scatter_atomic_op<" << ops[c.op] << ">}\n";
  }
  return out.str() + "  return\n}\n";
}

/// The slot of an index, -1 for none: the rule in one line a policy.
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
        const T value = static_cast<T>(static_cast<float>(static_cast<int>(random.below(100)) - (c.op == 0 ? 0 : 50)));
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

/// What a plain loop makes of the data or of the table.
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

/// Runs the text on a target; nothing when the target refuses it.
std::optional<RunResult> run_text(const std::string& text, const Target& target, const RunOptions& options,
                                  Diagnostics& said) {
  const auto module = read(text, "k.pto", TextForm::detect, said);
  if (!module) return std::nullopt;
  return run(*module, target, options, said);
}

Case random_case(Random& random) {
  Case c;
  c.gather = random.below(2), c.row = random.below(2), c.dynamic = random.below(3) == 0;
  const DType dtypes[] = {DType::i8,  DType::u8,   DType::i16, DType::u16,  DType::i32,  DType::u32,
                          DType::f16, DType::bf16, DType::f32, DType::e4m3, DType::e5m2, DType::hif8};
  c.dtype = dtypes[random.below(12)];
  const std::int64_t capacities[] = {1, 7, 100, 50257};
  c.rows = 1 + static_cast<std::int64_t>(random.below(20)), c.cols = 1 + static_cast<std::int64_t>(random.below(70));
  if (random.below(2)) c.cols = padded(c.cols, size_of(c.dtype));
  c.capacity = capacities[random.below(c.row ? 3 : 4)];
  c.oob = static_cast<int>(random.below(4)), c.op = static_cast<int>(random.below(4)), c.seed = random.next();
  return c;
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
    for (const Target* target : target::all) {
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
      // With a seed the order of a SIMT machine's sums is open: only exact ones have one answer.
      const bool open_order = !c.gather && target->simt && options.launch.seed != 0 && c.op == 1;
      const bool rounds = c.dtype == DType::f16 || c.dtype == DType::bf16;
      if (!open_order || !rounds) {
        EXPECT_EQ(out.bytes, expected(c, a, valid)) << target->name << "\n" << text;
      }
      EXPECT_EQ(result->report.has("oob-index"), c.oob == 0 && any_outside(c, a, valid)) << target->name << text;
    }
  }
  EXPECT_GT(ran, 150);
  EXPECT_GT(refused, 20);
}

TEST(run, call_sites_are_lines_of_the_file) {
  SiteBook book;
  const pto::instr::Site site = book.add("kernel.pto", 12, 3, "lookup");
  EXPECT_STREQ(site.file_name(), "kernel.pto");
  EXPECT_STREQ(site.function_name(), "lookup");
  EXPECT_EQ(site.line(), 12u);
  EXPECT_EQ(site.column(), 3u);
}

}  // namespace ptox::assembly
