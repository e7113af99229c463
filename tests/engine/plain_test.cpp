// SPDX-License-Identifier: Apache-2.0
// Kernels run when they are called as functions, and environment variables select their device.
#include <acl/acl.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "launched.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace {

using namespace pto;
using namespace pto::instr;

using Data = Tile<TileType::Vec, float, 8, 8>;
using Index = Tile<TileType::Vec, std::int32_t, 1, 8>;
using ColumnIndex = Tile<TileType::Vec, std::int32_t, 8, 1>;
using Matrix = GlobalTensor<float, Shape<1, 1, 1, 8, 8>, Stride<1, 1, 1, 8, 1>>;
using Indices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
using ColumnIndices = GlobalTensor<std::int32_t, Shape<1, 1, 1, 8, 1>, Stride<1, 1, 1, 1, 1>>;

/// out[r, :] = table[idx[r], :]
__global__ AICORE void lookup(__gm__ float* out, __gm__ float* table, __gm__ std::int32_t* idx) {
  Matrix outGM(out), tableGM(table);
  Indices idxGM(idx);
  Data dst;
  Index rows;
  TLOAD(rows, idxGM);
  pipe_barrier(PIPE_ALL);
  MGATHER<Coalesce::Row>(dst, tableGM, rows);
  pipe_barrier(PIPE_ALL);
  TSTORE(outGM, dst);
}

/// Legal on cpu and a5 only: a2a3 does not support [R, 1] indices.
AICORE void column_lookup(__gm__ float* out, __gm__ float* table, __gm__ std::int32_t* idx) {
  Matrix outGM(out), tableGM(table);
  ColumnIndices idxGM(idx);
  Data dst;
  ColumnIndex rows;
  TLOAD(rows, idxGM);
  pipe_barrier(PIPE_ALL);
  MGATHER<Coalesce::Row>(dst, tableGM, rows);
  pipe_barrier(PIPE_ALL);
  TSTORE(outGM, dst);
}

/// Legal on cpu only: no machine model supports Max on bytes.
AICORE void max_of_bytes(__gm__ std::int8_t* table, __gm__ std::int32_t* idx) {
  GlobalTensor<std::int8_t, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>> tableGM(table);
  Indices idxGM(idx);
  Tile<TileType::Vec, std::int8_t, 8, 32> src;
  Index rows;
  TLOAD(src, tableGM);
  TLOAD(rows, idxGM);
  pipe_barrier(PIPE_ALL);
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Max>(tableGM, src, rows);
}

struct Memory {
  std::vector<float> table = std::vector<float>(64), out = std::vector<float>(64);
  std::vector<std::int32_t> idx{7, 6, 5, 4, 3, 2, 1, 0};
  Memory() {
    for (int i = 0; i < 64; ++i) table[static_cast<std::size_t>(i)] = static_cast<float>(i);
  }
  bool reversed() const {
    for (std::size_t i = 0; i < 64; ++i)
      if (out[i] != table[(7 - i / 8) * 8 + i % 8]) return false;
    return true;
  }
};

class Plain : public ::testing::Test {
 protected:
  void SetUp() override { reset(); }
  void TearDown() override { reset(); }
  static void reset() {
    NPU_MEMORY_CLEAR();
    ptox::ignore_findings(ptox::take_plain_report());
  }
};

TEST_F(Plain, a_kernel_simply_called_runs_on_the_default_device) {
  Memory m;
  lookup(m.out.data(), m.table.data(), m.idx.data());
  EXPECT_TRUE(m.reversed());
  const ptox::Report r = ptox::take_plain_report();
  EXPECT_TRUE(r.clean()) << r;
  EXPECT_EQ(r.target(), "cpu");
}

TEST_F(Plain, it_is_block_zero_of_one) {
  EXPECT_EQ(get_block_idx(), 0);
  EXPECT_EQ(get_block_num(), 1);
}

