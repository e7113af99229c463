// SPDX-License-Identifier: Apache-2.0
// Compares kernels that work tile by tile with the functions for whole tensors: rows of 64 B to 4 KiB, 64 per tile.
#include <cstdlib>

#include "bench/bench.hpp"
#include "bench/tile_kernels.hpp"
#include "bench/ways.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench {

namespace {

/// Arguments of a kernel: dense rows, a table, indices, and the number of dense rows and of table rows.
struct Arguments {
  float *moved, *table;
  std::int32_t* idx;
  std::int64_t count, rows;
};
using Kernel = void (*)(Arguments);

template <int row_bytes>
void gather_kernel(Arguments a) {
  TileKernels<row_bytes>::gather(a.moved, a.table, a.rows, a.idx, a.count);
}
template <int row_bytes, bool asks>
void gather_ahead_kernel(Arguments a) {
  TileKernels<row_bytes>::template gather_ahead<asks>(a.moved, a.table, a.rows, a.idx, a.count);
}
template <int row_bytes>
void scatter_kernel(Arguments a) {
  TileKernels<row_bytes>::template scatter<pto::ScatterAtomicOp::None>(a.table, a.rows, a.moved, a.idx, a.count);
}
template <int row_bytes>
void add_kernel(Arguments a) {
  TileKernels<row_bytes>::template scatter<pto::ScatterAtomicOp::Add>(a.table, a.rows, a.moved, a.idx, a.count);
}

void launch(Device& device, Kernel kernel, const Job& job) {
  const Work& w = job.work();
  const Report report =
      device.launch({}, kernel,
                    Arguments{reinterpret_cast<float*>(job.moved()), reinterpret_cast<float*>(job.table()),
                              job.idx().data(), w.count, w.rows});
  if (!report.clean()) std::abort();
}

void verify(Device& device, Kernel kernel, const Job& job) {
  job.compare([&] { job.plain(any_loop(job.work())); }, [&] { launch(device, kernel, job); },
              "tile by tile, " + job.work().loop_name());
}

struct Named {
  const char* name;
  Kernel kernel;
};

void run(const char* name, const Work& w, const std::vector<Named>& kernels, const Settings& settings,
         const Sink& sink) {
  const Job job(w);
  Device device(target::cpu, {Check::off});
  Ways ways{timed(w.move == Move::gather ? "gather_rows" : "scatter_rows", [&] { job.ours(1); }, Kind::reference)};
  for (const Named& k : kernels) {
    verify(device, k.kernel, job);
    ways.push_back(timed(k.name, [&device, &job, kernel = k.kernel] { launch(device, kernel, job); }));
  }
  Result r{"tile",
           name + std::string(", rows of ") + std::to_string(w.row_bytes()) + " B",
           "row",
           static_cast<double>(w.count),
           {}};
  r.series = in_turns(ways, settings.rounds_or(7));
  sink(std::move(r));
}

template <int row_bytes>
void run_width(const Settings& settings, const Sink& sink) {
  const std::int64_t bytes = settings.quick ? 4 << 20 : 512 << 20, rows = bytes / row_bytes, width = row_bytes / 4;
  run("gather", {Move::gather, Number::f32, rows, width, rows},
      {{"tile by tile", gather_kernel<row_bytes>},
       {"next indices loaded", gather_ahead_kernel<row_bytes, false>},
       {"with the next ahead", gather_ahead_kernel<row_bytes, true>}},
      settings, sink);
  run("scatter", {Move::scatter, Number::f32, rows, width, rows, Order::permutation},
      {{"tile by tile", scatter_kernel<row_bytes>}}, settings, sink);
  run("add", {Move::add, Number::f32, rows, width, rows, Order::permutation}, {{"tile by tile", add_kernel<row_bytes>}},
      settings, sink);
}

}  // namespace

void tile_path(const Settings& settings, const Sink& sink) {
  run_width<64>(settings, sink);
  run_width<128>(settings, sink);
  run_width<256>(settings, sink);
  run_width<512>(settings, sink);
  run_width<1024>(settings, sink);
  run_width<4096>(settings, sink);
}

}  // namespace ptox::bench
