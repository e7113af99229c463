// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of a node share, and its access from other nodes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comm/mpi/world.hpp"

namespace ptox::comm::mpi {

/// Zeroed bytes that all ranks of a node load and store. Made and given back collectively within the node.
class NodeBytes {
 public:
  NodeBytes() = default;
  /// The reason why there is none is left in `error`.
  NodeBytes(World& world, std::size_t bytes);
  std::byte* data() const { return data_; }
  const std::string& error() const { return error_; }
  void give_back();

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::string error_;
};

/// Symmetric memory: a range of addresses with a slot for each rank of the node, filled piece by piece. Pages lie at
/// the same place in every process, modulo what locks are chosen by. A node's leader opens its ranks' pieces to other
/// nodes.
class NodeHeap {
 public:
  /// Throws std::system_error when there are no addresses.
  explicit NodeHeap(World& world);
  ~NodeHeap();
  NodeHeap(const NodeHeap&) = delete;
  NodeHeap& operator=(const NodeHeap&) = delete;

  std::byte* base() const { return base_; }
  std::size_t slot() const { return slot_; }
  /// How much of a slot is there.
  std::size_t filled() const { return pieces_.empty() ? 0 : pieces_.back().begin + pieces_.back().bytes; }
  /// `bytes` more for every rank; collective. What went wrong, or nothing.
  std::string grow(std::size_t bytes);
  /// Collective.
  void give_back();

  struct Target {
    MPI_Win window;
    MPI_Aint at;
    std::size_t left;  ///< bytes from there to the end of the piece
  };
  /// Where a byte of a rank on another node is, by the window of that rank's leader, which may be used from now on.
  Target target(Place place);

 private:
  struct Piece {
    std::size_t begin = 0, bytes = 0;
    NodeBytes memory;
    MPI_Win window = MPI_WIN_NULL;
    std::vector<bool> locked = {};  ///< by node: what this rank has used
  };
  std::string open(Piece& piece);
  std::string map(const Piece& piece);

  World& world_;
  std::byte *reserved_ = nullptr, *base_ = nullptr;
  std::size_t slot_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace ptox::comm::mpi
