// SPDX-License-Identifier: Apache-2.0
#include "observe/order.hpp"

#include "core/core.hpp"
#include "core/hex.hpp"

namespace ptox {

using pto::instr::Access;
using pto::instr::Effect;
using pto::instr::pipe_name;

namespace {

const char* doing(Access a) { return a == Access::read ? "reads" : a == Access::write ? "writes" : "updates"; }

std::string line_of(const Names::Entry& e) {
  return std::string(e.mnemonic) + " of line " + std::to_string(e.site.line());
}

}  // namespace

std::uint16_t Names::number(const char* mnemonic, pto::instr::Site site) {
  for (std::size_t i = entries_.size(); i-- > 0;)
    if (entries_[i].site.line() == site.line() && entries_[i].mnemonic == mnemonic &&
        entries_[i].site.file_name() == site.file_name())
      return static_cast<std::uint16_t>(i);
  entries_.push_back({mnemonic, site});
  return static_cast<std::uint16_t>(entries_.size() - 1);
}

void OrderWatch::start(GlobalWatch* global) {
  for (auto& b : buffers_) b.clear();
  global_ = global;
}

void OrderWatch::outside(int space, std::int64_t begin, std::int64_t end) {
  buffers_[static_cast<std::size_t>(space)].visit(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end),
                                                  [](BufferCell& c) { c.written = c.outside = true; });
}

bool OrderWatch::ordered(const Now& now, Agent agent, const Touch& touch) const {
  return touch.time == 0 || now.core.pipes().before(agent, touch.time, now.pipe);
}

Where OrderWatch::where(const Now& now, const std::string& address, std::uint16_t other) const {
  const Names::Entry& e = global_->names[other];
  return {{"instruction", now.mnemonic},
          {"operand", now.operand},
          {"pipe", pipe_name(now.pipe)},
          {"access", doing(now.access)},
          {"address", address},
          {"other", e.mnemonic},
          {"other_file", e.site.file_name()},
          {"other_line", std::to_string(e.site.line())}};
}

void OrderWatch::race(const Now& now, Agent agent, const Touch& other, bool other_writes,
                      const std::string& where_text) {
  const pipe_t from = pipe_of_agent(agent);
  const std::string pair = std::string("PIPE_") + pipe_name(from) + ", PIPE_" + pipe_name(now.pipe);
  now.core.report("race", Severity::error,
                  std::string(now.mnemonic) + " (" + pipe_name(now.pipe) + ") " + doing(now.access) + " " +
                      now.operand + " at " + where_text + " while " + line_of(global_->names[other.who]) + " (" +
                      pipe_name(from) + ") may still " + (other_writes ? "write" : "read") +
                      " it. Missing set_flag/wait_flag(" + pair + ")",
                  now.site, std::string(now.operand) + pair, 1, {}, where(now, where_text, other.who));
}

bool OrderWatch::first_time(const char* operand, char kind) {
  for (const auto& [o, k] : said_)
    if (o == operand && k == kind) return false;
  said_.emplace_back(operand, kind);
  return true;
}

