// SPDX-License-Identifier: Apache-2.0
// The interface between a rank and the engine that connects it to the other ranks.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/core/rank.hpp"
#include "pto/comm/signal_ops.hpp"
#include "pto/tile/dtype.hpp"
#include "ptox/ranks.hpp"

namespace ptox::comm {

using Time = std::chrono::steady_clock;
using Deadline = Time::time_point;

using Place = RankPlace;

/// Rows of bytes, and the distance in bytes between consecutive rows in local memory and at the other rank.
struct Rectangle {
  std::int64_t rows = 1, row_bytes = 0, here_step = 0, there_step = 0;
};

/// Why a group ended.
struct Failure {
  std::optional<FindingKind> kind;  ///< of the finding that ended the group, if a finding did
  std::string sentence;
  std::vector<int> ranks;
};

/// One rank's view of its group: memory, signals and the state of the other ranks. Used by the rank's thread and by the
/// threads of its launches. No function throws, and none waits past its deadline.
class Fabric {
 public:
  virtual ~Fabric() = default;
  virtual int id() const = 0;
  virtual int size() const = 0;

  /// Allocates zeroed bytes, 512-byte aligned, at the same offset on every rank. All ranks request the same sizes in
  /// the same order. Returns nullopt, after calling `fail`, if the sizes differ or the memory is exhausted.
  virtual std::optional<std::size_t> allocate(std::size_t bytes) = 0;
  /// The address at which this rank can load and store the byte; null if it is accessible by put and get only.
  virtual std::byte* address(int rank, std::size_t offset) const = 0;
  /// Bytes of address space to reserve for a rank whose memory is not mapped.
  virtual std::size_t reserved_bytes() const { return std::size_t{64} << 30; }
  /// The inverse of `address`; nullopt for any other address.
  virtual std::optional<Place> locate(const void* at) const = 0;
  /// Whether all ranks are in one process.
  virtual bool one_process() const = 0;

  /// Copies to another rank; complete only after `quiet`.
  virtual void put(Place to, const std::byte* from, const Rectangle& r) = 0;
  /// Copies from another rank; complete on return.
  virtual void get(std::byte* to, Place from, const Rectangle& r) = 0;
  /// Adds elements to those at another rank, atomically with respect to the adds of other ranks; complete only after
  /// `quiet`.
  virtual void add(Place to, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) = 0;
  /// Waits until all puts and adds of this rank are complete. Returns false if they are not by the deadline.
  virtual bool quiet(Deadline deadline) = 0;

  /// Updates an int32 atomically and rings the bell of its rank. Earlier puts of this rank come before it if `quiet`
  /// was called in between.
  virtual void notify(Place at, pto::comm::NotifyOp op, std::int32_t value) = 0;
  /// Puts the bytes, then adds `value` to the signal.
  virtual void put_and_add(Place to, const std::byte* from, const Rectangle& r, Place signal, std::int32_t value) {
    put(to, from, r);
    quiet(Time::now() + std::chrono::seconds(5));
    notify(signal, pto::comm::NotifyOp::AtomicAdd, value);
  }
  /// Reads an int32 that `notify` updates, with acquire semantics: the work that the notifying rank completed before is
  /// visible afterwards.
  virtual std::int32_t peek(Place at) = 0;

  /// A counter that is incremented when a condition for which this rank may wait has changed.
  virtual std::uint32_t bell() = 0;
  /// Returns when the bell differs from `seen`, at the deadline, or spuriously.
  virtual void sleep(std::uint32_t seen, Deadline deadline) = 0;

  /// Records that this rank has arrived at its next barrier, and returns the number of that barrier.
  virtual std::uint64_t arrive() = 0;
  /// Whether all ranks have arrived at that barrier.
  virtual bool all_arrived(std::uint64_t barrier) = 0;
  /// The ranks that have not arrived, according to the latest information about other nodes.
  virtual std::vector<int> missing(std::uint64_t barrier) = 0;

  /// False if the rank has died, thrown or been lost. A rank that has returned is alive: its memory still exists.
  virtual bool alive(int rank) = 0;
  /// Whether the function of the rank has returned.
  virtual bool returned(int rank) = 0;
  /// Ends the group for every rank. Only the first failure is kept.
  virtual void fail(const Failure& failure) = 0;
  virtual bool failed() const = 0;
  virtual Failure failure() const = 0;

  /// Publishes the operation that this rank executes, and how many of its rows are delivered. `op` is a string literal.
  virtual void progress(const char* op, std::int64_t rows, std::int64_t of_rows) = 0;
  /// The progress of a rank as text: "tscatter, 12 of 40 rows delivered".
  virtual std::string last_op(int rank) = 0;
  /// A number that changes when the rank delivers rows.
  virtual std::uint64_t pulse(int rank) = 0;
};

/// Runs the body on n ranks and returns their results; throws RanksError.
using Runner = std::vector<std::string> (*)(int n, detail::RankBody body, const RanksOptions& options);
std::vector<std::string> run_threads(int n, detail::RankBody body, const RanksOptions& options);
std::vector<std::string> run_processes(int n, detail::RankBody body, const RanksOptions& options);
/// Set by the MPI library of ptox when it is linked; otherwise null.
extern Runner mpi_runner;

}  // namespace ptox::comm