TEST_F(Plain, memory_init_selects_a_model) {
  Memory m;
  NPU_MEMORY_INIT(NPUArch::A5);
  column_lookup(m.out.data(), m.table.data(), m.idx.data());
  EXPECT_TRUE(m.reversed());
  EXPECT_TRUE(ptox::take_plain_report().clean());
  std::vector<std::int8_t> bytes(256);
  max_of_bytes(bytes.data(), m.idx.data());
  const ptox::Report r = ptox::take_plain_report();
  EXPECT_EQ(r.target(), "a5");
  ASSERT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
  EXPECT_NE(r.findings()[0].file.find("plain_test.cpp"), std::string::npos) << r;
  EXPECT_TRUE(ptox::take_plain_report().findings().empty()) << "a report is taken once";
}

TEST_F(Plain, the_models_instance_may_be_initialised_by_name) {
  Memory m;
  NPUMemoryModel::Instance().Initialize(NPUArch::A2A3);
  column_lookup(m.out.data(), m.table.data(), m.idx.data());
  const ptox::Report r = ptox::take_plain_report();
  EXPECT_EQ(r.target(), "a2a3");
  EXPECT_TRUE(r.has(ptox::FindingKind::illegal)) << r;
}

TEST_F(Plain, memory_clear_goes_back_to_the_default) {
  Memory m;
  NPU_MEMORY_INIT(NPUArch::A2A3);
  NPU_MEMORY_CLEAR();
  column_lookup(m.out.data(), m.table.data(), m.idx.data());
  EXPECT_TRUE(m.reversed());
  EXPECT_TRUE(ptox::take_plain_report().clean());
}

TEST_F(Plain, ub_keeps_its_bytes_between_calls) {
  for (NPUArch arch : {NPUArch::A2A3, NPUArch::A5}) {
    NPU_MEMORY_INIT(arch);
    {
      Data t;
      TASSIGN(t, 0x1000);
      TEXPANDS(t, 4.0f);
    }
    Memory m;
    lookup(m.out.data(), m.table.data(), m.idx.data());
    Data t;
    TASSIGN(t, 0x1000);
    for (int i = 0; i < 64; ++i) EXPECT_EQ(t.GetValue(i), 4.0f);
  }
}

TEST_F(Plain, every_call_is_judged_alone) {
  NPU_MEMORY_INIT(NPUArch::A5);
  const auto write = [] {
    Data t;
    TASSIGN(t, 0);
    TEXPANDS(t, 1.0f);
  };
  const auto read = [](float* out) {
    Matrix to(out);
    Data t;
    TASSIGN(t, 0);
    TSTORE(to, t);
  };
  Memory m;
  write();
  read(m.out.data());
  EXPECT_TRUE(ptox::take_plain_report().has(ptox::FindingKind::uninit_read))
      << "what another call wrote counts as nothing";
  EXPECT_EQ(m.out[0], 1.0f) << "and is there";
}

std::int64_t place(Data& t) { return t.desc().offset; }

TEST_F(Plain, a_launch_ends_when_the_last_tile_dies) {
  {
    Data held;
    TASSIGN(held, 0);
    Data beside;
    EXPECT_EQ(place(beside), 256);
  }
  Data alone;
  EXPECT_EQ(place(alone), 0) << "the TASSIGN of an earlier launch holds nothing";
}

TEST_F(Plain, a_launch_ends_at_any_runtime_call) {
  Data held;
  TASSIGN(held, 0);
  EXPECT_EQ(aclrtSynchronizeStream(nullptr), 0);
  Data after;
  EXPECT_EQ(place(after), 0) << "the TASSIGN of an earlier launch holds nothing";
}

