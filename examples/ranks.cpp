// SPDX-License-Identifier: Apache-2.0
// A lookup by four ranks: indices are scattered, rows are gathered, and signals order both.
#include "ptox/ranks.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>

#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ptox.hpp"

using namespace pto;

constexpr int ranks = 4, tokens = 16, vocabulary = 256, width = 64, root = 0;

using Indices = GlobalTensor<int32_t, Shape<1, 1, 1, 1, tokens>, Stride<1, 1, 1, tokens, 1>>;
using Rows = GlobalTensor<float, Shape<1, 1, 1, tokens, width>, Stride<1, 1, 1, width, 1>>;
using AllIndices = GlobalTensor<int32_t, Shape<1, 1, 1, ranks, tokens>, Stride<1, 1, 1, tokens, 1>>;
using AllRows = GlobalTensor<float, Shape<1, 1, 1, ranks * tokens, width>, Stride<1, 1, 1, width, 1>>;
using Table = GlobalTensor<float, Shape<1, 1, 1, vocabulary, width>, Stride<1, 1, 1, width, 1>>;

/// The symmetric memory of every rank.
struct Memory {
  ptox::Symmetric<int32_t> idx, ready, done;
  ptox::Symmetric<float> rows;
};

/// On the root: scatters the indices to all ranks and sets the signal `ready` of each.
void spread(const Memory& m, int32_t* all) {
  std::vector<Indices> parts;
  for (int k = 0; k < ranks; ++k) parts.emplace_back(m.idx.at(k));
  comm::ParallelGroup<Indices> group(parts.data(), ranks, root);
  AllIndices source(all);
  Tile<TileType::Vec, int32_t, 1, tokens> staging;
  comm::TSCATTER(group, source, staging);
  for (int k = 0; k < ranks; ++k) {
    comm::Signal signal(m.ready.at(k));
    comm::TNOTIFY(signal, 1, comm::NotifyOp::Set);
  }
}

/// On every rank: waits for its indices, gathers its rows, and increments the signal `done` of the root.
void look_up(const Memory& m, float* table) {
  comm::Signal ready(m.ready.data()), done(m.done.at(root));
  Indices indices(m.idx.data());
  Rows out(m.rows.data());
  Table table_gm(table);
  Tile<TileType::Vec, int32_t, 1, tokens> idx;
  Tile<TileType::Vec, float, tokens, width> rows;
  comm::TWAIT(ready, 1, comm::WaitCmp::EQ);
  Event<Op::TLOAD, Op::MGATHER> loaded = TLOAD(idx, indices);
  Event<Op::MGATHER, Op::TSTORE_VEC> gathered = MGATHER<Coalesce::Row>(rows, table_gm, idx, loaded);
  TSTORE(out, rows, gathered);
  comm::TNOTIFY(done, 1, comm::NotifyOp::AtomicAdd);
}

/// On the root: waits until all ranks have incremented `done`, and collects their rows.
void collect(const Memory& m, float* all) {
  std::vector<Rows> parts;
  for (int k = 0; k < ranks; ++k) parts.emplace_back(m.rows.at(k));
  comm::ParallelGroup<Rows> group(parts.data(), ranks, root);
  AllRows result(all);
  comm::Signal done(m.done.data());
  Tile<TileType::Vec, float, 8, width> ping, pong;
  comm::TWAIT(done, ranks, comm::WaitCmp::GE);
  comm::TGATHER(group, result, ping, pong);
}

/// Returns whether this rank's launches were clean and, on the root, the rows equal those of a plain loop.
bool lookup(ptox::Rank& r, std::uint64_t seed) {
  const Memory m{r.symmetric<int32_t>(tokens), r.symmetric<int32_t>(1), r.symmetric<int32_t>(1),
                 r.symmetric<float>(tokens * width)};
  auto table = r.device().alloc<float>(vocabulary * width), out = r.device().alloc<float>(ranks * tokens * width);
  auto idx = r.device().alloc<int32_t>(ranks * tokens);
  for (int i = 0; i < vocabulary * width; ++i) table[i] = static_cast<float>(i);
  for (int i = 0; i < ranks * tokens; ++i) idx[i] = i * 37 % vocabulary;

  bool clean = true;
  const auto launch = [&](auto kernel) {
    const ptox::Report report = r.device().launch({.seed = seed}, kernel);
    if (!report.clean()) std::cout << report;
    clean = clean && report.clean();
  };
  if (r.id() == root) launch([&] { spread(m, idx.data()); });
  launch([&] { look_up(m, table.data()); });
  if (r.id() == root) launch([&] { collect(m, out.data()); });

  bool right = true;
  for (int i = 0; i < ranks * tokens && r.id() == root; ++i)
    right = right && std::memcmp(&out[i * width], &table[idx[i] * width], width * sizeof(float)) == 0;
  return clean && right;
}

int main(int argc, char** argv) try {
  std::string target = "all", engine = "threads", seed = "0";
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], next = i + 1 < argc ? argv[i + 1] : "";
    if (word == "--seed" && !next.empty() && next.find_first_not_of("0123456789") == std::string::npos)
      seed = argv[++i];
    else if (word == "--engine" && (next == "threads" || next == "processes"))
      engine = argv[++i];
    else if (word == "all" || ptox::find_on_host(word.c_str()))
      target = word;
    else
      return std::fprintf(stderr, "usage: %s [cpu|a2a3|a5|all] [--engine threads|processes] [--seed N]\n", argv[0]), 2;
  }
  bool all = true;
  for (const ptox::Target* t : ptox::target::on_host) {
    if (target != "all" && target != t->name) continue;
    const auto kind = engine == "threads" ? ptox::Engine::threads : ptox::Engine::processes;
    bool right = true;
    const std::uint64_t number = std::strtoull(seed.c_str(), nullptr, 10);
    for (bool one : ptox::run_ranks(ranks, kind, [=](ptox::Rank& r) { return lookup(r, number); }, {.target = *t}))
      right = right && one;
    std::printf("%-5s lookup of %d tokens by %d ranks, %s: %s\n", t->name, ranks * tokens, ranks, engine.c_str(),
                right ? "as the plain loop, clean" : "WRONG OR NOT CLEAN");
    all = all && right;
  }
  return all ? 0 : 1;
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
  return 1;
}
