// SPDX-License-Identifier: Apache-2.0
// Runs one function on several ranks that can address each other's memory.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "ptox/device.hpp"

namespace ptox {

/// How ranks run and exchange data.
enum class Engine : std::uint8_t {
  threads,    ///< ranks are threads of this process
  processes,  ///< ranks are forked from this process and share memory
  mpi         ///< ranks are the processes of an MPI job; needs ptox::mpi
};

struct RanksOptions {
  /// Target of the device of every rank: that of PTOX_TARGET, which `ptox check` sets, else cpu.
  std::reference_wrapper<const Target> target = default_target();
  std::chrono::milliseconds deadline{5000};   ///< time limit of every wait for another rank
  std::optional<Check> check = std::nullopt;  ///< empty: off on cpu, all on a2a3 and a5
  std::size_t symmetric_bytes = 0;            ///< maximum per rank; 0: a large reservation, committed when touched
};

/// Thrown when a group of ranks ended before its work was done. It holds the reason as a sentence, the kind of the
/// finding that ended the group, if a finding did, and the ranks concerned. what() is the sentence, preceded by the
/// name of the kind in brackets.
class RanksError : public std::runtime_error {
 public:
  RanksError(std::optional<FindingKind> kind, const std::string& sentence, std::vector<int> ranks)
      : std::runtime_error((kind ? std::string("[") + name(*kind) + "] " : std::string()) + sentence),
        kind_(kind),
        id_(kind ? name(*kind) : ""),
        sentence_(sentence),
        ranks_(std::move(ranks)) {}
  const std::optional<FindingKind>& kind() const { return kind_; }
  /// The name of the kind; empty where no finding ended the group.
  const std::string& id() const { return id_; }
  const std::string& sentence() const { return sentence_; }
  const std::vector<int>& ranks() const { return ranks_; }

 private:
  std::optional<FindingKind> kind_;
  std::string id_, sentence_;
  std::vector<int> ranks_;
};

namespace comm {
class Member;
}

namespace detail {
/// Allocates `count` zeroed elements of symmetric memory and returns their byte offset in it.
std::size_t symmetric_place(comm::Member&, std::int64_t count, std::size_t element_bytes);
/// The address at which this rank accesses the byte offset `place` in the symmetric memory of `rank`. Throws
/// std::out_of_range when the rank does not exist.
void* symmetric_address(comm::Member&, std::size_t place, int rank);
}  // namespace detail

/// Symmetric memory: every rank has it at the same offset of its own memory. It exists as long as the group.
template <class T>
class Symmetric {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Symmetric(comm::Member& member, std::int64_t count, int id)
      : member_(&member), place_(detail::symmetric_place(member, count, sizeof(T))), count_(count), data_(at(id)) {}

  /// The memory of this rank.
  T* data() const { return data_; }
  /// The memory of rank k, for tensors of instructions and collectives. Host code may dereference it only with engines
  /// that map it, which are threads and processes.
  T* at(int k) const { return static_cast<T*>(detail::symmetric_address(*member_, place_, k)); }
  std::int64_t size() const { return count_; }
  std::span<T> span() const { return {data_, static_cast<std::size_t>(count_)}; }
  T& operator[](std::int64_t i) const { return data_[i]; }
  /// The offset of the first byte from the beginning of a rank's symmetric memory.
  std::size_t place() const { return place_; }

 private:
  comm::Member* member_;
  std::size_t place_;
  std::int64_t count_;
  T* data_;
};

/// The rank that executes the function given to run_ranks.
class Rank {
 public:
  explicit Rank(comm::Member& member) : member_(&member) {}

  int id() const;
  int size() const;
  /// The device of this rank; the devices of all ranks have the same target.
  Device& device() const;
  /// `count` zeroed elements on every rank. All ranks request the same sizes in the same order; a difference ends the
  /// group.
  template <class T>
  Symmetric<T> symmetric(std::int64_t count) const {
    return {*member_, count, id()};
  }
  /// Returns when every rank has arrived; everything they did before is complete. Throws RanksError when a rank does
  /// not arrive within the deadline or any rank fails, which ends the group.
  void barrier() const;
  /// For parts of the library that are built on ranks.
  comm::Member& member() const { return *member_; }

 private:
  comm::Member* member_;
};

namespace detail {

using RankBody = std::function<std::string(Rank&)>;
/// The result of each rank; throws RanksError.
std::vector<std::string> run_ranks(int n, Engine engine, RankBody body, const RanksOptions& options);

template <class R>
std::string as_bytes(const R& value) {
  if constexpr (std::is_same_v<R, std::string>) {
    return value;
  } else {
    static_assert(std::is_trivially_copyable_v<R>, "a rank's answer is plain data or a std::string");
    return {reinterpret_cast<const char*>(&value), sizeof value};
  }
}
template <class R>
R from_bytes(const std::string& bytes) {
  if constexpr (std::is_same_v<R, std::string>) {
    return bytes;
  } else {
    R value;
    std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
    return value;
  }
}

}  // namespace detail

/// Runs f(Rank&) on n ranks, waits until all have returned, and returns their results by rank if f returns a value. A
/// rank that throws, dies or breaks a rule of a collective ends the others at their next wait, barrier or return, and
/// RanksError is thrown. A thread cannot be killed: one that does not reach its next wait within the deadline keeps
/// running with its copy of f.
template <class F>
auto run_ranks(int n, Engine engine, F f, const RanksOptions& options = {}) {
  using R = std::invoke_result_t<F&, Rank&>;
  if constexpr (std::is_void_v<R>) {
    detail::run_ranks(n, engine, [f = std::move(f)](Rank& r) mutable { return f(r), std::string(); }, options);
  } else {
    const auto answers = detail::run_ranks(
        n, engine, [f = std::move(f)](Rank& r) mutable { return detail::as_bytes<R>(f(r)); }, options);
    std::vector<R> values;
    for (const std::string& bytes : answers) values.push_back(detail::from_bytes<R>(bytes));
    return values;
  }
}

}  // namespace ptox
