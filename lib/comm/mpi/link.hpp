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

/// The connection of one rank to other nodes; unused if there is only one node. In a leader it has a thread of its own,
/// so that puts, gets and requests of other nodes do not wait until its rank calls MPI.
class Link {
 public:
  explicit Link(Group& group);
  ~Link() { stop(); }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// Sends a request to the leader of that rank's node. The caller holds a Call.
  void send(int about_rank, Header header, std::span<const std::byte> bytes = {});
  /// The number of requests of this rank that are not acknowledged yet.
  std::int64_t asked() const { return asked_.load(); }

  /// Receives and handles messages, for ranks without a thread. The caller holds a Call.
  bool pump() { return messages_.pump(); }
  /// Under SimGrid: waits for a message and handles it.
  void wait_simulated() { messages_.wait(); }
  /// Under SimGrid: completes a round of all nodes before it returns.
  void round_simulated(std::uint64_t round, std::uint64_t value);

  /// The time since the last message of a node.
  std::chrono::milliseconds silence(int node) const;
  /// Called after this process was suspended: the pause does not count as silence of other nodes.
  void forgive(std::chrono::milliseconds pause);

  /// Stops the thread.
  void stop();
  /// Collective: completes open rounds and receives all messages that were sent.
  void drain();

 private:
  /// One reduction over all leaders: the maximum of the values of all ranks and, by the complements, their minimum.
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
