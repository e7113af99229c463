// SPDX-License-Identifier: Apache-2.0
// Addresses in a random case, computed as the manual defines them, independently of the engine.
#pragma once

#include "random/case.hpp"

namespace ptox::random_test {

inline std::int64_t round_up(std::int64_t n, std::int64_t to) { return (n + to - 1) / to * to; }
inline std::int64_t bytes_of(pto::instr::DType d) {
  switch (d) {
    case pto::instr::DType::i8:
    case pto::instr::DType::u8:
    case pto::instr::DType::e4m3:
    case pto::instr::DType::e5m2:
    case pto::instr::DType::hif8:
      return 1;
    case pto::instr::DType::i16:
    case pto::instr::DType::u16:
    case pto::instr::DType::f16:
    case pto::instr::DType::bf16:
      return 2;
    default:
      return 4;
  }
}

/// Padded extents, addresses and sizes of a case.
struct Plan {
  std::int64_t size, c0;
  std::int64_t tile_rows, tile_cols, idx_rows, idx_cols, idx_valid_rows, idx_valid_cols;
  std::int64_t tile_at, idx_at, ub_bytes;
  std::int64_t shape[5], stride[5];
  std::int64_t logical_cols, capacity, lane_cols, gm_bytes, table_at;

  explicit Plan(const Case& c);
  std::int64_t tile_byte(const Case& c, std::int64_t r, std::int64_t col) const;
  std::int64_t idx_byte(const Case& c, std::int64_t i, std::int64_t j) const;
  /// Byte offset of a table slot in global memory.
  std::int64_t table_byte(const Case& c, std::int64_t slot, std::int64_t col) const;

 private:
  void plan_tiles(const Case& c);
  void plan_table(const Case& c);
};

inline constexpr std::int64_t guard = 64;

pto::instr::Mgather::Operands gather_operands(const Case& c, const Plan& p, void* table);
pto::instr::Mscatter::Operands scatter_operands(const Case& c, const Plan& p, void* table);
/// The memory before the instruction.
Outcome before(const Case& c);

}  // namespace ptox::random_test
