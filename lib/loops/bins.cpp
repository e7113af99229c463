// SPDX-License-Identifier: Apache-2.0
#include "loops/bins.hpp"

#include <bit>
#include <cstring>

namespace ptox {

namespace {

constexpr std::int64_t bytes_of_entry(bool valued) { return valued ? 8 : 4; }
std::size_t blocks_of(int regions, std::int64_t most, bool valued) {
  return static_cast<std::size_t>(most * bytes_of_entry(valued) / Sorting::block + regions + 1);
}

}  // namespace

Bins::Bins(int regions, std::int64_t most, bool valued, std::byte* memory)
    : entry_bytes_(bytes_of_entry(valued)),
      per_block_(Sorting::block / entry_bytes_),
      bins_(static_cast<std::size_t>(regions)),
      links_(blocks_of(regions, most, valued)),
      fill_(bins_.size() + Sorting::dropped),
      ends_(fill_.size()),
      memory_(memory),
      stage_(memory + links_.size() * Sorting::block) {}

std::size_t Bins::bytes(int regions, std::int64_t most, bool valued) {
  const std::size_t stage = (static_cast<std::size_t>(regions) + Sorting::dropped) * Sorting::together;
  return blocks_of(regions, most, valued) * Sorting::block +
         (stage + Sorting::block - 1) / Sorting::block * Sorting::block;
}

void Bins::sort(const Entries& e, int shift) {
  taken_ = 0;
  for (std::size_t b = 0; b < bins_.size(); ++b) bins_[b] = {};
  for (std::size_t b = 0; b < fill_.size(); ++b) {
    const std::size_t first = b < bins_.size() ? 0 : 8;  // dropped entries never reach a multiple of `together`
    fill_[b] = static_cast<std::uint32_t>(b * Sorting::together + first), ends_[b] = nullptr;
  }
  Sorting job{};
  job.slots = e.slots, job.values = e.values, job.count = e.count;
  job.shift = shift, job.capacity = e.capacity, job.nowhere = static_cast<std::uint32_t>(regions());
  job.stage = stage_, job.fill = fill_.data(), job.ends = ends_.data();
  job.owner = this, job.mixed = e.mixed;
  job.open = [](void* bins, std::uint32_t region) { return static_cast<Bins*>(bins)->open(region); };
  kernels().sort[e.wide][std::bit_width(static_cast<std::uint64_t>(e.value_bytes))](job);
  for (std::uint32_t b = 0; b < bins_.size(); ++b) put_rest(b);
}

std::int64_t Bins::kept() const {
  std::int64_t all = 0;
  for (const Bin& b : bins_) all += b.count;
  return all;
}

/// Appends a block to a region that has none or only full ones.
std::byte* Bins::open(std::uint32_t region) {
  Bin& bin = bins_[region];
  const std::uint32_t number = taken_++;
  (bin.blocks++ == 0 ? bin.first : links_[bin.last]) = number;
  bin.last = number;
  return block(number);
}

/// Copies what is left in the stage of a region, less than `together` bytes, to its block, and counts its entries.
void Bins::put_rest(std::uint32_t region) {
  const auto begin = region * static_cast<std::uint32_t>(Sorting::together);
  const std::uint32_t bytes = fill_[region] - begin;
  std::byte*& end = ends_[region];
  if (bytes > 0) {
    if (reinterpret_cast<std::uintptr_t>(end) % Sorting::block == 0) end = open(region);
    std::memcpy(end, stage_ + begin, bytes);
    end += bytes;
  }
  Bin& bin = bins_[region];
  if (bin.blocks > 0) bin.count = (bin.blocks - 1) * per_block_ + (end - block(bin.last)) / entry_bytes_;
}

}  // namespace ptox
