// SPDX-License-Identifier: Apache-2.0
// Messages between nodes, in addition to one-sided puts and gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

#include "comm/mpi/world.hpp"

namespace ptox::comm::mpi {

enum class Kind : std::int32_t { add, notify, put_and_add, news, failure, done };

/// The first bytes of every message; data may follow.
struct Header {
  Kind kind = Kind::news;
  std::int32_t from = 0;     ///< the sender
  std::int32_t rank = 0;     ///< the rank whose memory is updated
  std::int32_t what = 0;     ///< the dtype of an add, the NotifyOp of a notify; for a failure, 1 if MPI is unusable
  std::int64_t value = 0;    ///< the operand of a notify or put_and_add
  std::uint64_t offset = 0;  ///< in the memory of that rank
  std::uint64_t signal = 0;  ///< put_and_add: the offset of the signal
  Rectangle rectangle = {};
};

/// Messages are sent without blocking and received by pump(). The caller of each function holds a Call.
class Messages {
 public:
  using Handler = std::function<void(const Header&, std::span<const std::byte>)>;
  Messages(World& world, Handler handler) : world_(world), handler_(std::move(handler)) {}

  void send(int to, const Header& header, std::span<const std::byte> bytes = {});
  /// Handles all messages that have arrived and frees the buffers of completed sends. Returns whether any had arrived.
  bool pump();
  /// Under SimGrid: waits for a message and handles it.
  void wait();
  /// Frees the buffers of completed sends; returns whether all are complete.
  bool all_sent();
  /// Collective: returns when all messages that any rank sent have been received.
  void drain(MPI_Comm comm);

 private:
  struct Sent {
    std::vector<std::byte> bytes;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  World& world_;
  Handler handler_;
  std::list<Sent> sent_;
  std::vector<std::byte> received_;
};

}  // namespace ptox::comm::mpi
