// SPDX-License-Identifier: Apache-2.0
// Measures the work of an instruction on a table of the test.
#pragma once

#include <cstring>
#include <numeric>
#include <vector>

#include "engine/issue/machine.hpp"
#include "engine/system/random.hpp"
#include "launched.hpp"
#include "observe/cost.hpp"
#include "pto/isa/all.hpp"
#include "ptox/ptox.hpp"

namespace ptox::observe_test {

using pto::instr::DType;
using pto::instr::TensorDesc;
using pto::instr::TileDesc;

inline TensorDesc table_of(void* base, std::int64_t rows, std::int64_t cols, DType d = DType::f32) {
  return {.dtype = d,
          .shape = {1, 1, 1, rows, cols},
          .stride = {rows * cols, rows * cols, rows * cols, cols, 1},
          .base = base};
}
inline TileDesc tile_of(std::int64_t rows, std::int64_t cols, std::int64_t offset, DType d = DType::f32) {
  return {.dtype = d, .rows = rows, .cols = cols, .valid_rows = rows, .valid_cols = cols, .offset = offset};
}

/// `count` distinct slots of `capacity`, in random order.
inline std::vector<std::int32_t> distinct(std::int64_t count, std::int64_t capacity, std::uint64_t seed = 7) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(capacity));
  std::iota(all.begin(), all.end(), 0);
  Random random(seed);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  all.resize(static_cast<std::size_t>(count));
  return all;
}
inline std::vector<std::int32_t> counting(std::int64_t count) {
  std::vector<std::int32_t> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

struct Measured {
  Work work;
  Cost cost;
  pipe_t pipe = PIPE_S;
};

/// Counts the work of an instruction as the engine does, from its effects on a core whose UB starts with `indices`.
template <class I>
Measured measured(const Target& t, const typename I::Operands& o, const std::vector<std::int32_t>& indices = {}) {
  Measured m;
  ignore_findings(Device(t, {Check::off}).launch({}, [&] {
    if (!indices.empty())
      std::memcpy(pto::instr::detail::address(pto::TileType::Vec, 0, 4), indices.data(), indices.size() * 4);
    std::vector<pto::instr::Effect> effects;
    Machine machine(current_core(), pto::instr::Site::current());
    I::effects(machine, o, [&](const pto::instr::Effect& e) { effects.push_back(e); });
    m.work = work_of<I>(t, o, effects);
    m.pipe = data_pipe(effects);
    m.cost = cost_of(t, m.pipe, m.work);
  }));
  return m;
}

struct Lookup {
  std::int64_t rows, cols, table_rows;
  pto::Coalesce mode = pto::Coalesce::Row;
  DType dtype = DType::f32;
};
inline TileDesc index_tile(const Lookup& l) {
  return l.mode == pto::Coalesce::Row ? tile_of(1, l.rows, 0, DType::i32) : tile_of(l.rows, l.cols, 0, DType::i32);
}
/// The offset of the data tile, which follows the indices.
inline std::int64_t data_offset(const Lookup& l) { return (index_tile(l).bytes() + 31) / 32 * 32; }

inline Measured gather(const Target& t, const Lookup& l, const std::vector<std::int32_t>& indices,
                       pto::GatherOOB oob = pto::GatherOOB::Undefined) {
  auto table = Device(t).alloc<std::byte>(l.table_rows * l.cols * pto::instr::size_of(l.dtype));
  return measured<pto::instr::Mgather>(t,
                                       {.dst = tile_of(l.rows, l.cols, data_offset(l), l.dtype),
                                        .table = table_of(table.data(), l.table_rows, l.cols, l.dtype),
                                        .idx = index_tile(l),
                                        .policy = {.coalesce = {l.mode, false}, .oob = oob}},
                                       indices);
}
inline Measured scatter(const Target& t, const Lookup& l, const std::vector<std::int32_t>& indices,
                        pto::instr::ScatterPolicy policy = {}) {
  auto table = Device(t).alloc<std::byte>(l.table_rows * l.cols * pto::instr::size_of(l.dtype));
  policy.coalesce = {l.mode, false};
  return measured<pto::instr::Mscatter>(t,
                                        {.table = table_of(table.data(), l.table_rows, l.cols, l.dtype),
                                         .src = tile_of(l.rows, l.cols, data_offset(l), l.dtype),
                                         .idx = index_tile(l),
                                         .policy = policy},
                                        indices);
}

}  // namespace ptox::observe_test
