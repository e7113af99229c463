// SPDX-License-Identifier: Apache-2.0
// Runs an instruction: on the host immediately, on a machine model on its pipe, with observers and time estimate.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "engine/core/core.hpp"
#include "engine/issue/body.hpp"
#include "engine/issue/host_bodies.hpp"
#include "engine/report/hex.hpp"
#include "observe/bounds.hpp"
#include "observe/cost.hpp"
#include "observe/indices.hpp"

namespace pto::instr {

using ptox::Core;
using ptox::FindingField;
using ptox::FindingKind;
using ptox::Machine;
using Phase = ptox::OrderWatch::Phase;

template <class I>
void note_inference(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (requires { o.policy.coalesce.ambiguous; })
    if (o.policy.coalesce.ambiguous)
      core.report({.kind = FindingKind::inferred_row,
                   .message = std::string(I::mnemonic) +
                              " takes one index a row; the shapes fit Coalesce::Elem too. Spell the one you mean",
                   .where = {{FindingField::instruction, I::mnemonic}}},
                  site);
}

/// Whether the machine can run the instruction in this launch: SIMT lanes need a set-up that a direct call omits.
template <class I>
bool machine_takes(Core& core, const typename I::Operands& o, Site site) {
  if constexpr (requires { I::on_lanes(core.target(), o); })
    if (core.run().direct && I::on_lanes(core.target(), o)) {
      core.report({.kind = FindingKind::simt_launch,
                   .message = std::string(I::mnemonic) +
                              " runs on SIMT lanes, which a direct call does not set up: the machine hangs. Launch "
                              "the kernel",
                   .where = {{FindingField::instruction, I::mnemonic}}},
                  site);
      return false;
    }
  return true;
}

/// Reports a tile that is written and overlaps another operand of the same instruction.
template <class I>
void report_overlap(Core& core, const typename I::Operands& o, Site site) {
  I::OperandList::each(o, [&]<class F>(F, const auto& written) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(written)>, TileDesc> &&
                  (F::role == Role::out || F::role == Role::inout))
      I::OperandList::each(o, [&]<class G>(G, const auto& other) {
        if constexpr (std::is_same_v<std::remove_cvref_t<decltype(other)>, TileDesc> && !std::is_same_v<F, G>)
          if (written.loc == other.loc && written.offset < other.end() && other.offset < written.end())
            core.report(
                {.kind = FindingKind::ub_clobber,
                 .message = std::string(I::mnemonic) + ": " + F::name + " at " + ptox::hex(written.offset) + " to " +
                            ptox::hex(written.end()) + " overlaps " + G::name + " at " + ptox::hex(other.offset) +
                            " to " + ptox::hex(other.end()) + ". Give each its own bytes",
                 .where = {{FindingField::instruction, I::mnemonic},
                           {FindingField::operand, F::name},
                           {FindingField::offset, written.offset},
                           {FindingField::bytes, written.bytes()},
                           {FindingField::other_operand, G::name},
                           {FindingField::other_offset, other.offset},
                           {FindingField::other_bytes, other.bytes()}},
                 .cause = F::name},
                site);
      });
  });
}

/// The type that describes an instruction's index operand; void if it has none.
template <class I>
struct index_field {
  using type = void;
};
template <class I>
  requires requires { typename I::Idx; }
struct index_field<I> {
  using type = typename I::Idx;
};

/// Whether the DMA engine moves the tiles of the instruction: it drops bursts whose buffer address is not a multiple of
/// 32. Reports such tiles.
template <class I>
bool dma_takes(Core& core, const typename I::Operands& o, IndexedPipes pipes, Site site) {
  if (!core.target().drops_misaligned || (pipes.data != PIPE_MTE2 && pipes.data != PIPE_MTE3)) return true;
  bool takes = true;
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>) {
      const bool read_by_s = pipes.index != pipes.data && std::is_same_v<F, typename index_field<I>::type>;
      const bool moved = F::role != Role::scratch && !read_by_s;
      if (!moved || d.offset % BLOCK_BYTE_SIZE == 0) return;
      takes = false;
      if (core.checked())
        core.report({.kind = FindingKind::dma_dropped,
                     .message = std::string(I::mnemonic) + ": " + F::name + " lies at " + ptox::hex(d.offset) +
                                ", and the DMA drops every burst whose buffer address is not a multiple of 32: "
                                "nothing is moved. Put it at " +
                                ptox::hex(ptox::block_aligned(d.offset)),
                     .where = {{FindingField::instruction, I::mnemonic},
                               {FindingField::operand, F::name},
                               {FindingField::offset, d.offset}},
                     .cause = F::name},
                    site);
    }
  });
  return takes;
}

