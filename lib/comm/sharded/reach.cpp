// SPDX-License-Identifier: Apache-2.0
#include "comm/sharded/reach.hpp"

#include <numeric>

namespace ptox::detail {

Reach::Reach(const ShardedCall& call)
    : owners_(call.owners),
      capacity_(static_cast<std::uint64_t>(call.layout.rows)),
      parts_(static_cast<std::size_t>(call.ranks()) + 1),
      base_(call.table.block_of(call.member().id())),
      unit_(call.layout.row_bytes),
      row_bytes_(call.layout.row_bytes) {
  const auto from_base = [&](int r) { return call.table.block_of(r) - base_; };
  for (int r = 0; r < call.ranks(); ++r)
    if (std::byte* block = call.table.block_of(r); block && block < base_) base_ = block;
  for (int r = 0; r < call.ranks(); ++r)
    if (call.table.mapped(r)) unit_ = std::gcd(unit_, from_base(r));
  step_ = static_cast<std::uint64_t>(row_bytes_ / unit_);
  for (int r = 0; r < call.ranks(); ++r) {
    if (!call.table.mapped(r)) {
      whole_ = false;
      continue;
    }
    const auto first = static_cast<std::uint64_t>(from_base(r) / unit_);
    const auto begin = static_cast<std::uint64_t>(r) * owners_.block();
    parts_[static_cast<std::size_t>(r)] = {first - begin * step_, 0};
    wide_ |= first + owners_.block() * step_ >= std::numeric_limits<std::uint32_t>::max();
  }
}

Move Reach::move() const {
  Move m{};
  m.table = base_, m.stride = unit_, m.row_bytes = row_bytes_;
  m.capacity = wide_ ? std::uint64_t{1} << 63 : std::numeric_limits<std::uint32_t>::max();
  return m;
}

}  // namespace ptox::detail