TEST_F(Plain, a_launch_inside_does_not_disturb_the_plain_one) {
  Data held;
  TASSIGN(held, 0);
  TEXPANDS(held, 2.0f);
  const ptox::Report r = ptox::Device(ptox::target::a2a3).launch({}, [] {
    Data t;
    EXPECT_EQ(place(t), 0);
    TEXPANDS(t, 3.0f);
  });
  EXPECT_TRUE(r.clean()) << r;
  Data beside;
  EXPECT_EQ(place(beside), 256);
  EXPECT_EQ(held.GetValue(0), 2.0f);
}

TEST_F(Plain, every_thread_has_a_core_of_its_own) {
  Data mine;
  TASSIGN(mine, 0);
  TEXPANDS(mine, 1.0f);
  std::thread other([] {
    Data theirs;
    EXPECT_EQ(place(theirs), 0);
    TEXPANDS(theirs, 2.0f);
  });
  other.join();
  EXPECT_EQ(mine.GetValue(0), 1.0f);
}

TEST_F(Plain, findings_of_another_thread_are_in_the_report) {
  NPU_MEMORY_INIT(NPUArch::A2A3);
  std::thread other([] {
    Memory m;
    column_lookup(m.out.data(), m.table.data(), m.idx.data());
  });
  other.join();
  EXPECT_TRUE(ptox::take_plain_report().has(ptox::FindingKind::illegal));
}

// Environment variables: each statement runs in a process of its own that starts with the variable set.

/// Sets an environment variable and removes it in the destructor.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

/// Does not reset the default device, so that the first plain call of the child process is the one in the tested
/// statement.
class PlainDeathTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override { GTEST_FLAG_SET(death_test_style, "fast"); }
};

[[noreturn]] void call_and_exit(void (*kernel)(float*, float*, std::int32_t*), std::int32_t first = 7) {
  Memory m;
  m.idx[0] = first;
  kernel(m.out.data(), m.table.data(), m.idx.data());
  std::exit(0);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(PlainDeathTest, findings_print_at_exit_and_the_exit_code_is_1) {
  const Variable target("PTOX_TARGET", "a2a3");
  EXPECT_EXIT(call_and_exit(column_lookup), ::testing::ExitedWithCode(1),
              "plain_test.cpp:[0-9]+: error: \\[illegal\\]");
}

TEST_F(PlainDeathTest, a_clean_program_exits_as_it_wants) {
  for (const char* name : {"cpu", "a2a3", "a5"}) {
    const Variable target("PTOX_TARGET", name);
    EXPECT_EXIT(call_and_exit(lookup), ::testing::ExitedWithCode(0), "^$") << name;
  }
}

/// Lacks a flag from V to MTE3: the result is correct in program order and wrong if MTE3 runs ahead.
void store_too_early(float* out, float* table, std::int32_t* idx) {
  Matrix to(out), from(table);
  Indices ids(idx);
  Data dst;
  Index rows;
  TLOAD(rows, ids);
  pipe_barrier(PIPE_ALL);
  MGATHER<Coalesce::Row>(dst, from, rows);
  TSTORE(to, dst);
}

[[noreturn]] void exit_with_whether_it_was_right() {
  Memory m;
  store_too_early(m.out.data(), m.table.data(), m.idx.data());
  std::exit(m.reversed() ? 10 : 11);
}

TEST_F(PlainDeathTest, a_seed_from_outside_lets_pipes_run_ahead) {
  const Variable target("PTOX_TARGET", "a5"), check("PTOX_CHECK", "off");
  {
    const Variable seed("PTOX_SEED", "0");
    EXPECT_EXIT(exit_with_whether_it_was_right(), ::testing::ExitedWithCode(10), "");
  }
  const Variable seed("PTOX_SEED", "1");
  EXPECT_EXIT(exit_with_whether_it_was_right(), ::testing::ExitedWithCode(11), "");
}

TEST_F(PlainDeathTest, the_target_from_outside_wins_over_memory_init) {
  const Variable target("PTOX_TARGET", "a2a3");
  EXPECT_EXIT(
      {
        NPU_MEMORY_INIT(NPUArch::A5);
        call_and_exit(column_lookup);
      },
      ::testing::ExitedWithCode(1), "illegal");
}

TEST_F(PlainDeathTest, checks_are_off_on_cpu_unless_asked_for) {
  EXPECT_EXIT(call_and_exit(lookup, 8), ::testing::ExitedWithCode(0), "^$");
  const Variable check("PTOX_CHECK", "all");
  EXPECT_EXIT(call_and_exit(lookup, 8), ::testing::ExitedWithCode(1), "oob-index.*row 8");
}

TEST_F(PlainDeathTest, checks_may_be_turned_off_on_a_model) {
  const Variable target("PTOX_TARGET", "a5"), check("PTOX_CHECK", "off");
  EXPECT_EXIT(call_and_exit(lookup, 8), ::testing::ExitedWithCode(0), "^$");
}

TEST_F(PlainDeathTest, what_is_illegal_is_found_whatever_the_checks) {
  const Variable target("PTOX_TARGET", "a2a3"), check("PTOX_CHECK", "off");
  EXPECT_EXIT(call_and_exit(column_lookup), ::testing::ExitedWithCode(1), "illegal");
}

TEST_F(PlainDeathTest, a_note_does_not_change_the_exit_code) {
  const Variable check("PTOX_CHECK", "all");
  const auto clamp = [](float* out, float* table, std::int32_t* idx) {
    Matrix outGM(out), tableGM(table);
    Indices idxGM(idx);
    Data dst;
    Index rows;
    TLOAD(rows, idxGM);
    pipe_barrier(PIPE_ALL);
    MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, tableGM, rows);
    pipe_barrier(PIPE_ALL);
    TSTORE(outGM, dst);
  };
  EXPECT_EXIT(call_and_exit(clamp, -1), ::testing::ExitedWithCode(0), "note: \\[negative-index\\]");
}

