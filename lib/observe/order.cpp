// SPDX-License-Identifier: Apache-2.0
#include "observe/order.hpp"

#include <algorithm>
#include <cstring>

#include "comm/member.hpp"
#include "core/core.hpp"
#include "core/hex.hpp"
#include "core/registry.hpp"

namespace ptox {

using pto::instr::Access;
using pto::instr::Effect;
using pto::instr::pipe_name;
using pto::instr::TileDesc;

namespace {

const char* doing(Access a) { return a == Access::read ? "reads" : a == Access::write ? "writes" : "updates"; }
const char* still(Access a) { return a == Access::read ? "read" : a == Access::write ? "write" : "update"; }

/// Bytes of global memory, so that the same run says the same.
std::string gm_text(std::uint64_t address) {
  const auto extent = Registry::instance().find(reinterpret_cast<const void*>(address));
  if (!extent) return "GM " + hex(static_cast<std::int64_t>(address));
  return "GM byte " + std::to_string(address - extent->begin) + " of " + std::to_string(extent->bytes);
}

/// The element of an unboxed tile that a byte belongs to, as ", dst[5,0]".
std::string element_text(const char* operand, const TileDesc& t, std::int64_t byte) {
  const std::int64_t n = (byte - t.offset) / pto::instr::size_of(t.dtype);
  if (t.boxed() || n < 0 || n >= t.rows * t.cols) return "";
  const bool row_major = t.blayout == pto::BLayout::RowMajor;
  const std::int64_t r = row_major ? n / t.cols : n % t.rows, c = row_major ? n % t.cols : n / t.rows;
  return std::string(", ") + operand + "[" + std::to_string(r) + "," + std::to_string(c) + "],";
}

}  // namespace

std::string call_text(const char* mnemonic, const pto::instr::Site& site, const pto::instr::Site& seen_from) {
  const bool same_file = std::strcmp(site.file_name(), seen_from.file_name()) == 0;
  const std::string line = std::to_string(site.line());
  return std::string(mnemonic) + " of " + (same_file ? "line " : site.file_name() + std::string(":")) + line;
}

std::uint32_t Names::number(const char* mnemonic, const char* operand, pto::instr::Site site) {
  const auto [it, fresh] = numbers_.try_emplace({mnemonic, operand, site.file_name(), site.line()},
                                                static_cast<std::uint32_t>(entries_.size()));
  if (fresh) entries_.push_back({mnemonic, operand, site});
  return it->second;
}

/// Bytes of a buffer, for a message.
struct OrderWatch::Place {
  const TileDesc& tile;
  std::int64_t byte;
  std::string address() const { return std::string(space_name(tile.loc)) + " " + hex(byte); }
};

void OrderWatch::start(GlobalWatch* global) {
  for (auto& b : buffers_) b.clear();
  global_ = global;
}

void OrderWatch::outside(int space, std::int64_t begin, std::int64_t end) {
  buffers_[static_cast<std::size_t>(space)].visit(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end),
                                                  [](BufferCell& c) { c.written = c.outside = true; });
}

bool OrderWatch::written(int space, std::int64_t begin, std::int64_t end) const {
  std::uint64_t known = 0;
  const auto first = static_cast<std::uint64_t>(begin), last = static_cast<std::uint64_t>(end);
  buffers_[static_cast<std::size_t>(space)].each(first, last,
                                                 [&](const BufferCell& c, std::uint64_t from, std::uint64_t to) {
                                                   if (c.written) known += std::min(to, last) - std::max(from, first);
                                                 });
  return known == last - first;
}

/// The phases of one instruction are in order.
bool OrderWatch::ordered(const Now& now, Agent agent, const Touch& touch) const {
  return touch.time == 0 || touch.step == now.touch.step || now.core.pipes().before(agent, touch.time, now.pipe);
}

