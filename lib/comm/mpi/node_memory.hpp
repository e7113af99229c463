// SPDX-License-Identifier: Apache-2.0
// The memory that the ranks of a node share, and the access to it from other nodes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "comm/mpi/world.hpp"

namespace ptox::comm::mpi {

/// Zeroed bytes that all ranks of a node can load and store. Allocated and freed collectively within the node.
class NodeBytes {
 public:
  NodeBytes() = default;
  /// On failure `data` is null and `error` has the reason.
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

/// Symmetric memory: a range of addresses with a slot for each rank of the node, in which memory is mapped piece by
/// piece. The address of a byte, modulo the distance of bytes with the same update lock, is equal in every process, so
/// that all use the same lock. The leader of a node exposes the pieces of its ranks to other nodes.
class NodeHeap {
 public:
  /// Throws std::system_error when the address space is exhausted.
  explicit NodeHeap(World& world);
  ~NodeHeap();
  NodeHeap(const NodeHeap&) = delete;
  NodeHeap& operator=(const NodeHeap&) = delete;

  std::byte* base() const { return base_; }
  std::size_t slot() const { return slot_; }
  /// How many bytes of each slot are mapped.
  std::size_t filled() const { return pieces_.empty() ? 0 : pieces_.back().begin + pieces_.back().bytes; }
  /// Maps `bytes` more for every rank; collective. Returns the error, empty if there is none.
  std::string grow(std::size_t bytes);
  /// Frees all pieces; collective.
  void give_back();

  struct Target {
    MPI_Win window;
    MPI_Aint at;       ///< displacement in the window
    std::size_t left;  ///< bytes from there to the end of the piece
  };
  /// The location of a byte of a rank on another node, in the window of the leader of that node. Begins an access epoch
  /// for it if necessary.
  Target target(Place place);

 private:
  struct Piece {
    std::size_t begin = 0, bytes = 0;
    NodeBytes memory;
    MPI_Win window = MPI_WIN_NULL;
    std::vector<bool> locked = {};  ///< by node: whether this rank has an access epoch for the leader's window
  };
  std::string open(Piece& piece);
  std::string map(const Piece& piece);

  World& world_;
  std::byte *reserved_ = nullptr, *base_ = nullptr;
  std::size_t slot_ = 0;
  std::vector<Piece> pieces_;
};

}  // namespace ptox::comm::mpi
