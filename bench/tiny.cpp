// SPDX-License-Identifier: Apache-2.0
// Measures one small instruction in a launched kernel. W9: MGATHER of 8 x 32 f32, unchecked on the host.
#include <cstdlib>
#include <vector>

#include "bench/bench.hpp"
#include "bench/peers.hpp"
#include "bench/ways.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench {

namespace {

using namespace pto;

constexpr int rows = 8, cols = 32, tiles = 64, table_rows = 2048;  // a table of 256 KiB, a tile of 1 KiB
template <class T, int R, int C>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<R * C, R * C, R * C, C, 1>>;
using Dst = pto::Tile<TileType::Vec, float, rows, cols>;

/// Loads 64 index tiles, then gathers by each in turn, `calls` in all; the last 64 results are stored.
template <Coalesce Mode, class Idx>
void kernel(float* out, float* table_data, std::int32_t* indices, std::int64_t calls) {
  Matrix<float, table_rows, cols> table(table_data);
  std::vector<Idx> idx(tiles);
  std::vector<Dst> dst(tiles);
  for (int t = 0; t < tiles; ++t) {
    Matrix<std::int32_t, Idx::Rows, Idx::Cols> there(indices + t * Idx::Numel);
    TLOAD(idx[static_cast<std::size_t>(t)], there);
  }
  for (std::int64_t k = 0; k < calls; k += tiles)
    for (std::size_t t = 0; t < tiles; ++t) MGATHER<Mode>(dst[t], table, idx[t]);
  for (int t = 0; t < tiles; ++t) {
    Matrix<float, rows, cols> there(out + t * Dst::Numel);
    TSTORE(there, dst[static_cast<std::size_t>(t)]);
  }
}

using Kernel = void (*)(float*, float*, std::int32_t*, std::int64_t);
const Kernel row_kernel = kernel<Coalesce::Row, pto::Tile<TileType::Vec, std::int32_t, 1, rows>>,
             elem_kernel = kernel<Coalesce::Elem, pto::Tile<TileType::Vec, std::int32_t, rows, cols>>;

/// The job of all 64 tiles; a call gathers one of them.
Work work_of(bool by_rows) {
  if (by_rows) return {Move::gather, Number::f32, table_rows, cols, rows * tiles};
  return {Move::gather, Number::f32, table_rows * cols, 0, rows * cols * tiles};
}

void launch(Device& device, Kernel kernel, const Job& job, std::int64_t calls) {
  const Report report = device.launch({}, kernel, reinterpret_cast<float*>(job.moved()),
                                      reinterpret_cast<float*>(job.table()), job.idx().data(), calls);
  if (!report.clean()) std::abort();
}

void call_loop(const Job& job, PlainLoop loop, std::int64_t calls) {
  const std::int64_t count = job.work().count / tiles, bytes = count * job.work().row_bytes();
  for (std::int64_t k = 0; k < calls; ++k) {
    const std::int64_t t = k % tiles;
    loop(job.table(), job.idx().data() + t * count, job.moved() + t * bytes, count, job.work().columns());
  }
}

void verify(Device& device, Kernel kernel, const Job& job) {
  job.compare([&] { job.plain(any_loop(job.work())); }, [&] { launch(device, kernel, job, tiles); }, "w9");
}

void run(bool by_rows, const Settings& settings, const Sink& sink) {
  const std::int64_t calls = settings.quick ? 64 * 1000 : 64 * 15625;  // a million
  const Job job(work_of(by_rows));
  Device device(target::cpu, {Check::off});
  const Kernel kernel = by_rows ? row_kernel : elem_kernel;
  verify(device, kernel, job);
  Ways ways{timed("ours", [&] { launch(device, kernel, job, calls); })};
  for (const PlainLoops& loops : plain_loops())
    if (const PlainLoop loop = loops.find(job.work().loop_name()))
      ways.push_back(timed(loops.compiler, [&job, loop, calls] { call_loop(job, loop, calls); }, Kind::plain));
  Work one = job.work();
  one.count /= tiles;
  if (settings.peers) ways += settings.peers->open_tiny(one, job.idx(), calls);
  Result r{"workloads", by_rows ? "w9-row" : "w9-elem", "call", static_cast<double>(calls), {}};
  r.about = by_rows ? "MGATHER of 8 rows of 32 f32, a million" : "MGATHER of 8 x 32 elements, a million";
  r.series = in_turns(ways, settings.rounds_or(9));
  sink(std::move(r));
}

}  // namespace

std::vector<Bench> tiny_tiles() {
  return {{"w9-row", "MGATHER of 8 rows of 32 f32 in a kernel, a million calls: a ms here is a ns a call", Needs::peers,
           [](const Settings& s, const Sink& sink) { run(true, s, sink); }},
          {"w9-elem", "MGATHER of 8 x 32 elements in a kernel, a million calls: a ms here is a ns a call", Needs::peers,
           [](const Settings& s, const Sink& sink) { run(false, s, sink); }}};
}

}  // namespace ptox::bench
