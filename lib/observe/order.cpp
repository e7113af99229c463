// SPDX-License-Identifier: Apache-2.0
#include "observe/order.hpp"

#include <cstdio>

#include "core/core.hpp"

namespace ptox {

using pto::instr::Access;
using pto::instr::Effect;
using pto::instr::pipe_name;

namespace {

std::string hex(std::int64_t n) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(n));
  return digits;
}

const char* doing(Access a) { return a == Access::read ? "reads" : a == Access::write ? "writes" : "updates"; }

std::string line_of(const Names::Entry& e) {
  return std::string(e.mnemonic) + " of line " + std::to_string(e.site.line());
}

}  // namespace

std::uint16_t Names::number(const char* mnemonic, pto::instr::Site site) {
  for (std::size_t i = entries_.size(); i-- > 0;)
    if (entries_[i].site.line() == site.line() && entries_[i].mnemonic == mnemonic && entries_[i].site.file_name() == site.file_name())
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
                                                  [](BufferCell& c) { c = {.written = true, .outside = true}; });
}

bool OrderWatch::ordered(const Now& now, Agent agent, const Touch& touch) const {
  return touch.time == 0 || now.core.pipes().before(agent, touch.time, now.pipe);
}

void OrderWatch::race(const Now& now, Agent agent, const Touch& other, bool other_writes, const std::string& where) {
  const pipe_t from = pipe_of_agent(agent);
  const std::string pair = std::string("PIPE_") + pipe_name(from) + ", PIPE_" + pipe_name(now.pipe);
  now.core.report("race", Severity::error,
                  std::string(now.mnemonic) + " (" + pipe_name(now.pipe) + ") " + doing(now.access) + " " + now.operand + " at " +
                      where + " while " + line_of(global_->names[other.who]) + " (" + pipe_name(from) + ") may still " +
                      (other_writes ? "write" : "read") + " it. Missing set_flag/wait_flag(" + pair + ")",
                  now.site, std::string(now.operand) + pair);
}

void OrderWatch::buffer(const Now& now, int space, std::int64_t begin, std::int64_t end, const TileKey& key) {
  bool said_uninit = false, said_clobber = false, said_race = false;
  const std::string where = std::string(space == 0 ? "UB " : "buffer ") + hex(begin);
  buffers_[static_cast<std::size_t>(space)].visit(static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end), [&](BufferCell& c) {
    const bool reads = now.access != Access::write;
    if (!said_race && !ordered(now, c.writer, c.write)) said_race = true, race(now, c.writer, c.write, true, where);
    for (Agent a = 0; a < agent_count && !reads && !said_race; ++a)
      if (!ordered(now, a, c.reads[static_cast<std::size_t>(a)]))
        said_race = true, race(now, a, c.reads[static_cast<std::size_t>(a)], false, where);
    if (reads && !c.written && !said_uninit) {
      said_uninit = true;
      now.core.report("uninit-read", Severity::error,
                      std::string(now.mnemonic) + " reads " + now.operand + " at " + where + ", which nothing has written since the launch began",
                      now.site, now.operand);
    }
    if (reads && c.written && !c.outside && c.key.clashes(key) && !said_clobber) {
      said_clobber = true;
      now.core.report("ub-clobber", Severity::error,
                      std::string(now.mnemonic) + " reads " + now.operand + ", a tile of " + std::to_string(key.bytes) + " bytes at " +
                          hex(key.offset) + ", where " + line_of(global_->names[c.write.who]) + " wrote another of " +
                          std::to_string(c.key.bytes) + " bytes at " + hex(c.key.offset),
                      now.site, now.operand);
    }
    if (reads) c.reads[static_cast<std::size_t>(now.agent)] = {now.time, now.who};
    else c = {.written = true, .outside = false, .writer = now.agent, .write = {now.time, now.who}, .reads = {}, .key = key};
  });
}

