// SPDX-License-Identifier: Apache-2.0
#include "engine/core/turns.hpp"

#include <algorithm>
#include <numeric>

namespace ptox {

namespace {
constexpr std::uint64_t instructions_a_turn = 6;  // on average
}

Turns::Turns(int threads, std::uint64_t seed) : live_(static_cast<std::size_t>(threads)), random_(seed) {
  std::iota(live_.begin(), live_.end(), 0);
  current_ = live_[random_.below(live_.size())];
}

void Turns::hand_on() {
  current_ = live_.empty() ? -1 : live_[random_.below(live_.size())];
  changed_.notify_all();
}

void Turns::enter(int me) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return current_ == me; });
}

void Turns::pass(int me) {
  std::unique_lock lock(mutex_);
  if (random_.below(instructions_a_turn) != 0) return;
  hand_on();
  changed_.wait(lock, [&] { return current_ == me; });
}

void Turns::leave(int me) {
  std::lock_guard lock(mutex_);
  std::erase(live_, me);
  if (current_ == me) hand_on();
}

}  // namespace ptox
