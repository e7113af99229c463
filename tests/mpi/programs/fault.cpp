// SPDX-License-Identifier: Apache-2.0
// The ranks of an MPI job print what they observe when one of them fails. Usage: fault HOW RANK [DEADLINE_MS] [MARK]
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pto/comm/pto_comm_inst.hpp"
#include "ptox/ranks.hpp"

namespace {

using namespace pto;
using ptox::Rank;

constexpr std::int64_t rows = 512, cols = 512;
using Part = GlobalTensor<float, Shape<1, 1, 1, rows, cols>, Stride<1, 1, 1, cols, 1>>;
using Source = GlobalTensor<float, Shape<1, 1, 1, -1, cols>, Stride<1, 1, 1, cols, 1>>;

void scatter(Rank& r, const ptox::Symmetric<float>& memory, const float* source) {
  const ptox::Report report = r.device().launch({}, [&] {
    std::vector<Part> parts;
    for (int k = 0; k < r.size(); ++k) parts.emplace_back(memory.at(k));
    comm::ParallelGroup<Part> group(parts.data(), r.size(), r.id());
    Source src(const_cast<float*>(source), {r.size() * rows});
    Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, -1, -1> tile(8, 64);
    comm::TSCATTER(group, src, tile);
  });
  if (!report.clean()) throw std::runtime_error("the scatter has findings");
}

/// How a rank goes wrong.
void go_wrong(const std::string& how) {
  if (how == "killed") raise(SIGKILL);
  if (how == "exits") _exit(3);
  if (how == "leaves") exit(0);  // by way of what was registered for then
  if (how == "aborts") abort();
  if (how == "throws") throw std::runtime_error("no bread left");
  if (how == "never")
    for (;;) pause();
  if (how == "stopped") raise(SIGSTOP);
}

/// Rank 0 scatters again and again; one rank goes wrong meanwhile, if it is not rank 0 itself.
void work(Rank& r, const std::string& how, int wrong) {
  const auto memory = r.symmetric<float>(rows * cols);
  const std::vector<float> source(static_cast<std::size_t>(r.size() * rows * cols), 1.0f);
  const auto begin = std::chrono::steady_clock::now();
  std::printf("rank %d works\n", r.id());
  std::fflush(stdout);
  for (int round = 0;; ++round) {
    r.barrier();
    if (r.id() == 0) scatter(r, memory, source.data());
    if (r.id() == wrong && round == 3) go_wrong(how);
    if (how == "none" && round == 20) break;
    if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) break;
  }
}

}  // namespace

int main(int argc, char** argv) {
  int id = -1;
  const std::string how = argc > 1 ? argv[1] : "none";
  const int wrong = argc > 2 ? std::atoi(argv[2]) : 0;
  const std::chrono::milliseconds deadline(argc > 3 ? std::atoi(argv[3]) : 5000);
  const auto run = [&](auto body) { ptox::run_ranks(1, ptox::Engine::mpi, body, {.deadline = deadline}); };
  try {
    if (how == "skips") run([&](Rank& r) { id = r.id(); });
    if (how == "skips" && id == wrong) return 0;  // the others run once more
    run([&](Rank& r) { id = r.id(), work(r, how, wrong); });
  } catch (const std::exception& e) {
    std::fprintf(stderr, "rank %d ended: %s\n", id, e.what());
    return 4;
  }
  std::puts("all is well");
}
