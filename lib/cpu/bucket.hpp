// SPDX-License-Identifier: Apache-2.0
// When and how are elements of a large table taken region by region?
#pragma once

#include <cstdint>

#include "cpu/kernels.hpp"
#include "cpu/slots.hpp"
#include "ptox/ops.hpp"

namespace ptox {

/// Whether `count` elements of a table are many enough, and far enough apart, that sorting their slots by region costs
/// less than it saves.
bool buckets_pay(const detail::RowsView& table, std::int64_t count, const Sample&);

/// Gathers packed elements whose slots are 32 bits and valid: slots are put into one bucket a region of the table, each
/// bucket is gathered while its region is in the cache, and the values go back in the order of the slots. False: it did
/// nothing, for want of memory.
bool gather_bucketed(const Move&);

}  // namespace ptox