TEST_F(PlainDeathTest, the_report_goes_to_a_file_too) {
  const std::string path = ::testing::TempDir() + "plain_test_report.json";
  std::remove(path.c_str());
  const Variable target("PTOX_TARGET", "a2a3"), report("PTOX_REPORT", path);
  EXPECT_EXIT(call_and_exit(column_lookup), ::testing::ExitedWithCode(1), "illegal");
  const std::string text = text_of(path);
  for (const char* part :
       {"\"target\"", "a2a3", "\"findings\"", "\"id\"", "illegal", "\"severity\"", "\"line\"", "\"cycles\""})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
  std::remove(path.c_str());
}

TEST_F(PlainDeathTest, a_clean_report_goes_to_its_file) {
  const std::string path = ::testing::TempDir() + "plain_test_clean.json";
  std::remove(path.c_str());
  const Variable report("PTOX_REPORT", path);
  EXPECT_EXIT(call_and_exit(lookup), ::testing::ExitedWithCode(0), "");
  EXPECT_NE(text_of(path).find("\"target\""), std::string::npos) << text_of(path);
  std::remove(path.c_str());
}

TEST_F(PlainDeathTest, a_wrong_value_is_a_sentence_and_exit_code_2) {
  {
    const Variable target("PTOX_TARGET", "b7");
    EXPECT_EXIT(call_and_exit(lookup), ::testing::ExitedWithCode(2), "PTOX_TARGET is b7.*cpu, a2a3 or a5");
  }
  const Variable check("PTOX_CHECK", "some");
  EXPECT_EXIT(call_and_exit(lookup), ::testing::ExitedWithCode(2), "PTOX_CHECK is some.*off or all");
}

TEST_F(PlainDeathTest, a_report_that_cannot_be_written_is_said) {
  const Variable report("PTOX_REPORT", "/nowhere/at/all.json");
  EXPECT_EXIT(call_and_exit(lookup), ::testing::ExitedWithCode(1), "/nowhere/at/all.json");
}

}  // namespace
