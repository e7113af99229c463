// SPDX-License-Identifier: Apache-2.0
// Checks that all ranks make the same call and that it is valid on each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "comm/group/member.hpp"

namespace ptox::comm {

/// The parameters of a call on a distributed table, which must be equal on all ranks.
struct Terms {
  std::int64_t rows = 0, width = 0, element_bytes = 0;
  std::uint8_t scatters = 0, by_row = 0, op = 0, oob = 0, conflict = 0, dtype = 0;

  const char* name() const;
};

/// The error of a call on one rank; there is none when `kind` is none.
struct Complaint {
  enum Kind : std::int64_t { none, invalid_argument, out_of_range } kind = none;
  std::string sentence = {};

  /// Runs the checks and converts the exception that they throw, if any.
  template <class Checks>
  static Complaint of(Checks&& checks) {
    try {
      checks();
    } catch (const std::invalid_argument& e) {
      return {invalid_argument, e.what()};
    } catch (const std::out_of_range& e) {
      return {out_of_range, e.what()};
    }
    return {};
  }
};

/// The message that a rank sends to every rank before a call moves data.
struct Notice {
  std::int64_t call = 0;  ///< the number of the call among those on this table
  Terms terms{};
  std::int64_t complaint = Complaint::none;
  std::int64_t count = 0;  ///< how many rows the sender exchanges with the receiver, which owns them
  std::int64_t most = 0;   ///< the largest such count of the sender for any receiver
  char sentence[448] = {};
};
static_assert(sizeof(Notice) == 512);

/// Exchanges the parameters and errors of each call on one table between all ranks of the group.
class Agreement {
 public:
  /// `place`: the offset of bytes(member) zeroed bytes of symmetric memory.
  Agreement(Member& member, std::size_t place) : member_(member), notices_(place) {}
  static std::size_t bytes(const Member& member) {
    return 2 * static_cast<std::size_t>(member.size()) * sizeof(Notice);
  }

  /// Collective: exchanges notices with all ranks; `counts` has the number of rows for each rank. All ranks throw the
  /// same exception: the complaint of the lowest rank that has one, or a sentence about calls that differ.
  void reach(const Terms& terms, const Complaint& complaint, std::span<const std::int64_t> counts);

  /// The latest notice of a rank.
  const Notice& heard(int rank) const;
  /// The largest number of rows that any rank exchanges with any other.
  std::int64_t most() const;

 private:
  std::size_t place(int rank) const;
  void tell(int rank, const Notice& notice);
  void compare(int rank) const;

  Member& member_;
  /// Two notices for each rank, used alternately: a rank that is one call ahead does not overwrite a notice that is
  /// still being read.
  std::size_t notices_;
  std::int64_t calls_ = 0;
};

}  // namespace ptox::comm
