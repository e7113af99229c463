// SPDX-License-Identifier: Apache-2.0
// Kernels in PTO-AS for tests: random gathers and scatters of one tile.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>

#include "asm/text/type_text.hpp"
#include "engine/system/random.hpp"

namespace ptox::assembly {

using pto::instr::size_of;

/// One gather or scatter of a whole tile.
struct Case {
  bool gather = true, row = true;
  DType dtype = DType::f32;
  std::int64_t rows = 8, cols = 32, capacity = 100;  // capacity in rows (row) or elements
  int oob = 0, op = 0;
  bool dynamic = false;  ///< the number of valid rows is a run-time value
  std::uint64_t seed = 0;

  std::int64_t table_rows() const { return row ? capacity : 1; }
  std::int64_t table_cols() const { return row ? cols : capacity; }
};

constexpr const char* gather_oobs[] = {"undefined", "clamp", "wrap", "zero"};
constexpr const char* scatter_oobs[] = {"undefined", "skip", "clamp", "wrap"};
constexpr const char* ops[] = {"none", "add", "max", "min"};

inline std::int64_t padded(std::int64_t n, std::int64_t size) { return (n * size + 31) / 32 * 32 / size; }

inline std::string text_of(const Case& c) {
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

inline Case random_case(Random& random) {
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

}  // namespace ptox::assembly
