// SPDX-License-Identifier: Apache-2.0
// How does a tile come by its bytes?
#include "pto/tile/place.hpp"

#include <algorithm>
#include <string>

#include "core/core.hpp"
#include "core/hex.hpp"
#include "pto/comm/tscatter.hpp"

namespace pto::instr {

using ptox::Core;
using ptox::current_core;
using ptox::hex;
using ptox::Severity;
using State = detail::Place::State;

namespace {

/// A step of the scalar unit for the recorder, if there is one.
void record(Core& core, const char* who, ptox::Step::Kind kind, std::vector<ptox::Step::Touch> touches, Site site,
            std::function<void()> again) {
  if (!core.recorder() || core.target().native) return;
  ptox::Step step;
  step.kind = kind, step.mnemonic = who, step.site = site, step.block = core.run().block;
  step.touches = std::move(touches), step.again = std::move(again);
  core.recorder()->take(std::move(step));
}

/// Says when a placed tile reaches past what the launch gave.
void check_budget(Core& core, TileType type, std::int64_t end, Site site) {
  const ptox::Target& t = core.target();
  if (type != TileType::Vec || t.default_budget == 0 || !core.checked()) return;
  const auto given = static_cast<std::int64_t>(core.run().dyn_ub_bytes),
             most = static_cast<std::int64_t>(t.most_budget);
  const std::int64_t budget = given ? given : static_cast<std::int64_t>(t.default_budget);
  if (end <= budget) return;
  core.report("ub-budget", Severity::error,
              "tassign: a tile reaches byte " + std::to_string(end) + " of UB, the launch gave " +
                  std::to_string(budget) +
                  (end <= most ? ". Launch with dynUBufSize = " + std::to_string(end)
                               : ". At most " + std::to_string(most) + " can be had"),
              site, "budget");
}

/// Says when automatic tiles, which are static memory, and the dynamic memory of the launch are too much together.
void check_static_budget(Core& core, TileType type, Site site) {
  const ptox::Target& t = core.target();
  if (type != TileType::Vec || t.default_budget == 0 || !core.checked()) return;
  const auto given = static_cast<std::int64_t>(core.run().dyn_ub_bytes),
             most = static_cast<std::int64_t>(t.most_budget);
  const std::int64_t automatic = core.space(type).automatic_bytes();
  if (automatic + given <= most) return;
  core.report("ub-budget", Severity::error,
              "automatic tiles take " + std::to_string(automatic) + " bytes of UB and the launch's dynUBufSize " +
                  std::to_string(given) + ", together at most " + std::to_string(most) +
                  ". Launch with dynUBufSize = " + std::to_string(std::max<std::int64_t>(0, most - automatic)) +
                  " or less",
              site, "static budget");
}

void refuse(Core& core, detail::Place& place, std::string message, Site site) {
  place = {.offset = TileDesc::refused, .epoch = core.epoch(), .state = State::refused};
  core.report("ub-overflow", Severity::error, std::move(message), site, "room");
}

}  // namespace

void detail::settle(Place& place, TileType type, std::int64_t bytes, Site site) {
  Core& core = current_core();
  const bool settled = place.state != State::none && (place.state == State::assigned || place.epoch == core.epoch());
  if (settled) return;
  ptox::Space& space = core.space(type);
  const std::int64_t offset = space.take(bytes);
  if (offset < 0)
    return refuse(core, place,
                  "auto mode finds no room for a tile of " + std::to_string(bytes) + " bytes in " +
                      ptox::space_name(type) + " of " + std::to_string(space.bytes()) + " bytes, " +
                      std::to_string(space.used()) + " in use",
                  site);
  space.reach(offset, offset + bytes);
  check_static_budget(core, type, site);
  place = {.offset = offset, .epoch = core.epoch(), .state = State::automatic, .owner = true};
}

void detail::assign(Place& place, TileType type, std::int64_t bytes, std::int64_t offset, Site site) {
  if (place.owner) release(place, type, bytes);
  Core& core = current_core();
  ptox::Space& space = core.space(type);
  if (offset < 0 || offset > space.bytes() - bytes)
    return refuse(core, place,
                  "tassign puts a tile of " + std::to_string(bytes) + " bytes at " + hex(offset) + ", " +
                      ptox::space_name(type) + " has " + std::to_string(space.bytes()) + " bytes",
                  site);
  if (!core.target().native && offset % BLOCK_BYTE_SIZE != 0)
    core.report("ub-misaligned", Severity::error,
                "tassign puts a tile at " + hex(offset) + ", which is not a multiple of 32. Use " +
                    hex((offset + BLOCK_BYTE_SIZE - 1) / BLOCK_BYTE_SIZE * BLOCK_BYTE_SIZE),
                site, "alignment");
  if (!space.hold(offset, offset + bytes) && !core.target().native)
    core.report("ub-clobber", Severity::error,
                "tassign puts a tile of " + std::to_string(bytes) + " bytes at " + hex(offset) +
                    ", where an automatic tile lies. Give that tile a place by TASSIGN too",
                site, "automatic");
  space.reach(offset, offset + bytes);
  check_budget(core, type, offset + bytes, site);
  check_static_budget(core, type, site);
  place = {.offset = offset, .epoch = core.epoch(), .state = State::assigned};
}

void detail::release(Place& place, TileType type, std::int64_t) noexcept {
  if (!place.owner) return;
  place.owner = false;
  Core* core = ptox::existing_core();
  if (core && place.epoch == core->epoch()) core->space(type).give_back(place.offset);
}

std::byte* detail::address(TileType type, std::int64_t offset, std::int64_t bytes) {
  Core& core = current_core();
  ptox::Space& space = core.space(type);
  if (offset < 0 || offset > space.bytes() - bytes) return nullptr;
  if (core.recorder())
    record(core, "data", ptox::Step::Kind::outside,
           {{PIPE_S, Access::write, ptox::space_of(type), static_cast<std::uint64_t>(offset),
             static_cast<std::uint64_t>(offset + bytes)}},
           {}, [=] { address(type, offset, bytes); });
  core.schedule().drain();  // the kernel's own C++ is outside the schedule
  if (core.checked()) core.order().outside(ptox::space_of(type), offset, offset + bytes);
  return space.base() + offset;
}

std::byte* detail::element_address(const Place& place, const TileDesc& tile, std::int64_t at, bool store, Site site) {
  Core& core = current_core();
  const std::int64_t size = size_of(tile.dtype), count = tile.bytes() / size, offset = place.offset + at * size;
  const char* who = store ? "SetValue" : "GetValue";
  if (at < 0 || at >= count) {
    core.report("illegal", Severity::error,
                std::string(who) + " V1: the position lies in the tile; it is " + std::to_string(at) +
                    ", the tile has " + std::to_string(count) + " elements",
                site, who);
    return nullptr;
  }
  ptox::Space& space = core.space(tile.loc);
  if (place.offset < 0 || offset > space.bytes() - size) return nullptr;
  if (core.recorder())
    record(core, who, ptox::Step::Kind::work,
           {{PIPE_S, store ? Access::write : Access::read, ptox::space_of(tile.loc), static_cast<std::uint64_t>(offset),
             static_cast<std::uint64_t>(offset + size)}},
           site, [=] { element_address(place, tile, at, store, site); });
  if (core.checked())
    core.order().scalar(core, who, site, ptox::space_of(tile.loc), offset, offset + size, store,
                        {place.offset, tile.bytes(), tile.rows, tile.cols, tile.dtype});
  return space.base() + offset;
}

void detail::outside_tile(const char* who, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t cols,
                          Site site) {
  current_core().report("illegal", Severity::error,
                        std::string(who) + " V1: the position lies in the tile; it is (" + std::to_string(r) + "," +
                            std::to_string(c) + "), the tile is " + std::to_string(rows) + "x" + std::to_string(cols),
                        site, who);
}

void detail::valid_contradicts(const char* what, std::int64_t in_type, std::int64_t given, Site site) {
  current_core().report("illegal", Severity::error,
                        std::string("tile V2: a run-time valid extent agrees with the type; ") + what + " are " +
                            std::to_string(given) + ", the type says " + std::to_string(in_type),
                        site, what);
}

void detail::extent_contradicts(const char* what, int dim, std::int64_t in_type, std::int64_t given, Site site) {
  current_core().report("illegal", Severity::error,
                        std::string("tensor V3: a run-time extent agrees with the type; ") + what + "[" +
                            std::to_string(dim) + "] is " + std::to_string(given) + ", the type says " +
                            std::to_string(in_type),
                        site, what);
}

void detail::no_such_dim(const char* who, int dim, Site site) {
  current_core().report("illegal", Severity::error,
                        std::string("tensor V5: dimensions are 0 to 4; ") + who + " was given " + std::to_string(dim),
                        site, who);
}

}  // namespace pto::instr

void pto::comm::detail::error(const char* id, const instr::Text& message, instr::Site site) {
  ptox::current_core().report(id, ptox::Severity::error, message.c_str(), site);
}