/// The effects of an instruction; the reference is valid until the next call.
template <class I>
const std::vector<Effect>& effects_of(Machine& m, const typename I::Operands& o) {
  static thread_local std::vector<Effect> effects;
  effects.clear();
  I::effects(m, o, [&](const Effect& e) { effects.push_back(e); });
  return effects;
}

/// Whether every byte of the index tile has been written. Otherwise its values are meaningless, and only the
/// uninitialised read is reported.
template <class I>
bool indices_written(Core& core, const typename I::Operands& o, const std::vector<Effect>& effects) {
  bool all = true;
  if constexpr (requires { o.idx.valid_cols; })
    for (const Effect& e : effects) {
      if (e.operand != I::Idx::name || !e.range.begin) continue;
      for (std::int64_t k = 0; k < e.range.count && all; ++k) {
        const std::int64_t begin = e.range.begin + k * e.range.step - core.space(o.idx.loc).base();
        all = core.order().written(ptox::space_of(o.idx.loc), begin, begin + e.range.bytes);
      }
    }
  return all;
}

/// Passes a phase of an instruction to the observers. Returns false if the instruction must not run.
template <class I>
bool observed(Core& core, Machine& m, const typename I::Operands& o, Site site, const std::vector<Effect>& effects,
              Phase phase) {
  if (phase != Phase::data && indices_written<I>(core, o, effects)) ptox::watch_indices<I>(core, m, o, site);
  if (phase != Phase::scalar && !ptox::within_bounds<I>(core, o, effects, site)) return false;
  static thread_local std::vector<ptox::OrderWatch::Operand> operands;
  operands.clear();
  I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
    if constexpr (std::is_same_v<D, TileDesc>) operands.push_back({F::name, &d});
  });
  bool plain_update = false;
  if constexpr (requires { I::updates_plainly(core.target(), o); }) plain_update = I::updates_plainly(core.target(), o);
  if (!effects.empty()) core.order().instruction(core, I::mnemonic, site, effects, operands, plain_update, phase);
  return true;
}

/// The work of one execution and its estimated cycles.
struct Taken {
  ptox::Work work;
  ptox::Cost cost;
};
template <class I>
Taken taken(Core& core, const typename I::Operands& o, const std::vector<Effect>& effects, pipe_t pipe) {
  Taken t{ptox::work_of<I>(core.target(), o, effects), {}};
  t.cost = ptox::cost_of(core.target(), pipe, t.work);
  return t;
}

/// At issue: adds the instruction's cycles on S to the timeline.
template <class I>
void spend_issue(Core& core, Site site, const Taken& t) {
  core.time().scalar(I::mnemonic, site, t.cost.scalar, &t.work);
}
/// At execution: adds the instruction's cycles on its pipe to the timeline.
template <class I>
void spend_work(Core& core, Site site, pipe_t pipe, const Taken& t, std::uint64_t issued) {
  core.time().work(pipe, I::mnemonic, site, t.cost, issued, &t.work);
}

/// Observes, times and executes an instruction immediately.
template <class I>
void run_now(Core& core, const typename I::Operands& o, Site site, pipe_t pipe) {
  Machine m(core, site, nullptr, core.cache_of(pipe));
  const std::vector<Effect>& effects = effects_of<I>(m, o);
  if (core.checked() && !observed<I>(core, m, o, site, effects, Phase::both)) return;
  const Taken t = taken<I>(core, o, effects, pipe);
  spend_issue<I>(core, site, t);
  spend_work<I>(core, site, pipe, t, core.time().now());
  ptox::execute<I>(core, m, o);
}

