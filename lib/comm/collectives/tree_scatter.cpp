// SPDX-License-Identifier: Apache-2.0
#include "ptox/tree_scatter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "comm/group/member.hpp"

namespace ptox {

namespace {

using comm::Member;
using comm::Place;
using comm::Rectangle;

/// One call. The ranks form a binomial tree over their numbers relative to the root: a rank `me` forwards blocks to
/// ranks me + b for every power of two b that is smaller than the lowest set bit of `me` (for the root: any), the
/// largest b first.
class Walk {
 public:
  Walk(Member& member, const detail::TreeCall& call)
      : member_(member), call_(call), n_(member.size()), me_((member.id() - call.root + n_) % n_) {}

  std::int32_t signalled(std::size_t which) const {
    return member_.fabric().peek({member_.id(), call_.signals + which * sizeof(std::int32_t)});
  }
  [[noreturn]] void fail(FindingKind kind, const std::string& why) {
    member_.fail(kind, "tree scatter: rank " + std::to_string(member_.id()) + " of " + std::to_string(n_) + " " + why);
    member_.go_on();
    throw std::logic_error("a tree scatter was called in a group that has failed");
  }
  template <class There>
  void wait_until(There there) {
    if (!member_.wait(there, member_.deadline()))
      fail(FindingKind::comm_timeout, "waited without success, while " + member_.describe_others());
  }
  /// Waits for the blocks that this rank receives. Their sender adds its root argument + 1 to the signal, which shows
  /// whether both were called with the same root.
  void take() {
    const auto expected = static_cast<std::uint32_t>(me_ == 0 ? 0 : call_.root + 1);
    const auto came = [&] { return static_cast<std::uint32_t>(signalled(0)) - call_.came; };
    if (me_ != 0) wait_until([&] { return came() != 0; });
    const std::uint32_t sum = came();
    if (sum == expected) return;
    const bool one = sum <= static_cast<std::uint32_t>(n_);
    fail(FindingKind::comm_root,
         "was called with root " + std::to_string(call_.root) + ", and blocks came from " +
             (one ? "one that was called with root " + std::to_string(sum - 1) : "several with others") +
             ". All ranks call with the same");
  }
  /// Sends `blocks` consecutive blocks to relative rank `to` and its subtree. At the root they are taken from `all` and
  /// may wrap around its end; they are then sent in two parts.
  void pass_on(int to, int blocks, const std::byte* all) {
    const std::size_t bytes = call_.block_bytes;
    const int real = (to + call_.root) % n_;
    const Place scratch{real, call_.scratch}, signal{real, call_.signals};
    const int until_end = me_ == 0 ? std::min(blocks, n_ - real) : blocks;
    const auto part = [&](int first, int count, const std::byte* from, bool last) {
      const auto length = static_cast<std::int64_t>(static_cast<std::size_t>(count) * bytes);
      const Place place{real, scratch.offset + static_cast<std::size_t>(first) * bytes};
      const Rectangle whole{1, length, length, length};
      if (last)
        member_.fabric().put_and_add(place, from, whole, signal, call_.root + 1);
      else
        member_.fabric().put(place, from, whole);
    };
    const std::byte* from = me_ == 0
                                ? all + static_cast<std::size_t>(real) * bytes
                                : member_.at(member_.id(), call_.scratch) + static_cast<std::size_t>(to - me_) * bytes;
    part(0, until_end, from, until_end == blocks);
    if (until_end < blocks) part(until_end, blocks - until_end, all, true);
  }
  std::int32_t run(const std::byte* all, std::byte* mine) {
    member_.fabric().progress("tree scatter", 0, 0);
    take();
    const int lowest = me_ == 0 ? static_cast<int>(std::bit_ceil(static_cast<unsigned>(n_))) : me_ & -me_;
    wait_until([&] { return signalled(1) - call_.freed >= 0; });
    std::int32_t below = 0;
    for (int bit = lowest / 2; bit > 0; bit /= 2) {
      if (me_ + bit >= n_) continue;
      pass_on(me_ + bit, std::min(bit, n_ - me_ - bit), all);
      ++below;
    }
    const std::byte* own = me_ == 0 ? all + static_cast<std::size_t>(member_.id()) * call_.block_bytes
                                    : member_.at(member_.id(), call_.scratch);
    std::memcpy(mine, own, call_.block_bytes);
    if (me_ == 0) return below;
    const int above = (me_ - lowest + call_.root) % n_;
    member_.fabric().notify({above, call_.signals + sizeof(std::int32_t)}, pto::comm::NotifyOp::AtomicAdd, 1);
    return below;
  }

 private:
  Member& member_;
  const detail::TreeCall& call_;
  int n_, me_;
};

}  // namespace

std::int64_t detail::tree_scratch_blocks(int ranks) {
  return std::max<std::int64_t>(1, std::bit_ceil(static_cast<unsigned>(ranks)) / 2);
}

std::int32_t detail::tree_scatter(Member& member, const TreeCall& call, const std::byte* all, std::byte* mine) {
  member.go_on();
  // With another root a rank has another parent, but its signal that its scratch memory is free went to the old one.
  if (!call.same_root) member.barrier();
  return Walk(member, call).run(all, mine);
}

}  // namespace ptox
