// SPDX-License-Identifier: Apache-2.0
// Times a scatter to all ranks of an MPI job, flat and by a tree. Prints one line for each block size:
// ranks, bytes of a block, microseconds flat, by the tree, and by MPI_Scatter. usage: scatter BYTES...
#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"
#include "ptox/tree_scatter.hpp"

namespace {

using namespace pto;
using ptox::Rank;

using Block = GlobalTensor<std::uint8_t, Shape<1, 1, 1, 1, -1>, Stride<1, 1, 1, -1, 1>>;
using Blocks = GlobalTensor<std::uint8_t, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;
constexpr int tile_bytes = 128 << 10;
using Staging = Tile<TileType::Vec, std::uint8_t, 1, tile_bytes, BLayout::RowMajor, 1, -1>;

std::uint8_t value(std::int64_t rank, std::int64_t i) { return static_cast<std::uint8_t>(rank * 7 + i * 13 + 1); }

/// The buffers of one rank for one block size.
struct Buffers {
  Rank& r;
  std::int64_t bytes;
  ptox::Symmetric<std::uint8_t> mine;
  ptox::Symmetric<std::int32_t> done;
  std::vector<std::uint8_t> all;

  Buffers(Rank& rank, std::int64_t n)
      : r(rank), bytes(n), mine(rank.symmetric<std::uint8_t>(n)), done(rank.symmetric<std::int32_t>(1)) {
    if (r.id() != 0) return;
    all.resize(static_cast<std::size_t>(r.size() * n));
    for (int k = 0; k < r.size(); ++k)
      for (std::int64_t i = 0; i < n; ++i) all[static_cast<std::size_t>(k * n + i)] = value(k, i);
  }
  void clear() const { std::fill(mine.data(), mine.data() + bytes, std::uint8_t{0}); }
  void check(const char* how) const {
    for (std::int64_t i = 0; i < bytes; ++i)
      if (mine[i] != value(r.id(), i))
        throw std::runtime_error(std::string(how) + ": wrong byte at rank " + std::to_string(r.id()));
  }
};

/// TSCATTER by the root; it returns when all blocks have arrived.
void scatter_flat(const Buffers& b) {
  if (b.r.id() != 0) return;
  const Report report = b.r.device().launch({}, [&] {
    std::vector<Block> blocks;
    for (int k = 0; k < b.r.size(); ++k)
      blocks.emplace_back(b.mine.at(k), Block::Shape(b.bytes), Block::Stride(b.bytes));
    comm::ParallelGroup<Block> group(blocks.data(), b.r.size(), 0);
    Blocks src(const_cast<std::uint8_t*>(b.all.data()), {b.r.size(), b.bytes}, {b.bytes});
    Staging tile(std::min<std::int64_t>(b.bytes, tile_bytes));
    comm::TSCATTER(group, src, tile);
    comm::Signal done(b.done.data());
    comm::TNOTIFY(done, 1, comm::NotifyOp::Set);  // after all blocks have arrived
  });
  if (!report.clean()) throw std::runtime_error("scale: the launch has findings");
}

/// The time from a barrier until the last rank has returned from f.
template <class F>
double microseconds(const Buffers& b, const char* how, F&& f) {
  b.clear();
  b.r.barrier();
  const double begin = MPI_Wtime();
  f();
  const double mine = MPI_Wtime() - begin;
  double most = 0;
  MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  b.r.barrier();
  b.check(how);
  return most * 1e6;
}

void measure(Rank& r, std::int64_t bytes) {
  const Buffers b(r, bytes);
  constexpr std::int64_t most_by_tree = 16 << 20;
  ptox::TreeScatter<std::uint8_t> tree(r, bytes * r.size() > most_by_tree ? 1 : bytes);
  const double flat = microseconds(b, "flat", [&] { scatter_flat(b); });
  // By the tree, some ranks need memory for half of all blocks, which is too much for large ones.
  const double by_tree =
      bytes * r.size() > most_by_tree ? 0 : microseconds(b, "tree", [&] { tree(0, b.all, b.mine.data()); });
  const double mpi = microseconds(b, "MPI_Scatter", [&] {
    MPI_Scatter(b.all.data(), static_cast<int>(bytes), MPI_BYTE, b.mine.data(), static_cast<int>(bytes), MPI_BYTE, 0,
                MPI_COMM_WORLD);
  });
  if (r.id() == 0) std::printf("%d %lld %.3f %.3f %.3f\n", r.size(), static_cast<long long>(bytes), flat, by_tree, mpi);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    ptox::run_ranks(1, ptox::Engine::mpi, [&](Rank& r) {
      for (int i = 1; i < argc; ++i) measure(r, std::atoll(argv[i]));
    });
  } catch (const std::exception& e) {
    std::fprintf(stderr, "scatter: %s\n", e.what());
    return 1;
  }
  MPI_Finalize();
}
