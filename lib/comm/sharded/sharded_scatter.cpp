// SPDX-License-Identifier: Apache-2.0
// Scatters rows to a table that is distributed over ranks: each rank sends rows to their owner, which applies them by
// rank and then in order, as one local call would.
#include <utility>

#include "comm/sharded/deliver.hpp"
#include "comm/sharded/route.hpp"
#include "loops/caches.hpp"

namespace ptox::detail {

namespace {

/// Whether a rank applies the rows for its own block directly from src. Rows of up to 8 bytes are faster when they are
/// sorted by owner first, like those that other ranks send.
bool takes_own(const ShardedCall& call) { return call.layout.row_bytes > 8; }

/// Sends rows to their owners and applies the rows that this rank receives, one window of each queue at a time.
class ScatterExchange {
 public:
  ScatterExchange(const ShardedCall& call, const Slots& slots, const Route& route, pto::instr::DType dtype,
                  const ScatterOptions& options)
      : call_(call),
        slots_(slots),
        route_(route),
        dtype_(dtype),
        options_(options),
        me_(call.member().id()),
        window_(call.table.window(call.layout)) {
    options_.threads = call.threads, options_.oob = pto::ScatterOOB::Skip;
    line_up();
  }

  void run() {
    std::int64_t longest = 0;
    for (int owner = 0; owner < call_.ranks(); ++owner) longest = std::max(longest, queue(owner).length);
    for (std::int64_t first = 0; first < longest; first += window_.items) {
      if (first > 0) call_.member().barrier(call_.op());  // all ranks have applied their windows
      for (int i = 1; i <= call_.ranks(); ++i) send((me_ + i) % call_.ranks(), first);
      call_.member().barrier(call_.op());
      const std::int64_t last = std::clamp<std::int64_t>(queue(me_).length, first, first + window_.items);
      take_turn(first, last);
    }
    apply_own();
  }

 private:
  Queue queue(int owner) const { return *reinterpret_cast<const Queue*>(here(call_.table.queue(owner))); }

  /// Sends every rank the position of its rows in the queue of this rank; collective.
  void line_up() {
    std::int64_t length = 0;
    for (int r = 0; r < call_.ranks(); ++r) length += heard(r);
    Queue theirs{0, length};
    for (int r = 0; r < call_.ranks(); theirs.begin += heard(r++))
      put_bytes(call_.member(), {r, call_.table.queue(me_)}, &theirs, sizeof theirs);
    call_.member().barrier(call_.op());
  }
  std::int64_t heard(int rank) const { return call_.table.agreement().heard(rank).count; }

  /// Sends this rank's rows for an owner that are among the queue items from `first` on that fit into the window.
  void send(int owner, std::int64_t first) {
    const std::int64_t mine = queue(owner).begin, count = route_.count(owner);
    const std::int64_t begin = std::clamp<std::int64_t>(first - mine, 0, count);
    const std::int64_t end = std::clamp<std::int64_t>(first + window_.items - mine, 0, count);
    if (begin == end) return;
    const std::int64_t at = mine + begin - first;
    put_bytes(call_.member(), {owner, window_.slot(at)}, route_.slots(owner, begin),
              (end - begin) * window_.slot_bytes);
    Move m{};
    m.table = call_.moved.data, m.stride = call_.moved_stride(), m.row_bytes = window_.row_bytes;
    m.slots = route_.positions(owner, begin), m.count = end - begin;
    m.far = call_.idx.count * m.row_bytes > caches().second;
    put_rows(call_, m, true, {owner, window_.row(at)});
    call_.tell(end);
  }

  /// Applies items [first, last) of this rank's queue, which are in the window, and at their place in the queue the
  /// rows of this rank itself.
  void take_turn(std::int64_t first, std::int64_t last) {
    const std::int64_t own = std::clamp(queue(me_).begin, first, last);
    apply(0, own - first);
    if (queue(me_).begin <= last) apply_own();
    apply(own - first, last - first);
  }

