// SPDX-License-Identifier: Apache-2.0
// Converts what blocks on an accelerator found into findings, with the same text as on other targets.
//
// Each finding is reproduced on a core of the host, where the same checks compose its message.
#include <cstring>

#include "engine/core/core.hpp"
#include "engine/launch/accelerator.hpp"
#include "observe/bounds.hpp"
#include "observe/indices.hpp"
#include "pto/isa/all.hpp"
#include "pto/tile/tensor.hpp"

namespace ptox {

namespace {

using pto::instr::Site;
using pto::instr::TileDesc;
using pto::instr::cuda::Found;
using Kind = Found::Kind;

TileDesc tile_of(const Found& f) {
  TileDesc tile;
  std::memcpy(static_cast<void*>(&tile), f.operands, sizeof tile);
  return tile;
}

/// Calls visit.operator()<I>(operands) for the instruction that the finding is about.
template <class V>
void with_instruction(const Found& f, V&& visit) {
  int number = 0;
  pto::instr::AllInstructions::each([&]<class I>() {
    if (number++ != f.instruction) return;
    typename I::Operands o{};
    std::memcpy(static_cast<void*>(&o), f.operands, sizeof o);
    visit.template operator()<I>(o);
  });
}

/// Issues the instruction again, which reports the broken rule before it executes anything.
void break_rule(const Found& f, Site site) {
  with_instruction(f, [&]<class I>(const typename I::Operands& o) {
    if (!I::Rules::hold(current_core().target(), o)) pto::instr::issue<I>(o, ~TargetMask{0}, true, site);
  });
}

void count_indices(const Found& f, Site site) {
  using Fault = IndexWatch::Fault;
  with_instruction(f, [&]<class I>(const typename I::Operands& o) {
    if constexpr (requires { I::lookup(current_core().target(), o); }) {
      IndexWatch watch(I::mnemonic, I::lookup(current_core().target(), o));
      watch.count(f.kind == Kind::index_outside      ? Fault::outside
                  : f.kind == Kind::index_misaligned ? Fault::misaligned
                                                     : Fault::negative,
                  static_cast<std::uint32_t>(f.value[0]), f.value[1], f.value[2], static_cast<std::int64_t>(f.count),
                  static_cast<std::uint32_t>(f.value[3]));
      watch.report(current_core(), site);
    }
  });
}

void alias(const Found& f, Site site) {
  const auto index = [&](int first) {
    return IndexWatch::Index{static_cast<std::uint32_t>(f.value[first]), f.value[first + 1], f.value[first + 2]};
  };
  with_instruction(f, [&]<class I>(const typename I::Operands& o) {
    if constexpr (requires { I::lookup(current_core().target(), o); }) {
      IndexWatch watch(I::mnemonic, I::lookup(current_core().target(), o));
      watch.count_alias(index(0), index(3), static_cast<std::int64_t>(f.count));
      watch.report(current_core(), site);
    }
  });
}

void outside_allocation(const Found& f, Site site) {
  with_instruction(f, [&]<class I>(const typename I::Operands&) {
    BoundsWatch watch;
    watch.count(f.name, f.value[0], f.value[1], static_cast<std::size_t>(f.value[2]),
                static_cast<std::int64_t>(f.count));
    watch.report(current_core(), I::mnemonic, site);
  });
}

void null_tensor(const Found& f, Site site) {
  std::string mnemonic;
  with_instruction(f, [&]<class I>(const typename I::Operands&) { mnemonic = I::mnemonic; });
  report_null(current_core(), mnemonic, f.name, f.value[0], site);
}

/// Places an automatic tile again, in a buffer whose first value[0] bytes are in use.
void settle_beside(const Found& f, Site site) {
  pto::instr::detail::Place place;
  current_core().space(tile_of(f).loc).hold(0, f.value[0]);
  pto::instr::detail::settle(place, tile_of(f), site);
}

void assign(const Found& f, Site site) {
  pto::instr::detail::Place place;
  Space& space = current_core().space(tile_of(f).loc);
  if (f.kind == Kind::clobber) {
    space.hold(0, f.value[1]);
    space.take(f.value[2] - f.value[1], space.bytes(), {});
  }
  pto::instr::detail::assign(place, tile_of(f), f.value[0], site);
}

void too_many_tiles(const Found& f, Site site) {
  current_core().report({.kind = FindingKind::ub_overflow,
                         .message = "a block keeps the places of " + std::to_string(f.value[0]) +
                                    " tiles; this is one more. Let some die, or put them side by side with TASSIGN",
                         .where = {{FindingField::instruction, "tile"}, {FindingField::capacity, f.value[0]}},
                         .cause = f.name},
                        site);
}

void say(const Found& f, Site site) {
  namespace told = pto::instr::detail;
  switch (f.kind) {
    case Kind::illegal:
      return break_rule(f, site);
    case Kind::null_tensor:
      return null_tensor(f, site);
    case Kind::index_outside:
    case Kind::index_misaligned:
    case Kind::index_negative:
      return count_indices(f, site);
    case Kind::index_twice:
      return alias(f, site);
    case Kind::outside_allocation:
      return outside_allocation(f, site);
    case Kind::no_room:
      return settle_beside(f, site);
    case Kind::past_end:
    case Kind::misaligned:
    case Kind::clobber:
      return assign(f, site);
    case Kind::too_many_tiles:
      return too_many_tiles(f, site);
    case Kind::outside_tile:
      return told::outside_tile(f.name, f.value[0], f.value[1], f.value[2], f.value[3], site);
    case Kind::outside_elements:
      return void(told::element_address({}, tile_of(f), f.value[0], std::strcmp(f.name, "SetValue") == 0, site));
    case Kind::valid_contradicts:
      return told::valid_contradicts(f.name, f.value[0], f.value[1], site);
    case Kind::extent_contradicts:
      return told::extent_contradicts(f.name, static_cast<int>(f.value[0]), f.value[1], f.value[2], site);
    case Kind::no_such_dim:
      return told::no_such_dim(f.name, static_cast<int>(f.value[0]), site);
  }
}

}  // namespace

void report_found(const Target& target, const pto::instr::cuda::LaunchResult& result, SiteBook& sites, FindingLog& log,
                  OwnerLog& owners) {
  if (!result.any_found) return;
  for (const Found& f : result.found) {
    if (f.state == 0) continue;
    Core core(target, Check::all);
    const CoreScope scope(core);
    core.start({.block = f.block});
    say(f, sites.add(f.file, f.line));
    owners.merge(std::move(core.space(pto::TileType::Vec).owners()));
    for (Finding& finding : core.log().take()) {
      if (finding.count == 1) finding.count = static_cast<std::int64_t>(f.count);
      log.add(std::move(finding));
    }
  }
}

}  // namespace ptox
