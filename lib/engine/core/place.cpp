// SPDX-License-Identifier: Apache-2.0
// Places tiles in the buffers of a core, and checks accesses to tiles and tensors from a kernel's own code.
#include "pto/tile/place.hpp"

#include <string>

#include "engine/core/budget.hpp"
#include "engine/core/core.hpp"
#include "engine/memory/tile_text.hpp"
#include "engine/report/hex.hpp"
#include "pto/tile/tensor.hpp"

namespace pto::instr {

using ptox::Core;
using ptox::current_core;
using ptox::FindingField;
using ptox::FindingKind;
using ptox::hex;
using State = detail::Place::State;

namespace {

/// Passes a step of the scalar unit to the recorder, if there is one.
void record(Core& core, const char* who, ptox::Step::Kind kind, std::vector<ptox::Step::Touch> touches, Site site,
            std::function<void()> again) {
  if (!core.recorder() || core.target().native) return;
  ptox::Step step;
  step.kind = kind, step.mnemonic = who, step.site = site, step.block = core.run().block;
  step.touches = std::move(touches), step.again = std::move(again);
  core.recorder()->take(std::move(step));
}

/// The descriptor of the tile at this offset of its buffer.
TileDesc at(TileDesc tile, std::int64_t offset) {
  tile.offset = offset;
  return tile;
}

/// Records a placement for the UB map. The host has none.
void add_owner(Core& core, const TileDesc& tile, ptox::Placed how, const Site& site) {
  if (core.target().native || tile.loc != TileType::Vec) return;
  core.space(tile.loc).owners().add(tile, how, site, core.run().block);
}

void refuse(Core& core, detail::Place& place, const TileDesc& tile, const char* instruction, std::string message,
            Site site) {
  place = {.offset = TileDesc::refused, .epoch = core.epoch(), .state = State::refused};
  ptox::Where where{{FindingField::instruction, instruction},
                    {FindingField::bytes, tile.bytes()},
                    {FindingField::capacity, core.space(tile.loc).bytes()}};
  if (pto::instr::known(tile.offset)) where.emplace_back(FindingField::offset, tile.offset);
  core.report({.kind = FindingKind::ub_overflow, .message = std::move(message), .where = std::move(where)}, site);
}

void refuse_automatic(Core& core, detail::Place& place, const TileDesc& tile, Site site) {
  ptox::Space& space = core.space(tile.loc);
  add_owner(core, tile, ptox::Placed::refused_automatic, site);
  refuse(core, place, tile, "tile",
         "auto mode finds no room for a tile of " + ptox::size_text(tile) + " in " + ptox::space_name(tile.loc) +
             " of " + std::to_string(ptox::automatic_end(core, tile.loc)) + " bytes" +
             (ptox::automatic_end(core, tile.loc) < space.bytes() ? " for tiles, " : ", ") +
             std::to_string(space.used()) + " in use; " +
             ptox::rows_that_fit(tile, ptox::automatic_room(core, tile.loc)),
         site);
}

void refuse_assigned(Core& core, detail::Place& place, const TileDesc& tile, Site site) {
  add_owner(core, tile, ptox::Placed::refused, site);
  refuse(core, place, tile, "tassign",
         "tassign puts a tile of " + ptox::size_text(tile) + " at " + hex(tile.offset) + ", " +
             ptox::space_name(tile.loc) + " has " + std::to_string(core.space(tile.loc).bytes()) + " bytes" +
             (tile.offset < 0 ? std::string() : "; " + ptox::rows_that_fit_there(core, tile)),
         site);
}

void check_alignment(Core& core, const TileDesc& tile, Site site) {
  if (tile.offset % BLOCK_BYTE_SIZE == 0) return;
  core.report({.kind = FindingKind::ub_misaligned,
               .message = "tassign puts a tile at " + hex(tile.offset) + ", which is not a multiple of 32. Use " +
                          hex(ptox::block_aligned(tile.offset)),
               .where = {{FindingField::instruction, "tassign"}, {FindingField::offset, tile.offset}}},
              site);
}

/// ", first used at line 12", with the file name if it differs from that of `site`.
std::string giver_text(const Site& giver, const Site& site) {
  if (giver.line() == 0) return "";
  const std::string file = giver.file_name(), line = std::to_string(giver.line());
  return ", first used at " + (file == site.file_name() ? "line " + line : file + ":" + line);
}

/// Reserves the bytes of a tile for the rest of the launch; reports an automatic tile that overlaps them.
void hold(Core& core, const TileDesc& tile, Site site) {
  const ptox::Space::Interval* other = core.space(tile.loc).hold(tile.offset, tile.end());
  if (!other) return;
  core.report({.kind = FindingKind::ub_clobber,
               .message = "tassign puts a tile of " + ptox::size_text(tile) + " at " + hex(tile.offset) +
                          ", where an automatic tile lies, " + hex(other->begin) + "-" + hex(other->end) +
                          giver_text(other->site, site) + ". Give that tile a place by TASSIGN too",
               .where = {{FindingField::instruction, "tassign"},
                         {FindingField::offset, tile.offset},
                         {FindingField::bytes, tile.bytes()},
                         {FindingField::other_offset, other->begin},
                         {FindingField::other_bytes, other->end - other->begin}}},
              site);
}

/// Records in the timeline how much of UB is in use.
void count_use(Core& core, TileType type) {
  const bool timed = !core.target().native && !core.target().accelerator;
  if (timed && type == TileType::Vec) core.time().ub_use(core.space(type).used());
}

/// Checks and records a place given by TASSIGN on a machine model.
[[gnu::noinline]] void assign_on_machine(Core& core, const TileDesc& tile, Site site) {
  check_alignment(core, tile, site);
  ptox::check_placed(core, tile, site);
  hold(core, tile, site);
  add_owner(core, tile, ptox::Placed::assigned, site);
  ptox::check_static(core, tile, false, site);
  ptox::check_scratch(core, tile, site);
  count_use(core, tile.loc);
}

/// The same for a place that auto mode chose.
[[gnu::noinline]] void settle_on_machine(Core& core, const TileDesc& tile, Site site) {
  add_owner(core, tile, ptox::Placed::automatic, site);
  ptox::check_static(core, tile, true, site);
  ptox::check_scratch(core, tile, site);
  count_use(core, tile.loc);
}

}  // namespace

void detail::settle(Place& place, const TileDesc& type, Site site) {
  Core& core = current_core();
  const bool settled = place.state != State::none && (place.state == State::assigned || place.epoch == core.epoch());
  if (settled) return;
  ptox::Space& space = core.space(type.loc);
  const std::int64_t bytes = type.bytes(), offset = space.take(bytes, ptox::automatic_end(core, type.loc), site);
  if (offset < 0) return refuse_automatic(core, place, type, site);
  space.reach(offset, offset + bytes);
  if (!core.target().native) settle_on_machine(core, at(type, offset), site);
  place = {.offset = offset, .epoch = core.epoch(), .state = State::automatic, .owner = true};
}

void detail::assign(Place& place, const TileDesc& type, std::int64_t offset, Site site) {
  if (place.owner) release(place, type.loc);
  Core& core = current_core();
  ptox::Space& space = core.space(type.loc);
  const std::int64_t bytes = type.bytes();
  if (offset < 0 || offset > space.bytes() - bytes) return refuse_assigned(core, place, at(type, offset), site);
  if (core.target().native)
    space.hold(offset, offset + bytes);
  else
    assign_on_machine(core, at(type, offset), site);
  space.reach(offset, offset + bytes);
  place = {.offset = offset, .epoch = core.epoch(), .state = State::assigned};
}

void detail::release(Place& place, TileType type) noexcept {
  if (!place.owner) return;
  place.owner = false;
  Core* core = ptox::existing_core();
  if (core && place.epoch == core->epoch()) core->space(type).give_back(place.offset);
}

std::byte* detail::address(TileType type, std::int64_t offset, std::int64_t bytes) {
  Core& core = current_core();
  ptox::Space& space = core.space(type);
  if (offset < 0 || offset > space.bytes() - bytes) return nullptr;
  if (type != TileType::Vec && !core.target().native)
    return space.base() + offset;  // S accesses UB and no other buffer
  if (core.recorder())
    record(core, "data", ptox::Step::Kind::outside,
           {{PIPE_S, Access::write, ptox::space_of(type), static_cast<std::uint64_t>(offset),
             static_cast<std::uint64_t>(offset + bytes)}},
           {}, [=] { address(type, offset, bytes); });
  core.schedule().drain();  // the C++ code of the kernel runs now, so queued instructions have to finish first
  if (core.checked()) core.order().outside(ptox::space_of(type), offset, offset + bytes);
  return space.base() + offset;
}

std::int64_t detail::offset_in(TileType type, const void* address) {
  ptox::Space& space = current_core().space(type);
  const auto* p = static_cast<const std::byte*>(address);
  return space.contains(p) ? p - space.base() : -1;
}

std::byte* detail::element_address(const Place& place, const TileDesc& tile, std::int64_t at, bool store, Site site) {
  Core& core = current_core();
  const std::int64_t size = size_of(tile.dtype), count = tile.bytes() / size, offset = place.offset + at * size;
  const char* who = store ? "SetValue" : "GetValue";
  if (at < 0 || at >= count) {
    core.report({.kind = FindingKind::illegal,
                 .message = std::string(who) + " V1: the position lies in the tile; it is " + std::to_string(at) +
                            ", the tile has " + std::to_string(count) + " elements",
                 .where = {{FindingField::instruction, who},
                           {FindingField::rule, "V1"},
                           {FindingField::given, at},
                           {FindingField::elements, count}}},
                site);
    return nullptr;
  }
  ptox::Space& space = core.space(tile.loc);
  if (place.offset < 0 || offset > space.bytes() - size || core.ended()) return nullptr;
  if (core.recorder())
    record(core, who, ptox::Step::Kind::work,
           {{PIPE_S, store ? Access::write : Access::read, ptox::space_of(tile.loc), static_cast<std::uint64_t>(offset),
             static_cast<std::uint64_t>(offset + size)}},
           site, [=] { element_address(place, tile, at, store, site); });
  if (core.checked())
    core.next_step(),
        core.order().scalar(core, who, site, pto::instr::at(tile, place.offset), offset, offset + size, store);
  return space.base() + offset;
}

void detail::outside_tile(const char* who, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t cols,
                          Site site) {
  current_core().report(
      {.kind = FindingKind::illegal,
       .message = std::string(who) + " V1: the position lies in the tile; it is (" + std::to_string(r) + "," +
                  std::to_string(c) + "), the tile is " + std::to_string(rows) + "x" + std::to_string(cols),
       .where = {{FindingField::instruction, who},
                 {FindingField::rule, "V1"},
                 {FindingField::row, r},
                 {FindingField::col, c}}},
      site);
}

void detail::valid_contradicts(const char* what, std::int64_t in_type, std::int64_t given, Site site) {
  current_core().report({.kind = FindingKind::illegal,
                         .message = std::string("tile V2: a run-time valid extent agrees with the type; ") + what +
                                    " are " + std::to_string(given) + ", the type says " + std::to_string(in_type),
                         .where = {{FindingField::instruction, "tile"},
                                   {FindingField::rule, "V2"},
                                   {FindingField::given, given},
                                   {FindingField::wanted, in_type}},
                         .cause = what},
                        site);
}

void detail::extent_contradicts(const char* what, int dim, std::int64_t in_type, std::int64_t given, Site site) {
  current_core().report(
      {.kind = FindingKind::illegal,
       .message = std::string("tensor V3: a run-time extent agrees with the type; ") + what + "[" +
                  std::to_string(dim) + "] is " + std::to_string(given) + ", the type says " + std::to_string(in_type),
       .where = {{FindingField::instruction, "tensor"},
                 {FindingField::rule, "V3"},
                 {FindingField::dim, dim},
                 {FindingField::given, given},
                 {FindingField::wanted, in_type}},
       .cause = what},
      site);
}

void detail::no_such_dim(const char* who, int dim, Site site) {
  current_core().report(
      {.kind = FindingKind::illegal,
       .message = std::string("tensor V5: dimensions are 0 to 4; ") + who + " was given " + std::to_string(dim),
       .where = {{FindingField::instruction, "tensor"}, {FindingField::rule, "V5"}, {FindingField::dim, dim}},
       .cause = who},
      site);
}

}  // namespace pto::instr
