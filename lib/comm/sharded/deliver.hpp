// SPDX-License-Identifier: Apache-2.0
// Copies rows into the window of another rank.
#pragma once

#include "comm/sharded/shards.hpp"
#include "loops/kernels.hpp"

namespace ptox::detail {

/// Whether that many bytes exceed the last-level cache by more than half of its size.
bool past_caches(std::int64_t bytes);

/// Copies contiguous bytes to another rank.
void put_bytes(comm::Member& member, comm::Place to, const void* from, std::int64_t bytes);

/// Gathers the rows that the slots of a move name, which are all valid, into consecutive rows at `to`: directly if that
/// memory is mapped, otherwise through a local buffer. `move.data` is ignored.
void put_rows(const ShardedCall& call, Move move, bool wide, comm::Place to);

}  // namespace ptox::detail
