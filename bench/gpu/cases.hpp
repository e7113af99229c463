// SPDX-License-Identifier: Apache-2.0
// The cases that are measured on a GPU, with their sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/indices.hpp"

namespace ptox::bench::gpu {

enum class Work { gather, scatter, add, max };
enum class Type { f32, f16, bf16, u8 };

const char* name(Work);
const char* name(Type);
std::int64_t size_of(Type);

/// A case to measure: one row of the table of results.
struct Case {
  std::string name, about;
  Work work;
  Type type;
  std::int64_t rows, width, count;  ///< width 0: elements
  Order order;

  bool by_rows() const { return width > 0; }
  std::int64_t columns() const { return by_rows() ? width : 1; }
  std::int64_t row_bytes() const { return columns() * size_of(type); }
  std::int64_t table_bytes() const { return rows * row_bytes(); }
  std::int64_t moved_bytes() const { return count * row_bytes(); }
  /// The bytes that have to be moved: every index, and every row that is read or written, once.
  double useful_bytes() const {
    const int touched = work == Work::add || work == Work::max ? 3 : 2;
    return static_cast<double>(count) * static_cast<double>(touched * row_bytes() + 4);
  }
};

std::vector<Case> all_cases(bool quick);

}  // namespace ptox::bench::gpu
