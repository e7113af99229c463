// SPDX-License-Identifier: Apache-2.0
#include "core/budget.hpp"

#include <algorithm>

#include "core/tile_text.hpp"

namespace ptox {

using pto::TileType;
using pto::instr::Site;
using pto::instr::TileDesc;

namespace {

std::string text(std::int64_t n) { return std::to_string(n); }

/// Sizes that sums of them stay integers: a launch may be given any number.
std::int64_t bytes_of(std::size_t n) { return static_cast<std::int64_t>(std::min(n, std::size_t{1} << 62)); }

bool budgeted(const Target& t) { return t.default_budget != 0; }
std::int64_t most_of(const Target& t) { return bytes_of(budgeted(t) ? t.most_budget : t.ub_bytes); }

/// How far tiles placed by hand may reach in UB.
std::int64_t placed_limit(const Target& t, std::size_t dyn_ub_bytes) {
  if (!budgeted(t)) return bytes_of(t.ub_bytes);
  return bytes_of(dyn_ub_bytes ? dyn_ub_bytes : t.default_budget);
}

/// The largest dynUBufSize beside the automatic tiles that live now.
std::int64_t most_given(Core& core) {
  return std::max<std::int64_t>(0, most_of(core.target()) - core.space(TileType::Vec).automatic_bytes());
}

/// A tile has rows by the box, by 32 bytes of a column, or one by one.
std::int64_t row_step(const TileDesc& t) {
  if (t.boxed()) return box_of(t).rows;
  return t.blayout == pto::BLayout::ColMajor ? pto::instr::c0_of(t.dtype) : 1;
}

}  // namespace

std::int64_t rows_in(const TileDesc& t, std::int64_t bytes) {
  const std::int64_t row_bytes = t.cols * size_of(t.dtype), step = row_step(t);
  return std::max<std::int64_t>(0, bytes) / row_bytes / step * step;
}

std::string rows_that_fit(const TileDesc& t, std::int64_t bytes) {
  const std::int64_t n = rows_in(t, bytes);
  const std::string fit = n == 0   ? "no row of this width fits"
                          : n == 1 ? "at most 1 row of this width fits"
                                   : "at most " + text(n) + " rows of this width fit";
  return fit + " (tile is " + text(t.rows) + (t.rows == 1 ? " row)" : " rows)");
}

std::string rows_that_fit_there(Core& core, const TileDesc& t) {
  Space& space = core.space(t.loc);
  if (t.loc != TileType::Vec || !budgeted(core.target()))
    return rows_that_fit(t, space.room_at(t.offset, space.bytes()));
  const std::int64_t most = most_given(core);
  const std::int64_t limit = std::min(most_of(core.target()), placed_limit(core.target(), core.run().dyn_ub_bytes));
  const std::int64_t room = space.room_at(t.offset, limit), most_rows = rows_in(t, space.room_at(t.offset, most));
  const bool more = most_rows > rows_in(t, room) && t.offset > most - t.bytes();
  return rows_that_fit(t, room) + (more ? ", " + text(most_rows) + " with dynUBufSize = " + text(most) : std::string());
}

std::int64_t automatic_room(Core& core, TileType type) {
  Space& space = core.space(type);
  const std::int64_t hole = space.largest_hole();
  if (type != TileType::Vec || !budgeted(core.target())) return hole;
  return std::min(hole, most_of(core.target()) - bytes_of(core.run().dyn_ub_bytes) - space.automatic_bytes());
}

namespace {

/// The dynUBufSize that a tile up to `end` needs, or that there is none.
std::string placed_advice(Core& core, std::int64_t end) {
  const std::int64_t most = most_given(core), automatic = core.space(TileType::Vec).automatic_bytes();
  if (end <= most) return ". Launch with dynUBufSize = " + text(end);
  return ". At most " + text(most) + " can be had" +
         (automatic ? " beside " + text(automatic) + " bytes of automatic tiles" : std::string());
}

}  // namespace

void check_placed(Core& core, const TileDesc& t, const Site& site) {
  if (t.loc != TileType::Vec || !budgeted(core.target()) || !core.checked()) return;
  const std::int64_t limit = placed_limit(core.target(), core.run().dyn_ub_bytes);
  if (t.end() <= limit) return;
  core.report("ub-budget", Severity::error,
              "tassign: a tile of " + size_text(t) + " reaches byte " + text(t.end()) + " of UB, the launch gave " +
                  text(limit) + placed_advice(core, t.end()) + "; " + rows_that_fit_there(core, t),
              site, "budget");
}

namespace {

/// What to do about too much static and dynamic memory.
std::string static_advice(std::int64_t room, const TileDesc* last, std::int64_t given) {
  const std::string launch = ". Launch with dynUBufSize = " + text(room) + " or less";
  if (!last) return launch;
  const std::string fit = rows_that_fit(*last, room + last->bytes() - given);
  return room < 0 ? ". " + fit : launch + "; " + fit;
}

}  // namespace

void check_static(Core& core, const TileDesc& tile, bool automatic, const Site& site) {
  if (tile.loc != TileType::Vec || !budgeted(core.target()) || !core.checked()) return;
  const std::int64_t given = bytes_of(core.run().dyn_ub_bytes), most = most_of(core.target());
  const std::int64_t taken = core.space(TileType::Vec).automatic_bytes();
  if (taken + given <= most) return;
  const TileDesc* last = automatic ? &tile : nullptr;
  core.report("ub-budget", Severity::error,
              "automatic tiles take " + text(taken) + " bytes of UB" +
                  (last ? ", the last of them " + size_text(*last) + "," : std::string()) +
                  " and the launch's dynUBufSize " + text(given) + ", together at most " + text(most) +
                  static_advice(most - taken, last, given),
              site, "static budget");
}

void check_scratch(Core& core, const TileDesc& t, const Site& site) {
  const std::int64_t ub = bytes_of(core.target().ub_bytes), scratch = bytes_of(core.target().ub_scratch_bytes);
  if (t.loc != TileType::Vec || t.end() <= ub - scratch || scratch == 0 || !core.checked()) return;
  core.report("ub-scratch", Severity::note,
              "a tile of " + size_text(t) + " reaches byte " + text(t.end()) + " of UB, and bytes " +
                  text(ub - scratch) + " to " + text(ub) +
                  " are scratch of other instructions. Keep tiles below them in kernels that use those",
              site, "scratch");
}

void check_launch(const Target& t, const LaunchOptions& options, FindingLog& log) {
  if (t.native || options.dyn_ub_bytes == 0) return;
  const std::string given = "launch: dynUBufSize is " + std::to_string(options.dyn_ub_bytes) + ", ";
  if (!budgeted(t))
    log.add("dyn-ub-ignored", Severity::note,
            given + t.name + " ignores it: tiles have all " + std::to_string(t.ub_bytes) + " bytes of UB", Site{},
            "launch", 0);
  else if (options.dyn_ub_bytes > t.most_budget && !log.has("ub-budget"))
    log.add("ub-budget", Severity::error,
            given + "at most " + std::to_string(t.most_budget) +
                " can be had. Launch with dynUBufSize = " + std::to_string(t.most_budget) + " or less",
            Site{}, "launch", 0);
}

namespace {

/// Above the tiles lie the runtime's bytes, and the data cache has the rest.
void add_reserved(UbMap& map, const Target& t) {
  map.reserved_bytes = bytes_of(t.ub_reserved_bytes);
  map.reserved_begin = map.limit;
  for (const UbOwner& o : map.owners)
    if (o.automatic && !o.refused) map.reserved_begin = std::max(map.reserved_begin, o.end);
  map.reserved_begin = std::min(map.reserved_begin, most_of(t));
}

}  // namespace

UbMap ub_map(const Target& t, std::size_t dyn_ub_bytes, OwnerLog& owners) {
  UbMap map = owners.take();
  if (t.native) return {};
  map.capacity = bytes_of(t.ub_bytes);
  map.limit = placed_limit(t, dyn_ub_bytes);
  map.limit_from = !budgeted(t) ? "all of UB" : dyn_ub_bytes ? "dynUBufSize of the launch" : "no dynUBufSize given";
  add_reserved(map, t);
  return map;
}

}  // namespace ptox
