// SPDX-License-Identifier: Apache-2.0
#include "engine/core/budget.hpp"

#include <algorithm>

#include "engine/memory/tile_text.hpp"

namespace ptox {

using pto::TileType;
using pto::instr::Site;
using pto::instr::TileDesc;

namespace {

std::string text(std::int64_t n) { return std::to_string(n); }

/// At most 2^62, so that the sum of two sizes does not overflow: a launch may be given any number.
std::int64_t bytes_of(std::size_t n) { return static_cast<std::int64_t>(std::min(n, std::size_t{1} << 62)); }

bool budgeted(const Target& t) { return t.default_budget != 0; }
std::int64_t most_of(const Target& t) { return bytes_of(budgeted(t) ? t.most_budget : t.ub_bytes); }

/// The end of the bytes of UB in which TASSIGN may place tiles. A dynUBufSize above the maximum counts as the maximum.
std::int64_t placed_limit(const Target& t, std::size_t dyn_ub_bytes) {
  if (!budgeted(t)) return bytes_of(t.ub_bytes);
  return bytes_of(dyn_ub_bytes ? std::min(dyn_ub_bytes, t.most_budget) : t.default_budget);
}

/// The largest dynUBufSize that fits into the budget together with the automatic tiles that are alive now.
std::int64_t most_given(Core& core) {
  return std::max<std::int64_t>(0, most_of(core.target()) - core.space(TileType::Vec).automatic_bytes());
}

/// The number of rows in which the layout of a tile grows: those of a box, those in 32 bytes of a column, or one.
std::int64_t row_step(const TileDesc& t) {
  if (t.boxed()) return box_of(t).rows;
  return t.blayout == pto::BLayout::ColMajor ? pto::instr::c0_of(t.dtype) : 1;
}

/// A tile of one row can only shrink in columns, 32 bytes at a time.
bool one_row(const TileDesc& t) { return t.rows == 1 && !t.boxed() && t.blayout == pto::BLayout::RowMajor; }

}  // namespace

std::int64_t rows_in(const TileDesc& t, std::int64_t bytes) {
  const std::int64_t room = std::max<std::int64_t>(0, bytes), size = size_of(t.dtype);
  const std::int64_t step = one_row(t) ? pto::instr::c0_of(t.dtype) : row_step(t);
  return room / (one_row(t) ? size : t.cols * size) / step * step;
}

std::string rows_that_fit(const TileDesc& t, std::int64_t bytes) {
  const std::int64_t n = rows_in(t, bytes);
  const std::string what = one_row(t) ? "column" : "row", width = one_row(t) ? "" : " of this width";
  const std::string fit = n == 0   ? "no " + what + width + " fits"
                          : n == 1 ? "at most 1 " + what + width + " fits"
                                   : "at most " + text(n) + " " + what + "s" + width + " fit";
  return fit + " (tile is " + text(t.rows) + (t.rows == 1 ? " row" : " rows") +
         (one_row(t) ? " of " + text(t.cols) + ")" : ")");
}

std::string rows_that_fit_there(Core& core, const TileDesc& t) {
  Space& space = core.space(t.loc);
  if (t.loc != TileType::Vec || !budgeted(core.target()))
    return rows_that_fit(t, space.room_at(t.offset, space.bytes()));
  const std::int64_t most = most_given(core);
  const std::int64_t limit = placed_limit(core.target(), core.run().dyn_ub_bytes);
  const std::int64_t room = space.room_at(t.offset, limit), most_rows = rows_in(t, space.room_at(t.offset, most));
  const bool more = most_rows > rows_in(t, room) && t.offset > most - t.bytes();
  return rows_that_fit(t, room) + (more ? ", " + text(most_rows) + " with dynUBufSize = " + text(most) : std::string());
}

std::int64_t automatic_end(Core& core, TileType type) {
  const std::int64_t all = core.space(type).bytes();
  return type == TileType::Vec ? std::min(all, most_of(core.target())) : all;
}

std::int64_t automatic_room(Core& core, TileType type) {
  Space& space = core.space(type);
  const std::int64_t hole = space.largest_hole(automatic_end(core, type));
  if (type != TileType::Vec || !budgeted(core.target())) return hole;
  return std::min(hole, most_of(core.target()) - bytes_of(core.run().dyn_ub_bytes) - space.automatic_bytes());
}

namespace {

/// The advice that follows the dynUBufSize that is enough, or replaces it where none is enough.
std::string placed_remedy(Core& core, const TileDesc& t, std::int64_t limit) {
  const std::int64_t most = most_given(core), automatic = core.space(TileType::Vec).automatic_bytes();
  const bool some_fit = rows_in(t, core.space(t.loc).room_at(t.offset, limit)) > 0;
  if (t.end() <= most)
    return some_fit ? ", or shrink the tile: " + rows_that_fit_there(core, t) : ", or place the tile lower";
  return ". At most " + text(most) + " bytes are available" +
         (automatic ? " beside " + text(automatic) + " bytes of automatic tiles" : std::string()) + "; " +
         rows_that_fit_there(core, t);
}

}  // namespace

void check_placed(Core& core, const TileDesc& t, const Site& site) {
  if (t.loc != TileType::Vec || !budgeted(core.target()) || !core.checked()) return;
  const std::int64_t limit = placed_limit(core.target(), core.run().dyn_ub_bytes);
  NeedLog& needs = core.space(t.loc).needs();
  if (t.end() <= limit || !needs.is_new("budget", site, t.end())) return;
  needs.add({.cause = "budget",
             .instruction = "tassign",
             .site = site,
             .block = core.run().block,
             .bytes = t.end(),
             .most = most_given(core),
             .what = "tassign: a tile of " + size_text(t) + " reaches byte " + text(t.end()) +
                     " of UB, the launch gave " + text(limit),
             .remedy = placed_remedy(core, t, limit)});
}

namespace {

/// Describes what exceeds the budget: static memory (automatic tiles) and dynamic memory together, or dynUBufSize alone
/// if there are no automatic tiles.
std::string static_excess(std::int64_t taken, const TileDesc* last, std::int64_t given, std::int64_t most) {
  if (taken == 0)
    return "the launch's dynUBufSize is " + text(given) + ", at most " + text(most) + " bytes are available";
  return "automatic tiles take " + text(taken) + " bytes of UB" +
         (last ? ", the last of them " + size_text(*last) + "," : std::string()) + " and the launch's dynUBufSize " +
         text(given) + ", together at most " + text(most);
}

/// The advice for static and dynamic memory that together exceed the budget.
std::string static_remedy(std::int64_t room, const TileDesc* last, std::int64_t given) {
  std::string launch =
      room > 0 ? ". Launch with dynUBufSize = " + text(room) + " or less" : ". Launch without a dynUBufSize";
  const std::int64_t left = last ? room + last->bytes() - given : 0;
  if (!last || rows_in(*last, left) == 0) return launch;
  return launch + ", or shrink the tile: " + rows_that_fit(*last, left);
}

}  // namespace

void check_static(Core& core, const TileDesc& tile, bool automatic, const Site& site) {
  if (tile.loc != TileType::Vec || !budgeted(core.target()) || !core.checked()) return;
  const std::int64_t given = bytes_of(core.run().dyn_ub_bytes), most = most_of(core.target());
  const std::int64_t taken = core.space(TileType::Vec).automatic_bytes();
  NeedLog& needs = core.space(tile.loc).needs();
  if (taken + given <= most || !needs.is_new("static budget", site, taken + given)) return;
  const TileDesc* last = automatic ? &tile : nullptr;
  needs.add({.cause = "static budget",
             .instruction = "tile",
             .site = site,
             .block = core.run().block,
             .bytes = taken + given,
             .most = 0,
             .what = static_excess(taken, last, given, most),
             .remedy = static_remedy(most - taken, last, given)});
}

void check_scratch(Core& core, const TileDesc& t, const Site& site) {
  const std::int64_t ub = bytes_of(core.target().ub_bytes), scratch = bytes_of(core.target().ub_scratch_bytes);
  if (t.loc != TileType::Vec || t.end() <= ub - scratch || scratch == 0 || !core.checked()) return;
  core.report({.kind = FindingKind::ub_scratch,
               .message = "a tile of " + size_text(t) + " reaches byte " + text(t.end()) + " of UB, and bytes " +
                          text(ub - scratch) + " to " + text(ub) +
                          " are scratch of other instructions. Keep tiles below them in kernels that use those",
               .where = {{FindingField::instruction, "tile"},
                         {FindingField::bytes, t.bytes()},
                         {FindingField::end, t.end()},
                         {FindingField::capacity, ub - scratch}}},
              site);
}

void check_launch(const Target& t, const LaunchOptions& options, FindingLog& log) {
  if (t.native || options.dyn_ub_bytes == 0) return;
  const std::string given = "launch: dynUBufSize is " + std::to_string(options.dyn_ub_bytes) + ", ";
  const std::size_t capacity = budgeted(t) ? t.most_budget : t.ub_bytes;
  const Where where{{FindingField::instruction, "launch"},
                    {FindingField::dyn_ub_bytes, options.dyn_ub_bytes},
                    {FindingField::capacity, capacity}};
  if (!budgeted(t))
    log.add({.kind = FindingKind::dyn_ub_ignored,
             .message = given + t.name + " ignores it: tiles have all " + std::to_string(capacity) + " bytes of UB",
             .where = where},
            Site{}, 0);
  else if (options.dyn_ub_bytes > capacity && !log.has(FindingKind::ub_budget))
    log.add({.kind = FindingKind::ub_budget,
             .message = given + "at most " + std::to_string(capacity) +
                        " bytes are available. Launch with dynUBufSize = " + std::to_string(capacity) + " or less",
             .where = where},
            Site{}, 0);
}

namespace {

/// Above the tiles lie the bytes that the runtime reserves; the rest of UB is the data cache.
void add_reserved(UbMap& map, const Target& t) {
  map.reserved_bytes = bytes_of(t.ub_reserved_bytes);
  map.reserved_begin = map.limit;
  for (const UbOwner& o : map.owners)
    if (o.automatic && !o.refused) map.reserved_begin = std::max(map.reserved_begin, o.end);
  map.reserved_begin = std::min(map.reserved_begin, most_of(t));
}

}  // namespace

namespace {

std::string limit_source(const Target& t, std::size_t dyn_ub_bytes) {
  if (!budgeted(t)) return "all of UB";
  if (!dyn_ub_bytes) return "no dynUBufSize given";
  if (dyn_ub_bytes <= t.most_budget) return "dynUBufSize of the launch";
  return "the most there is; dynUBufSize is " + std::to_string(dyn_ub_bytes);
}

}  // namespace

UbMap ub_map(const Target& t, std::size_t dyn_ub_bytes, OwnerLog& owners) {
  UbMap map = owners.take();
  if (t.native) return {};
  map.capacity = bytes_of(t.ub_bytes);
  map.limit = placed_limit(t, dyn_ub_bytes);
  map.limit_from = limit_source(t, dyn_ub_bytes);
  map.static_limit = budgeted(t) ? most_of(t) : 0;
  add_reserved(map, t);
  return map;
}

}  // namespace ptox
