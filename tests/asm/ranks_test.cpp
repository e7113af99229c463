// SPDX-License-Identifier: Apache-2.0
// Collectives in PTO-AS give the result of their formula, with any staging tiles, on every target and engine.
#include <gtest/gtest.h>

#include <cstring>

#include "asm/run/run.hpp"
#include "shell.hpp"

namespace ptox::assembly {

namespace {

/// A collective, the extents of the tensor of a rank, and the staging tiles.
struct Move {
  std::string op;
  int ranks, root;
  std::int64_t rows, cols;
  std::string tiles;  ///< types of the staging tiles, each preceded by a comma
  int count = 0;      ///< number of staging tiles
  std::string extents = "";

  bool spreads() const { return op == "tscatter" || op == "tgather"; }
  bool writes_group() const { return op == "tscatter" || op == "tbroadcast"; }
  std::int64_t own_rows() const { return spreads() ? rows * ranks + 1 : rows; }  // one row more than needed
};

std::string text_of(const Move& m) {
  const auto memref = [&](std::int64_t rows) {
    return "!pto.memref<" + std::to_string(rows) + "x" + std::to_string(m.cols) + "xf32>";
  };
  const std::string own = memref(m.own_rows()), part = memref(m.rows),
                    group = "!pto.group<" + std::to_string(m.ranks) + ">";
  std::string text = "func.func @k(%own: " + own + ", %part: " + part + ") {\n%c2 = arith.constant 2 : index\n" +
                     "%c24 = arith.constant 24 : index\n%g = pto.make_group %part {root = " + std::to_string(m.root) +
                     "} : (" + part + ") -> " + group + "\n";
  std::string operands, types;
  for (int i = 0; i < m.count; ++i) {
    text += "%t" + std::to_string(i) + " = pto.alloc_tile " + m.extents + " : " + m.tiles + "\n";
    operands += ", %t" + std::to_string(i), types += ", " + m.tiles;
  }
  return text + "pto." + m.op + " %g, %own" + operands + " : (" + group + ", " + own + types + ") -> ()\nreturn\n}\n";
}

std::vector<float> numbers(const Argument& a) {
  std::vector<float> all(a.bytes.size() / sizeof(float));
  std::memcpy(all.data(), a.bytes.data(), a.bytes.size());
  return all;
}

using Arrays = std::vector<std::vector<float>>;  // by rank: own, part

/// The expected result, element by element.
void apply(const Move& m, Arrays& own, Arrays& part) {
  std::vector<float>& root = own[static_cast<std::size_t>(m.root)];
  const std::size_t block = static_cast<std::size_t>(m.rows * m.cols);
  for (std::size_t i = 0; i < block; ++i)
    for (std::size_t r = 0; r < part.size(); ++r) {
      float& mine = root[(m.spreads() ? r * block : 0) + i];
      if (m.writes_group())
        part[r][i] = mine;
      else if (m.spreads() || r == 0)
        mine = part[r][i];
      else
        mine = m.op == "treduce.max" ? std::max(mine, part[r][i]) : mine + part[r][i];
    }
}

void expect_moved(const Move& m, const Target& target, Engine engine, bool insert_sync = true) {
  Diagnostics out;
  const auto module = read(text_of(m), "k.pto", TextForm::mlir, out);
  ASSERT_TRUE(module) << out.text();
  RunOptions options;
  options.check = Check::all, options.insert_sync = insert_sync;
  options.ranks.emplace();
  options.ranks->count = m.ranks, options.ranks->engine = engine;
  const auto result = run(*module, target, options, out);
  ASSERT_TRUE(result) << out.text() << text_of(m);
  EXPECT_TRUE(result->report.clean()) << result->report << text_of(m);
  ASSERT_EQ(result->arguments.size(), static_cast<std::size_t>(2 * m.ranks));
  Arrays own, part;
  for (std::size_t r = 0; r < result->arguments.size(); r += 2)
    own.push_back(numbers(result->arguments[r])), part.push_back(numbers(result->arguments[r + 1]));
  Arrays own_after = own, part_after = part;  // inputs are compared unchanged; outputs are computed from them
  for (auto& a : m.writes_group() ? part_after : own_after) std::fill(a.begin(), a.end(), 0.0f);
  apply(m, own_after, part_after);
  EXPECT_EQ(own_after, own) << text_of(m) << target.name;
  EXPECT_EQ(part_after, part) << text_of(m) << target.name;
}

const std::string fixed = "!pto.tile_buf<vec, 2x32xf32>", open = "!pto.tile_buf<vec, 2x24xf32, valid=?x?>",
                  whole = "!pto.tile_buf<vec, 8x128xf32, valid=?x?>";
const std::string open_extents = "valid_row = %c2 valid_col = %c24";

std::vector<Move> moves_of(const std::string& op, int ranks) {
  const bool reduces = op.starts_with("treduce");
  const int one = reduces ? 2 : 1, root = ranks - 1;
  return {{op, ranks, root, 4, 64, "", 0},                 // staged by the lowering
          {op, ranks, 0, 300, 40, "", 0},                  // in chunks of 32 KiB
          {op, ranks, root, 4, 64, fixed, one},            // equal chunks in rows and columns
          {op, ranks, root, 4, 64, fixed, one + 1},        // double buffering
          {op, ranks, 0, 5, 50, open, one, open_extents},  // smaller last chunks in rows and columns
          {op, ranks, root, 5, 50, open, one + 1, open_extents},
          {op, ranks, root, 2, 24, whole, one, open_extents}};  // the tile is larger than the tensor
}

TEST(ranks, every_collective_by_every_staging) {
  for (const char* op : {"tscatter", "tgather", "tbroadcast", "treduce", "treduce.max"})
    for (int ranks : {1, 2, 3, 4})
      for (const Move& m : moves_of(op, ranks)) {
        expect_moved(m, target::cpu, Engine::threads);
        if (ranks == 3)
          expect_moved(m, target::a2a3, Engine::threads), expect_moved(m, target::a5, Engine::threads, false);
      }
}

TEST(ranks, processes_move_the_same) {
  for (const char* op : {"tscatter", "tgather", "tbroadcast", "treduce"})
    for (const Move& m : moves_of(op, 2))
      expect_moved(m, target::cpu, Engine::processes), expect_moved(m, target::a5, Engine::processes);
}

// The kernel does not access its pointer, so no bytes are allocated for it and there are none to bring back.
TEST(ranks, a_pointer_that_the_kernel_does_not_use_has_no_bytes_on_any_rank) {
  Diagnostics out;
  const auto module = read("func.func @k(%unused: !pto.ptr<f32>) {\nreturn\n}\n", "k.pto", TextForm::mlir, out);
  ASSERT_TRUE(module) << out.text();
  RunOptions options;
  options.ranks.emplace();
  options.ranks->count = 2, options.ranks->engine = Engine::threads;
  const auto result = run(*module, target::cpu, options, out);
  ASSERT_TRUE(result) << out.text();
  EXPECT_TRUE(result->report.clean()) << result->report;
  ASSERT_EQ(result->arguments.size(), 2u);
  for (const Argument& a : result->arguments) EXPECT_TRUE(a.pointer && a.bytes.empty());
}

TEST(ranks, an_mpi_job_prints_once_what_threads_print) {
#ifdef PTOX_MPIRUN
  const std::string run = "'" PTOX_TOOL "' run '" PTOX_SOURCE_DIR "/tests/lit/run/ranks.pto' --ranks 4";
  const std::string job =
      "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 "
      "PRTE_MCA_rmaps_default_mapping_policy=:OVERSUBSCRIBE timeout -k 5 60 "
      "'" PTOX_MPIRUN "' -n ";
  const Ended threads = shell(run), mpi = shell(job + "4 " + run + " --engine mpi");
  EXPECT_EQ(threads.code, 0) << threads.output;
  EXPECT_EQ(mpi.code, 0) << mpi.output;
  EXPECT_EQ(mpi.output, threads.output);
  const Ended few = shell(job + "2 " + run + " --engine mpi");
  EXPECT_NE(few.code, 0);
  EXPECT_NE(few.output.find("--ranks is 4, the job has 2 processes"), std::string::npos) << few.output;
  const std::string wrong =
      "'" PTOX_TOOL "' run '" PTOX_SOURCE_DIR "/tests/lit/run/ranks-faults.pto' --ranks 3 --arg n=11 --engine mpi";
  const Ended faulty = shell(job + "3 " + wrong);
  EXPECT_EQ(faulty.code, 1) << faulty.output;
  const std::string said = "ranks-faults.pto:22: error: [comm-shape] tscatter at rank 2 of 3: src has Shape[3] = 11";
  const auto first = faulty.output.find(said);
  EXPECT_NE(first, std::string::npos) << faulty.output;
  EXPECT_EQ(faulty.output.find("comm-shape", first + said.size()), std::string::npos) << faulty.output;
#else
  GTEST_SKIP() << "no MPI was found when this was built. Debian: libopenmpi-dev";
#endif
}

TEST(ranks, a_trace_that_cannot_be_written_is_said_and_nothing_else) {
  const Ended e = shell("'" PTOX_TOOL "' run '" PTOX_SOURCE_DIR
                        "/tests/lit/run/ranks.pto' --ranks 4 --target a5 --trace /no/such/folder/t.json");
  EXPECT_EQ(e.code, 2) << e.output;
  EXPECT_NE(e.output.find("/no/such/folder/t."), std::string::npos) << e.output;
  EXPECT_EQ(e.output.find("comm-dead-rank"), std::string::npos) << e.output;
}

TEST(ranks, a_group_of_more_ranks_than_a_call_has_values) {
  std::string text = "func.func @k(%own: !pto.memref<30x8xf32>, %p: !pto.ptr<f32>) {\n", views, types;
  for (int r = 0; r < 30; ++r) {
    const std::string n = std::to_string(r);
    text += "%o" + n + " = arith.constant " + n + " : index\n";
  }
  text += "%all = pto.make_tensor_view %p, shape = [30, 8], strides = [8, 1] : !pto.tensor_view<30x8xf32>\n";
  for (int r = 0; r < 30; ++r) {
    const std::string n = std::to_string(29 - r);  // in reverse order
    text += "%v" + std::to_string(r) + " = pto.partition_view %all, offsets = [%o" + n +
            ", 0], sizes = [1, 8] : !pto.tensor_view<30x8xf32> -> !pto.partition_tensor_view<1x8xf32>\n";
    views += (r ? ", %v" : "%v") + std::to_string(r),
        types += r ? ", !pto.partition_tensor_view<1x8xf32>" : "!pto.partition_tensor_view<1x8xf32>";
  }
  text += "%g = pto.make_group " + views + " : (" + types + ") -> !pto.group<30>\n" +
          "pto.tscatter %g, %own : (!pto.group<30>, !pto.memref<30x8xf32>) -> ()\nreturn\n}\n";
  Diagnostics out;
  const auto module = read(text, "k.pto", TextForm::mlir, out);
  ASSERT_TRUE(module) << out.text();
  const auto result = run(*module, target::cpu, {}, out);  // without ranks, the caller is the root
  ASSERT_TRUE(result) << out.text();
  EXPECT_TRUE(result->report.clean()) << result->report;
  const std::vector<float> own = numbers(result->arguments[0]), there = numbers(result->arguments[1]);
  for (std::size_t r = 0; r < 30; ++r)
    for (std::size_t c = 0; c < 8; ++c) ASSERT_EQ(there[(29 - r) * 8 + c], own[r * 8 + c]) << r;
}

}  // namespace

}  // namespace ptox::assembly
