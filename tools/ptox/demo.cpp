// SPDX-License-Identifier: Apache-2.0
// ptox demo: three small kernels, each checked against a plain loop.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "command_line.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

using namespace pto;

constexpr int rows = 8, width = 16, table_rows = 64;

template <class T, int R, int C>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, BaseShape2D<T, R, C>>;
using Rows = Tile<TileType::Vec, float, rows, width>;
using Indices = Tile<TileType::Vec, int32_t, 1, rows>;

void after(pipe_t first, pipe_t then) {
  set_flag(first, then, EVENT_ID0);
  wait_flag(first, then, EVENT_ID0);
}

template <GatherOOB oob>
AICORE void lookup(__gm__ float* table, __gm__ int32_t* idx, __gm__ float* out) {
  Matrix<float, table_rows, width> table_gm(table);
  Matrix<int32_t, 1, rows> idx_gm(idx);
  Matrix<float, rows, width> out_gm(out);
  Rows dst;
  Indices index;
  TASSIGN(dst, 0x0);
  TASSIGN(index, 0x1000);
  TLOAD(index, idx_gm);
  after(PIPE_MTE2, PIPE_V);
  MGATHER<Coalesce::Row, oob>(dst, table_gm, index);
  after(PIPE_V, PIPE_MTE3);
  TSTORE(out_gm, dst);
}

AICORE void accumulate(__gm__ float* table, __gm__ int32_t* idx, __gm__ float* gradient) {
  Matrix<float, table_rows, width> table_gm(table);
  Matrix<int32_t, 1, rows> idx_gm(idx);
  Matrix<float, rows, width> gradient_gm(gradient);
  Rows src;
  Indices index;
  TASSIGN(src, 0x0);
  TASSIGN(index, 0x1000);
  TLOAD(src, gradient_gm);
  TLOAD(index, idx_gm);
  after(PIPE_MTE2, PIPE_V);
  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(table_gm, src, index);
}

/// Global memory of one demonstration on one target.
struct Memory {
  Device device;
  Buffer<float> table, out;
  Buffer<int32_t> idx;

  Memory(const Target& target, const std::vector<int32_t>& indices)
      : device(target),
        table(device.alloc<float>(table_rows * width)),
        out(device.alloc<float>(rows * width)),
        idx(device.alloc<int32_t>(rows)) {
    for (int i = 0; i < table_rows * width; ++i) {
      const int row = i / width, column = i % width;
      table[i] = static_cast<float>(row) + 0.01f * static_cast<float>(column);
    }
    std::copy(indices.begin(), indices.end(), idx.begin());
  }
};

std::string listed(const std::vector<int32_t>& values) {
  std::string s;
  for (const int32_t v : values) s += (s.empty() ? "" : ", ") + std::to_string(v);
  return s;
}

bool same(const float* a, const float* b, int n) {
  return std::memcmp(a, b, static_cast<std::size_t>(n) * sizeof(float)) == 0;
}

const char* told(bool right) { return right ? "equal to the plain loop, bit for bit" : "WRONG"; }

bool show_lookup(const Target& target) {
  const std::vector<int32_t> indices{3, 1, 4, 1, 5, 9, 2, 6};
  Memory m(target, indices);
  const Report report = m.device.launch<lookup<GatherOOB::Undefined>>({}, m.table.data(), m.idx.data(), m.out.data());
  std::vector<float> expected(rows * width);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < width; ++c)
      expected[static_cast<std::size_t>(r * width + c)] = m.table[indices[static_cast<std::size_t>(r)] * width + c];
  const bool right = same(m.out.data(), expected.data(), rows * width) && report.clean();
  std::printf("  %-5s first column %g %g %g %g %g %g %g %g   %s\n", target.name, m.out[0], m.out[width],
              m.out[2 * width], m.out[3 * width], m.out[4 * width], m.out[5 * width], m.out[6 * width],
              m.out[7 * width], told(right));
  return right;
}

