// SPDX-License-Identifier: Apache-2.0
// Compares TSCATTER between ranks with memcpy and with MPI's own calls. Usage: ranks_bench threads|processes|mpi
// [RANKS]. Prints a line for each block size and way: GB/s for blocks of 64 MiB and 1 MiB, and for blocks of 4 KiB the
// microseconds per rank, in all and beyond those of memcpy.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"

namespace {

using namespace pto;
using ptox::Engine;
using ptox::Rank;

using Clock = std::chrono::steady_clock;
constexpr std::int64_t large_rows = 8192, large_cols = 2048, middle_rows = 128, small_rows = 4, small_cols = 256;
using Row = GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;
using Staging = Tile<TileType::Vec, float, 4, large_cols, BLayout::RowMajor, -1, -1>;  // 32 KiB

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

/// One rank's buffers for blocks of rows x cols floats; the root has all blocks and a place to copy them to.
class Blocks {
 public:
  Blocks(Rank& r, std::int64_t rows, std::int64_t cols)
      : r_(r),
        rows_(rows),
        cols_(cols),
        mine_(r.symmetric<float>(rows * cols)),
        back_(static_cast<std::size_t>(rows * cols)) {
    std::fill(mine_.data(), mine_.data() + rows * cols, 0.0f);  // faults the pages in
    if (!root()) return;
    all_.resize(static_cast<std::size_t>(r.size() * rows * cols));
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i] = static_cast<float>(i % 1000003);
    copy_.assign(all_.size(), 0.0f);
  }
  bool root() const { return r_.id() == 0; }
  std::int64_t bytes() const { return rows_ * cols_ * 4; }
  std::int64_t all_bytes() const { return bytes() * r_.size(); }

  void copy(int times) {
    for (int t = 0; t < times; ++t)
      for (int k = 0; k < r_.size(); ++k)
        std::memcpy(reinterpret_cast<char*>(copy_.data()) + k * bytes(),
                    reinterpret_cast<char*>(all_.data()) + k * bytes(), static_cast<std::size_t>(bytes()));
  }
  void scatter(int times) {
    const ptox::Report report = r_.device().launch({}, [&] {
      std::vector<Row> parts;
      for (int k = 0; k < r_.size(); ++k) parts.emplace_back(mine_.at(k), Row::Shape(rows_, cols_), Row::Stride(cols_));
      comm::ParallelGroup<Row> group(parts.data(), r_.size(), 0);
      Row src(all_.data(), {r_.size() * rows_, cols_}, {cols_});
      Staging ping(std::min<std::int64_t>(4, rows_), cols_), pong(std::min<std::int64_t>(4, rows_), cols_);
      for (int t = 0; t < times; ++t) comm::TSCATTER(group, src, ping, pong);
    });
    if (!report.clean()) throw std::runtime_error("ranks_bench: the launch has findings");
  }
  void check() const {
    for (std::int64_t i = 0; i < rows_ * cols_; ++i)
      if (mine_[i] != static_cast<float>((r_.id() * rows_ * cols_ + i) % 1000003))
        throw std::runtime_error("ranks_bench: a wrong element at rank " + std::to_string(r_.id()));
  }
  float* all() { return all_.data(); }
  float* back() { return back_.data(); }

 private:
  Rank& r_;
  std::int64_t rows_, cols_;
  ptox::Symmetric<float> mine_;
  std::vector<float> all_, copy_, back_;
};

/// A way to move all blocks: what the root calls, and what the other ranks call if MPI needs them to take part.
struct Way {
  const char* name;
  std::function<void(int times)> root, others;
};

/// The median seconds of each way; the ways are timed alternately.
std::vector<double> measure(Rank& r, const std::vector<Way>& ways, int times, int rounds) {
  std::vector<std::vector<double>> all(ways.size());
  for (int round = 0; round < rounds + 1; ++round)
    for (std::size_t w = 0; w < ways.size(); ++w) {
      r.barrier();
      const auto begin = Clock::now();
      if (r.id() == 0)
        ways[w].root(times);
      else if (ways[w].others)
        ways[w].others(times);
      const std::chrono::duration<double> took = Clock::now() - begin;
      if (round > 0) all[w].push_back(took.count() / times);
      r.barrier();
    }
  std::vector<double> medians;
  for (const auto& v : all) medians.push_back(median(v));
  return medians;
}