/// What the kernel does later is told as the one that came too early, whichever ran first.
void OrderWatch::race(const Now& now, Agent agent, const Touch& other, bool other_writes, const std::string& where) {
  const Side here{name(now), now.pipe, now.access},
      there{name(other), pipe_of_agent(agent), other_writes ? Access::write : Access::read};
  const Side &late = other.step > now.touch.step ? there : here, &early = &late == &here ? there : here;
  const std::string pair = std::string("PIPE_") + pipe_name(early.pipe) + ", PIPE_" + pipe_name(late.pipe);
  now.core.report("race", Severity::error,
                  std::string(late.entry.mnemonic) + " (" + pipe_name(late.pipe) + ") " + doing(late.access) + " " +
                      late.entry.operand + " at " + where + " while " +
                      call_text(early.entry.mnemonic, early.entry.site, late.entry.site) + " (" +
                      pipe_name(early.pipe) + ") may still " + still(early.access) +
                      " it. Missing set_flag/wait_flag(" + pair + ")",
                  late.entry.site, std::string(late.entry.operand) + pair, 1, {},
                  {{"instruction", late.entry.mnemonic},
                   {"operand", late.entry.operand},
                   {"pipe", pipe_name(late.pipe)},
                   {"access", doing(late.access)},
                   {"address", where},
                   {"other", early.entry.mnemonic},
                   {"other_operand", early.entry.operand},
                   {"other_pipe", pipe_name(early.pipe)},
                   {"other_file", early.entry.site.file_name()},
                   {"other_line", std::to_string(early.entry.site.line())}});
}

bool OrderWatch::first_time(const Now& now, int kind) {
  const std::pair<std::uint32_t, int> what{now.touch.who, kind};
  if (std::find(said_.begin(), said_.end(), what) != said_.end()) return false;
  said_.push_back(what);
  return true;
}

namespace {
constexpr int uninit = 100, clobbered = 101, stale_cache = 102, other_block = 103,
              other_rank = 104;  // beside the agents that one races with
}

void OrderWatch::check_order(const Now& now, const BufferCell& c, const Place& at) {
  const auto meet = [&](Agent a, const Touch& touch, bool writes) {
    if (!ordered(now, a, touch) && first_time(now, a))
      race(now, a, touch, writes, at.address() + element_text(name(now).operand, at.tile, at.byte));
  };
  meet(c.writer, c.write, true);
  for (Agent a = 0; a < agent_count && now.access == Access::write; ++a)
    meet(a, c.reads[static_cast<std::size_t>(a)], false);
}

void OrderWatch::check_contents(const Now& now, const BufferCell& c, const Place& at) {
  if (now.access == Access::write) return;
  const Names::Entry& me = name(now);
  if (!c.written && first_time(now, uninit))
    now.core.report("uninit-read", Severity::error,
                    std::string(me.mnemonic) + " reads " + me.operand + " at " + at.address() +
                        element_text(me.operand, at.tile, at.byte) +
                        " which nothing has written since the launch began. Load or fill its valid region first, or "
                        "make that smaller",
                    me.site, me.operand, 1, {},
                    {{"instruction", me.mnemonic}, {"operand", me.operand}, {"address", at.address()}});
  const bool clash = c.written && !c.outside && c.key.clashes(TileKey(at.tile)) && !now.core.target().native;
  if (!clash || !first_time(now, clobbered)) return;
  now.core.report("ub-clobber", Severity::error,
                  std::string(me.mnemonic) + " reads " + me.operand + ", a tile of " + std::to_string(at.tile.bytes()) +
                      " bytes at " + hex(at.tile.offset) + ", where " +
                      call_text(name(c.write).mnemonic, name(c.write).site, me.site) + " wrote another of " +
                      std::to_string(c.key.bytes) + " bytes at " + hex(c.key.offset) +
                      ". Give each its own bytes, or write this one before reading it",
                  me.site, me.operand, 1, {},
                  {{"instruction", me.mnemonic},
                   {"operand", me.operand},
                   {"address", at.address()},
                   {"other", name(c.write).mnemonic},
                   {"other_file", name(c.write).site.file_name()},
                   {"other_line", std::to_string(name(c.write).site.line())}});
}

void OrderWatch::buffer(const Now& now, std::int64_t begin, std::int64_t end) {
  const auto touched = [&](BufferCell& c, std::uint64_t from) {
    const Place at{*now.tile, std::max(begin, static_cast<std::int64_t>(from))};
    check_order(now, c, at);
    check_contents(now, c, at);
    if (now.access != Access::write) return void(c.reads[static_cast<std::size_t>(now.agent)] = now.touch);
    c = {.written = true,
         .outside = false,
         .writer = now.agent,
         .write = now.touch,
         .reads = {},
         .key = TileKey(*now.tile)};
  };
  buffers_[static_cast<std::size_t>(space_of(now.tile->loc))].visit(static_cast<std::uint64_t>(begin),
                                                                    static_cast<std::uint64_t>(end), touched);
}