/// Queues an instruction that one pipe does entirely.
template <class I>
void queue_whole(Core& core, const typename I::Operands& o, Site site, pipe_t pipe) {
  spend_issue<I>(core, site, {{}, {ptox::issue_cycles(core.target()), 0}});
  core.schedule().post(pipe, site, [&core, o, site, pipe](std::uint64_t issued) {
    Machine m(core, site, nullptr, core.cache_of(pipe));
    const std::vector<Effect>& effects = effects_of<I>(m, o);
    if (core.checked() && !observed<I>(core, m, o, site, effects, Phase::both)) return;
    spend_work<I>(core, site, pipe, taken<I>(core, o, effects, pipe), issued);
    ptox::execute<I>(core, m, o);
  });
}

/// The current values of the index tile in row-major order.
template <class I>
Machine::Indices read_indices(Machine& m, const typename I::Operands& o) {
  Machine::Indices values;
  if constexpr (requires { o.idx.valid_cols; })
    walk(o.idx.valid_rows, o.idx.valid_cols, o.idx.valid_cols,
         [&](std::int64_t r, std::int64_t c) { values.push_back(m.index(o.idx, r, c)); });
  return values;
}

/// S reads the indices now; the rest is queued on the pipe that moves the data.
template <class I>
void queue_data(Core& core, const typename I::Operands& o, Site site, pipe_t pipe) {
  Machine m(core, site);
  const std::vector<Effect>& effects = effects_of<I>(m, o);
  if (core.checked()) observed<I>(core, m, o, site, effects, Phase::scalar);
  const Taken t = taken<I>(core, o, effects, pipe);
  spend_issue<I>(core, site, t);
  core.schedule().post(pipe, site, [&core, o, site, pipe, t, indices = read_indices<I>(m, o)](std::uint64_t issued) {
    Machine later(core, site, &indices, core.cache_of(pipe));
    if (core.checked() && !observed<I>(core, later, o, site, effects_of<I>(later, o), Phase::data)) return;
    spend_work<I>(core, site, pipe, t, issued);
    ptox::execute<I>(core, later, o);
  });
}

template <class I>
void into_pipe(Core& core, const typename I::Operands& o, Site site, IndexedPipes pipes) {
  if (!core.schedule().runs_now(pipes.data))
    return pipes.index == pipes.data ? queue_whole<I>(core, o, site, pipes.data)
                                     : queue_data<I>(core, o, site, pipes.data);
  core.schedule().enter(pipes.data);
  run_now<I>(core, o, site, pipes.data);
}

/// Runs an instruction on a machine model: the flags that it sets itself first, its pipe, the flags that it sets itself
/// last.
template <class I>
void dispatch(Core& core, const typename I::Operands& o, Site site) {
  core.next_step();
  if (core.checked()) {
    note_inference<I>(core, o, site);
    if (!machine_takes<I>(core, o, site)) return;
    report_overlap<I>(core, o, site);
  }
  OwnFlags own{};
  if constexpr (requires { I::own_flags(core.target(), o); }) own = I::own_flags(core.target(), o);
  Machine m(core, site);
  const auto pairs = [&](const auto& list) {
    for (const FlagPair& p : list)
      if (p.src != p.dst) m.own_pair(I::mnemonic, p.src, p.dst);
  };
  const IndexedPipes pipes = I::pipes(core.target(), o);
  pairs(own.before);
  if (core.ended()) return;
  if (dma_takes<I>(core, o, pipes, site)) into_pipe<I>(core, o, site, pipes);
  pairs(own.after);
}

/// Runs an instruction on the host immediately. Without `watched` the checker is not compiled in.
template <class I, bool watched>
void on_host(Core& core, const typename I::Operands& o, Site site) {
  Machine m(core, site);
  if constexpr (watched)
    if (core.checked()) {
      note_inference<I>(core, o, site);
      if (!observed<I>(core, m, o, site, effects_of<I>(m, o), Phase::both)) return;
    }
  ptox::execute<I>(core, m, o);
}

}  // namespace pto::instr
