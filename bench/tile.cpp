// SPDX-License-Identifier: Apache-2.0
// How far is a kernel that goes tile by tile from the functions for whole tensors? Rows of 64 B to 4 KiB, 64 a tile.
#include <algorithm>

#include "bench/bench.hpp"
#include "bench/ways.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench {

namespace {

using namespace pto;

constexpr int tile_rows = 64;
template <class T, int R, int C>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<R * C, R * C, R * C, C, 1>>;
template <class T, int C>
using Table = GlobalTensor<T, Shape<1, 1, 1, DYNAMIC, C>, Stride<1, 1, 1, C, 1>>;
template <int Width>
using RowTile = pto::Tile<TileType::Vec, float, tile_rows, Width>;
using IndexTile = pto::Tile<TileType::Vec, std::int32_t, 1, tile_rows>;
using Indices = Matrix<std::int32_t, 1, tile_rows>;

/// What a kernel is given: dense rows, a table, indices, and how many of both.
struct Arguments {
  float *moved, *table;
  std::int32_t* idx;
  std::int64_t count, rows;
};

template <int Width>
void gather_kernel(Arguments a) {
  Table<float, Width> table(a.table, typename Table<float, Width>::Shape(a.rows));
  RowTile<Width> dst;
  IndexTile idx;
  for (std::int64_t first = 0; first < a.count; first += tile_rows) {
    Indices these(a.idx + first);
    Matrix<float, tile_rows, Width> there(a.moved + first * Width);
    TLOAD(idx, these);
    MGATHER<Coalesce::Row>(dst, table, idx);
    TSTORE(there, dst);
  }
}

/// The next tile's indices are loaded before this one's rows are gathered, and those after that are prefetched.
template <int Width>
void gather_ahead_kernel(Arguments a) {
  Table<float, Width> table(a.table, typename Table<float, Width>::Shape(a.rows));
  RowTile<Width> dst;
  IndexTile idx[2], hint;
  Indices first_ones(a.idx);
  TLOAD(idx[0], first_ones);
  for (std::int64_t first = 0, k = 0; first < a.count; first += tile_rows, ++k) {
    Indices next(a.idx + std::min(first + tile_rows, a.count - tile_rows)),
        later(a.idx + std::min(first + 2 * tile_rows, a.count - tile_rows));
    Matrix<float, tile_rows, Width> there(a.moved + first * Width);
    TLOAD(idx[(k + 1) % 2], next);
    TPREFETCH(hint, later);
    MGATHER<Coalesce::Row>(dst, table, idx[k % 2]);
    TSTORE(there, dst);
  }
}

template <int Width>
void scatter_kernel(Arguments a) {
  Table<float, Width> table(a.table, typename Table<float, Width>::Shape(a.rows));
  RowTile<Width> src;
  IndexTile idx;
  for (std::int64_t first = 0; first < a.count; first += tile_rows) {
    Indices these(a.idx + first);
    Matrix<float, tile_rows, Width> here(a.moved + first * Width);
    TLOAD(idx, these);
    TLOAD(src, here);
    MSCATTER<Coalesce::Row, ScatterConflict::Last>(table, src, idx);
  }
}

using Kernel = void (*)(Arguments);

void launch(Device& device, Kernel kernel, const Job& job) {
  const Work& w = job.work();
  device.launch({}, kernel,
                Arguments{reinterpret_cast<float*>(job.moved()), reinterpret_cast<float*>(job.table()),
                          job.idx().data(), w.count, w.rows});
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

template <int Width>
void run_width(const Settings& settings, const Sink& sink) {
  const std::int64_t bytes = settings.quick ? 4 << 20 : 512 << 20, rows = bytes / (Width * 4);
  run("gather", {Move::gather, Number::f32, rows, Width, rows},
      {{"tile by tile", gather_kernel<Width>}, {"with the next ahead", gather_ahead_kernel<Width>}}, settings, sink);
  run("scatter", {Move::scatter, Number::f32, rows, Width, rows, Order::permutation},
      {{"tile by tile", scatter_kernel<Width>}}, settings, sink);
}

}  // namespace

void tile_path(const Settings& settings, const Sink& sink) {
  run_width<16>(settings, sink);
  run_width<32>(settings, sink);
  run_width<64>(settings, sink);
  run_width<128>(settings, sink);
  run_width<256>(settings, sink);
  run_width<1024>(settings, sink);
}

}  // namespace ptox::bench
