// SPDX-License-Identifier: Apache-2.0
// Connects ranks that can map each other's memory.
#pragma once

#include <atomic>
#include <cstddef>

#include "comm/group/board.hpp"
#include "comm/group/engine.hpp"

namespace ptox::comm {

/// The symmetric memory of all ranks in one range of addresses, one slot after the other. Pages are committed when they
/// are touched.
struct Heap {
  std::byte* base = nullptr;
  std::size_t slot = 0;  ///< bytes for each rank
  int ranks = 0;

  /// The default size of a slot.
  static std::size_t usual_slot(int ranks);
  /// `slot`: the bytes that each rank needs; 0 for the default, or less if the address space is too small. Throws
  /// std::system_error.
  static Heap reserve(int ranks, std::size_t slot, bool between_processes);
  void release() noexcept;
};

class SharedFabric : public Fabric {
 public:
  SharedFabric(int id, Board& board, const Heap& heap, bool one_process)
      : id_(id), board_(board), heap_(heap), one_process_(one_process) {}

  int id() const override { return id_; }
  int size() const override { return board_.size(); }
  std::optional<std::size_t> allocate(std::size_t bytes) override;
  std::byte* address(int rank, std::size_t offset) const override {
    return heap_.base + static_cast<std::size_t>(rank) * heap_.slot + offset;
  }
  std::optional<Place> locate(const void* at) const override;
  bool one_process() const override { return one_process_; }

  void put(Place to, const std::byte* from, const Rectangle& r) override;
  void get(std::byte* to, Place from, const Rectangle& r) override;
  void add(Place to, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) override;
  bool quiet(Deadline) override { return true; }

  void notify(Place at, pto::comm::NotifyOp op, std::int32_t value) override;
  std::int32_t peek(Place at) override;

  std::uint32_t bell() override { return board_.seat(id_).bell.load(); }
  void sleep(std::uint32_t seen, Deadline deadline) override { board_.sleep(id_, seen, deadline); }

  std::uint64_t arrive() override { return board_.arrive(id_); }
  bool all_arrived(std::uint64_t barrier) override { return board_.all_arrived(barrier); }
  std::vector<int> missing(std::uint64_t barrier) override;

  bool alive(int rank) override { return board_.seat(rank).state.load() != Seat::lost; }
  bool returned(int rank) override { return board_.seat(rank).state.load() == Seat::returned; }
  void fail(const Failure& failure) override { board_.fail(failure); }
  bool failed() const override { return board_.failed(); }
  Failure failure() const override { return board_.failure(); }

  void progress(const char* op, std::int64_t rows, std::int64_t of_rows) override;
  std::string last_op(int rank) override;
  std::uint64_t pulse(int rank) override { return board_.seat(rank).pulse.load(); }

 private:
  std::int32_t* word(Place at) const { return reinterpret_cast<std::int32_t*>(address(at.rank, at.offset)); }

  int id_;
  Board& board_;
  Heap heap_;
  bool one_process_;
  std::size_t used_ = 0, allocations_ = 0;
};

/// Adds rows of elements to those at `there`, atomically with respect to other adds.
void add_rows(std::byte* there, const std::byte* from, pto::instr::DType dtype, const Rectangle& r);
/// Updates an int32 atomically, while other threads may read it.
void update_signal(std::byte* at, pto::comm::NotifyOp op, std::int32_t value);

/// "tscatter, 12 of 40 rows delivered"; "no operation yet" for an empty `op`.
std::string last_op_text(const std::string& op, std::int64_t rows, std::int64_t of_rows);

}  // namespace ptox::comm
