// SPDX-License-Identifier: Apache-2.0
// The moves for which the GPU has kernels; host functions that put them on a stream.
#pragma once

#include "cuda/move.hpp"
#include "cuda/scratch.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox::cuda {

using Stream = CUstream_st*;

/// How an element is updated: which type it has, and by what.
struct Update {
  pto::instr::DType dtype;
  pto::ScatterAtomicOp op;
};

/// moved[i, :] = table[idx[i], :]
void gather(const Move&, Stream);
/// table[idx[i], :] = moved[i, :]; of rows that meet each unit is any one's, or all are the one's that won.
void store(const Move&, Stream);
/// winners[slot] = one more than the last position that leads there; all zero before.
void find_winners(const Move&, std::uint32_t* winners, Stream);

/// table[idx[i], :] (op)= moved[i, :] by atomics, in no order.
void update_add(const Move&, pto::instr::DType, Stream);
void update_max(const Move&, pto::instr::DType, Stream);
void update_min(const Move&, pto::instr::DType, Stream);
/// The same in source order: the bytes are those of a plain loop. None: the last one is left.
void update_in_order(const Move&, Update, Stream);

/// Whether a table is so small, and elements so many, that blocks keep a part of it, or sums of their own.
bool small_pays(const Move&);
bool small_pays(const Move&, pto::instr::DType);
/// moved[i] = table[idx[i]]
void gather_from_small(const Move&, Stream);
/// table[idx[i]] += moved[i], in no order.
void add_to_small(const Move&, pto::instr::DType, Stream);

/// Whether elements of that size are better sorted by window of the table first.
bool windows_pay(const Move&, std::int64_t element_bytes);
/// Elements by window of the table, each window in shared memory while its elements come. Sums of floats are in no
/// order; for None the last one is left.
void update_by_windows(const Move&, Update, Stream);

}  // namespace ptox::cuda
