// SPDX-License-Identifier: Apache-2.0
// The operations that compiled kernel code executes through the engine: one class for each operation.
#pragma once

#include <array>
#include <optional>

#include "asm/run/runtime.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly {

/// An integer operand: a constant of the text, or the index of a run-time value in CallValues (-1: constant).
struct Number {
  std::int64_t constant = 0;
  int value = -1;
  std::int64_t in(CallValues values) const { return value < 0 ? constant : values[value]; }
};

/// The value of argument k of the kernel.
class ArgumentCall : public Call {
 public:
  explicit ArgumentCall(int argument) : argument_(argument) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  int argument_;
};

/// make_tensor_view: value 0 is the pointer. If the number of the view is -1, each execution creates a new view.
class MakeViewCall : public Call {
 public:
  MakeViewCall(int view, TensorDesc type, std::vector<Number> shape, std::vector<Number> strides, pto::instr::Site site)
      : view_(view), type_(type), shape_(std::move(shape)), strides_(std::move(strides)), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  int view_;
  TensorDesc type_;
  std::vector<Number> shape_, strides_;
  pto::instr::Site site_;
};

/// partition_view: value 0 is the view.
class PartitionCall : public Call {
 public:
  PartitionCall(int view, TensorDesc type, std::vector<Number> offsets, std::vector<Number> sizes,
                pto::instr::Site site)
      : view_(view), type_(type), offsets_(std::move(offsets)), sizes_(std::move(sizes)), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  void report_outside(std::size_t dim, std::int64_t from, std::int64_t size, std::int64_t has) const;

  int view_;
  TensorDesc type_;
  std::vector<Number> offsets_, sizes_;
  pto::instr::Site site_;
};

/// alloc_tile, with the optional operands addr, valid_row and valid_col. If the number of the tile is -1, each
/// execution creates a new tile.
class AllocCall : public Call {
 public:
  AllocCall(int tile, TileDesc type, std::optional<Number> addr, std::optional<Number> rows, std::optional<Number> cols,
            pto::instr::Site site)
      : tile_(tile), type_(type), addr_(addr), rows_(rows), cols_(cols), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  int tile_;
  TileDesc type_;
  std::optional<Number> addr_, rows_, cols_;
  pto::instr::Site site_;
};

/// tassign: value 0 is the tile.
class AssignCall : public Call {
 public:
  AssignCall(TileDesc type, Number offset, pto::instr::Site site) : type_(type), offset_(offset), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  TileDesc type_;
  Number offset_;
  pto::instr::Site site_;
};

/// set_validshape: values are the tile, rows and columns.
class ValidShapeCall : public Call {
 public:
  ValidShapeCall(TileDesc type, pto::instr::Site site) : type_(type), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  TileDesc type_;
  pto::instr::Site site_;
};

class BlockIndexCall : public Call {
 public:
  explicit BlockIndexCall(bool count) : count_(count) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  bool count_;
};

/// set_flag, wait_flag, barrier, dsb: no values.
template <class I>
class OrderCall : public Call {
 public:
  OrderCall(typename I::Operands operands, pto::instr::Site site) : operands_(operands), site_(site) {}
  std::int64_t run(BlockState& block, CallValues) const override {
    if (!block.uses) pto::instr::issue<I>(operands_, pto::instr::detail::everywhere, false, site_);
    return 0;
  }

 private:
  typename I::Operands operands_;
  pto::instr::Site site_;
};

/// dcci: value 0 is a pointer or, with `of_view`, a view.
class DcciCall : public Call {
 public:
  DcciCall(bool of_view, cache_line_t kind, pto::instr::Site site) : of_view_(of_view), kind_(kind), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  bool of_view_;
  cache_line_t kind_;
  pto::instr::Site site_;
};

/// record_event and wait_event. The pipes are those of the two instructions on the target.
class EventCall : public Call {
 public:
  EventCall(bool waits, pto::Op src, pto::Op dst, event_t id, pto::instr::Site site)
      : waits_(waits), src_(src), dst_(dst), id_(id), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  bool waits_;
  pto::Op src_, dst_;
  event_t id_;
  pto::instr::Site site_;
};

/// Integer division without a hardware trap: division by zero returns 0 and reports a finding.
class DivideCall : public Call {
 public:
  enum class Kind { div_s, div_u, rem_s, rem_u, ceil_s, ceil_u, floor_s };
  DivideCall(Kind kind, int bits, const char* name, pto::instr::Site site)
      : kind_(kind), bits_(bits), name_(name), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  Kind kind_;
  int bits_;
  const char* name_;
  pto::instr::Site site_;
};

/// The step (value 2) of a loop from value 0 to value 1. If the step is not positive, or the induction variable would
/// overflow its type, the call reports a finding and returns a step after which the loop ends.
class StepCall : public Call {
 public:
  StepCall(int bits, pto::instr::Site site) : bits_(bits), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  int bits_;
  pto::instr::Site site_;
};

}  // namespace ptox::assembly