void OrderWatch::buffer(const Now& now, int space, std::int64_t begin, std::int64_t end, const TileKey& key) {
  const auto where_text = [&] { return std::string(space == 0 ? "UB " : "buffer ") + hex(begin); };
  const bool reads = now.access != Access::write;
  const auto check = [&](const BufferCell& c) {
    if (!ordered(now, c.writer, c.write) && first_time(now.operand, 'r'))
      race(now, c.writer, c.write, true, where_text());
    for (Agent a = 0; a < agent_count && !reads; ++a)
      if (!ordered(now, a, c.reads[static_cast<std::size_t>(a)]) && first_time(now.operand, 'r'))
        race(now, a, c.reads[static_cast<std::size_t>(a)], false, where_text());
    if (reads && !c.written && first_time(now.operand, 'u'))
      now.core.report("uninit-read", Severity::error,
                      std::string(now.mnemonic) + " reads " + now.operand + " at " + where_text() +
                          ", which nothing has written since the launch began",
                      now.site, now.operand, 1, {},
                      {{"instruction", now.mnemonic}, {"operand", now.operand}, {"address", where_text()}});
    const bool clobbered = reads && c.written && !c.outside && c.key.clashes(key) && !now.native;
    if (clobbered && first_time(now.operand, 'c'))
      now.core.report("ub-clobber", Severity::error,
                      std::string(now.mnemonic) + " reads " + now.operand + ", a tile of " + std::to_string(key.bytes) +
                          " bytes at " + hex(key.offset) + ", where " + line_of(global_->names[c.write.who]) +
                          " wrote another of " + std::to_string(c.key.bytes) + " bytes at " + hex(c.key.offset),
                      now.site, now.operand, 1, {}, where(now, where_text(), c.write.who));
  };
  buffers_[static_cast<std::size_t>(space)].visit(
      static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end), [&](BufferCell& c) {
        check(c);
        if (reads)
          c.reads[static_cast<std::size_t>(now.agent)] = {now.time, now.who};
        else
          c = {.written = true,
               .outside = false,
               .writer = now.agent,
               .write = {now.time, now.who},
               .reads = {},
               .key = key};
      });
}

void OrderWatch::across_blocks(const Now& now, int block, std::uint16_t who, bool they_write, bool plain,
                               std::uint64_t begin) {
  now.core.report(plain ? "atomic-race" : "race", Severity::error,
                  std::string(now.mnemonic) + " " + doing(now.access) + " " + now.operand + " at GM " +
                      hex(static_cast<std::int64_t>(begin)) + " in block " + std::to_string(now.core.run().block) +
                      ", " + line_of(global_->names[who]) + (they_write ? " writes" : " reads") + " it in block " +
                      std::to_string(block) +
                      (plain ? ". An Elem Add of this machine is a plain read-modify-write: use Row, or one block"
                             : ". Nothing orders blocks: give each its own bytes, or use an atomic"),
                  now.site, now.operand, 1, {}, where(now, "GM " + hex(static_cast<std::int64_t>(begin)), who));
}

/// Whether this access conflicts with those, of another block or unordered in this one; says so.
bool OrderWatch::meets(const Now& now, const Accesses& others, bool they_write, bool plain, std::uint64_t begin) {
  const int mine = now.core.run().block;
  if (const int block = others.besides(mine); block >= 0) {
    if (first_time(now.operand, 'r')) across_blocks(now, block, others.who(block), they_write, plain, begin);
    return true;
  }
  for (Agent a = 0; a < agent_count && others.core == mine; ++a)
    if (const Touch& touch = others.by[static_cast<std::size_t>(a)]; !ordered(now, a, touch)) {
      if (first_time(now.operand, 'r')) race(now, a, touch, they_write, "GM " + hex(static_cast<std::int64_t>(begin)));
      return true;
    }
  return false;
}

void OrderWatch::global(const Now& now, std::uint64_t begin, std::uint64_t end) {
  const int mine = now.core.run().block;
  const bool reads = now.access == Access::read, updates = now.access == Access::update;
  global_->cells.visit(begin, end, [&](GlobalCell& c) {
    const bool atomics_meet = updates && !now.plain_update && !c.plain_updates;
    bool found = meets(now, c.writes, true, now.plain_update, begin);
    if (!found && !atomics_meet) found = meets(now, c.updates, true, now.plain_update || c.plain_updates, begin);
    if (!found && !reads) meets(now, c.reads, false, now.plain_update, begin);
    const Touch touch{now.time, now.who};
    if (reads) return c.reads.add(mine, now.agent, touch);
    if (!updates) c = {};
    (updates ? c.updates : c.writes).add(mine, now.agent, touch);
    c.plain_updates = c.plain_updates || (updates && now.plain_update);
  });
}

