// SPDX-License-Identifier: Apache-2.0
#include "comm/hccl/fabric.hpp"

#include <algorithm>
#include <string>

namespace ptox::comm::hccl {

void ProgramFabric::sleep(std::uint32_t seen, Deadline deadline) {
  constexpr std::chrono::milliseconds between{20};
  SharedFabric::sleep(seen, std::min(deadline, Time::now() + between));
  if (const Deadline now = Time::now(); now >= looked_ + between) looked_ = now, look_for_dead();
}

void ProgramFabric::look_for_dead() {
  Board& board = session_.board();
  for (int r = 0; r < size(); ++r) {
    Seat& seat = board.seat(r);
    if (seat.state.load() != Seat::running || session_.runs(r)) continue;
    board.fail_for_sure({FindingKind::comm_dead_rank,
                         "rank " + std::to_string(r) + " has ended without HcclCommDestroy, last in " + last_op(r),
                         {r}});
    seat.state.store(Seat::lost);  // after the failure: a rank that sees this state throws the recorded failure
    board.ring_all();
  }
}

}  // namespace ptox::comm::hccl
