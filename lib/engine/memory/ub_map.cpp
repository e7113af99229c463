// SPDX-License-Identifier: Apache-2.0
// Prints the map of UB.
#include "ptox/ub_map.hpp"

#include <algorithm>
#include <array>
#include <ostream>

#include "engine/report/hex.hpp"

namespace ptox {

namespace {

constexpr std::size_t columns = 6;
using Row = std::array<std::string, columns>;  // range, bytes, tile, how, remark, where

std::string range_text(std::int64_t begin, std::int64_t end) { return hex(begin) + "-" + hex(end); }

std::string place_text(const UbOwner& o) {
  if (!o.refused) return range_text(o.begin, o.end);
  return o.automatic ? "nowhere" : "at " + (o.begin < 0 ? std::to_string(o.begin) : hex(o.begin));
}

std::string how_text(const UbOwner& o) {
  return std::string(o.automatic ? "automatic" : "TASSIGN") + (o.refused ? ", refused" : "");
}

/// The first owner listed before `o` that overlaps it, or nullptr.
const UbOwner* shares_with(const std::vector<UbOwner>& owners, const UbOwner& o) {
  for (const UbOwner& other : owners) {
    if (&other == &o) return nullptr;
    if (!other.refused && other.begin < o.end && o.begin < other.end) return &other;
  }
  return nullptr;
}

std::string remark(const UbMap& map, const UbOwner& o) {
  if (o.refused) return "no room";
  std::string text = o.count > 1 ? std::to_string(o.count) + " times" : "";
  const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
  if (const UbOwner* first = shares_with(map.owners, o)) add("reuses " + range_text(first->begin, first->end));
  if (!o.automatic && o.end > map.limit) add("past the limit");
  return text;
}

Row row(const UbMap& map, const UbOwner& o) {
  return {place_text(o), std::to_string(o.bytes), o.tile,
          how_text(o),   remark(map, o),          o.file + ":" + std::to_string(o.line)};
}

Row fixed_row(std::int64_t begin, std::int64_t end, const char* what) {
  return {range_text(begin, end), std::to_string(end - begin), what, "", "", ""};
}

std::vector<Row> rows(const UbMap& map) {
  std::vector<Row> all;
  for (const UbOwner& o : map.owners)
    if (!o.refused) all.push_back(row(map, o));
  const std::int64_t cache_begin = map.reserved_begin + map.reserved_bytes;
  if (map.reserved_bytes > 0) {
    all.push_back(fixed_row(map.reserved_begin, cache_begin, "reserved by the runtime"));
    all.push_back(fixed_row(cache_begin, map.capacity, "data cache"));
  }
  for (const UbOwner& o : map.owners)
    if (o.refused) all.push_back(row(map, o));
  return all;
}

void print(std::ostream& out, const std::vector<Row>& table) {
  std::array<std::size_t, columns> width{};
  for (const Row& r : table)
    for (std::size_t c = 0; c < columns; ++c) width[c] = std::max(width[c], r[c].size());
  for (const Row& r : table) {
    std::string line;
    for (std::size_t c = 0; c < columns; ++c) {
      const std::string pad(width[c] - r[c].size(), ' ');
      line += "  " + (c == 1 ? pad + r[c] : r[c] + pad);
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  }
}

}  // namespace

const UbOwner* UbMap::largest() const {
  const UbOwner* most = nullptr;
  for (const UbOwner& o : owners)
    if (!o.refused && (!most || o.bytes > most->bytes)) most = &o;
  return most;
}

namespace {

/// The limits and the tiles to which they apply: the budget limits tiles placed by TASSIGN; automatic tiles and
/// dynUBufSize have a limit together.
std::string limit_text(const UbMap& map) {
  const auto is_automatic = [](const UbOwner& o) { return o.automatic; };
  const bool some = std::any_of(map.owners.begin(), map.owners.end(), is_automatic);
  const bool all = some && std::all_of(map.owners.begin(), map.owners.end(), is_automatic);
  std::string placed = std::to_string(map.limit) + " (" + map.limit_from + ")";
  if (!some || map.static_limit == 0) return placed;
  const std::string together = std::to_string(map.static_limit) + " for automatic tiles and dynUBufSize together";
  return all ? together : placed + " for tiles placed by TASSIGN and " + together;
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const UbMap& map) {
  out << "UB: tiles reach byte " << map.used << ", the limit is " << limit_text(map) << ", UB has " << map.capacity
      << " bytes\n";
  print(out, rows(map));
  if (map.left_out > 0) out << "  " << map.left_out << " more placements elsewhere\n";
  if (const UbOwner* o = map.largest())
    out << "largest: " << o->tile << ", " << o->bytes << " bytes at " << range_text(o->begin, o->end) << '\n';
  return out;
}

}  // namespace ptox
