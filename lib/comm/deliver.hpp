// SPDX-License-Identifier: Apache-2.0
// Copies rows into the window of another rank.
#pragma once

#include "comm/shards.hpp"
#include "cpu/kernels.hpp"

namespace ptox::detail {

/// More bytes than the caches hold.
bool past_caches(std::int64_t bytes);

/// Bytes as they are.
void put_bytes(comm::Member& member, comm::Place to, const void* from, std::int64_t bytes);

/// The rows that a move names, one after the other: into the window itself where it is mapped, else by way of a stage.
/// The move's data is not used.
void put_rows(const ShardedCall& call, Move move, bool wide, comm::Place to);

}  // namespace ptox::detail
