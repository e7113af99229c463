// SPDX-License-Identifier: Apache-2.0
// The ranks that take part in a collective, and its root.
#pragma once

namespace pto::comm {

/// One tensor for each rank, with the addresses that the root uses, and the number of the root. Does not own the array.
template <class G>
struct ParallelGroup {
  using value_type = G;

  G* tensors = nullptr;
  int nranks = 0;
  int rootIdx = 0;

  ParallelGroup() = default;
  ParallelGroup(G* tensors_, int nranks_, int root) : tensors(tensors_), nranks(nranks_), rootIdx(root) {}
  static ParallelGroup Create(G* tensors, int nranks, int root) { return {tensors, nranks, root}; }

  int GetRootIdx() const { return rootIdx; }
  int GetSize() const { return nranks; }
  bool empty() const { return nranks == 0; }
  G& operator[](int rank) const { return tensors[rank]; }
};

}  // namespace pto::comm
