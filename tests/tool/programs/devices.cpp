// SPDX-License-Identifier: Apache-2.0
// Launches of every kind, each of a kernel of its own. The words of the command line say what is launched; after the
// word "wrong" the last index is out of range.
#include <cstdio>
#include <pto/pto-inst.hpp>
#include <ptox/ptox.hpp>
#include <ptox/ranks.hpp>
#include <stdexcept>
#include <string>
#include <vector>

using namespace pto;

using Rows = GlobalTensor<float, Shape<1, 1, 1, 8, 8>, Stride<1, 1, 1, 8, 1>>;
using Indices = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;

#define LOOKUP(name)                                                          \
  __global__ AICORE void name(float* table_gm, int32_t* idx_gm, float* out) { \
    Tile<TileType::Vec, float, 8, 8> dst;                                     \
    Tile<TileType::Vec, int32_t, 1, 8> rows;                                  \
    Rows table(table_gm), out_gm(out);                                        \
    Indices idx(idx_gm);                                                      \
    TLOAD(rows, idx);                                                         \
    pipe_barrier(PIPE_ALL);                                                   \
    MGATHER<Coalesce::Row, GatherOOB::Undefined>(dst, table, rows);           \
    pipe_barrier(PIPE_ALL);                                                   \
    TSTORE(out_gm, dst);                                                      \
  }

LOOKUP(on_default)
LOOKUP(on_a2a3)
LOOKUP(on_cpu)
LOOKUP(by_syntax)
LOOKUP(by_call)
LOOKUP(on_ranks)
LOOKUP(before_throw)

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  std::vector<float> table(64), out(64);
  std::vector<int32_t> idx{0, 1, 2, 3, 4, 5, 6, 7};
  float *t = table.data(), *o = out.data();
  int32_t* i = idx.data();
  ptox::Device device;
  for (const std::string& word : words) {
    if (word == "wrong") idx[7] = 8;
    if (word == "target") std::printf("target %s\n", device.target().name);
    if (word == "default") std::printf("clean %d\n", device.launch<on_default>({}, t, i, o).clean());
    if (word == "a2a3") {
      const ptox::Report report = ptox::Device(ptox::target::a2a3).launch<on_a2a3>({}, t, i, o);
      std::printf("on %s\n", report.target().c_str());
    }
    if (word == "cpu") static_cast<void>(ptox::Device(ptox::target::cpu).launch<on_cpu>({}, t, i, o));
    if (word == "dropped") static_cast<void>(device.launch<on_default>({}, t, i, o));
    if (word == "syntax") by_syntax<<<1, 0, nullptr>>>(t, i, o);
    if (word == "call") by_call(t, i, o);
    if (word == "take") std::printf("took %zu\n", ptox::take_plain_report().findings().size());
    if (word == "ranks")
      ptox::run_ranks(2, ptox::Engine::processes,
                      [&](ptox::Rank& r) { static_cast<void>(r.device().launch<on_ranks>({}, t, i, o)); });
    if (word == "throw") try {
        static_cast<void>(device.launch({}, [&] {
          before_throw(t, i, o);
          throw std::runtime_error("of the kernel");
        }));
      } catch (const std::runtime_error& e) {
        std::printf("threw %s\n", e.what());
      }
    std::fflush(stdout);
  }
}
