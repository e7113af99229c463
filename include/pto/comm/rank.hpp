// SPDX-License-Identifier: Apache-2.0
// The rank that runs this kernel, and addresses of its memory at other ranks.
#pragma once

#include "pto/comm/chunks.hpp"

namespace pto::comm {

namespace detail {
void* at_rank(const void* own, std::int64_t rank, instr::Site site);
bool is_root(const Tensors& group);
}  // namespace detail

/// This rank's number; 0 outside run_ranks.
int get_rank();
/// How many ranks there are; 1 outside run_ranks.
int get_rank_num();

/// The same place of symmetric memory at that rank, for tensors of instructions and collectives. A rank that is not
/// there, or memory that other ranks do not have, is a finding, and the address is null.
template <class T>
T* at_rank(T* own, std::int64_t rank, instr::Site site = instr::Site::current()) {
  return static_cast<T*>(detail::at_rank(own, rank, site));
}

/// Whether this rank is the one that calls the collectives of the group; outside run_ranks it is.
template <class G>
bool is_root(const ParallelGroup<G>& group) {
  return detail::is_root(detail::tensors_of(group));
}

}  // namespace pto::comm
