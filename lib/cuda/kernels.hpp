// SPDX-License-Identifier: Apache-2.0
// Host functions that enqueue the GPU kernels of indexed moves on a stream.
#pragma once

#include "cuda/move.hpp"
#include "cuda/scratch.hpp"
#include "pto/tile/dtype.hpp"

namespace ptox::cuda {

using Stream = CUstream_st*;

/// The element type and the operation of an update.
struct Update {
  pto::instr::DType dtype;
  pto::ScatterAtomicOp op;
};

/// moved[i, :] = table[idx[i], :]
void gather(const Move&, Stream);
/// table[idx[i], :] = moved[i, :]. Where several rows have the same slot, each unit comes from any of them; with
/// `winners`, all units come from the winner.
void store(const Move&, Stream);
/// winners[slot] = one more than the last position that selects the slot. Precondition: all are zero.
void find_winners(const Move&, std::uint32_t* winners, Stream);

/// table[idx[i], :] (op)= moved[i, :] by atomic operations, in no defined order.
void update_add(const Move&, pto::instr::DType, Stream);
void update_max(const Move&, pto::instr::DType, Stream);
void update_min(const Move&, pto::instr::DType, Stream);
/// The same in source order: the result has the bytes of a sequential loop. With op None the last row is stored.
void update_in_order(const Move&, Update, Stream);

/// Whether the table is so small, and the elements so many, that gather_from_small, or add_to_small for elements of the
/// dtype, is used.
bool small_pays(const Move&);
bool small_pays(const Move&, pto::instr::DType);
/// moved[i] = table[idx[i]]
void gather_from_small(const Move&, Stream);
/// table[idx[i]] += moved[i], in no defined order.
void add_to_small(const Move&, pto::instr::DType, Stream);

/// Whether it is faster to sort elements of that size by window of the table first.
bool windows_pay(const Move&, std::int64_t element_bytes);
/// Updates elements window by window: each window of the table is in shared memory while its elements are processed.
/// Sums of floats are in no defined order; with op None the last element is stored.
void update_by_windows(const Move&, Update, Stream);

}  // namespace ptox::cuda
