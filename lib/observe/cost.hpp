// SPDX-License-Identifier: Apache-2.0
// Estimates the work of an instruction and its cycles.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "pto/isa/effect.hpp"
#include "pto/isa/instr.hpp"
#include "ptox/target.hpp"

namespace ptox {

/// The work of one execution of an instruction, counted from its effects.
struct Work {
  bool indexed = false, by_row = false;
  bool s_reads_indices = false, scalar_path = false;  ///< S reads the indices; S does everything
  bool nz = false;                                    ///< some tensor has layout NZ: 32-byte blocks
  std::int64_t gm_read_bytes = 0, gm_write_bytes = 0, ub_bytes = 0;
  std::int64_t transfers = 0;                             ///< DMA descriptors
  std::int64_t bursts = 0;                                ///< contiguous pieces of global memory
  std::int64_t indices = 0;                               ///< indices that are read
  std::int64_t lanes = 0, skipped = 0;                    ///< elements moved, and those skipped by their index
  std::int64_t picked = 0;                                ///< elements of a tile selected by an index or a mask
  std::int64_t warps = 0, warps_per_row = 0, passes = 0;  ///< of a SIMT launch; in a pass each warp moves a row or run
  std::int64_t lines = 0;                                 ///< cache lines after coalescing, summed over accesses
  std::int64_t distinct_lines = 0;
  std::int64_t queued_lines = 0;    ///< lines beyond those that each warp keeps in flight
  std::int64_t remaps = 0;          ///< scalar operations of the out-of-range policy
  std::int64_t atomics = 0;         ///< lines, or on a DMA engine bytes, that are read before they are written
  std::int64_t slots_scanned = 0;   ///< that ScatterConflict::Last compares with every index
  bool last_spelled = false;        ///< the call names this policy; otherwise it is the default
  bool rows_in_disguise = false;    ///< Coalesce::Elem that moves whole rows: Row is enough
  std::int64_t rows = 0, cols = 0;  ///< of the tile's valid region

  std::int64_t gm_bytes() const { return gm_read_bytes + gm_write_bytes; }
  std::int64_t scanned() const { return slots_scanned * indices; }
  /// Adds the counts of another execution of the same call; of sizes of a launch and tile the maximum is kept.
  void add(const Work& other);
};

/// The properties of an instruction that its effects do not show.
struct WorkForm {
  struct Tensor {
    const char* name = nullptr;
    std::int64_t width = 0;  ///< distance between rows of an ND tensor in bytes, otherwise 0
    const std::byte* base = nullptr;
  };
  Tensor tensors[3];
  int tensor_count = 0;
  const char* table = nullptr;  ///< the name of the tensor from which the indices select
  bool indexed = false, by_row = false, on_lanes = false, scans = false, last_spelled = false, nz = false;
  pto::instr::OutOfRange oob = pto::instr::OutOfRange::undefined;
  std::int64_t rows = 0, cols = 0, element_bytes = 0, capacity = 0, transfers_per_row = 1;

  void tensor(const char* name, const pto::instr::TensorDesc& t) {
    const std::int64_t size = pto::instr::size_of(t.dtype);
    tensors[tensor_count++] = {name, t.layout == pto::Layout::ND ? t.stride[3] * size : 0,
                               static_cast<const std::byte*>(t.base)};
    nz = nz || t.layout == pto::Layout::NZ;
  }
  const Tensor* tensor(const char* name) const {
    for (int i = 0; i < tensor_count; ++i)
      if (tensors[i].name == name) return &tensors[i];
    return nullptr;
  }
};

namespace detail {

/// Adds the properties that policies and operands of a gather or scatter determine.
template <class I>
void add_indexed(WorkForm& f, const Target& t, const typename I::Operands& o, const pto::instr::TileDesc& data) {
  const pto::Coalesce mode = o.policy.coalesce.mode;
  const pto::instr::Table table(t, o.table, mode, data.valid_cols);
  f.indexed = true, f.by_row = table.by_row;
  f.table = I::Tab::name;
  f.rows = data.valid_rows, f.cols = pto::instr::lane_cols(t, data, o.table, mode);
  f.element_bytes = pto::instr::size_of(data.dtype), f.capacity = table.capacity();
  f.transfers_per_row = o.table.layout == pto::Layout::NZ ? o.table.shape[0] : 1;
  f.oob = pto::instr::out_of_range(o.policy.oob);
  f.on_lanes = I::on_lanes(t, o);
  if constexpr (requires { o.policy.conflict; }) {
    f.scans =
        f.on_lanes && o.policy.op == pto::ScatterAtomicOp::None && o.policy.conflict == pto::ScatterConflict::Last;
    f.last_spelled = o.policy.conflict_spelled;
  }
}

}  // namespace detail

template <class I>
WorkForm form_of(const Target& t, const typename I::Operands& o) {
  WorkForm f;
  if constexpr (requires { typename I::OperandList; })
    I::OperandList::each(o, [&]<class F, class D>(F, const D& d) {
      if constexpr (std::is_same_v<D, pto::instr::TensorDesc>) {
        if (f.tensor_count < 3) f.tensor(F::name, d);
      } else if (F::role != pto::instr::Role::in || !f.rows) {
        f.rows = d.valid_rows, f.cols = d.valid_cols;
        f.element_bytes = pto::instr::size_of(d.dtype);
      }
    });
  if constexpr (requires { o.policy.coalesce.mode; }) {
    if constexpr (requires { o.dst; })
      detail::add_indexed<I>(f, t, o, o.dst);
    else
      detail::add_indexed<I>(f, t, o, o.src);
  }
  return f;
}

/// The work of one execution, of which `effects` are all effects.
Work work_of(const Target& t, const WorkForm& form, const std::vector<pto::instr::Effect>& effects);

template <class I>
Work work_of(const Target& t, const typename I::Operands& o, const std::vector<pto::instr::Effect>& effects) {
  return work_of(t, form_of<I>(t, o), effects);
}

/// The pipe that moves an instruction's data: that of its last effect.
inline pipe_t data_pipe(const std::vector<pto::instr::Effect>& effects) {
  return effects.empty() ? PIPE_S : effects.back().pipe;
}

/// Estimated cycles on the scalar unit, which reads indices and issues, and on the pipe that moves the data; the
/// latter are 0 when that is the scalar unit too.
struct Cost {
  std::uint64_t scalar = 0, pipe = 0;
};
Cost cost_of(const Target& t, pipe_t data_pipe, const Work& work);
/// Cost::scalar of instructions whose indices S does not read: known at issue, when no index has been read.
std::uint64_t issue_cycles(const Target& t);

/// The estimated time of a get from another rank, in ticks of a clock whose frequency was not stated.
double remote_get_ticks(const Target& t, std::int64_t bytes);

}  // namespace ptox
