// SPDX-License-Identifier: Apache-2.0
// A Fabric of threads that simulates ranks without direct access to each other's memory.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "comm/group/engine.hpp"
#include "comm/group/threads.hpp"

namespace comm_test {

using namespace ptox::comm;

/// Exposes only the memory of ranks on the same simulated node of `node_ranks` ranks.
class Unmapped : public Fabric {
 public:
  Unmapped(std::unique_ptr<Fabric> inner, int node_ranks) : inner_(std::move(inner)), node_ranks_(node_ranks) {}

  int id() const override { return inner_->id(); }
  int size() const override { return inner_->size(); }
  std::optional<std::size_t> allocate(std::size_t bytes) override { return inner_->allocate(bytes); }
  std::byte* address(int rank, std::size_t offset) const override {
    return is_here(rank) ? inner_->address(rank, offset) : nullptr;
  }
  std::optional<Place> locate(const void* at) const override {
    const std::optional<Place> place = inner_->locate(at);
    return place && is_here(place->rank) ? place : std::nullopt;
  }
  bool one_process() const override { return true; }
  void put(Place to, const std::byte* from, const Rectangle& r) override { inner_->put(to, from, r); }
  void get(std::byte* to, Place from, const Rectangle& r) override { inner_->get(to, from, r); }
  void add(Place to, const std::byte* from, pto::instr::DType d, const Rectangle& r) override {
    inner_->add(to, from, d, r);
  }
  bool quiet(Deadline deadline) override { return inner_->quiet(deadline); }
  void notify(Place at, pto::comm::NotifyOp op, std::int32_t value) override { inner_->notify(at, op, value); }
  std::int32_t peek(Place at) override { return inner_->peek(at); }
  std::uint32_t bell() override { return inner_->bell(); }
  void sleep(std::uint32_t seen, Deadline deadline) override { inner_->sleep(seen, deadline); }
  std::uint64_t arrive() override { return inner_->arrive(); }
  bool all_arrived(std::uint64_t barrier) override { return inner_->all_arrived(barrier); }
  std::vector<int> missing(std::uint64_t barrier) override { return inner_->missing(barrier); }
  bool alive(int rank) override { return inner_->alive(rank); }
  bool returned(int rank) override { return inner_->returned(rank); }
  void fail(const Failure& failure) override { inner_->fail(failure); }
  bool failed() const override { return inner_->failed(); }
  Failure failure() const override { return inner_->failure(); }
  void progress(const char* op, std::int64_t rows, std::int64_t of_rows) override {
    inner_->progress(op, rows, of_rows);
  }
  std::string last_op(int rank) override { return inner_->last_op(rank); }
  std::uint64_t pulse(int rank) override { return inner_->pulse(rank); }

 private:
  bool is_here(int rank) const { return rank / node_ranks_ == id() / node_ranks_; }

  std::unique_ptr<Fabric> inner_;
  int node_ranks_;
};

template <class F>
void run_unmapped(int n, F f, const ptox::RanksOptions& options = {}, int node_ranks = 1) {
  run_threads(
      n, [f](ptox::Rank& r) mutable { return f(r), std::string(); }, options,
      [node_ranks](std::unique_ptr<Fabric> inner) { return std::make_unique<Unmapped>(std::move(inner), node_ranks); });
}

}  // namespace comm_test