/// Whether the access misses bytes that a data cache holds, or that its own cache has not got; says so.
void OrderWatch::cached(const Now& now, std::uint64_t begin, std::uint64_t end) {
  const int mine = now.core.run().block;
  const bool through = now.pipe == PIPE_S || now.pipe == PIPE_V;
  const bool atomic = now.access == Access::update && !now.plain_update;
  const CacheWatch::Stale stale = global_->cache.see({mine, through, atomic, now.access, now.who}, begin, end);
  if (!stale || !first_time(now.operand, 's')) return;
  const std::string what = std::string(now.mnemonic) + " (" + pipe_name(now.pipe) + ") " + doing(now.access) + " " +
                           now.operand + " at GM " + hex(static_cast<std::int64_t>(begin));
  const std::string other = line_of(global_->names[stale.who]);
  const std::string whose = stale.core == mine ? "" : " of block " + std::to_string(stale.core);
  now.core.report("stale-cache", Severity::error,
                  stale.kind == CacheWatch::Stale::Kind::not_written_back
                      ? what + ", which " + other + whose + " left in the data cache. After it, and before this, " +
                            "dcci(address, ENTIRE_DATA_CACHE) and dsb(DSB_DDR)"
                      : what + " from the data cache, which has held the line since before " + other +
                            " wrote it to memory. Before reading again, dcci(address, ENTIRE_DATA_CACHE) and " +
                            "dsb(DSB_DDR)",
                  now.site, now.operand, 1, {}, where(now, "GM " + hex(static_cast<std::int64_t>(begin)), stale.who));
}

void OrderWatch::instruction(Core& core, const char* mnemonic, pto::instr::Site site,
                             const std::vector<Effect>& effects, const std::vector<Operand>& operands,
                             bool plain_update, Phase which) {
  const std::uint16_t who = global_->names.number(mnemonic, site);
  const bool native = core.target().native;
  said_.clear();
  std::array<std::uint32_t, agent_count> times{};
  const auto phase = [&](bool scalar) {
    for (const Effect& e : effects) {
      if ((e.pipe == PIPE_S) != scalar || !e.range.begin) continue;
      const bool stores = e.access != Access::read;
      const Agent agent = agent_of(e.pipe, stores);
      std::uint32_t& time = times[static_cast<std::size_t>(agent)];
      if (time == 0) time = core.pipes().advance(e.pipe, stores);
      const Now now{core, mnemonic, site, who, e.pipe, agent, time, e.operand, e.access, plain_update, native};
      const pto::instr::TileDesc* tile = nullptr;
      for (const Operand& o : operands)
        if (o.name == e.operand) tile = o.tile;
      for (std::int64_t k = 0; k < e.range.count; ++k) {
        const std::byte* at = e.range.begin + k * e.range.step;
        if (!tile && native) break;  // blocks of the host run at once; global memory is not watched there
        if (!tile) {
          const auto begin = reinterpret_cast<std::uint64_t>(at);
          const std::uint64_t end = begin + static_cast<std::uint64_t>(e.range.bytes);
          global(now, begin, end);
          cached(now, begin, end);
          continue;
        }
        const std::int64_t offset = at - core.space(tile->loc).base();
        buffer(now, space_of(tile->loc), offset, offset + e.range.bytes,
               {tile->offset, tile->bytes(), tile->rows, tile->cols, tile->dtype});
      }
    }
  };
  if (which != Phase::data) phase(true);
  if (which != Phase::scalar) phase(false);
}

void OrderWatch::scalar(Core& core, const char* mnemonic, pto::instr::Site site, int space, std::int64_t begin,
                        std::int64_t end, bool store, const TileKey& key) {
  const Now now{core,
                mnemonic,
                site,
                global_->names.number(mnemonic, site),
                PIPE_S,
                agent_of(PIPE_S, store),
                core.pipes().advance(PIPE_S, store),
                "the tile",
                store ? Access::write : Access::read,
                false,
                core.target().native};
  said_.clear();
  buffer(now, space, begin, end, key);
}

}  // namespace ptox