void OrderWatch::across_blocks(const Now& now, int block, std::uint32_t who, bool they_write, bool plain,
                               std::uint64_t begin) {
  const Names::Entry &me = name(now), &they = global_->names[who];
  now.core.report(plain ? "atomic-race" : "race", Severity::error,
                  std::string(me.mnemonic) + " " + doing(now.access) + " " + me.operand + " at " + gm_text(begin) +
                      " in block " + std::to_string(now.core.run().block) + ", " +
                      call_text(they.mnemonic, they.site, me.site) + (they_write ? " writes" : " reads") +
                      " it in block " + std::to_string(block) +
                      (plain ? ". An Elem Add of this machine is a plain read-modify-write: use Row, or one block"
                             : ". Nothing orders blocks: give each its own bytes, make both atomic, or do one in an "
                               "earlier launch"),
                  me.site, me.operand, 1, {},
                  {{"instruction", me.mnemonic},
                   {"operand", me.operand},
                   {"access", doing(now.access)},
                   {"address", gm_text(begin)},
                   {"other", they.mnemonic},
                   {"other_block", std::to_string(block)},
                   {"other_file", they.site.file_name()},
                   {"other_line", std::to_string(they.site.line())}});
}

/// Whether this access conflicts with those, of another block or unordered in this one; says so.
bool OrderWatch::meets(const Now& now, const Accesses& others, bool they_write, bool plain, std::uint64_t begin) {
  const int mine = now.core.run().block;
  if (const int block = others.besides(mine); block >= 0) {
    if (first_time(now, other_block)) across_blocks(now, block, others.who(block), they_write, plain, begin);
    return true;
  }
  bool found = false;
  for (std::size_t n = 0; n < global_agents && others.core == mine; ++n) {
    const Agent a = global_agent(n);
    if (ordered(now, a, others.by[n])) continue;
    if (first_time(now, a)) race(now, a, others.by[n], they_write, gm_text(begin));
    found = true;
  }
  return found;
}

void OrderWatch::global(const Now& now, std::uint64_t begin, std::uint64_t end) {
  const int mine = now.core.run().block;
  const bool reads = now.access == Access::read, updates = now.access == Access::update;
  global_->cells.visit(begin, end, [&](GlobalCell& c, std::uint64_t from) {
    const std::uint64_t at = std::max(begin, from);
    const bool atomics_meet = updates && !now.plain_update && !c.plain_updates;
    bool found = meets(now, c.writes, true, now.plain_update, at);
    if (!found && !atomics_meet) found = meets(now, c.updates, true, now.plain_update || c.plain_updates, at);
    if (!found && !reads) meets(now, c.reads, false, now.plain_update, at);
    if (reads) return c.reads.add(mine, now.agent, now.touch);
    if (!updates) c = {};
    (updates ? c.updates : c.writes).add(mine, now.agent, now.touch);
    c.plain_updates = c.plain_updates || (updates && now.plain_update);
  });
}

/// Whether the access misses bytes that a data cache holds, or that its own cache has not got; says so.
void OrderWatch::cached(const Now& now, std::uint64_t begin, std::uint64_t end) {
  const int mine = now.core.run().block;
  const bool through = now.pipe == PIPE_S || now.pipe == PIPE_V;
  const bool atomic = now.access == Access::update && !now.plain_update;
  const CacheWatch::Stale stale = global_->cache.see({mine, through, atomic, now.access, now.touch.who}, begin, end);
  if (!stale || !first_time(now, stale_cache)) return;
  const Names::Entry &me = name(now), &they = global_->names[stale.who];
  const std::string what = std::string(me.mnemonic) + " (" + pipe_name(now.pipe) + ") " + doing(now.access) + " " +
                           me.operand + " at " + gm_text(begin),
                    other = call_text(they.mnemonic, they.site, me.site),
                    whose = stale.core == mine ? "" : " of block " + std::to_string(stale.core);
  now.core.report("stale-cache", Severity::error,
                  stale.kind == CacheWatch::Stale::Kind::not_written_back
                      ? what + ", which " + other + whose + " left in the data cache. After it, and before this, " +
                            "dcci(address, ENTIRE_DATA_CACHE) and dsb(DSB_DDR)"
                      : what + " from the data cache, which has held the line since before " + other +
                            " wrote it to memory. Before reading again, dcci(address, ENTIRE_DATA_CACHE) and " +
                            "dsb(DSB_DDR)",
                  me.site, me.operand, 1, {},
                  {{"instruction", me.mnemonic},
                   {"operand", me.operand},
                   {"pipe", pipe_name(now.pipe)},
                   {"address", gm_text(begin)},
                   {"other", they.mnemonic},
                   {"other_block", std::to_string(stale.core)},
                   {"other_file", they.site.file_name()},
                   {"other_line", std::to_string(they.site.line())}});
}

