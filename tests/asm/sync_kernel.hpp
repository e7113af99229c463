// SPDX-License-Identifier: Apache-2.0
// Checks, by running it, that a kernel with inserted flags is ordered and needs each of them.
#pragma once

#include <gtest/gtest.h>

#include <sstream>

#include "asm/level/level.hpp"
#include "asm/verify/verify.hpp"
#include "engine/system/random.hpp"
#include "interpret.hpp"
#include "mlir/IR/Verifier.h"
#include "ptox/ptox.hpp"

namespace ptox::assembly {

inline std::string text(const Diagnostics& d) {
  std::ostringstream out;
  for (const Diagnostic& x : d.all()) out << x;
  return out.str();
}

/// A kernel on three blocks of 8x32 floats in each of `table` and `out`, indices of every row and every element of a
/// block, and four 64-bit patterns that determine when branches are taken and how often loops run.
inline std::string kernel(const std::string& body) {
  std::string head = R"(func.func @k(%table: !pto.ptr<f32>, %ids: !pto.ptr<i32>, %out: !pto.ptr<f32>,
    %p0: i64, %p1: i64, %p2: i64, %p3: i64) {
  %tv = pto.make_tensor_view %table, shape = [24, 32], strides = [32, 1] : !pto.tensor_view<24x32xf32>
  %ov = pto.make_tensor_view %out, shape = [24, 32], strides = [32, 1] : !pto.tensor_view<24x32xf32>
  %te = pto.make_tensor_view %table, shape = [8, 8], strides = [8, 1] : !pto.tensor_view<8x8xf32>
  %oe = pto.make_tensor_view %out, shape = [8, 8], strides = [8, 1] : !pto.tensor_view<8x8xf32>
  %iv = pto.make_tensor_view %ids, shape = [1, 8], strides = [8, 1] : !pto.tensor_view<1x8xi32>
  %ie = pto.make_tensor_view %ids, shape = [8, 8], strides = [8, 1] : !pto.tensor_view<8x8xi32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1 : i64
  %x = arith.constant 2.0 : f32
  %c3 = arith.constant 3 : i64
)";
  for (const char* v : {"t", "o"})
    for (int k = 0; k < 3; ++k)
      head += std::string("  %") + v + std::to_string(k) + " = pto.partition_view %" + v + "v, offsets = [" +
              std::to_string(8 * k) + ", 0], sizes = [8, 32] : !pto.tensor_view<24x32xf32> -> " +
              "!pto.partition_tensor_view<8x32xf32>\n";
  return head + body + "  return\n}\n";
}

inline constexpr const char* rows = "!pto.tile_buf<vec, 8x32xf32>";
inline constexpr const char* index = "!pto.tile_buf<vec, 1x8xi32>";
inline constexpr const char* cells = "!pto.tile_buf<vec, 8x8xf32>";
inline constexpr const char* cell_index = "!pto.tile_buf<vec, 8x8xi32>";
inline constexpr const char* block = "!pto.partition_tensor_view<8x32xf32>";

inline std::string dps(const std::string& op, const std::string& ins, const std::string& types, const std::string& out,
                       const std::string& out_type, const std::string& attributes = "") {
  return "  pto." + op + " ins(" + ins + " : " + types + ") outs(" + out + " : " + out_type + ")" + attributes + "\n";
}
inline std::string alloc(const std::string& tile, const std::string& type) {
  return "  " + tile + " = pto.alloc_tile : " + type + "\n";
}
inline std::string load(const std::string& tile, const std::string& from) {
  return dps("tload", from, block, tile, rows);
}
inline std::string load_index(const std::string& tile) {
  return dps("tload", "%iv", "!pto.tensor_view<1x8xi32>", tile, index);
}
inline std::string load_cells(const std::string& tile) {
  return dps("tload", "%te", "!pto.tensor_view<8x8xf32>", tile, cells);
}
inline std::string load_cell_index(const std::string& tile) {
  return dps("tload", "%ie", "!pto.tensor_view<8x8xi32>", tile, cell_index);
}
inline std::string store(const std::string& tile, const std::string& to, const std::string& attributes = "") {
  return dps("tstore", tile, rows, to, block, attributes);
}
inline std::string gather(const std::string& tile, const std::string& from, const std::string& idx) {
  return dps("mgather", from + ", " + idx, std::string(block) + ", " + index, tile, rows,
             " {coalesce = #pto.coalesce<row>}");
}
inline std::string scatter(const std::string& tile, const std::string& to, const std::string& idx, bool add = false) {
  return dps("mscatter", tile + ", " + idx, std::string(rows) + ", " + index, to, block,
             std::string(" {coalesce = #pto.coalesce<row>") +
                 (add ? ", scatterAtomicOp = #pto.scatter_atomic_op<add>}" : "}"));
}
inline std::string gather_cells(const std::string& tile, const std::string& from, const std::string& idx) {
  return dps("mgather", from + ", " + idx, std::string("!pto.tensor_view<8x8xf32>, ") + cell_index, tile, cells,
             " {coalesce = #pto.coalesce<elem>}");
}
inline std::string scatter_cells(const std::string& tile, const std::string& to, const std::string& idx,
                                 bool add = false) {
  return dps("mscatter", tile + ", " + idx, std::string(cells) + ", " + cell_index, to, "!pto.tensor_view<8x8xf32>",
             std::string(" {coalesce = #pto.coalesce<elem>") +
                 (add ? ", scatterAtomicOp = #pto.scatter_atomic_op<add>}" : "}"));
}
inline std::string move(const std::string& to, const std::string& from) { return dps("tmov", from, rows, to, rows); }
inline std::string expand(const std::string& to) { return dps("texpands", "%x", "f32", to, rows); }
inline std::string tile_gather(const std::string& to, const std::string& from, const std::string& idx) {
  return dps("tgather", from + ", " + idx, std::string(cells) + ", " + cell_index, to, cells);
}