/// MPI_Put as a program uses it by default, into its own memory or, `allocated`, into memory from MPI.
class Put {
 public:
  Put(std::int64_t bytes, bool allocated) : bytes_(static_cast<int>(bytes)) {
    if (allocated) {
      MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory_, &window_);
    } else {
      own_.resize(static_cast<std::size_t>(bytes));
      memory_ = own_.data();
      MPI_Win_create(memory_, bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
    }
    std::memset(memory_, 0, static_cast<std::size_t>(bytes));
    MPI_Barrier(MPI_COMM_WORLD);
  }
  ~Put() { MPI_Win_free(&window_); }
  Put(const Put&) = delete;
  void operator()(const float* all, int ranks, int times) {
    MPI_Win_lock_all(0, window_);
    for (int t = 0; t < times; ++t)
      for (int k = 0; k < ranks; ++k)
        MPI_Put(reinterpret_cast<const char*>(all) + static_cast<std::ptrdiff_t>(k) * bytes_, bytes_, MPI_BYTE, k, 0,
                bytes_, MPI_BYTE, window_),
            MPI_Win_flush(k, window_);
    MPI_Win_unlock_all(window_);
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  int bytes_;
  std::vector<char> own_;
  void* memory_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
};

void measure_all(Rank& r, bool mpi, std::int64_t rows, std::int64_t cols, int times, int rounds) {
  Blocks blocks(r, rows, cols);
  const int bytes = static_cast<int>(blocks.bytes());
  std::vector<Way> ways{{"memcpy", [&](int t) { blocks.copy(t); }, {}},
                        {"tscatter", [&](int t) { blocks.scatter(t); }, {}}};
  const auto scatter = [&](int t) {
    for (int i = 0; i < t; ++i)
      MPI_Scatter(blocks.root() ? blocks.all() : nullptr, bytes, MPI_BYTE, blocks.back(), bytes, MPI_BYTE, 0,
                  MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
  };
  std::unique_ptr<Put> put, put_allocated;
  if (mpi) {
    put = std::make_unique<Put>(bytes, false), put_allocated = std::make_unique<Put>(bytes, true);
    const auto wait = [](int) { MPI_Barrier(MPI_COMM_WORLD); };
    ways.push_back({"MPI_Scatter", scatter, scatter});
    ways.push_back({"MPI_Put", [&](int t) { (*put)(blocks.all(), r.size(), t); }, wait});
    ways.push_back({"MPI_Put_allocated", [&](int t) { (*put_allocated)(blocks.all(), r.size(), t); }, wait});
  }
  const std::vector<double> seconds = measure(r, ways, times, rounds);
  blocks.check();
  put.reset(), put_allocated.reset();
  if (!blocks.root()) return;
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const double gb = static_cast<double>(blocks.all_bytes()) / seconds[w] / 1e9;
    if (rows == middle_rows) std::printf("middle %s %.2f GB/s\n", ways[w].name, gb);
    if (rows == large_rows) std::printf("large %s %.2f GB/s\n", ways[w].name, gb);
    if (rows == small_rows)
      std::printf("small %s %.3f us_a_rank %.3f us_beyond_memcpy\n", ways[w].name, seconds[w] * 1e6 / r.size(),
                  (seconds[w] - seconds[0]) * 1e6 / r.size());
  }
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "threads";
  const Engine engine = name == "mpi" ? Engine::mpi : name == "processes" ? Engine::processes : Engine::threads;
  const int n = argc > 2 ? std::atoi(argv[2]) : 2;
  if (engine == Engine::mpi) {  // here and not in run_ranks, so that MPI_Put has MPI's defaults
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  }
  try {
    // With PTOX_MPI_NODES, ranks count as on different nodes. Then only TSCATTER is measured, because MPI is in use on
    // another thread.
    const bool mpi = engine == Engine::mpi && !std::getenv("PTOX_MPI_NODES");
    const auto all = [mpi](Rank& r) {
      measure_all(r, mpi, small_rows, small_cols, 1000, 9);
      measure_all(r, mpi, middle_rows, large_cols, 20, 9);
      measure_all(r, mpi, large_rows, large_cols, 1, 7);
    };
    ptox::run_ranks(n, engine, all, {.deadline = std::chrono::seconds(60)});
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ranks_bench: %s\n", e.what());
    return 1;
  }
  if (engine == Engine::mpi) MPI_Finalize();
}
