// SPDX-License-Identifier: Apache-2.0
#include "asm/run/calls.hpp"

#include <algorithm>
#include <string>

#include "engine/core/core.hpp"

namespace ptox::assembly {

using pto::instr::unknown;

namespace {

/// Upper bound, in elements, of the extent of a view. An argument with a larger view is rejected.
constexpr std::int64_t most_elements = std::int64_t{1} << 34;

void report(const char* instruction, const std::string& sentence, pto::instr::Site site) {
  current_core().report({.kind = FindingKind::illegal,
                         .message = instruction + sentence,
                         .where = {{FindingField::instruction, instruction}},
                         .cause = sentence},
                        site);
}

/// One past the highest element index that a view can address, relative to its pointer. std::nullopt if an extent is
/// negative, if an element lies before the pointer, or if the index exceeds `most_elements`.
std::optional<std::int64_t> reach(const TensorDesc& t) {
  __extension__ __int128 last = 0;
  for (int i = 0; i < 5; ++i) {
    if (t.shape[i] < 0) return std::nullopt;
    if (t.shape[i] == 0) return 0;
    last += static_cast<__int128>(t.shape[i] - 1) * t.stride[i];
  }
  // Machine models use only the row stride and assume contiguous elements in a row, so the address range of these
  // accesses is included.
  __extension__ __int128 rows = 1, row = t.stride[3] < 0 ? -t.stride[3] : t.stride[3];
  for (int i = 0; i < 4; ++i) rows *= t.shape[i];
  if (last < 0 || rows >= most_elements) return std::nullopt;
  last = std::max({last, rows * t.shape[4] - 1, (rows - 1) * row + t.shape[4] - 1});
  if (last >= most_elements) return std::nullopt;
  return static_cast<std::int64_t>(last) + 1;
}

void measure_view(BlockState& block, const ViewState& view, std::size_t rank) {
  ArgumentUse& use = (*block.uses)[static_cast<std::size_t>(view.argument)];
  const auto elements = reach(view.desc);
  if (!elements) {
    use.too_large = true;
  } else if (*elements > use.elements) {
    use.elements = *elements;
    use.shape.assign(std::end(view.desc.shape) - static_cast<std::ptrdiff_t>(rank), std::end(view.desc.shape));
  }
}

/// The run-time extent. If the type has a constant extent, that constant is returned, and a different run-time value is
/// reported, except in a measuring run.
std::int64_t agreed(const char* what, int dim, std::int64_t in_type, std::int64_t given, bool measuring,
                    pto::instr::Site site) {
  if (in_type == unknown) return pto::instr::as_given(given);
  if (given != in_type && !measuring) pto::instr::detail::extent_contradicts(what, dim, in_type, given, site);
  return in_type;
}

}  // namespace

std::int64_t ArgumentCall::run(BlockState& block, CallValues) const {
  return static_cast<std::int64_t>(block.arguments[argument_]);
}

std::int64_t MakeViewCall::run(BlockState& block, CallValues values) const {
  const std::int64_t number = numbered(block.views, view_);
  ViewState& view = block.views[static_cast<std::size_t>(number)];
  view.desc = type_;
  const std::size_t rank = shape_.size(), pad = 5 - rank;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = pad + i;
    view.desc.shape[at] =
        agreed("Shape", static_cast<int>(at), type_.shape[at], shape_[i].in(values), block.uses, site_);
    view.desc.stride[at] = pto::instr::as_given(strides_[i].in(values));
  }
  for (std::size_t i = pad; i-- > 0;) {
    std::int64_t step = 0;
    if (__builtin_mul_overflow(view.desc.stride[i + 1], view.desc.shape[i + 1], &step)) step = -1;
    view.desc.stride[i] = step;
  }
  const auto address = static_cast<std::uint64_t>(values[0]);
  if (block.uses) {
    view.argument = static_cast<int>(address >> 44) - 1;
    measure_view(block, view, rank);
  } else {
    view.desc.base = reinterpret_cast<void*>(address);
  }
  return number;
}

std::int64_t PartitionCall::run(BlockState& block, CallValues values) const {
  const ViewState source = block.views[static_cast<std::size_t>(values[0])];
  const std::int64_t number = numbered(block.views, view_);
  ViewState& view = block.views[static_cast<std::size_t>(number)];
  view = source;
  std::copy(std::begin(type_.shape), std::end(type_.shape), view.desc.shape);
  view.desc.static_block = type_.static_block;
  std::uint64_t offset = 0;
  bool inside = true;
  const std::size_t rank = sizes_.size(), pad = 5 - rank;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::size_t at = pad + i;
    const std::int64_t from = offsets_[i].in(values), has = source.desc.shape[at];
    const std::int64_t size = view.desc.shape[at] =
        agreed("Shape", static_cast<int>(at), type_.shape[at], sizes_[i].in(values), block.uses, site_);
    if (inside && (from < 0 || size < 0 || from > has || size > has - from)) {
      inside = false;
      if (!block.uses) report_outside(i, from, size, has);
    }
    offset += static_cast<std::uint64_t>(from) * static_cast<std::uint64_t>(source.desc.stride[at]);
  }
  const auto size = static_cast<std::uint64_t>(pto::instr::size_of(type_.dtype));
  if (!block.uses)  // null base: a partition outside its source has no memory
    view.desc.base =
        inside ? reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(source.desc.base) + offset * size) : nullptr;
  return number;
}