struct Ran {
  Report report;
  std::vector<float> table, out;
};
/// Launches the kernel once; `path` selects the branches.
inline Ran run(mlir::ModuleOp module, const Target& target, std::uint64_t seed, std::uint64_t path) {
  Device dev(target);
  auto table = dev.alloc<float>(24 * 32), out = dev.alloc<float>(24 * 32);
  auto ids = dev.alloc<std::int32_t>(64);
  for (int i = 0; i < 24 * 32; ++i) table[i] = static_cast<float>(i + 1), out[i] = static_cast<float>(-i);
  for (int i = 0; i < 64; ++i) ids[i] = i < 8 ? (i * 3) % 8 : 8 + (i * 5) % 56;
  std::vector<Interpreter::Argument> arguments(7);
  arguments[0].pointer = table.data(), arguments[1].pointer = ids.data(), arguments[2].pointer = out.data();
  Random random(path * 77 + 5);
  for (std::size_t i = 3; i < 7; ++i, path /= 3) {  // pattern: never, always, sometimes
    const std::uint64_t sometimes = random.below(~std::uint64_t{0});
    arguments[i].number = static_cast<std::int64_t>(path % 3 == 0 ? 0 : path % 3 == 1 ? ~std::uint64_t{0} : sometimes);
  }
  const auto function = *module.getOps<mlir::func::FuncOp>().begin();
  LaunchOptions options;
  options.seed = seed;
  Report r = dev.launch(options, [&] { Interpreter(function, arguments).run(); });
  return {std::move(r), {table.begin(), table.end()}, {out.begin(), out.end()}};
}

inline constexpr std::uint64_t paths = 81;  ///< never, always or sometimes, for each of four patterns

/// The module with tile addresses and inserted flags; null if there is any diagnostic.
inline std::unique_ptr<Module> synced(const std::string& source, const Target& target) {
  Diagnostics said;
  auto module = read(source, "kernel.pto", TextForm::mlir, said);
  if (module) verify(*module, target, said);
  const bool ok = module && !said.has_errors() && place_tiles(*module, target, said) &&
                  insert_sync(*module, target, said) && mlir::succeeded(mlir::verify(*module->op));
  EXPECT_TRUE(ok && !said.has_errors()) << text(said) << source;
  return ok ? std::move(module) : nullptr;
}

/// The set_flag and dcci operations of a module.
inline std::vector<mlir::Operation*> inserted(mlir::ModuleOp module) {
  std::vector<mlir::Operation*> all;
  module.walk([&](mlir::Operation* op) {
    if (base_name(op) == "set_flag" || base_name(op) == "dcci") all.push_back(op);
  });
  return all;
}
/// Removes a set_flag and its wait_flag, or a dcci and its dsb.
inline void erase_pair(mlir::Operation* first) {
  mlir::Operation* second = first->getNextNode();
  const bool flag = base_name(first) == "set_flag";
  const auto matches = [&](mlir::Operation* op) {
    if (!flag) return base_name(op) == "dsb";
    return base_name(op) == "wait_flag" && op->getAttr("src_pipe") == first->getAttr("src_pipe") &&
           op->getAttr("dst_pipe") == first->getAttr("dst_pipe") && op->getAttr("event") == first->getAttr("event");
  };
  while (second && !matches(second)) second = second->getNextNode();
  ASSERT_TRUE(second) << "a set without its wait in one block";
  second->erase();
  first->erase();
}

inline bool found_on_some_path(mlir::ModuleOp module, const Target& target) {
  for (std::uint64_t path = 0; path < 5 * paths; ++path) {
    const Report r = run(module, target, 0, path).report;
    if (r.has(FindingKind::race) || r.has(FindingKind::atomic_race) || r.has(FindingKind::stale_cache)) return true;
  }
  return false;
}

/// Expects a clean report on every path, and the same bytes with every seed.
inline void expect_in_order(Module& module, const Target& target) {
  for (std::uint64_t path = 0; path < paths; ++path) {
    const Ran plain = run(*module.op, target, 0, path);
    ASSERT_TRUE(plain.report.clean()) << plain.report << to_mlir(module);
    for (std::uint64_t seed = 1; seed <= 4 && path % 10 == 0; ++seed) {
      const Ran other = run(*module.op, target, seed, path);
      ASSERT_TRUE(other.report.clean()) << other.report << to_mlir(module);
      ASSERT_TRUE(plain.table == other.table && plain.out == other.out) << "seed " << seed << to_mlir(module);
    }
  }
}

/// Expects that every pair is needed, and every clean unless `cleans` is false. Returns the number of both.
inline int expect_needed(Module& module, const Target& target, bool cleans) {
  const int count = static_cast<int>(inserted(*module.op).size());
  for (int i = 0; i < count; ++i) {
    mlir::OwningOpRef<mlir::ModuleOp> copy = module.op->clone();
    mlir::Operation* first = inserted(*copy)[static_cast<std::size_t>(i)];
    if (!cleans && base_name(first) == "dcci") continue;
    erase_pair(first);
    EXPECT_TRUE(found_on_some_path(*copy, target)) << target.name << ": pair " << i << " is not needed\n"
                                                   << to_mlir(module);
    if (::testing::Test::HasFailure()) return count;
  }
  return count;
}

}  // namespace ptox::assembly
