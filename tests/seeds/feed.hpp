// SPDX-License-Identifier: Apache-2.0
// Puts bytes into and takes bytes out of the tiles of an example that has no loads and stores.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace seeds {

inline const ptox::Target* const host_targets[] = {&ptox::target::cpu, &ptox::target::a2a3, &ptox::target::a5};

/// The valid region of a tile, packed in global memory.
template <class TileT>
using Packed = pto::GlobalTensor<typename TileT::DType, pto::Shape<1, 1, 1, TileT::ValidRow, TileT::ValidCol>,
                                 pto::Stride<1, 1, 1, TileT::ValidCol, 1>>;

/// The bytes of a TileT at `offset` are those at `data` when everything later runs.
template <class TileT>
void put(std::int64_t offset, typename TileT::DType* data) {
  TileT tile;
  Packed<TileT> tensor(data);
  pto::TASSIGN(tile, offset);
  pto::TLOAD(tile, tensor);
  pipe_barrier(PIPE_ALL);
}

/// The bytes of a TileT at `offset`, as everything earlier left them, go to `data`.
template <class TileT>
void take(std::int64_t offset, typename TileT::DType* data) {
  TileT tile;
  Packed<TileT> tensor(data);
  pto::TASSIGN(tile, offset);
  pipe_barrier(PIPE_ALL);
  pto::TSTORE(tensor, tile);
}

/// Element i of a table: never zero, different for near neighbours.
template <class T>
T value_at(std::int64_t i) {
  return static_cast<T>(static_cast<float>(i % 97 + 1));
}

template <class T>
void fill(std::span<T> elements, std::int64_t first = 0) {
  for (T& e : elements) e = value_at<T>(first++);
}

/// Whether two runs of elements are the same bit for bit; says where they first differ.
template <class T>
::testing::AssertionResult same_bytes(std::span<T> got, const std::vector<T>& want) {
  if (got.size() != want.size())
    return ::testing::AssertionFailure() << got.size() << " of " << want.size() << " elements";
  for (std::size_t i = 0; i < want.size(); ++i)
    if (std::memcmp(&got[i], &want[i], sizeof(T)) != 0)
      return ::testing::AssertionFailure() << "element " << i << " is " << static_cast<double>(got[i]) << ", should be "
                                           << static_cast<double>(want[i]);
  return ::testing::AssertionSuccess();
}

template <class T>
std::vector<T> copy_of(const ptox::Buffer<T>& b) {
  return {b.begin(), b.end()};
}

/// The message of the first finding with that id, or nothing.
inline std::string message(const ptox::Report& report, ptox::FindingKind kind) {
  for (const ptox::Finding& f : report.findings())
    if (f.kind == kind) return f.message;
  return {};
}

}  // namespace seeds
