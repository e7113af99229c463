// SPDX-License-Identifier: Apache-2.0
// Connects the ranks of an MPI job: plain loads and stores within a node, one-sided MPI between nodes.
#pragma once

#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "comm/group/shared_fabric.hpp"
#include "comm/mpi/group.hpp"
#include "comm/mpi/link.hpp"

namespace ptox::comm::mpi {

class MpiFabric final : public SharedFabric {
 public:
  MpiFabric(Group& group, Link& link);

  std::optional<std::size_t> allocate(std::size_t bytes) override;
  std::byte* address(int rank, std::size_t offset) const override;
  std::optional<Place> locate(const void* at) const override;
  std::size_t reserved_bytes() const override { return group_.heap().slot(); }

  void put(Place to, const std::byte* from, const Rectangle& r) override;
  void get(std::byte* to, Place from, const Rectangle& r) override;
  void add(Place to, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) override;
  bool quiet(Deadline deadline) override;

  void notify(Place at, pto::comm::NotifyOp op, std::int32_t value) override;
  void put_and_add(Place to, const std::byte* from, const Rectangle& r, Place signal, std::int32_t value) override;
  std::int32_t peek(Place at) override;
  void sleep(std::uint32_t seen, Deadline deadline) override;

  std::uint64_t arrive() override { return come(0); }
  bool all_arrived(std::uint64_t barrier) override { return group_.came(barrier); }

  void progress(const char* op, std::int64_t rows, std::int64_t of_rows) override {
    group_.note(group_.world().rank, op, rows, of_rows);
  }
  std::string last_op(int rank) override { return group_.last_op(rank); }

 private:
  std::uint64_t come(std::uint64_t value);
  bool wait_for(std::uint64_t round, const char* what);
  bool agree(std::size_t bytes);
  void flush();

  Group& group_;
  World& world_;
  Link& link_;
  std::vector<int> mates_;  ///< the ranks of this node, by index
  std::size_t used_ = 0, allocations_ = 0;
  /// Puts that may be incomplete: their bytes, and the windows and leaders to flush.
  std::vector<std::vector<std::byte>> under_way_;
  std::size_t bytes_under_way_ = 0;
  std::set<std::pair<MPI_Win, int>> touched_;
};

}  // namespace ptox::comm::mpi
