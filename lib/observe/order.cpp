// SPDX-License-Identifier: Apache-2.0
#include "observe/order.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "engine/core/core.hpp"
#include "engine/core/rank.hpp"
#include "engine/memory/registry.hpp"
#include "engine/report/hex.hpp"
#include "observe/rank_order.hpp"

namespace ptox {

using pto::instr::Access;
using pto::instr::Effect;
using pto::instr::pipe_name;
using pto::instr::TileDesc;

/// The location of accessed bytes: as text of a message, and as values of the finding.
struct Spot {
  std::string text;
  Where values;
};

namespace {

const char* doing(Access a) { return a == Access::read ? "reads" : a == Access::write ? "writes" : "updates"; }
const char* still(Access a) { return a == Access::read ? "read" : a == Access::write ? "write" : "update"; }

using Field = FindingField;

/// A byte of global memory, relative to its allocation so that the text is the same in every run.
Spot spot_of(std::uint64_t address) {
  const auto extent = Registry::instance().find(reinterpret_cast<const void*>(address));
  if (!extent) {
    const std::string text = "GM " + hex(static_cast<std::int64_t>(address));
    return {text, {{Field::address, text}}};
  }
  const std::uint64_t byte = address - extent->begin;
  const std::string text = "GM byte " + std::to_string(byte) + " of " + std::to_string(extent->bytes);
  return {text, {{Field::address, text}, {Field::first_byte, byte}, {Field::allocated_bytes, extent->bytes}}};
}

/// A byte of a buffer, and the element of an unboxed tile that it belongs to, as "UB 0x1a00, dst[5,0],".
Spot spot_of(const char* operand, const TileDesc& t, std::int64_t byte) {
  const std::string address = std::string(space_name(t.loc)) + " " + hex(byte);
  Spot spot{address, {{Field::address, address}, {Field::offset, byte}}};
  const std::int64_t n = (byte - t.offset) / pto::instr::size_of(t.dtype);
  if (t.boxed() || n < 0 || n >= t.rows * t.cols) return spot;
  const bool row_major = t.blayout == pto::BLayout::RowMajor;
  const std::int64_t r = row_major ? n / t.cols : n % t.rows, c = row_major ? n % t.cols : n / t.rows;
  spot.text += std::string(", ") + operand + "[" + std::to_string(r) + "," + std::to_string(c) + "],";
  spot.values.insert(spot.values.end(), {{Field::row, r}, {Field::col, c}});
  return spot;
}

Where concat(Where values, const Where& more) {
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

/// The values that describe an instruction and the bytes that it accesses.
Where values_of(const Names::Entry& e, const Spot& at) {
  return concat({{Field::instruction, e.mnemonic}, {Field::operand, e.operand}}, at.values);
}
/// The values that describe the other instruction of a conflict.
Where values_of_other(const Names::Entry& e) {
  return {{Field::other, e.mnemonic},
          {Field::other_operand, e.operand},
          {Field::other_file, e.site.file_name()},
          {Field::other_line, e.site.line()}};
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

/// A byte of a buffer, and the tile through which it is accessed.
struct OrderWatch::Place {
  const TileDesc& tile;
  std::int64_t byte;
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

/// Whether a recorded access happens before the current one. The phases of one instruction are in order.
bool OrderWatch::ordered(const Now& now, Agent agent, const Touch& touch) const {
  return touch.time == 0 || touch.step == now.touch.step || now.core.pipes().before(agent, touch.time, now.pipe);
}

/// Reports a race. The message blames the instruction that the kernel issues later, regardless of which one ran first.
void OrderWatch::race(const Now& now, Agent agent, const Touch& other, bool other_writes, const Spot& at) {
  const Side here{name(now), now.pipe, now.access},
      there{name(other), pipe_of_agent(agent), other_writes ? Access::write : Access::read};
  const Side &late = other.step > now.touch.step ? there : here, &early = &late == &here ? there : here;
  const std::string pair = std::string("PIPE_") + pipe_name(early.pipe) + ", PIPE_" + pipe_name(late.pipe);
  now.core.report(
      {.kind = FindingKind::race,
       .message = std::string(late.entry.mnemonic) + " (" + pipe_name(late.pipe) + ") " + doing(late.access) + " " +
                  late.entry.operand + " at " + at.text + " while " +
                  call_text(early.entry.mnemonic, early.entry.site, late.entry.site) + " (" + pipe_name(early.pipe) +
                  ") may still " + still(early.access) + " it. Missing set_flag/wait_flag(" + pair + ")",
       .where = concat(concat(values_of(late.entry, at), values_of_other(early.entry)),
                       {{Field::pipe, pipe_name(late.pipe)},
                        {Field::access, doing(late.access)},
                        {Field::other_pipe, pipe_name(early.pipe)},
                        {Field::other_access, doing(early.access)}}),
       .cause = std::string(late.entry.operand) + pair},
      late.entry.site);
}

bool OrderWatch::first_time(const Now& now, int kind) {
  const std::pair<std::uint32_t, int> what{now.touch.who, kind};
  if (std::find(said_.begin(), said_.end(), what) != said_.end()) return false;
  said_.push_back(what);
  return true;
}

namespace {
constexpr int uninit = 100, clobbered = 101, stale_cache = 102, other_block = 103,
              other_rank = 104;  // kinds for first_time, besides the numbers of agents
}

void OrderWatch::check_order(const Now& now, const BufferCell& c, const Place& at) {
  const auto meet = [&](Agent a, const Touch& touch, bool writes) {
    if (!ordered(now, a, touch) && first_time(now, a))
      race(now, a, touch, writes, spot_of(name(now).operand, at.tile, at.byte));
  };
  meet(c.writer, c.write, true);
  for (Agent a = 0; a < agent_count && now.access == Access::write; ++a)
    meet(a, c.reads[static_cast<std::size_t>(a)], false);
}

void OrderWatch::check_contents(const Now& now, const BufferCell& c, const Place& at) {
  if (now.access == Access::write) return;
  const Names::Entry& me = name(now);
  if (!c.written && first_time(now, uninit)) {
    const Spot spot = spot_of(me.operand, at.tile, at.byte);
    now.core.report({.kind = FindingKind::uninit_read,
                     .message = std::string(me.mnemonic) + " reads " + me.operand + " at " + spot.text +
                                " which nothing has written since the launch began. Load or fill its valid region "
                                "first, or make that smaller",
                     .where = values_of(me, spot),
                     .cause = me.operand},
                    me.site);
  }
  const bool clash = c.written && !c.outside && c.key.clashes(TileKey(at.tile)) && !now.core.target().native;
  if (!clash || !first_time(now, clobbered)) return;
  const Names::Entry& writer = name(c.write);
  now.core.report(
      {.kind = FindingKind::ub_clobber,
       .message = std::string(me.mnemonic) + " reads " + me.operand + ", a tile of " + std::to_string(at.tile.bytes()) +
                  " bytes at " + hex(at.tile.offset) + ", where " + call_text(writer.mnemonic, writer.site, me.site) +
                  " wrote another of " + std::to_string(c.key.bytes) + " bytes at " + hex(c.key.offset) +
                  ". Give each its own bytes, or write this one before reading it",
       .where = concat(
           concat(values_of(me, spot_of(me.operand, at.tile, at.byte)), values_of_other(writer)),
           {{Field::bytes, at.tile.bytes()}, {Field::other_offset, c.key.offset}, {Field::other_bytes, c.key.bytes}}),
       .cause = me.operand},
      me.site);
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
  const Spot at = spot_of(begin);
  const char* they_do = doing(they_write ? Access::write : Access::read);
  const int mine = now.core.run().block;
  now.core.report(
      {.kind = plain ? FindingKind::atomic_race : FindingKind::race,
       .message = std::string(me.mnemonic) + " " + doing(now.access) + " " + me.operand + " at " + at.text +
                  " in block " + std::to_string(mine) + ", " + call_text(they.mnemonic, they.site, me.site) + " " +
                  they_do + " it in block " + std::to_string(block) +
                  (plain ? ". An Elem Add of this machine is a plain read-modify-write: use Row, or one block"
                         : ". Nothing orders blocks: give each its own bytes, make both atomic, or do one in an "
                           "earlier launch"),
       .where = concat(concat(values_of(me, at), values_of_other(they)), {{Field::access, doing(now.access)},
                                                                          {Field::block, mine},
                                                                          {Field::other_access, they_do},
                                                                          {Field::other_block, block}}),
       .cause = me.operand},
      me.site);
}

/// Whether this access conflicts with one of `others`, made by another block or unordered in this one; reports it.
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
    if (first_time(now, a)) race(now, a, others.by[n], they_write, spot_of(begin));
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

/// Reports an access that misses bytes which are in a data cache only, or that reads a stale line of its own cache.
void OrderWatch::cached(const Now& now, std::uint64_t begin, std::uint64_t end) {
  const int mine = now.core.run().block;
  const bool through = now.pipe == PIPE_S || now.pipe == PIPE_V;
  const bool atomic = now.access == Access::update && !now.plain_update;
  const CacheWatch::Stale stale = global_->cache.see({mine, through, atomic, now.access, now.touch.who}, begin, end);
  if (!stale || !first_time(now, stale_cache)) return;
  const Names::Entry &me = name(now), &they = global_->names[stale.who];
  const Spot at = spot_of(stale.at);
  const std::string what = std::string(me.mnemonic) + " (" + pipe_name(now.pipe) + ") " + doing(now.access) + " " +
                           me.operand + " at " + at.text,
                    other = call_text(they.mnemonic, they.site, me.site),
                    whose = stale.core == mine ? "" : " of block " + std::to_string(stale.core);
  now.core.report(
      {.kind = FindingKind::stale_cache,
       .message = stale.kind == CacheWatch::Stale::Kind::not_written_back
                      ? what + ", which " + other + whose + " left in the data cache. After it, and before this, " +
                            "dcci(address, ENTIRE_DATA_CACHE) and dsb(DSB_DDR)"
                      : what + " from the data cache, which has held the line since before " + other +
                            " wrote it to memory. Before reading again, dcci(address, ENTIRE_DATA_CACHE) and " +
                            "dsb(DSB_DDR)",
       .where = concat(
           concat(values_of(me, at), values_of_other(they)),
           {{Field::pipe, pipe_name(now.pipe)}, {Field::access, doing(now.access)}, {Field::other_block, stale.core}}),
       .cause = me.operand},
      me.site);
}

/// Reports a conflicting access of another rank to symmetric memory that is not ordered with this one.
void OrderWatch::across_ranks(const Now& now, std::uint64_t begin, std::uint64_t end) {
  RankView* rank = now.core.run().rank;
  if (!rank || !rank->order()) return;
  const auto place = rank->locate(reinterpret_cast<const void*>(begin));
  if (!place) return;
  const std::uint64_t at = RankWatch::number_of(*place);
  const Names::Entry& me = name(now);
  const Access access = now.plain_update ? Access::write : now.access;
  auto& watch = static_cast<RankWatch&>(*rank->order());  // make_rank_order creates no other class
  const auto they = watch.see({rank->id(), access, me}, at, at + (end - begin));
  if (!they || !first_time(now, other_rank)) return;
  const Spot spot = spot_of(begin + (they->at - at));
  now.core.report(
      {.kind = FindingKind::race,
       .message = std::string(me.mnemonic) + " " + doing(now.access) + " " + me.operand + " at " + spot.text +
                  " of rank " + std::to_string(place->rank) + " in rank " + std::to_string(rank->id()) + ", " +
                  call_text(they->entry.mnemonic, they->entry.site, me.site) + " " + doing(they->access) +
                  " it in rank " + std::to_string(they->rank) +
                  ". Nothing orders them: after one, TNOTIFY; before the other, TWAIT; or a barrier between",
       .where = concat(concat(values_of(me, spot), values_of_other(they->entry)),
                       {{Field::access, doing(now.access)},
                        {Field::rank, rank->id()},
                        {Field::other_access, doing(they->access)},
                        {Field::other_rank, they->rank}}),
       .cause = std::string(me.operand) + " ranks"},
      me.site);
}

void OrderWatch::see(const Now& now, std::uint64_t begin, std::uint64_t end) {
  if (now.tile) {
    const auto base = reinterpret_cast<std::uint64_t>(now.core.space(now.tile->loc).base());
    return buffer(now, static_cast<std::int64_t>(begin - base), static_cast<std::int64_t>(end - base));
  }
  global(now, begin, end);
  cached(now, begin, end);
  across_ranks(now, begin, end);
}

/// Joins the adjacent byte ranges of consecutive effects of one access, so that the rows of a dense tile are one range.
class OrderWatch::Joined {
 public:
  explicit Joined(OrderWatch& watch) : watch_(watch) {}
  Joined(const Joined&) = delete;
  ~Joined() { flush(); }

  void add(const Now& now, const Effect& e) {
    if (!now_ || now_->touch.who != now.touch.who || now_->agent != now.agent || now_->access != now.access) {
      flush();
      now_.emplace(now);
    }
    for (std::int64_t k = 0; k < e.range.count; ++k) {
      const auto at = reinterpret_cast<std::uint64_t>(e.range.begin + k * e.range.step);
      if (at != end_) flush(), begin_ = at;
      end_ = at + static_cast<std::uint64_t>(e.range.bytes);
    }
  }
  void flush() {
    if (begin_ < end_) watch_.see(*now_, begin_, end_);
    begin_ = end_ = 0;
  }

 private:
  OrderWatch& watch_;
  std::optional<Now> now_;
  std::uint64_t begin_ = 0, end_ = 0;
};

void OrderWatch::instruction(Core& core, const char* mnemonic, pto::instr::Site site,
                             const std::vector<Effect>& effects, const std::vector<Operand>& operands,
                             bool plain_update, Phase which) {
  said_.clear();
  std::array<std::uint32_t, agent_count> times{};
  const char* last_operand = nullptr;
  std::uint32_t who = 0;
  const TileDesc* tile = nullptr;
  const auto phase = [&](bool scalar) {
    Joined joined(*this);
    for (const Effect& e : effects) {
      if ((e.pipe == PIPE_S) != scalar || !e.range.begin) continue;
      if (e.operand != last_operand) {
        last_operand = e.operand, who = global_->names.number(mnemonic, e.operand, site), tile = nullptr;
        for (const Operand& o : operands)
          if (o.name == e.operand) tile = o.tile;
      }
      if (!tile && core.target().native) continue;  // blocks of the host run concurrently: not checked
      const bool stores = e.access != Access::read;
      const Agent agent = agent_of(e.pipe, stores);
      std::uint32_t& time = times[static_cast<std::size_t>(agent)];
      if (time == 0) time = core.pipes().advance(e.pipe, stores);
      joined.add({core, {time, core.step(), who}, e.pipe, agent, e.access, plain_update, tile}, e);
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
