// SPDX-License-Identifier: Apache-2.0
// Measures how much the checker costs an unchecked run on the host: compares the entry point with the checker, the
// entry point without it, and the native body alone.
#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "bench/bench.hpp"
#include "bench/turns.hpp"
#include "engine/core/core.hpp"
#include "engine/issue/host_bodies.hpp"
#include "engine/issue/issue.hpp"
#include "pto/isa/all.hpp"
#include "ptox/ptox.hpp"

namespace ptox::bench {

namespace {

using pto::instr::Mgather;

constexpr std::int64_t table_rows = 1 << 12, rows_in_all = 1 << 20;

/// A gather of `rows` rows of 128 bytes, its index tile behind its data tile.
Mgather::Operands gather(float* table, std::int64_t rows) {
  Mgather::Operands o{};
  o.dst = {.dtype = pto::instr::DType::f32, .rows = rows, .cols = 32, .valid_rows = rows, .valid_cols = 32};
  o.idx = {.dtype = pto::instr::DType::i32, .rows = 1, .cols = rows, .valid_rows = 1, .valid_cols = rows};
  o.dst.offset = 0, o.idx.offset = o.dst.bytes();
  o.table = {.dtype = pto::instr::DType::f32, .base = table};
  const std::int64_t shape[] = {1, 1, 1, table_rows, 32}, all = table_rows * 32, stride[] = {all, all, all, 32, 1};
  std::copy(shape, shape + 5, o.table.shape), std::copy(stride, stride + 5, o.table.stride);
  o.policy.coalesce = {pto::Coalesce::Row, false};
  return o;
}

void fill_indices(const Mgather::Operands& o) {
  auto* idx =
      reinterpret_cast<std::int32_t*>(pto::instr::detail::address(pto::TileType::Vec, o.idx.offset, o.idx.bytes()));
  for (std::int64_t i = 0; i < o.idx.cols; ++i) idx[i] = static_cast<std::int32_t>(i * 1237 % table_rows);
}

using Door = void (*)(Core&, const Mgather::Operands&);
void by_issue(Core&, const Mgather::Operands& o) {
  pto::instr::issue<Mgather>(o, static_cast<TargetMask>(~0u), false, pto::instr::Site::current());
}
void by_issue_unwatched(Core&, const Mgather::Operands& o) {
  pto::instr::issue_unwatched(o, static_cast<TargetMask>(~0u), false, pto::instr::Site::current());
}
void bare(Core& core, const Mgather::Operands& o) { NativeBody<Mgather>::run(core, o); }

Way way(const char* name, float* table, std::int64_t rows, Door door) {
  return timed(name, [=] {
    Device host(target::cpu);
    const Mgather::Operands o = gather(table, rows);
    const Report report = host.launch({}, [&] {
      fill_indices(o);
      for (std::int64_t k = 0; k < rows_in_all / rows; ++k) door(current_core(), o);
    });
    if (!report.clean()) std::abort();
  });
}

}  // namespace

void unchecked_host(const Settings& settings, const Sink& sink) {
  const Buffer<float> table = Device(target::cpu).alloc<float>(table_rows * 32);
  for (const std::int64_t rows : {8, 64, 512}) {
    const std::vector<Way> ways{way("no checker built in", table.data(), rows, by_issue_unwatched),
                                way("unchecked", table.data(), rows, by_issue),
                                way("bare body", table.data(), rows, bare)};
    sink({"unchecked", std::to_string(rows) + " rows a tile", "row", rows_in_all,
          in_turns(ways, 4 * settings.rounds_or(3) + 1)});
  }
}

}  // namespace ptox::bench
