// SPDX-License-Identifier: Apache-2.0
#include "cpu/bucket.hpp"

namespace ptox {
bool buckets_pay(const detail::RowsView&, std::int64_t, const Sample&) { return false; }
bool gather_bucketed(const Move&) { return false; }
}  // namespace ptox
