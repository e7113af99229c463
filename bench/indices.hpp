// SPDX-License-Identifier: Apache-2.0
// Orders in which the rows of a table are accessed.
#pragma once

#include <cstdint>
#include <span>

namespace ptox::bench {

/// `zipf`: the share of the k-th most frequent row is proportional to 1 / k^1.05; frequent rows are scattered over the
/// table. `two_hot`: only two rows. `window`: all rows lie in a 128th of the table.
enum class Order { uniform, zipf, permutation, all_same, sorted, reversed, two_hot, window };

const char* name(Order);

/// Fills with indices below `rows`, the same for the same seed. A permutation needs as many indices as the table has
/// rows.
void fill_indices(std::span<std::int32_t> idx, std::int64_t rows, Order order, std::uint64_t seed);

/// Replaces a randomly chosen share of the indices by -1.
void drop_share(std::span<std::int32_t> idx, double share, std::uint64_t seed);

}  // namespace ptox::bench
