// SPDX-License-Identifier: Apache-2.0
// The interface of an engine that lets ranks work together.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pto/comm/signal_ops.hpp"
#include "pto/tile/dtype.hpp"
#include "ptox/ranks.hpp"

namespace ptox::comm {

using Time = std::chrono::steady_clock;
using Deadline = Time::time_point;

/// A byte of symmetric memory.
struct Place {
  int rank = 0;
  std::size_t offset = 0;
};

/// Rows of bytes, and how far apart they lie here and at the other rank.
struct Rectangle {
  std::int64_t rows = 1, row_bytes = 0, here_step = 0, there_step = 0;
};

/// Why a group ended.
struct Failure {
  std::optional<FindingKind> kind;  ///< of the finding that ended it, if one did
  std::string sentence;
  std::vector<int> ranks;
};

/// One rank's view of its group: memory, signals and who is still there. Used by the rank's thread and by the threads
/// of its launches. Nothing here throws or waits past a deadline.
class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual int id() const = 0;
  virtual int size() const = 0;

  /// Zeroed bytes, 512-byte aligned, at the same offset on every rank. All ranks ask for the same in the same order;
  /// nullopt: another rank asked for something else, or there is no room, and that was said by `fail`.
  virtual std::optional<std::size_t> allocate(std::size_t bytes) = 0;
  /// Where this rank can load and store it; null: by put and get only.
  virtual std::byte* address(int rank, std::size_t offset) const = 0;
  /// How many addresses to set aside for a rank whose memory is not mapped.
  virtual std::size_t reserved_bytes() const { return std::size_t{64} << 30; }
  /// The inverse, for addresses that `address` gives.
  virtual std::optional<Place> locate(const void* at) const = 0;
  /// Whether all ranks live in one address space.
  virtual bool one_process() const = 0;

  virtual void put(Place to, const std::byte* from, const Rectangle& r) = 0;
  virtual void get(std::byte* to, Place from, const Rectangle& r) = 0;
  /// Adds elements to those there; no other rank's add is lost.
  virtual void add(Place to, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) = 0;
  /// All that was put or added is there. False: not by the deadline.
  virtual bool quiet(Deadline deadline) = 0;

  /// An atomic update of an int32, after all that was put before it; whoever waits at that rank looks again.
  virtual void notify(Place at, pto::comm::NotifyOp op, std::int32_t value) = 0;
  /// Both, the bytes first.
  virtual void put_and_add(Place to, const std::byte* from, const Rectangle& r, Place signal, std::int32_t value) {
    put(to, from, r);
    quiet(Time::now() + std::chrono::seconds(5));
    notify(signal, pto::comm::NotifyOp::AtomicAdd, value);
  }
  /// That int32 now; what its rank did before it notified is seen afterwards.
  virtual std::int32_t peek(Place at) = 0;

  /// A count that goes up when something this rank may wait for has changed.
  virtual std::uint32_t bell() = 0;
  /// Returns when the bell is past `seen`, at the deadline, or for no reason.
  virtual void sleep(std::uint32_t seen, Deadline deadline) = 0;

  /// Says that this rank has come to its next barrier; the number of that barrier.
  virtual std::uint64_t arrive() = 0;
  /// Whether all ranks have come to it.
  virtual bool all_arrived(std::uint64_t barrier) = 0;
  /// Those that have not, as far as that is known.
  virtual std::vector<int> missing(std::uint64_t barrier) = 0;

  /// Whether the rank has not died, thrown or been lost. One that has returned is alive: its memory is there.
  virtual bool alive(int rank) = 0;
  /// Whether its function has returned.
  virtual bool returned(int rank) = 0;
  /// The group ends; the first failure counts. Every rank learns of it.
  virtual void fail(const Failure& failure) = 0;
  virtual bool failed() const = 0;
  virtual Failure failure() const = 0;

  /// What this rank is at: an instruction, and how many of its rows are delivered.
  virtual void progress(const char* op, std::int64_t rows, std::int64_t of_rows) = 0;
  /// The same of another rank, in words: "tscatter, 12 of 40 rows delivered".
  virtual std::string last_op(int rank) = 0;
  /// A number that changes when that rank delivers rows.
  virtual std::uint64_t pulse(int rank) = 0;
};

/// Runs the body on n ranks; each rank's answer, or RanksError.
using Runner = std::vector<std::string> (*)(int n, detail::RankBody body, const RanksOptions& options);
std::vector<std::string> run_threads(int n, detail::RankBody body, const RanksOptions& options);
std::vector<std::string> run_processes(int n, detail::RankBody body, const RanksOptions& options);
/// Set by the library that has it; null: not linked.
extern Runner mpi_runner;

}  // namespace ptox::comm
