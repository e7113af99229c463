// SPDX-License-Identifier: Apache-2.0
// The expected result of a gather or scatter of whole tensors: a plain loop that is independent of the engine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "ptox/ops.hpp"

namespace ptox::ops_test {

/// The index as an unsigned number of the same width.
template <class I>
std::uint64_t as_read(I index) {
  return static_cast<std::make_unsigned_t<I>>(index);
}

inline bool drops(pto::GatherOOB oob) { return oob == pto::GatherOOB::Zero; }
inline bool drops(pto::ScatterOOB oob) { return oob == pto::ScatterOOB::Skip; }

/// Whether the call must throw for this index.
template <class OOB>
bool refused(std::uint64_t index, std::uint64_t capacity, OOB oob) {
  return index >= capacity && !drops(oob) && (oob == OOB::Undefined || capacity == 0);
}

/// The row of the table that an index selects; std::nullopt if nothing is read or written.
template <class OOB>
std::optional<std::uint64_t> slot(std::uint64_t index, std::uint64_t capacity, OOB oob) {
  if (index < capacity) return index;
  if (drops(oob)) return std::nullopt;
  return oob == OOB::Clamp ? capacity - 1 : index % capacity;
}

template <class T>
concept Updated = std::is_arithmetic_v<T> || std::same_as<T, pto::half> || std::same_as<T, pto::bfloat16_t>;

template <Updated T>
T sum(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));  // wraps
  else if constexpr (sizeof(T) == 2)
    return T(static_cast<float>(a) + static_cast<float>(b));  // rounded after each addition
  else
    return a + b;
}

/// The result of updating `old` with `value`. Max and Min keep `old` unless the comparison is true.
template <class T>
T left(pto::ScatterAtomicOp op, T old, T value) {
  if constexpr (Updated<T>) {
    if (op == pto::ScatterAtomicOp::Add) return sum(old, value);
    if (op == pto::ScatterAtomicOp::Max) return value > old ? value : old;
    if (op == pto::ScatterAtomicOp::Min) return value < old ? value : old;
  }
  return value;
}

template <class T, class I>
void plain_gather_rows(Rows<const T> table, std::span<const I> idx, Rows<T> out, pto::GatherOOB oob) {
  for (std::int64_t i = 0; i < out.rows; ++i) {
    const auto s = slot(as_read(idx[static_cast<std::size_t>(i)]), static_cast<std::uint64_t>(table.rows), oob);
    for (std::int64_t c = 0; c < out.width; ++c)
      out.data[i * out.stride + c] = s ? table.data[static_cast<std::int64_t>(*s) * table.stride + c] : T{};
  }
}

template <class T, class I>
void plain_scatter_rows(Rows<T> table, std::span<const I> idx, Rows<const T> src, pto::ScatterAtomicOp op,
                        pto::ScatterOOB oob) {
  for (std::int64_t i = 0; i < src.rows; ++i) {
    const auto s = slot(as_read(idx[static_cast<std::size_t>(i)]), static_cast<std::uint64_t>(table.rows), oob);
    if (!s) continue;
    for (std::int64_t c = 0; c < src.width; ++c) {
      T& at = table.data[static_cast<std::int64_t>(*s) * table.stride + c];
      at = left(op, at, src.data[i * src.stride + c]);
    }
  }
}

/// A span as rows of one element each.
template <class T>
Rows<T> as_rows(std::span<T> s) {
  return {s.data(), static_cast<std::int64_t>(s.size()), 1, 1};
}

template <class T, class I>
void plain_gather(std::span<const T> table, std::span<const I> idx, std::span<T> out, pto::GatherOOB oob) {
  plain_gather_rows(as_rows(table), idx, as_rows(out), oob);
}

template <class T, class I>
void plain_scatter(std::span<T> table, std::span<const I> idx, std::span<const T> src, pto::ScatterAtomicOp op,
                   pto::ScatterOOB oob) {
  plain_scatter_rows(as_rows(table), idx, as_rows(src), op, oob);
}

}  // namespace ptox::ops_test
