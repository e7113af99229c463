// SPDX-License-Identifier: Apache-2.0
// Tensors and tiles that the good kernels share.
#pragma once

#include <initializer_list>

#include "corpus.hpp"

namespace ptox::corpus {

inline const Targets cpu_a2a3{&target::cpu, &target::a2a3}, cpu_a5{&target::cpu, &target::a5};

using Table = Matrix<float, 64, 32>;
using Block8 = Matrix<float, 8, 32>;
using Block4 = Matrix<float, 4, 32>;
using Ids8 = Matrix<std::int32_t, 1, 8>;
using Square = Matrix<float, 8, 8>;
using IdSquare = Matrix<std::int32_t, 8, 8>;

using Rows4 = pto::Tile<pto::TileType::Vec, float, 4, 32>;
using Ints8 = pto::Tile<pto::TileType::Vec, std::int32_t, 8, 32>;
using Square8 = pto::Tile<pto::TileType::Vec, float, 8, 8>;
using IdSquare8 = pto::Tile<pto::TileType::Vec, std::int32_t, 8, 8>;

/// The tensors of block k: the whole table, its eight rows in and out, its eight indices.
struct Gm {
  Table table, results;
  Block8 in, out;
  Ids8 ids;
  explicit Gm(Memory& m, int k = 0)
      : table(m.table.data()),
        results(m.out.data()),
        in(m.table.data() + k * 256),
        out(m.out.data() + k * 256),
        ids(m.idx.data() + k * 8) {}
};

/// The kernel's caller left these indices in global memory.
inline void given(Memory& m, std::initializer_list<std::int32_t> values) {
  int i = 0;
  for (std::int32_t v : values) m.idx[i++] = v;
}

}  // namespace ptox::corpus
