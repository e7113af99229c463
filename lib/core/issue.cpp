// SPDX-License-Identifier: Apache-2.0
// What happens when an instruction is issued? Verdict, findings, observers, body.
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/body.hpp"
#include "core/core.hpp"
#include "cpu/bodies.hpp"
#include "observe/bounds.hpp"
#include "observe/indices.hpp"
#include "pto/isa/all.hpp"

namespace pto::instr {

using ptox::Core;
using ptox::Severity;

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
    core.report("illegal", Severity::error,
                std::string(I::mnemonic) + " " + R::label.code + ": " + R::label.sentence + "; " + values.c_str(), site,
                R::label.code);
  });
}

bool usable(Core& core, const char* mnemonic, const char* operand, const TensorDesc& t, Site site) {
  const bool packed =
      core.target().row_address == ptox::RowAddress::packed;  // which counts Shape[3] rows whatever is outside
  if (t.base || (t.numel() == 0 && !(packed && t.shape[3] > 0))) [[likely]]
    return true;
  core.report("oob-gm", Severity::error,
              std::string(mnemonic) + ": " + operand + " has a null pointer and " + std::to_string(t.numel()) +
                  " elements. The instruction does nothing",
              site, operand);
  return false;
}

bool usable(Core& core, const char* mnemonic, const char* operand, const TileDesc& t, Site site) {
  if (t.offset == TileDesc::refused) return false;  // said when it found no room
  ptox::Space& space = core.space(t.loc);
  if (t.offset >= 0 && t.offset <= space.bytes() - t.bytes()) [[likely]]
    return true;
  const std::string subject = std::string(mnemonic) + ": " + operand;
  if (t.offset < 0)
    core.report("illegal", Severity::error, subject + " V4: a tile has a place; it has none", site, operand);
  else
    core.report("ub-overflow", Severity::error,
                subject + " takes " + std::to_string(t.bytes()) + " bytes at " + std::to_string(t.offset) + ", " +
                    ptox::space_name(t.loc) + " has " + std::to_string(space.bytes()),
                site, operand);
  return false;
}

/// Every tensor has a base and every tile a place.
template <class I>
bool all_usable(Core& core, const typename I::Operands& o, Site site) {
  bool ok = true;
  I::OperandList::each(o, [&]<class F>(F, const auto& d) { ok = usable(core, I::mnemonic, F::name, d, site) && ok; });
  return ok;
}

template <class I>
void note_inference(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (requires { o.policy.coalesce.ambiguous; })
    if (o.policy.coalesce.ambiguous)
      core.report("inferred-row", Severity::note,
                  std::string(I::mnemonic) +
                      " takes one index a row; the shapes fit Coalesce::Elem too. Spell the one you mean",
                  site);
}

/// Whether rows wider than their tile stay in the buffer.
template <class I>
bool within_buffer(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (requires { I::reach(core.target(), o); }) {
    const Reach reach = I::reach(core.target(), o);
    const std::int64_t room = core.space(reach.tile.loc).bytes();
    if (reach.end <= room) [[likely]]
      return true;
    core.report("ub-overflow", Severity::error,
                std::string(I::mnemonic) + " moves whole NZ rows, which reach byte " + std::to_string(reach.end) +
                    " from " + reach.operand + " of " + std::to_string(reach.tile.cols) + " columns; " +
                    ptox::space_name(reach.tile.loc) + " has " + std::to_string(room) + ". Give " + reach.operand +
                    " the table's logical columns",
                site, reach.operand);
    return false;
  }
  return true;
}

/// Whether the machine can run it in this launch: lanes need the set-up that a direct call leaves out.
template <class I>
bool machine_takes(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (requires { I::on_lanes(core.target(), o); })
    if (core.run().direct && I::on_lanes(core.target(), o)) {
      core.report("simt-launch", Severity::error,
                  std::string(I::mnemonic) +
                      " runs on SIMT lanes, which a direct call does not set up: the machine hangs. Launch the kernel",
                  site);
      return false;
    }
  return true;
}

/// A tile that is written and overlaps another operand of the same instruction.
template <class I>
void report_overlap(Core& core, const typename I::Operands& o, Site site) {
  I::OperandList::each(o, [&]<class F>(F, const auto& written) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(written)>, TileDesc> &&
                  (F::role == Role::out || F::role == Role::inout))
      I::OperandList::each(o, [&]<class G>(G, const auto& other) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(other)>, TileDesc> && !std::is_same_v<F, G>)
          if (written.loc == other.loc && written.offset < other.end() && other.offset < written.end())
            core.report("ub-clobber", Severity::error,
                        std::string(I::mnemonic) + ": " + F::name + " at " + std::to_string(written.offset) + " to " +
                            std::to_string(written.end()) + " overlaps " + G::name + " at " +
                            std::to_string(other.offset) + " to " + std::to_string(other.end()),
                        site, F::name);
      });
  });
}

/// Tells the core's watch what the instruction touches, between the flags that it sets by itself.
template <class I>
void watch_order(Core& core, const typename I::Operands& o, Site site) {
  static thread_local std::vector<Effect> effects;
  static thread_local std::vector<ptox::OrderWatch::Operand> operands;
  effects.clear(), operands.clear();
  ptox::Machine m(core, site);
  OwnFlags own{};
  bool plain_update = false;
  if constexpr (requires { I::own_flags(core.target(), o); }) {
    if (core.ordered()) own = I::own_flags(core.target(), o);
    if constexpr (requires { o.policy.op; })
      plain_update =
          core.ordered() && !core.target().simt && o.policy.coalesce.elem() && o.policy.op != ScatterAtomicOp::None;
  }
  for (const FlagPair& p : own.before)
    if (p.src != p.dst) m.own_pair(I::mnemonic, p.src, p.dst);
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>) operands.push_back({F::name, &d});
  });
  I::effects(m, o, [&](const Effect& e) { effects.push_back(e); });
  if (!effects.empty()) core.order().instruction(core, I::mnemonic, site, effects, operands, plain_update);
  for (const FlagPair& p : own.after)
    if (p.src != p.dst) m.own_pair(I::mnemonic, p.src, p.dst);
}

/// Whether the observers let it run.
template <class I>
bool observed(Core& core, const typename I::Operands& o, Site site) {
  note_inference<I>(core, o, site);
  ptox::watch_indices<I>(core, o, site);
  if (!ptox::within_bounds<I>(core, o, site)) return false;
  if (!machine_takes<I>(core, o, site)) return false;
  if (core.ordered()) report_overlap<I>(core, o, site);
  watch_order<I>(core, o, site);
  return true;
}

}  // namespace

template <class I>
void issue(const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  Core& core = ptox::current_core();
  if (!(legal & ptox::bit(core.target())) || (open && !I::Rules::hold(core.target(), o))) [[unlikely]]
    return report_illegal<I>(core, o, site);
  if (!all_usable<I>(core, o, site) || !within_buffer<I>(core, o, site)) [[unlikely]]
    return;
  if (core.checked() && !observed<I>(core, o, site)) return;
  ptox::execute<I>(core, o, site);
}

// Taking every address emits every instance: all.hpp is the only list.
template <class... I>
struct Entries {
  std::tuple<decltype(&issue<I>)...> entries{&issue<I>...};
};
template <class... I>
Entries<I...> entries_of(InstructionList<I...>);

extern const decltype(entries_of(AllInstructions{})) issue_entries;
const decltype(entries_of(AllInstructions{})) issue_entries;

}  // namespace pto::instr
