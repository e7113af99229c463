// SPDX-License-Identifier: Apache-2.0
// The number of the rank that executes a kernel, and addresses in the symmetric memory of other ranks.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void* at_rank(const void* own, std::int64_t rank, instr::Site site);
bool is_root(const Tensors& group);
}  // namespace detail

/// The number of this rank; 0 outside run_ranks.
int get_rank();
/// The number of ranks; 1 outside run_ranks.
int get_rank_num();

/// The address at `rank` of the symmetric memory that this rank has at `own`, for tensors of instructions and
/// collectives. Reports a finding and returns null if the rank does not exist or `own` is not in symmetric memory.
template <class T>
T* at_rank(T* own, std::int64_t rank, instr::Site site = instr::Site::current()) {
  return static_cast<T*>(detail::at_rank(own, rank, site));
}

/// Whether this rank is the root, which calls the collectives of the group; true outside run_ranks.
template <class G>
bool is_root(const ParallelGroup<G>& group) {
  return detail::is_root(detail::tensors_of(group));
}

}  // namespace pto::comm
