// SPDX-License-Identifier: Apache-2.0
// Gathers rows from a table that is distributed over ranks: directly from ranks that are mapped, by exchanging indices
// and rows with the others.
#include <atomic>

#include "comm/sharded/deliver.hpp"
#include "comm/sharded/reach.hpp"
#include "comm/sharded/route.hpp"
#include "host/sharing.hpp"
#include "loops/caches.hpp"

namespace ptox::detail {

namespace {

/// Writes all rows of `out`: gathers those whose owner is mapped, and sets all others to zero.
class Direct {
 public:
  Direct(const ShardedCall& call, const Slots& slots) : call_(call), slots_(slots), reach_(call), all_(reach_.move()) {
    const Sample sample(slots, call.layout.row_bytes);
    const std::int64_t row = call.layout.row_bytes;
    all_.far = call.layout.rows * row > caches().second && sample.various() && (row <= 8 || sample.jumps());
    all_.stream = past_caches(call.idx.count * row);
    if (slots.all_valid() && reach_.whole()) all_.capacity = Move::unchecked;
  }

  void run() {
    const std::int64_t count = call_.idx.count;
    const std::int64_t row = call_.layout.row_bytes;
    const int parts = parts_of(call_.threads, {count, row, call_.layout.rows * row});
    share(parts, [&](int i) { part(part_begin(count, i, parts), part_begin(count, i + 1, parts)); });
  }

 private:
  void part(std::int64_t begin, std::int64_t end) {
    alignas(64) std::byte room[8 * 4096];
    each_run(slots_, begin, end, [&](const auto* rows, std::int64_t first, std::int64_t count) {
      reach_.slots(rows, count, room);
      Move m = all_;
      m.slots = room, m.count = count;
      m.data_stride = call_.moved_stride(), m.data = call_.moved.data + first * m.data_stride;
      kernels().gather[reach_.wide()](m);
      call_.tell(done_ += count);
    });
    kernels().fence();
  }

  const ShardedCall& call_;
  const Slots& slots_;
  Reach reach_;
  Move all_;
  std::atomic<std::int64_t> done_ = 0;
};

/// Exchanges rows with ranks that are not mapped, in rounds of at most `quota` rows between any two ranks.
class Exchange {
 public:
  Exchange(const ShardedCall& call, const Route& route)
      : call_(call),
        route_(route),
        me_(call.member().id()),
        window_(call.table.window(call.layout)),
        quota_(window_.items / call.ranks()) {}

  void run() {
    const std::int64_t most = call_.table.agreement().most();
    for (std::int64_t first = 0; first < most; first += quota_) {
      each_rank([&](int owner) { ask(owner, first); });
      call_.member().barrier(call_.op());
      each_rank([&](int rank) { answer(rank, first); });
      call_.member().barrier(call_.op());
      each_rank([&](int owner) { take(owner, first); });
    }
  }

 private:
  /// Calls f for every rank, starting with the next one, so that not all ranks access the same rank at the same time.
  template <class F>
  void each_rank(F&& f) {
    for (int i = 1; i <= call_.ranks(); ++i) f((me_ + i) % call_.ranks());
  }
  std::int64_t in_round(std::int64_t count, std::int64_t first) const {
    return std::clamp<std::int64_t>(count - first, 0, quota_);
  }

  void ask(int owner, std::int64_t first) {
    const std::int64_t count = in_round(route_.count(owner), first);
    if (count > 0)
      put_bytes(call_.member(), {owner, window_.slot(me_ * quota_)}, route_.slots(owner, first),
                count * window_.slot_bytes);
  }
  void answer(int rank, std::int64_t first) {
    Move m{};
    m.count = in_round(call_.table.agreement().heard(rank).count, first);
    if (m.count == 0) return;
    m.table = call_.table.block_of(me_), m.stride = m.row_bytes = window_.row_bytes;
    m.slots = here(window_.slot(rank * quota_));
    m.far = call_.layout.count(me_) * m.row_bytes > caches().second;
    put_rows(call_, m, call_.layout.wide(), {rank, window_.row(me_ * quota_)});
  }
  void take(int owner, std::int64_t first) {
    Move m{};
    m.count = in_round(route_.count(owner), first);
    if (m.count == 0) return;
    m.table = call_.moved.data, m.stride = call_.moved_stride();
    m.slots = route_.positions(owner, first);
    m.data = here(window_.row(owner * quota_)), m.data_stride = m.row_bytes = window_.row_bytes;
    kernels().scatter[true](m);
    call_.tell(first + m.count);
  }
  std::byte* here(std::size_t offset) const { return call_.member().fabric().address(me_, offset); }

  const ShardedCall& call_;
  const Route& route_;
  int me_;
  Window window_;
  std::int64_t quota_;
};

void gather_call(Shards& table, bool by_row, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  const ShardedCall call(table, idx, out, {.by_row = by_row, .oob = static_cast<std::uint8_t>(o.oob)}, o.threads);
  Slots slots(idx, 0, pto::instr::OutOfRange::drop, false);
  Route route(call.ranks());
  const auto prepare = [&] {
    call.check(o);
    slots = call.slots(pto::instr::out_of_range(o.oob));
    route = Route(call, slots, [&](int r) { return !table.mapped(r); });
    table.use_often(idx.count * call.layout.row_bytes, [&] { call.tell(1); });
  };
  const comm::Complaint complaint = comm::Complaint::of(prepare);
  table.agreement().reach(call.terms, complaint, route.counts());
  if (call.layout.row_bytes == 0) return;
  if (idx.count > 0) Direct(call, slots).run();
  if (table.agreement().most() > 0) {
    route.fill(call, slots);
    Exchange(call, route).run();
  }
  call.member().barrier(call.op());  // no other rank reads the rows of this rank after its call has returned
}

}  // namespace

void gather_rows(Shards& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_call(table, true, idx, out, o);
}
void gather(Shards& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_call(table, false, idx, out, o);
}

}  // namespace ptox::detail
