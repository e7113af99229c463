// SPDX-License-Identifier: Apache-2.0
// Checks that all ranks make the same call and that it is valid at each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

#include "comm/member.hpp"

namespace ptox::comm {

/// What all ranks say alike of a call on a table that they share.
struct Terms {
  std::int64_t rows = 0, width = 0, element_bytes = 0;
  std::uint8_t scatters = 0, by_row = 0, op = 0, oob = 0, conflict = 0, dtype = 0;

  const char* name() const;
};

/// What is wrong with a call at one rank; nothing, when `kind` is none.
struct Complaint {
  enum Kind : std::int64_t { none, invalid_argument, out_of_range } kind = none;
  std::string sentence = {};

  /// What the checks throw.
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

/// What a rank tells another before a call moves anything.
struct Notice {
  std::int64_t call = 0;  ///< its number among those on this table
  Terms terms{};
  std::int64_t complaint = Complaint::none;
  std::int64_t count = 0;  ///< rows that it has for the rank it tells
  std::int64_t most = 0;   ///< the most that it has for any rank
  char sentence[448] = {};
};
static_assert(sizeof(Notice) == 512);

/// Where the ranks of a group meet before each call on one table.
class Agreement {
 public:
  /// So many bytes of symmetric memory, zeroed, at that place.
  Agreement(Member& member, std::size_t place) : member_(member), notices_(place) {}
  static std::size_t bytes(const Member& member) {
    return 2 * static_cast<std::size_t>(member.size()) * sizeof(Notice);
  }

  /// Tells every rank and hears every rank; `counts` has the rows for each. All ranks throw alike: the first one's
  /// complaint, or that calls differ.
  void reach(const Terms& terms, const Complaint& complaint, std::span<const std::int64_t> counts);

  /// What that rank said last.
  const Notice& heard(int rank) const;
  /// The most rows that any rank has for any other.
  std::int64_t most() const;

 private:
  std::size_t place(int rank) const;
  void tell(int rank, const Notice& notice);
  void compare(int rank) const;

  Member& member_;
  std::size_t notices_;  ///< a notice a rank, twice: whoever is ahead does not write what another still reads
  std::int64_t calls_ = 0;
};

}  // namespace ptox::comm