/// What another rank did to symmetric memory, with nothing between that orders it.
void OrderWatch::across_ranks(const Now& now, std::uint64_t begin, std::uint64_t end) {
  comm::Member* member = now.core.run().member;
  if (!member || !member->watch()) return;
  const auto place = member->locate(reinterpret_cast<const void*>(begin));
  if (!place) return;
  const std::uint64_t at = comm::Member::watched(*place);
  const Names::Entry& me = name(now);
  const Access access = now.plain_update ? Access::write : now.access;
  const auto they = member->watch()->see({member->id(), access, me}, at, at + (end - begin));
  if (!they || !first_time(now, other_rank)) return;
  now.core.report("race", Severity::error,
                  std::string(me.mnemonic) + " " + doing(now.access) + " " + me.operand + " at " + gm_text(begin) +
                      " of rank " + std::to_string(place->rank) + " in rank " + std::to_string(member->id()) + ", " +
                      call_text(they->entry.mnemonic, they->entry.site, me.site) + " " + doing(they->access) +
                      " it in rank " + std::to_string(they->rank) +
                      ". Nothing orders them: after one, TNOTIFY; before the other, TWAIT; or a barrier between",
                  me.site, std::string(me.operand) + " ranks", 1, {},
                  {{"instruction", me.mnemonic},
                   {"operand", me.operand},
                   {"access", doing(now.access)},
                   {"address", gm_text(begin)},
                   {"rank", std::to_string(member->id())},
                   {"other", they->entry.mnemonic},
                   {"other_rank", std::to_string(they->rank)},
                   {"other_file", they->entry.site.file_name()},
                   {"other_line", std::to_string(they->entry.site.line())}});
}

void OrderWatch::see(const Now& now, const Effect& e) {
  for (std::int64_t k = 0; k < e.range.count; ++k) {
    const std::byte* at = e.range.begin + k * e.range.step;
    if (now.tile) {
      const std::int64_t offset = at - now.core.space(now.tile->loc).base();
      buffer(now, offset, offset + e.range.bytes);
    } else {
      const auto begin = reinterpret_cast<std::uint64_t>(at);
      global(now, begin, begin + static_cast<std::uint64_t>(e.range.bytes));
      cached(now, begin, begin + static_cast<std::uint64_t>(e.range.bytes));
      across_ranks(now, begin, begin + static_cast<std::uint64_t>(e.range.bytes));
    }
  }
}

void OrderWatch::instruction(Core& core, const char* mnemonic, pto::instr::Site site,
                             const std::vector<Effect>& effects, const std::vector<Operand>& operands,
                             bool plain_update, Phase which) {
  said_.clear();
  std::array<std::uint32_t, agent_count> times{};
  const char* last_operand = nullptr;
  std::uint32_t who = 0;
  const TileDesc* tile = nullptr;
  const auto phase = [&](bool scalar) {
    for (const Effect& e : effects) {
      if ((e.pipe == PIPE_S) != scalar || !e.range.begin) continue;
      if (e.operand != last_operand) {
        last_operand = e.operand, who = global_->names.number(mnemonic, e.operand, site), tile = nullptr;
        for (const Operand& o : operands)
          if (o.name == e.operand) tile = o.tile;
      }
      if (!tile && core.target().native) continue;  // blocks of the host run at once: global memory is not watched
      const bool stores = e.access != Access::read;
      const Agent agent = agent_of(e.pipe, stores);
      std::uint32_t& time = times[static_cast<std::size_t>(agent)];
      if (time == 0) time = core.pipes().advance(e.pipe, stores);
      see({core, {time, core.step(), who}, e.pipe, agent, e.access, plain_update, tile}, e);
    }
  };
  if (which != Phase::data) phase(true);
  if (which != Phase::scalar) phase(false);
}

void OrderWatch::scalar(Core& core, const char* mnemonic, pto::instr::Site site, const TileDesc& tile,
                        std::int64_t begin, std::int64_t end, bool store) {
  said_.clear();
  const Touch touch{core.pipes().advance(PIPE_S, store), core.step(),
                    global_->names.number(mnemonic, "the tile", site)};
  buffer({core, touch, PIPE_S, agent_of(PIPE_S, store), store ? Access::write : Access::read, false, &tile}, begin,
         end);
}

}  // namespace ptox
