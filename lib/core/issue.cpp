// SPDX-License-Identifier: Apache-2.0
// What happens when an instruction is issued? Verdict, findings, observers, body.
#include "core/issue.hpp"

#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "core/body.hpp"
#include "core/core.hpp"
#include "core/hex.hpp"
#include "cpu/bodies.hpp"
#include "observe/bounds.hpp"
#include "observe/indices.hpp"
#include "pto/isa/all.hpp"

namespace pto::instr {

using ptox::Core;
using ptox::Severity;

namespace {

constexpr std::int64_t aligned_up(std::int64_t n) {
  return (n + BLOCK_BYTE_SIZE - 1) / BLOCK_BYTE_SIZE * BLOCK_BYTE_SIZE;
}

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

using Phase = ptox::OrderWatch::Phase;

template <class I>
bool updates_plainly(Core& core, const typename I::Operands& o) {
  if constexpr (requires { I::updates_plainly(core.target(), o); }) return I::updates_plainly(core.target(), o);
  return false;
}

/// Lets the observers see a phase of an instruction. False: it must not run.
template <class I>
bool observed(Core& core, ptox::Machine& m, const typename I::Operands& o, Site site, Phase phase) {
  static thread_local std::vector<Effect> effects;
  static thread_local std::vector<ptox::OrderWatch::Operand> operands;
  effects.clear(), operands.clear();
  I::effects(m, o, [&](const Effect& e) { effects.push_back(e); });
  if (phase != Phase::data) ptox::watch_indices<I>(core, m, o, site);
  if (phase != Phase::scalar && !ptox::within_bounds<I>(core, o, effects, site)) return false;
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>) operands.push_back({F::name, &d});
  });
  if (!effects.empty())
    core.order().instruction(core, I::mnemonic, site, effects, operands, updates_plainly<I>(core, o), phase);
  return true;
}

/// Observers and body, on the pipe that does the work.
template <class I, bool watched = true>
void run(Core& core, const typename I::Operands& o, Site site, const ptox::Machine::Indices* indices, Phase phase) {
  ptox::Machine m(core, site, indices);
  if constexpr (watched)
    if (core.checked() && !observed<I>(core, m, o, site, phase)) return;
  ptox::execute<I>(core, m, o);
}

/// The indices as S reads them now, row by row.
template <class I>
ptox::Machine::Indices read_indices(Core& core, const typename I::Operands& o, Site site) {
  ptox::Machine::Indices values;
  if constexpr (requires { o.idx.valid_cols; }) {
    ptox::Machine m(core, site);
    walk(o.idx.valid_rows, o.idx.valid_cols, o.idx.valid_cols,
         [&](std::int64_t r, std::int64_t c) { values.push_back(m.index(o.idx, r, c)); });
  }
  return values;
}

/// Into its pipe's queue; where S reads the indices at issue, it does so here.
template <class I>
void queue(Core& core, const typename I::Operands& o, IndexedPipes pipes, Site site) {
  if (pipes.index == pipes.data)
    return core.schedule().post(pipes.data, site, [&core, o, site] { run<I>(core, o, site, nullptr, Phase::both); });
  ptox::Machine m(core, site);
  if (core.checked()) observed<I>(core, m, o, site, Phase::scalar);
  core.schedule().post(pipes.data, site, [&core, o, site, indices = read_indices<I>(core, o, site)] {
    run<I>(core, o, site, &indices, Phase::data);
  });
}

/// Whether the machine's DMA takes the tiles that it moves; it drops a burst at a buffer address that is not a multiple
/// of 32.
template <class I>
bool dma_takes(Core& core, const typename I::Operands& o, IndexedPipes pipes, Site site) {
  if (!core.target().drops_misaligned || (pipes.data != PIPE_MTE2 && pipes.data != PIPE_MTE3)) return true;
  bool takes = true;
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>) {
      const bool moved = F::role != Role::scratch && (pipes.index == pipes.data || std::string_view(F::name) != "idx");
      if (!moved || d.offset % BLOCK_BYTE_SIZE == 0) return;
      takes = false;
      if (core.checked())
        core.report("dma-dropped", Severity::error,
                    std::string(I::mnemonic) + ": " + F::name + " lies at " + ptox::hex(d.offset) +
                        ", and the DMA drops every burst whose buffer address is not a multiple of 32: nothing is "
                        "moved. Put it at " +
                        ptox::hex(aligned_up(d.offset)),
                    site, F::name);
    }
  });
  return takes;
}

