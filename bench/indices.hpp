// SPDX-License-Identifier: Apache-2.0
// Orders in which the rows of a table are accessed.
#pragma once

#include <cstdint>
#include <span>

namespace ptox::bench {

/// `zipf`: the k-th most frequent row has a share of 1 / k^1.05, and lies anywhere. `window`: all of them lie in a
/// 128th of the table.
enum class Order { uniform, zipf, permutation, all_same, sorted, reversed, two_hot, window };

const char* name(Order);

/// Indices below `rows`, the same for the same seed. A permutation has as many indices as the table has rows.
void fill_indices(std::span<std::int32_t> idx, std::int64_t rows, Order order, std::uint64_t seed);

/// Puts -1 at that share of the places, spread at random.
void drop_share(std::span<std::int32_t> idx, double share, std::uint64_t seed);

}  // namespace ptox::bench
