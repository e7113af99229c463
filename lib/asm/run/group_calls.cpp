// SPDX-License-Identifier: Apache-2.0
#include "asm/run/group_calls.hpp"

#include "engine/core/core.hpp"
#include "pto/comm/all.hpp"

namespace ptox::assembly {

using pto::comm::detail::Staging;
using pto::comm::detail::Tensors;

std::int64_t RankCall::run(BlockState& block, CallValues) const {
  if (block.uses) return count_ ? block.ranks : block.rank;
  return count_ ? pto::comm::get_rank_num() : pto::comm::get_rank();
}

std::int64_t AtRankCall::run(BlockState& block, CallValues values) const {
  const auto there = [&](void* own) { return block.uses ? own : pto::comm::at_rank(own, values[1], site_); };
  if (!view_) return reinterpret_cast<std::int64_t>(there(reinterpret_cast<void*>(values[0])));
  ViewState view = block.views[static_cast<std::size_t>(values[0])];
  view.desc.base = there(view.desc.base);
  const std::int64_t number = numbered(block.views, *view_);
  block.views[static_cast<std::size_t>(number)] = view;
  return number;
}

void GroupCall::spread(BlockState& block, GroupState& group, const ViewState& view) const {
  if (block.uses) return group.tensors.assign(1, view);  // in a measuring run one entry represents all ranks
  const std::int64_t there = pto::comm::get_rank_num();
  if (ranks_ > there) {
    const std::string why = "make_group: one tensor stands for the same place at " + std::to_string(ranks_) +
                            " ranks, and there are " + std::to_string(there) + ". Run it with --ranks " +
                            std::to_string(ranks_);
    current_core().report({.kind = FindingKind::comm_shape,
                           .message = why,
                           .where = {{FindingField::instruction, "make_group"},
                                     {FindingField::wanted, ranks_},
                                     {FindingField::ranks, there}}},
                          site_);
    return;  // without tensors, the collectives of this group do nothing
  }
  group.tensors.assign(static_cast<std::size_t>(ranks_), view);
  for (std::int64_t r = 0; r < ranks_; ++r) {
    void*& base = group.tensors[static_cast<std::size_t>(r)].desc.base;
    base = pto::comm::at_rank(base, r, site_);
  }
}

std::int64_t GroupCall::run(BlockState& block, CallValues values) const {
  const std::int64_t number = more_ ? values[0] : numbered(block.groups, group_);
  GroupState& group = block.groups[static_cast<std::size_t>(number)];
  if (!more_) group = {{}, root_};
  const int first = more_ ? 1 : 0;
  if (views_ == 1 && ranks_ > 1 && !more_) {
    spread(block, group, block.views[static_cast<std::size_t>(values[0])]);
    return number;
  }
  for (int i = 0; i < views_; ++i) group.tensors.push_back(block.views[static_cast<std::size_t>(values[first + i])]);
  return number;
}

void CollectiveCall::measure(BlockState& block, const GroupState& group, const ViewState& own) const {
  const bool writes_group = kind_ == Kind::scatter || kind_ == Kind::broadcast;
  const auto note = [&](const ViewState& view, bool written) {
    if (view.argument < 0) return;
    ArgumentUse& use = (*block.uses)[static_cast<std::size_t>(view.argument)];
    (written ? use.written : use.read) = true;
  };
  note(own, !writes_group);
  for (const ViewState& view : group.tensors) note(view, writes_group);
}

TileDesc CollectiveCall::tile(BlockState& block, std::int64_t number) const {
  TileState& state = block.tiles[static_cast<std::size_t>(number)];
  pto::instr::detail::settle(state.place, state.desc, site_);
  TileDesc desc = state.desc;
  desc.offset = state.place.offset;
  return desc;
}

std::int64_t CollectiveCall::run(BlockState& block, CallValues values) const {
  const GroupState& group = block.groups[static_cast<std::size_t>(values[0])];
  const ViewState& own = block.views[static_cast<std::size_t>(values[1])];
  if (block.uses) return measure(block, group, own), 0;
  const auto get = [](const void* array, int rank) { return static_cast<const ViewState*>(array)[rank].desc; };
  const Tensors tensors{group.tensors.data(), get, static_cast<int>(group.tensors.size()),
                        static_cast<int>(group.root)};
  if (!pto::comm::detail::is_root(tensors)) return 0;
  const bool reduces = kind_ == Kind::reduce;
  Staging staging;
  staging.count = static_cast<int>(staging_.size()) - (reduces ? 1 : 0);
  for (int i = 0; i < staging.count; ++i) staging.tiles[i] = tile(block, values[2 + (reduces ? 1 : 0) + i]);
  staging.rows_shrink = !pto::instr::known(staging_[0].valid_rows);
  staging.cols_shrink = !pto::instr::known(staging_[0].valid_cols);
  if (kind_ == Kind::scatter) pto::comm::detail::scatter(tensors, own.desc, staging, site_);
  if (kind_ == Kind::gather) pto::comm::detail::gather(tensors, own.desc, staging, site_);
  if (kind_ == Kind::broadcast) pto::comm::detail::broadcast(tensors, own.desc, staging, site_);
  if (reduces)
    pto::comm::detail::reduce(tensors, own.desc, tile(block, values[2]), staging, static_cast<pto::comm::ReduceOp>(op_),
                              site_);
  return 0;
}

}  // namespace ptox::assembly
