// SPDX-License-Identifier: Apache-2.0
// Messages between nodes, in addition to the bytes that are put and got.
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

/// The beginning of every message; bytes may follow.
struct Header {
  Kind kind = Kind::news;
  std::int32_t from = 0;     ///< the sender
  std::int32_t rank = 0;     ///< whose memory it is about
  std::int32_t what = 0;     ///< a dtype or a NotifyOp
  std::int64_t value = 0;    ///< of a notify
  std::uint64_t offset = 0;  ///< in that rank's memory
  std::uint64_t signal = 0;  ///< the same, of what is notified afterwards
  Rectangle rectangle = {};
};

/// Sent without waiting; received where somebody looks. The caller holds a Call.
class Messages {
 public:
  using Handler = std::function<void(const Header&, std::span<const std::byte>)>;
  Messages(World& world, Handler handler) : world_(world), handler_(std::move(handler)) {}

  void send(int to, const Header& header, std::span<const std::byte> bytes = {});
  /// Handles what has come and forgets what was sent. Whether there was anything.
  bool pump();
  /// Simulated: returns when something has come.
  void wait();
  bool all_sent();
  /// Collective: everything that anybody sent is received.
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
