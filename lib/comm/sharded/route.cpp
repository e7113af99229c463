// SPDX-License-Identifier: Apache-2.0
#include "comm/sharded/route.hpp"

namespace ptox::detail {

void Route::count_all(const ShardedCall& call, const Slots& slots) {
  each_run(slots, 0, slots.count(), [&](const auto* run, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      if (run[i] < slots.capacity()) ++counts_[call.owners.of(run[i])];
    call.tell(first + count);
  });
}

void Route::fill(const ShardedCall& call, const Slots& slots) {
  std::size_t sum = 0;
  for (const std::int64_t n : counts_) begins_.push_back(sum), sum += static_cast<std::size_t>(n);
  if (sum == 0) return;
  positions_.resize(sum);
  slot_bytes_ = static_cast<std::size_t>(call.layout.slot_bytes());
  slots_.resize(sum * slot_bytes_);
  call.layout.wide() ? fill_as<std::uint64_t>(call, slots) : fill_as<std::uint32_t>(call, slots);
}

template <class Slot>
void Route::fill_as(const ShardedCall& call, const Slots& slots) {
  std::vector<std::size_t> next = begins_;
  auto* const to = reinterpret_cast<Slot*>(slots_.data());
  const std::uint64_t block = call.owners.block();
  each_run(slots, 0, slots.count(), [&](const auto* run, std::int64_t first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      if (run[i] >= slots.capacity()) continue;
      const std::size_t owner = call.owners.of(run[i]);
      if (counts_[owner] == 0) continue;
      const std::size_t at = next[owner]++;
      positions_[at] = static_cast<std::uint64_t>(first + i);
      to[at] = static_cast<Slot>(run[i] - owner * block);
    }
    call.tell(first + count);
  });
}

}  // namespace ptox::detail