  /// Applies items [begin, end) of the window in pieces of 64 MiB and publishes progress after each.
  void apply(std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t piece_bytes = 64 << 20;
    const std::int64_t piece = std::max<std::int64_t>(1, piece_bytes / (window_.row_bytes + window_.slot_bytes));
    const RowsView table = call_.table.view(me_, call_.terms.by_row);
    for (std::int64_t i = begin; i < end; i += piece) {
      const std::int64_t n = std::min(piece, end - i);
      const IndexView idx{here(window_.slot(i)), n, window_.slot_bytes == 8, false};
      scatter_rows(table, idx, {here(window_.row(i)), n, table.width, table.width, table.size}, dtype_, options_);
      call_.tell(i + n);
    }
  }

  void apply_own() {
    if (std::exchange(own_done_, true) || !takes_own(call_)) return;
    call_.layout.wide() ? apply_own_as<std::uint64_t>() : apply_own_as<std::uint32_t>();
  }
  /// Indices are made relative to the first row of this block, so that those of other ranks' rows are out of range and
  /// skipped.
  template <class Slot>
  void apply_own_as() {
    constexpr std::int64_t most = 1 << 18;
    const auto begin = static_cast<std::uint64_t>(call_.layout.begin(me_));
    const auto count = static_cast<std::uint64_t>(call_.layout.count(me_));
    const RowsView table = call_.table.view(me_, call_.terms.by_row);
    std::vector<Slot> shifted(static_cast<std::size_t>(std::min(most, call_.idx.count)));
    for (std::int64_t at = 0; at < call_.idx.count; at += most) {
      const std::int64_t n = std::min(most, call_.idx.count - at);
      each_run(slots_, at, at + n, [&](const auto* run, std::int64_t first, std::int64_t length) {
        Slot* const to = shifted.data() + (first - at);
        for (std::int64_t i = 0; i < length; ++i)
          to[i] = run[i] - begin < count ? static_cast<Slot>(run[i] - begin) : static_cast<Slot>(-1);
      });
      RowsView src = call_.moved;
      src.data += at * call_.moved_stride(), src.rows = n;
      scatter_rows(table, {shifted.data(), n, sizeof(Slot) == 8, false}, src, dtype_, options_);
      call_.tell(at + n);
    }
  }
  std::byte* here(std::size_t offset) const { return call_.member().fabric().address(me_, offset); }

  const ShardedCall& call_;
  const Slots& slots_;
  const Route& route_;
  pto::instr::DType dtype_;
  ScatterOptions options_;
  int me_;
  Window window_;
  bool own_done_ = false;
};

comm::Terms terms_of(bool by_row, pto::instr::DType dtype, const ScatterOptions& o) {
  return {.scatters = 1,
          .by_row = by_row,
          .op = static_cast<std::uint8_t>(o.op),
          .oob = static_cast<std::uint8_t>(o.oob),
          .conflict = static_cast<std::uint8_t>(o.conflict),
          .dtype = static_cast<std::uint8_t>(dtype)};
}

void scatter_call(Shards& table, bool by_row, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions& o) {
  const ShardedCall call(table, idx, src, terms_of(by_row, dtype, o), o.threads);
  Slots slots(idx, 0, pto::instr::OutOfRange::drop, false);
  Route route(call.ranks());
  const auto prepare = [&] {
    call.check(o, dtype);
    slots = call.slots(pto::instr::out_of_range(o.oob));
    route = Route(call, slots, [&](int r) { return r != call.member().id() || !takes_own(call); });
    table.use_often(idx.count * call.layout.row_bytes, [&] { call.tell(1); });
  };
  const comm::Complaint complaint = comm::Complaint::of(prepare);
  table.agreement().reach(call.terms, complaint, route.counts());
  if (call.layout.row_bytes == 0 || call.layout.rows == 0) return;
  route.fill(call, slots);
  ScatterExchange(call, slots, route, dtype, o).run();
}

}  // namespace

void scatter_rows(Shards& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions& o) {
  scatter_call(table, true, idx, src, dtype, o);
}
void scatter(Shards& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
             const ScatterOptions& o) {
  scatter_call(table, false, idx, src, dtype, o);
}

}  // namespace ptox::detail