void PartitionCall::report_outside(std::size_t dim, std::int64_t from, std::int64_t size, std::int64_t has) const {
  current_core().report(
      {.kind = FindingKind::oob_gm,
       .message = "partition_view takes " + std::to_string(size) + " from " + std::to_string(from) +
                  " on in dimension " + std::to_string(dim) + "; its source has " + std::to_string(has) + " there",
       .where = {{FindingField::instruction, "partition_view"},
                 {FindingField::dim, dim},
                 {FindingField::given, from},
                 {FindingField::elements, size},
                 {FindingField::capacity, has}}},
      site_);
}

std::int64_t AllocCall::run(BlockState& block, CallValues values) const {
  const std::int64_t number = numbered(block.tiles, tile_);
  TileState& tile = block.tiles[static_cast<std::size_t>(number)];
  tile.desc = type_;
  tile.source = -1;
  if (rows_) tile.desc.valid_rows = pto::instr::as_given(rows_->in(values));
  if (cols_) tile.desc.valid_cols = pto::instr::as_given(cols_->in(values));
  if (block.uses) return number;
  if (addr_)
    pto::instr::detail::assign(tile.place, type_, addr_->in(values), site_);
  else
    tile.place = {};
  return number;
}

std::int64_t AssignCall::run(BlockState& block, CallValues values) const {
  TileState& tile = block.tiles[static_cast<std::size_t>(values[0])];
  if (!block.uses) pto::instr::detail::assign(tile.place, type_, offset_.in(values), site_);
  return 0;
}

std::int64_t ValidShapeCall::run(BlockState& block, CallValues values) const {
  TileDesc& desc = block.tiles[static_cast<std::size_t>(values[0])].desc;
  const auto set = [&](const char* what, std::int64_t in_type, std::int64_t& extent, std::int64_t given) {
    if (in_type == unknown)
      extent = pto::instr::as_given(given);
    else if (given != in_type && !block.uses)
      pto::instr::detail::valid_contradicts(what, in_type, given, site_);
  };
  set("valid rows", type_.valid_rows, desc.valid_rows, values[1]);
  set("valid columns", type_.valid_cols, desc.valid_cols, values[2]);
  return 0;
}

std::int64_t BlockIndexCall::run(BlockState& block, CallValues) const {
  if (block.uses) return count_ ? block.blocks : block.block;
  return count_ ? get_block_num() : get_block_idx();
}

std::int64_t DcciCall::run(BlockState& block, CallValues values) const {
  if (block.uses) return 0;
  const void* address =
      of_view_ ? block.views[static_cast<std::size_t>(values[0])].desc.base : reinterpret_cast<const void*>(values[0]);
  pto::instr::issue<pto::instr::Dcci>({address, kind_}, pto::instr::detail::everywhere, false, site_);
  return 0;
}

std::int64_t EventCall::run(BlockState& block, CallValues) const {
  if (block.uses) return 0;
  const Target& target = pto::instr::detail::current_target();
  const pipe_t from = pto::instr::pipe_of(target, src_), to = pto::instr::first_pipe_of(target, dst_);
  if (!waits_ && from != to) set_flag(from, to, id_, site_);
  if (waits_) from == to ? pipe_barrier(from, site_) : wait_flag(from, to, id_, site_);
  return 0;
}

std::int64_t DivideCall::run(BlockState& block, CallValues values) const {
  const std::int64_t a = values[0], b = values[1];
  const std::uint64_t mask = bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
  const std::uint64_t ua = static_cast<std::uint64_t>(a) & mask, ub = static_cast<std::uint64_t>(b) & mask;
  if (ub == 0) {
    if (!block.uses) report(name_, " divides " + std::to_string(a) + " by 0; the result is 0 here", site_);
    return 0;
  }
  if (kind_ == Kind::div_u) return static_cast<std::int64_t>(ua / ub);
  if (kind_ == Kind::rem_u) return static_cast<std::int64_t>(ua % ub);
  if (kind_ == Kind::ceil_u) return static_cast<std::int64_t>(ua / ub + (ua % ub != 0));
  if (b == -1) return kind_ == Kind::rem_s ? 0 : static_cast<std::int64_t>(-static_cast<std::uint64_t>(a));
  const std::int64_t quotient = a / b, rest = a % b;
  if (kind_ == Kind::rem_s) return rest;
  if (kind_ == Kind::ceil_s) return quotient + (rest != 0 && (rest < 0) == (b < 0));
  if (kind_ == Kind::floor_s) return quotient - (rest != 0 && (rest < 0) != (b < 0));
  return quotient;
}

std::int64_t StepCall::run(BlockState& block, CallValues values) const {
  const std::int64_t most = bits_ == 64 ? INT64_MAX : (std::int64_t{1} << (bits_ - 1)) - 1;
  if (values[2] > 0 && (values[1] <= values[0] || values[1] <= most - values[2] + 1)) return values[2];
  if (!block.uses && values[2] > 0)
    report("scf.for",
           ": a step of " + std::to_string(values[2]) + " up to " + std::to_string(values[1]) + " leaves its type of " +
               std::to_string(bits_) + " bits. The body runs once",
           site_);
  else if (!block.uses)
    report("scf.for", ": the step is at least 1; it is " + std::to_string(values[2]) + ". The body runs once", site_);
  std::int64_t once = 1;
  if (__builtin_sub_overflow(values[1], values[0], &once) || once < 1) return 1;
  return once;
}

}  // namespace ptox::assembly
