// SPDX-License-Identifier: Apache-2.0
// The leader thread of each node, which serves the other nodes and publishes the state of its ranks.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "comm/mpi/group.hpp"
#include "comm/mpi/messages.hpp"

namespace ptox::comm::mpi {

/// One rank's end. With one node there is nothing to do. A leader's has a thread of its own, for what others put, get
/// and ask does not wait until its rank calls MPI.
class Link {
 public:
  explicit Link(Group& group);
  ~Link() { stop(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// To the leader of that rank's node; the caller holds a Call.
  void send(int about_rank, Header header, std::span<const std::byte> bytes = {});
  /// What this rank asked leaders to do and was not yet told that it is done.
  std::int64_t asked() const { return asked_.load(); }

  /// Looks for messages, here and now: for ranks without a thread. The caller holds a Call.
  bool pump() { return messages_.pump(); }
  void wait_simulated() { messages_.wait(); }
  /// Simulated: the round of all nodes, at once.
  void round_simulated(std::uint64_t round, std::uint64_t value);

  /// How long ago a node was heard of.
  std::chrono::milliseconds silence(int node) const;
  /// This process stood still for so long: nobody was silent meanwhile.
  void forgive(std::chrono::milliseconds pause);

  /// The thread ends.
  void stop();
  /// Collective.
  void drain();

 private:
  /// One agreement of all leaders: the largest and the smallest of what the ranks say.
  struct Round {
    std::uint64_t started = 0;
    std::uint64_t mine[2] = {}, all[2] = {};
    MPI_Request request = MPI_REQUEST_NULL;
  };

  void serve(const std::stop_token& stop);
  bool step();
  bool step_round();
  bool step_end();
  void gather_values(Round& round);
  void judge(const Round& round);
  void tell_news();
  void tell_failure();
  void handle(const Header& header, std::span<const std::byte> bytes);
  void apply(const Header& header, std::span<const std::byte> bytes);
  void hear_news(std::span<const std::byte> bytes);
  void hear_failure(const Header& header, std::span<const std::byte> bytes);
  void to_all_leaders(const Header& header, std::span<const std::byte> bytes);

  Group& group_;
  World& world_;
  Messages messages_;
  Round round_, end_;
  bool end_started_ = false, failure_told_ = false;
  std::uint64_t changes_told_ = ~std::uint64_t{0};
  Time::time_point news_told_{};
  std::atomic<std::int64_t> asked_ = 0;
  std::vector<std::atomic<std::int64_t>> heard_;
  std::jthread thread_;
};

}  // namespace ptox::comm::mpi
