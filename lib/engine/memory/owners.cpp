// SPDX-License-Identifier: Apache-2.0
#include "engine/memory/owners.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include "engine/memory/tile_text.hpp"

namespace ptox {

namespace {

bool refused(Placed how) { return how == Placed::refused || how == Placed::refused_automatic; }

/// offset + bytes, saturated: a refused tile may have requested any offset.
std::int64_t end_of(std::int64_t offset, std::int64_t bytes) {
  std::int64_t end;
  return __builtin_add_overflow(offset, bytes, &end) ? std::numeric_limits<std::int64_t>::max() : end;
}

auto key(const UbOwner& o) { return std::tie(o.begin, o.end, o.refused, o.file, o.line, o.tile, o.automatic, o.bytes); }

/// Sorts the owners, and merges those that differ only in block and count.
void tidy(std::vector<UbOwner>& owners) {
  std::sort(owners.begin(), owners.end(), [](const UbOwner& a, const UbOwner& b) { return key(a) < key(b); });
  std::vector<UbOwner> out;
  for (UbOwner& o : owners) {
    if (out.empty() || key(out.back()) != key(o)) {
      out.push_back(std::move(o));
    } else {
      out.back().count += o.count;
      out.back().block = std::min(out.back().block, o.block);
    }
  }
  owners = std::move(out);
}

}  // namespace

bool OwnerLog::same(const Entry& a, const Entry& b) {
  return a.tile.offset == b.tile.offset && a.site.line() == b.site.line() && a.how == b.how &&
         a.site.file_name() == b.site.file_name() && a.tile == b.tile;
}

OwnerLog::Entry* OwnerLog::find(const Entry& e) {
  const std::size_t n = entries_.size();
  for (std::size_t k = 0, i = next_ < n ? next_ : 0; k < n; ++k, i = i + 1 < n ? i + 1 : 0)
    if (same(entries_[i], e)) {
      next_ = i + 1;
      return &entries_[i];
    }
  return nullptr;
}

bool OwnerLog::keeps(const Entry& e) const {
  if (entries_.size() < most_owners) return true;
  return !refused(e.how) && (e.tile.end() > used_ || e.tile.bytes() > most_bytes_);
}

void OwnerLog::add(const Entry& e) {
  if (Entry* known = find(e)) {
    known->count += e.count;
    known->block = std::min(known->block, e.block);
    return;
  }
  if (!keeps(e)) {
    left_out_ += e.count;
    return;
  }
  entries_.push_back(e);
  if (refused(e.how)) return;
  used_ = std::max(used_, e.tile.end());
  most_bytes_ = std::max(most_bytes_, e.tile.bytes());
}

void OwnerLog::add(const pto::instr::TileDesc& tile, Placed how, const pto::instr::Site& site, int block) {
  add({tile, site, how, block, 1});
}

void OwnerLog::merge(OwnerLog&& other) {
  for (const Entry& e : other.entries_) add(e);
  left_out_ += other.left_out_;
  other = {};
}

UbOwner OwnerLog::owner(const Entry& e) {
  const bool nowhere = e.how == Placed::refused_automatic;
  const std::int64_t begin = nowhere ? -1 : e.tile.offset, bytes = e.tile.bytes();
  return {.begin = begin,
          .end = nowhere ? -1 : end_of(begin, bytes),
          .bytes = bytes,
          .tile = tile_text(e.tile),
          .file = e.site.file_name(),
          .line = e.site.line(),
          .automatic = e.how == Placed::automatic || nowhere,
          .refused = refused(e.how),
          .block = e.block,
          .count = e.count};
}

UbMap OwnerLog::take() {
  UbMap map;
  for (const Entry& e : entries_) map.owners.push_back(owner(e));
  tidy(map.owners);
  map.used = used_;
  map.left_out = left_out_;
  *this = {};
  return map;
}

}  // namespace ptox