void OrderWatch::cross_core(const Now& now, const GlobalCell& c, bool with_write, std::uint64_t begin) {
  const bool plain_add = now.plain_update || (with_write && c.plain_update);
  const auto& other = global_->names[with_write ? c.write.who : c.reader];
  const int other_core = with_write ? c.write_core : c.read_core;
  const bool both_update = now.access == Access::update && with_write && (c.atomic || c.plain_update);
  const bool adds = plain_add && both_update;
  now.core.report(adds ? "atomic-race" : "race", Severity::error,
                  std::string(now.mnemonic) + " " + doing(now.access) + " " + now.operand + " at GM " + hex(static_cast<std::int64_t>(begin)) +
                      " in block " + std::to_string(now.core.run().block) + ", " + line_of(other) + " " +
                      (with_write ? "writes" : "reads") + " it in block " + std::to_string(other_core) +
                      (adds ? ". An Elem Add of this machine is a plain read-modify-write: use Row, or one block"
                            : ". Nothing orders blocks: give each its own bytes, or use an atomic"),
                  now.site, now.operand);
}

void OrderWatch::global(const Now& now, std::uint64_t begin, std::uint64_t end) {
  bool said = false;
  const int core = now.core.run().block;
  const std::string where = "GM " + hex(static_cast<std::int64_t>(begin));
  global_->cells.visit(begin, end, [&](GlobalCell& c) {
    const bool reads = now.access == Access::read, updates = now.access == Access::update;
    const bool atomics_meet = updates && c.atomic && !now.plain_update && !c.plain_update;
    if (!said && c.write_core >= 0 && c.write_core != core && !atomics_meet) said = true, cross_core(now, c, true, begin);
    if (!said && c.write_core == core && !(updates && c.atomic) && !ordered(now, c.writer, c.write)) said = true, race(now, c.writer, c.write, true, where);
    if (!said && !reads && c.read_core >= 0 && (c.read_core != core || c.many_readers)) said = true, cross_core(now, c, false, begin);
    for (Agent a = 0; a < agent_count && !reads && !said && c.read_core == core; ++a)
      if (!ordered(now, a, c.reads[static_cast<std::size_t>(a)])) said = true, race(now, a, c.reads[static_cast<std::size_t>(a)], false, where);
    if (reads) {
      if (c.read_core >= 0 && c.read_core != core) c.many_readers = true, c.reads = {};
      c.read_core = core, c.reader = now.who;
      c.reads[static_cast<std::size_t>(now.agent)] = {now.time, now.who};
    } else {
      c = {};
      c.write_core = core, c.writer = now.agent, c.write = {now.time, now.who};
      c.atomic = updates && !now.plain_update, c.plain_update = updates && now.plain_update;
    }
  });
}

void OrderWatch::instruction(Core& core, const char* mnemonic, pto::instr::Site site, const std::vector<Effect>& effects,
                             const std::vector<Operand>& operands, bool plain_update) {
  const std::uint16_t who = global_->names.number(mnemonic, site);
  std::array<std::uint32_t, agent_count> times{};
  const auto phase = [&](bool scalar) {
    for (const Effect& e : effects) {
      if ((e.pipe == PIPE_S) != scalar || !e.range.begin) continue;
      const bool stores = e.access != Access::read;
      const Agent agent = agent_of(e.pipe, stores);
      std::uint32_t& time = times[static_cast<std::size_t>(agent)];
      if (time == 0) time = core.pipes().advance(e.pipe, stores);
      const Now now{core, mnemonic, site, who, e.pipe, agent, time, e.operand, e.access, plain_update};
      const pto::instr::TileDesc* tile = nullptr;
      for (const Operand& o : operands)
        if (o.name == e.operand) tile = o.tile;
      for (std::int64_t k = 0; k < e.range.count; ++k) {
        const std::byte* at = e.range.begin + k * e.range.step;
        if (!tile) {
          const auto begin = reinterpret_cast<std::uint64_t>(at);
          global(now, begin, begin + static_cast<std::uint64_t>(e.range.bytes));
          continue;
        }
        const std::int64_t offset = at - core.space(tile->loc).base();
        buffer(now, space_of(tile->loc), offset, offset + e.range.bytes,
               {tile->offset, tile->bytes(), tile->rows, tile->cols, tile->dtype});
      }
    }
  };
  phase(true);
  phase(false);
}

void OrderWatch::scalar(Core& core, const char* mnemonic, pto::instr::Site site, int space, std::int64_t begin, std::int64_t end,
                        bool store, const TileKey& key) {
  const Now now{core,  mnemonic, site, global_->names.number(mnemonic, site), PIPE_S, agent_of(PIPE_S, store), core.pipes().advance(PIPE_S, store),
                "the tile", store ? Access::write : Access::read, false};
  buffer(now, space, begin, end, key);
}

}  // namespace ptox