bool show_accumulate(const Target& target) {
  const std::vector<int32_t> indices{7, 7, 20, 7, -1, 20, 63, 0};
  Memory m(target, indices);
  for (int i = 0; i < rows * width; ++i) {
    const int row = i / width;
    m.out[i] = static_cast<float>(row + 1);
  }
  std::vector<float> expected(m.table.begin(), m.table.end());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < width && indices[static_cast<std::size_t>(r)] >= 0; ++c)
      expected[static_cast<std::size_t>(indices[static_cast<std::size_t>(r)] * width + c)] += m.out[r * width + c];
  const float before = m.table[7 * width];
  const Report report = m.device.launch<accumulate>({}, m.table.data(), m.idx.data(), m.out.data());
  const bool right = same(m.table.data(), expected.data(), table_rows * width) && report.clean();
  std::printf("  %-5s row 7: %g + 1 + 2 + 4 = %g, the -1 touched nothing   %s\n", target.name, before,
              m.table[7 * width], told(right));
  return right;
}

template <GatherOOB oob>
bool show_policy(const Target& target) {
  const std::vector<int32_t> indices{0, 63, 64, 65, 200, -1, INT32_MAX, INT32_MIN};
  Memory m(target, indices);
  const Report report = m.device.launch<lookup<oob>>({}, m.table.data(), m.idx.data(), m.out.data());
  bool right = true;
  std::printf("  %-5s %-9s", target.name, pto::instr::name(oob));
  for (int r = 0; r < rows; ++r) {
    const auto index = static_cast<uint32_t>(indices[static_cast<std::size_t>(r)]);
    uint32_t row = index;
    if (oob == GatherOOB::Clamp) row = std::min(index, uint32_t{table_rows - 1});
    if (oob == GatherOOB::Wrap) row = index % table_rows;
    const std::vector<float> zeros(width);
    right = right && same(&m.out[r * width], row < table_rows ? &m.table[row * width] : zeros.data(), width);
    std::printf(" %4g", m.out[r * width]);
  }
  std::printf("   %s\n", told(right));
  for (const Finding& f : report.findings())
    if (f.severity == Severity::error)
      std::cout << "        " << name(f.severity) << ": [" << f.id << "] " << f.message << '\n';
  return right;
}

CommandLine command_line() {
  return CommandLine("ptox demo", "",
                     "Runs three small kernels on cpu, a2a3 and a5 and checks each against a plain loop.")
      .note("Exit code 0: all results are right; 1: one is wrong.")
      .example("ptox demo", "a lookup, a scatter-add and the out-of-range policies");
}

int run(Arguments arguments) {
  if (const auto code = command_line().parse(arguments)) return *code;
  bool right = true;
  std::printf("ptox runs one kernel source on the host (cpu) and on models of two machines (a2a3, a5).\n");

  std::printf("\n1. Embedding lookup: MGATHER<Coalesce::Row> takes rows %s of a %d x %d table.\n",
              listed({3, 1, 4, 1, 5, 9, 2, 6}).c_str(), table_rows, width);
  for (const Target* t : target::on_host) right = show_lookup(*t) && right;

  std::printf("\n2. Gradient scatter-add: MSCATTER<Row, Add, Skip> adds rows 1 to 8 at %s.\n",
              listed({7, 7, 20, 7, -1, 20, 63, 0}).c_str());
  for (const Target* t : target::on_host) right = show_accumulate(*t) && right;

  std::printf(
      "\n3. Out of range: the same lookup of %s from %d rows under each policy.\n"
      "   An index counts as unsigned, so -1 is 4294967295; first column of each row:\n",
      listed({0, 63, 64, 65, 200, -1, INT32_MAX, INT32_MIN}).c_str(), table_rows);
  for (const Target* t : target::on_host) {
    right = show_policy<GatherOOB::Clamp>(*t) && right;
    right = show_policy<GatherOOB::Wrap>(*t) && right;
    right = show_policy<GatherOOB::Zero>(*t) && right;
  }
  std::fflush(stdout);
  std::printf("   And without a policy, which the checker reports as an error:\n");
  std::fflush(stdout);
  right = show_policy<GatherOOB::Undefined>(target::a5) && right;

  std::printf("\n%s `ptox isa mgather` prints what each target accepts.\n",
              right ? "All results are correct." : "Something is WRONG.");
  return right ? ok : found;
}

}  // namespace

const Verb demo_verb{"demo", "a short tour: a lookup, a scatter-add, the out-of-range policies",
                     [] { return command_line().help(); }, run};

}  // namespace ptox::tool
