// SPDX-License-Identifier: Apache-2.0
// Issues an instruction: checks its legality, reports findings, and dispatches to the host or to a machine model.
#include "engine/issue/issue.hpp"

#include <string>
#include <tuple>

#include "engine/core/core.hpp"
#include "engine/issue/dispatch.hpp"
#include "engine/issue/recording.hpp"
#include "pto/comm/all.hpp"

namespace pto::instr {

using ptox::Core;
using ptox::FindingField;
using ptox::FindingKind;

namespace {

/// Reports the first rule of the target that the operands break.
template <class I>
void report_illegal(Core& core, const typename I::Operands& o, Site site) {
  bool found = false;
  I::Rules::each([&]<class R>() {
    if (found || R::holds(core.target(), o)) return;
    found = true;
    Text values;
    R::shows(values, core.target(), o);
    core.report(
        {.kind = FindingKind::illegal,
         .message = std::string(I::mnemonic) + " " + R::label.code + ": " + R::label.sentence + "; " + values.c_str(),
         .where = {{FindingField::instruction, I::mnemonic}, {FindingField::rule, R::label.code}},
         .cause = R::label.code},
        site);
  });
}

bool usable(Core& core, const char* mnemonic, const char* operand, const TensorDesc& t, Site site) {
  const bool packed =
      core.target().row_address == ptox::RowAddress::packed;  // packed: Shape[3] rows, even where an outer extent is 0
  if (t.base || (t.numel() == 0 && !(packed && t.shape[3] > 0))) [[likely]]
    return true;
  ptox::report_null(core, mnemonic, operand, t.numel(), site);
  return false;
}

bool usable(Core& core, const char* mnemonic, const char* operand, const TileDesc& t, Site site) {
  if (t.offset == TileDesc::refused) return false;  // reported when no place was found for it
  ptox::Space& space = core.space(t.loc);
  if (t.offset >= 0 && t.offset <= space.bytes() - t.bytes()) [[likely]]
    return true;
  const std::string subject = std::string(mnemonic) + ": " + operand;
  if (t.offset < 0)
    core.report(
        {.kind = FindingKind::illegal,
         .message = subject + " V4: a tile has a place; it has none",
         .where = {{FindingField::instruction, mnemonic}, {FindingField::operand, operand}, {FindingField::rule, "V4"}},
         .cause = operand},
        site);
  else
    core.report({.kind = FindingKind::ub_overflow,
                 .message = subject + " takes " + std::to_string(t.bytes()) + " bytes at " + std::to_string(t.offset) +
                            ", " + ptox::space_name(t.loc) + " has " + std::to_string(space.bytes()),
                 .where = {{FindingField::instruction, mnemonic},
                           {FindingField::operand, operand},
                           {FindingField::offset, t.offset},
                           {FindingField::bytes, t.bytes()},
                           {FindingField::capacity, space.bytes()}},
                 .cause = operand},
                site);
  return false;
}

/// Whether the memory of the tensor is mapped at this rank; reports it otherwise.
bool mapped(Core& core, const char* mnemonic, const char* operand, const TensorDesc& t, Site site) {
  const int rank = ptox::unmapped_rank(core, t);
  if (rank < 0) return true;
  core.report({.kind = FindingKind::illegal,
               .message = std::string(mnemonic) + ": " + operand + " lies at rank " + std::to_string(rank) +
                          ", whose memory is not mapped here. TLOAD, TSTORE and the collectives reach it",
               .where = {{FindingField::instruction, mnemonic},
                         {FindingField::operand, operand},
                         {FindingField::other_rank, rank}},
               .cause = operand},
              site);
  return false;
}
bool mapped(Core&, const char*, const char*, const TileDesc&, Site) { return true; }

/// Whether every tensor has a base and every tile a place; reports those that have none.
template <class I>
bool all_usable(Core& core, const typename I::Operands& o, Site site) {
  bool ok = true;
  I::OperandList::each(o, [&]<class F>(F, const auto& d) {
    ok = usable(core, I::mnemonic, F::name, d, site) && ok;
    if constexpr (!ptox::reaches_remote<I>)
      if (core.unmapped()) [[unlikely]]
        ok = mapped(core, I::mnemonic, F::name, d, site) && ok;
  });
  return ok;
}

/// Whether rows that are wider than their tile stay in the buffer; reports them otherwise.
template <class I>
bool within_buffer(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (requires { I::reach(core.target(), o); }) {
    const Reach reach = I::reach(core.target(), o);
    const std::int64_t room = core.space(reach.tile.loc).bytes();
    if (reach.end <= room) [[likely]] {
      if (reach.end > reach.tile.end()) core.space(reach.tile.loc).reach(reach.tile.end(), reach.end);
      return true;
    }
    core.report({.kind = FindingKind::ub_overflow,
                 .message = std::string(I::mnemonic) + " moves whole NZ rows, which reach byte " +
                            std::to_string(reach.end) + " from " + reach.operand + " of " +
                            std::to_string(reach.tile.cols) + " columns; " + ptox::space_name(reach.tile.loc) +
                            " has " + std::to_string(room) + ". Give " + reach.operand + " the table's logical columns",
                 .where = {{FindingField::instruction, I::mnemonic},
                           {FindingField::operand, reach.operand},
                           {FindingField::offset, reach.tile.offset},
                           {FindingField::end, reach.end},
                           {FindingField::capacity, room}},
                 .cause = reach.operand},
                site);
    return false;
  }
  return true;
}

template <class I>
void run_on_machine(Core& core, const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  if (core.ended()) [[unlikely]]
    return;
  if (core.recorder()) [[unlikely]]
    record<I>(core, o, legal, open, site);
  if constexpr (requires { I::pipes(core.target(), o); }) return dispatch<I>(core, o, site);
  ptox::Machine m(core, site);
  I::meaning(m, o);
}

template <class I, bool watched>
void pass_door(const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  Core& core = ptox::current_core();
  if (!(legal & ptox::bit(core.target())) || (open && !I::Rules::hold(core.target(), o))) [[unlikely]]
    return report_illegal<I>(core, o, site);
  if (!all_usable<I>(core, o, site)) [[unlikely]]
    return;
  if (core.target().native) return on_host<I, watched>(core, o, site);
  if (!within_buffer<I>(core, o, site)) [[unlikely]]
    return;
  run_on_machine<I>(core, o, legal, open, site);
}

}  // namespace

template <class I>
void issue(const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  pass_door<I, true>(o, legal, open, site);
}

namespace {

/// The operands of a call site, completed with the offsets of tiles and the addresses of tensors in `where`.
template <class I>
typename I::Operands placed(typename I::Operands o, const std::int64_t* where) {
  I::OperandList::each(o, [&]<class F, class D>(F, D& d) {
    if constexpr (std::is_same_v<D, TileDesc>)
      d.offset = *where++;
    else
      d.base = reinterpret_cast<void*>(*where++);
  });
  return o;
}

template <class I>
[[gnu::noinline]] void issue_placed(const CallSite<I>& call, const std::int64_t* where, Site site) {
  issue<I>(placed<I>(call.type, where), call.legal, false, site);
}

}  // namespace

template <class I>
void issue_at(Core* core, const CallSite<I>& call, const std::int64_t* where, Site site) {
  if (core && core->bare() && ptox::NativeBody<I>::ready(*core, call.move, where)) [[likely]]
    return ptox::NativeBody<I>::run(*core, call.move, where);
  issue_placed(call, where, site);
}

template <class I>
bool run_here(Core& core, const HostMove& move, const std::int64_t* where) {
  const bool ready = ptox::NativeBody<I>::ready(core, move, where);
  if (ready) ptox::NativeBody<I>::run(core, move, where);
  return ready;
}

void issue_unwatched(const Mgather::Operands& o, TargetMask legal, bool open, Site site) {
  pass_door<Mgather, false>(o, legal, open, site);
}

// Taking the address of each function template instance instantiates it; all.hpp is the only list of instructions.
template <class... I>
struct Entries {
  std::tuple<decltype(&issue<I>)...> entries{&issue<I>...};
};
template <class... I>
Entries<I...> entries_of(InstructionList<I...>);

template <class I>
constexpr auto closed_entry() {
  if constexpr (requires(const typename I::Operands& o) { I::host_move(o); })
    return std::pair(&issue_at<I>, &run_here<I>);
  else
    return nullptr;
}
template <class... I>
struct ClosedEntries {
  std::tuple<decltype(closed_entry<I>())...> entries{closed_entry<I>()...};
};
template <class... I>
ClosedEntries<I...> closed_entries_of(InstructionList<I...>);

extern const decltype(closed_entries_of(AllInstructions{})) closed_entries;
const decltype(closed_entries_of(AllInstructions{})) closed_entries;

extern const decltype(entries_of(AllInstructions{})) issue_entries;
const decltype(entries_of(AllInstructions{})) issue_entries;

extern const decltype(entries_of(AddressInstructions{})) address_entries;
const decltype(entries_of(AddressInstructions{})) address_entries;

extern const decltype(entries_of(CommInstructions{})) comm_entries;
const decltype(entries_of(CommInstructions{})) comm_entries;

}  // namespace pto::instr
