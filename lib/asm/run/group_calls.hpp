// SPDX-License-Identifier: Apache-2.0
// The calls of a compiled kernel that involve other ranks.
#pragma once

#include "asm/run/calls.hpp"

namespace ptox::assembly {

/// get_rank and get_rank_num; they take no values.
class RankCall : public Call {
 public:
  explicit RankCall(bool count) : count_(count) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  bool count_;
};

/// at_rank: value 0 is a pointer (`view` is empty) or a view, whose result gets the number `view`; value 1 is the rank.
class AtRankCall : public Call {
 public:
  AtRankCall(std::optional<int> view, pto::instr::Site site) : view_(view), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  std::optional<int> view_;
  pto::instr::Site site_;
};

/// make_group: the views of the ranks. If they exceed most_values, several calls append to the group; every call after
/// the first takes the number of the group as value 0. A single view for several ranks stands for the same symmetric
/// address on each.
class GroupCall : public Call {
 public:
  GroupCall(int group, bool more, int views, std::int64_t ranks, std::int64_t root, pto::instr::Site site)
      : group_(group), more_(more), views_(views), ranks_(ranks), root_(root), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  void spread(BlockState& block, GroupState& group, const ViewState& view) const;

  int group_;
  bool more_;
  int views_;
  std::int64_t ranks_, root_;
  pto::instr::Site site_;
};

/// A collective: values are the group, the root's tensor and the staging tiles. On ranks other than the root it does
/// nothing.
class CollectiveCall : public Call {
 public:
  enum class Kind { scatter, gather, broadcast, reduce };
  CollectiveCall(Kind kind, int op, std::vector<TileDesc> staging, pto::instr::Site site)
      : kind_(kind), op_(op), staging_(std::move(staging)), site_(site) {}
  std::int64_t run(BlockState& block, CallValues values) const override;

 private:
  void measure(BlockState& block, const GroupState& group, const ViewState& own) const;
  TileDesc tile(BlockState& block, std::int64_t number) const;

  Kind kind_;
  int op_;
  std::vector<TileDesc> staging_;
  pto::instr::Site site_;
};

}  // namespace ptox::assembly