/// The way of an instruction on a machine: its own flags, its pipe, its own flags.
template <class I>
void dispatch(Core& core, const typename I::Operands& o, Site site) {
  if (core.checked()) {
    note_inference<I>(core, o, site);
    if (!machine_takes<I>(core, o, site)) return;
    report_overlap<I>(core, o, site);
  }
  OwnFlags own{};
  if constexpr (requires { I::own_flags(core.target(), o); }) own = I::own_flags(core.target(), o);
  ptox::Machine m(core, site);
  const auto pairs = [&](const auto& list) {
    for (const FlagPair& p : list)
      if (p.src != p.dst) m.own_pair(I::mnemonic, p.src, p.dst);
  };
  const IndexedPipes pipes = I::pipes(core.target(), o);
  pairs(own.before);
  if (!dma_takes<I>(core, o, pipes, site)) return pairs(own.after);
  if (core.schedule().runs_now(pipes.data)) {
    core.schedule().enter(pipes.data);
    run<I>(core, o, site, nullptr, Phase::both);
  } else {
    queue<I>(core, o, pipes, site);
  }
  pairs(own.after);
}

/// Where an effect lies: in a buffer of the core, or in global memory.
template <class I>
ptox::Step::Touch placed(Core& core, const typename I::Operands& o, const Effect& e, const std::byte* at) {
  int space = -1;
  auto begin = reinterpret_cast<std::uint64_t>(at);
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>)
      if (F::name == e.operand) {
        space = ptox::space_of(d.loc);
        begin = static_cast<std::uint64_t>(at - core.space(d.loc).base());
      }
  });
  return {e.pipe, e.access, space, begin, begin + static_cast<std::uint64_t>(e.range.bytes)};
}

/// Hands the step to the recorder before it is done.
template <class I>
void record(Core& core, const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  ptox::Step step;
  step.mnemonic = I::mnemonic, step.site = site, step.block = core.run().block;
  step.again = [o, legal, open, site] { issue<I>(o, legal, open, site); };
  if constexpr (std::is_same_v<I, SetFlag> || std::is_same_v<I, WaitFlag>)
    step.kind = std::is_same_v<I, SetFlag> ? ptox::Step::Kind::set : ptox::Step::Kind::wait, step.src = o.src,
    step.dst = o.dst, step.id = o.id;
  else if constexpr (std::is_same_v<I, PipeBarrier>)
    step.kind = ptox::Step::Kind::barrier, step.src = o.pipe;
  if constexpr (requires { I::own_flags(core.target(), o); }) step.own = I::own_flags(core.target(), o);
  step.plain_update = updates_plainly<I>(core, o);
  ptox::Machine m(core, site);
  I::effects(m, o, [&](const Effect& e) {
    for (std::int64_t k = 0; k < e.range.count && e.range.begin; ++k)
      step.touches.push_back(placed<I>(core, o, e, e.range.begin + k * e.range.step));
  });
  core.recorder()->take(std::move(step));
}

/// The host does everything at once.
template <class I, bool watched>
void run_native(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (watched)
    if (core.checked()) note_inference<I>(core, o, site);
  run<I, watched>(core, o, site, nullptr, Phase::both);
}

template <class I>
void run_on_machine(Core& core, const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  if (core.recorder()) [[unlikely]]
    record<I>(core, o, legal, open, site);
  if constexpr (requires { I::pipes(core.target(), o); })
    dispatch<I>(core, o, site);
  else
    run<I>(core, o, site, nullptr, Phase::both);
}

template <class I, bool watched>
void pass_door(const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  Core& core = ptox::current_core();
  if (!(legal & ptox::bit(core.target())) || (open && !I::Rules::hold(core.target(), o))) [[unlikely]]
    return report_illegal<I>(core, o, site);
  if (!all_usable<I>(core, o, site) || !within_buffer<I>(core, o, site)) [[unlikely]]
    return;
  if (core.target().native) return run_native<I, watched>(core, o, site);
  run_on_machine<I>(core, o, legal, open, site);
}

}  // namespace

template <class I>
void issue(const typename I::Operands& o, TargetMask legal, bool open, Site site) {
  pass_door<I, true>(o, legal, open, site);
}

void issue_unwatched(const Mgather::Operands& o, TargetMask legal, bool open, Site site) {
  pass_door<Mgather, false>(o, legal, open, site);
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
