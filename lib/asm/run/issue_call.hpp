// SPDX-License-Identifier: Apache-2.0
// Issues an instruction from compiled code.
#pragma once

#include <algorithm>
#include <bit>

#include "asm/run/calls.hpp"

namespace ptox::assembly {

/// The type of the scalar operand of texpands, which is converted to the element type.
enum class ScalarKind { none, integer, floating };

/// An instruction on tiles and tensors. `place` has the index in CallValues of each operand; -1: the operand is absent.
template <class I>
class IssueCall : public Call {
 public:
  IssueCall(typename I::Operands type, std::vector<int> place, ScalarKind scalar, pto::instr::Site site)
      : type_(type), place_(std::move(place)), scalar_(scalar), site_(site), legal_(pto::instr::legal_on<I>(type)) {
    I::OperandList::each(type_, [&]<class F>(F, const auto& desc) { open_ |= !desc.is_static(); });
  }

  std::int64_t run(BlockState& block, CallValues values) const override {
    typename I::Operands o = type_;
    std::size_t next = 0;
    I::OperandList::each(o, [&]<class F, class D>(F, D& desc) {
      if (const int place = place_[next++]; place >= 0) fill(desc, block, static_cast<std::size_t>(values[place]));
    });
    complete(o, values);
    if (open_) {
      o = pto::instr::resolved<I>(o);
      if constexpr (requires { o.policy.one_static; }) o.policy.one_static = type_.policy.one_static;
    }
    if (block.uses)
      measure(block, values, o);
    else
      pto::instr::issue<I>(o, legal_, open_, site_);
    return 0;
  }

 private:
  void fill(TileDesc& desc, BlockState& block, std::size_t tile) const {
    TileState& state = block.tiles[tile];
    if (!block.uses) pto::instr::detail::settle(state.place, state.desc, site_);
    desc = state.desc;
    desc.offset = state.place.offset;
  }
  void fill(TensorDesc& desc, BlockState& block, std::size_t view) const { desc = block.views[view].desc; }

  /// Fills in the operands that are neither tiles nor tensors.
  void complete(typename I::Operands& o, CallValues values) const {
    if constexpr (std::is_same_v<I, pto::instr::MgatherMat>)
      if (place_[3] < 0) o.scratch = o.table;  // Row has no scratch operand
    if constexpr (std::is_same_v<I, pto::instr::Texpands>)
      pto::instr::with_type(o.dst.dtype, [&]<class T>() {
        const T value = scalar_ == ScalarKind::floating ? pto::instr::as_element<T>(std::bit_cast<double>(values[0]))
                                                        : pto::instr::as_element<T>(values[0]);
        o.policy.bits = 0;
        __builtin_memcpy(&o.policy.bits, &value, sizeof value);
      });
  }

  /// Measuring run: records which arguments the instruction reads and writes, and which one holds its indices.
  void measure(BlockState& block, CallValues values, const typename I::Operands& o) const {
    using pto::instr::Role;
    std::vector<int> argument(place_.size(), -1);  // kernel argument of each operand, or -1
    std::size_t next = 0, index = place_.size();
    bool writes_tensor = false;
    I::OperandList::each(o, [&]<class F, class D>(F, const D&) {
      constexpr bool tensor = std::is_same_v<D, TensorDesc>;
      const int place = place_[next];
      if (place >= 0) {
        const auto at = static_cast<std::size_t>(values[place]);
        if constexpr (tensor) {
          argument[next] = block.views[at].argument;
          if (argument[next] >= 0 && (F::role == Role::in || F::role == Role::inout))
            (*block.uses)[static_cast<std::size_t>(argument[next])].read = true;
        } else
          argument[next] = block.tiles[at].source;
      }
      if (next == 0) writes_tensor = tensor;
      if (is_index(F::name)) index = next;
      ++next;
    });
    const auto use = [&](std::size_t k) { return &(*block.uses)[static_cast<std::size_t>(argument[k])]; };
    if (writes_tensor && argument[0] >= 0) use(0)->written = true;
    if constexpr (requires { I::lookup(*block.target, o); })
      if (index < place_.size() && argument[index] >= 0 && I::Rules::hold(*block.target, o))
        note_indices(*use(index), I::lookup(*block.target, o));
    if (writes_tensor) return;
    const bool copies = std::is_same_v<I, pto::instr::Tload> || std::is_same_v<I, pto::instr::Tmov>;
    block.tiles[static_cast<std::size_t>(values[place_[0]])].source = copies ? argument[1] : -1;
  }
  static bool is_index(std::string_view name) { return name == "idx" || name == "offset"; }
  static void note_indices(ArgumentUse& use, const pto::instr::Lookup& lookup) {
    use.index_capacity = use.index_capacity < 0 ? lookup.capacity : std::min(use.index_capacity, lookup.capacity);
    use.index_step = std::max(use.index_step, lookup.multiple);
  }

  typename I::Operands type_;
  std::vector<int> place_;
  ScalarKind scalar_;
  pto::instr::Site site_;
  pto::instr::TargetMask legal_;
  bool open_ = false;
};

}  // namespace ptox::assembly
