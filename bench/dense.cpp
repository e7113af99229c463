// SPDX-License-Identifier: Apache-2.0
// Measures instructions on dense tiles: a model, unchecked and checked, beside the unchecked host.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/turns.hpp"
#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench {

namespace {

using namespace pto;

constexpr int side = 64, calls = 10'000;
using Dense = Tile<TileType::Vec, float, side, side>;
using Matrix = GlobalTensor<float, Shape<1, 1, 1, side, side>, Stride<1, 1, 1, side, 1>>;

struct Operands {
  Dense dst, src;
  Matrix gm;
};
struct Job {
  const char* name;
  void (*once)(Operands&);
};
constexpr Job jobs[] = {{"TMOV", [](Operands& o) { TMOV(o.dst, o.src); }},
                        {"TEXPANDS", [](Operands& o) { TEXPANDS(o.dst, 1.0f); }},
                        {"TLOAD", [](Operands& o) { TLOAD(o.dst, o.gm); }},
                        {"TSTORE", [](Operands& o) { TSTORE(o.gm, o.src); }}};

void repeat(float* data, const Job* job) {
  Operands o{{}, {}, Matrix(data)};
  TASSIGN(o.dst, 0x0);
  TASSIGN(o.src, 0x8000);
  TEXPANDS(o.src, 2.0f);
  pipe_barrier(PIPE_ALL);
  for (int i = 0; i < calls; ++i) job->once(o);
}

Way way(const Target& target, Check check, const Job& job) {
  Device memory(target);
  const auto data = std::make_shared<Buffer<float>>(memory.alloc<float>(std::int64_t{side} * side));
  const auto run = [=, &target, &job] {
    if (!Device(target, {check}).launch<repeat>({}, data->data(), &job).clean()) std::abort();
  };
  const std::string name = std::string(target.name) + (check == Check::off ? "" : " checked");
  return timed(name, run, target.native && check == Check::off ? Kind::reference : Kind::ours);
}

}  // namespace

void dense_tiles(const Settings& settings, const Sink& sink) {
  for (const Job& job : jobs) {
    std::vector<Way> ways{way(target::cpu, Check::off, job), way(target::cpu, Check::all, job)};
    for (const Target* t : {&target::a2a3, &target::a5})
      for (const Check check : {Check::off, Check::all}) ways.push_back(way(*t, check, job));
    sink({"dense", job.name, "call", calls, in_turns(ways, settings.rounds_or(5))});
  }
}

}  // namespace ptox::bench
