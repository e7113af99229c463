// SPDX-License-Identifier: Apache-2.0
// Reports indices that are out of range, misaligned or negative, or that select a slot twice.
#pragma once

#include <string>
#include <vector>

#include "engine/issue/machine.hpp"
#include "pto/isa/effect.hpp"

namespace ptox {

/// Checks the indices of an instruction one by one and reports them together.
class IndexWatch {
 public:
  IndexWatch(const char* mnemonic, const pto::instr::Lookup& lookup) : mnemonic_(mnemonic), lookup_(lookup) {}
  enum class Fault { outside, misaligned, negative };

  void see(std::uint32_t value, std::int64_t r, std::int64_t c);
  /// Sets the faults that a block on an accelerator counted: the first of them, how many, and the highest index.
  void count(Fault fault, std::uint32_t value, std::int64_t r, std::int64_t c, std::int64_t times, std::uint32_t high);
  /// The value of an index and its position in the index tile.
  struct Index {
    std::uint32_t value;
    std::int64_t r, c;
  };
  /// The same for aliases: `second` is the first index whose slot an earlier index selects too, `first` is that earlier
  /// one.
  void count_alias(const Index& first, const Index& second, std::int64_t times);
  void report(Core& core, pto::instr::Site site);

 private:
  struct Seen {
    std::int64_t slot;
    std::uint32_t value;
    std::int64_t r, c, order;
  };
  struct Offenders {
    std::int64_t count = 0;
    Seen first{};
    std::uint32_t high = 0;
    void add(const Seen& s);
  };
  struct Alias {
    std::int64_t count = 0;
    Seen first{}, second{};
  };
  Seen seen(std::uint32_t value, std::int64_t r, std::int64_t c, std::int64_t order) const;
  void find_alias();
  std::int64_t given(std::uint32_t value) const;
  std::string position(const Seen& s) const;
  Where where(const Seen& s) const;
  Where where(const Offenders& offenders) const;
  std::string wrap_advice() const;
  void report_range(Core& core, pto::instr::Site site) const;
  void report_negative(Core& core, pto::instr::Site site) const;
  void report_wrap(Core& core, pto::instr::Site site) const;
  void report_alias(Core& core, pto::instr::Site site) const;

  const char* mnemonic_;
  pto::instr::Lookup lookup_;
  std::int64_t order_ = 0;
  Offenders outside_, negative_, misaligned_, wrapped_;
  std::vector<Seen> written_;
  Alias alias_;
};

template <class I>
void watch_indices(Core& core, Machine& m, const typename I::Operands& o, pto::instr::Site site) {
  if constexpr (requires { I::lookup(core.target(), o); }) {
    IndexWatch watch(I::mnemonic, I::lookup(core.target(), o));
    I::indices(m, o, [&](std::uint32_t v, std::int64_t r, std::int64_t c) { watch.see(v, r, c); });
    watch.report(core, site);
  }
}

}  // namespace ptox
