// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters of whole tensors. Operands and indices are checked, then the rows are divided among threads: in
// a gather by output rows, in a scatter by ranges of slots, so that all rows for a slot are moved by one thread in
// source order.
#include "ptox/ops.hpp"

#include "host/bucket.hpp"
#include "host/ops_checks.hpp"
#include "host/sharing.hpp"
#include "host/slots.hpp"
#include "loops/caches.hpp"
#include "loops/kernels.hpp"
#include "loops/streams.hpp"

namespace ptox::detail {

namespace {

using pto::instr::OutOfRange;

/// The number of indices that are resolved or picked at a time.
constexpr std::int64_t batch = 4096;
struct Batch {
  alignas(64) std::byte slots[8 * (batch + 16)], resolved[8 * batch];
  std::uint32_t positions[batch + 16];
};

/// Bytes from a row to the next. The stride of fewer than two rows is not used: the width takes its place.
std::int64_t stride_bytes(const RowsView& r) { return (r.rows > 1 ? r.stride : r.width) * r.size; }

/// Sizes of a call in bytes.
struct Extent {
  std::int64_t row, table, moved;
  Extent(const Call& c)
      : row(c.table.width * c.table.size),
        table((c.table.rows - 1) * stride_bytes(c.table) + row),
        moved(c.idx.count * row) {}
};

/// The size in bytes above which the rows or elements of a table are prefetched. Measured: where DRAM latency is low,
/// the processor hides the latency of single elements in the nearer part of the last-level cache without prefetches.
std::int64_t far_from(std::int64_t row_bytes) {
  return row_bytes > 8 || caches().large_second() ? caches().second : 4 * caches().second;
}
/// The same for a table that is only written. The processor does not wait for rows that it writes, so their limit is
/// higher where DRAM latency is low.
std::int64_t far_to_write(std::int64_t row_bytes) {
  return row_bytes <= 8 || caches().large_second() ? far_from(row_bytes) : caches().last / 4;
}

bool past_caches(std::int64_t bytes) { return bytes > caches().last + caches().last / 2; }

/// Whether elements may be sorted by region. The sort also validates the indices before anything is written, so they
/// are not scanned first.
bool may_sort(const Call& c, OutOfRange policy) {
  const Extent bytes(c);
  return bytes.row > 0 && bytes.row <= 4 && c.idx.count >= fewest_sorted && bytes.table >= 2 * caches().last &&
         (policy == OutOfRange::drop || (policy == OutOfRange::undefined && c.idx.count <= most_sorted(bytes.table)));
}

/// A call with valid operands, and how it is executed.
struct Plan {
  const Call& call;
  OutOfRange policy;
  Extent bytes;
  int parts;
  bool asked;  ///< false: `slots` is not validated yet, and drops those past the capacity
  Slots slots;
  Sample sample;
  bool near = bytes.table <= caches().second && bytes.table > 2 * caches().first;
  bool far = bytes.table > far_from(bytes.row) && sample.various() && (bytes.row <= 8 || sample.jumps()) &&
             !sample.within(far_from(bytes.row), stride_bytes(call.table));
  bool stream = past_caches(bytes.moved) && (!streams().slow || (far && sample.jumps()));

  Plan(const Call& c, OutOfRange policy_, int threads)
      : call(c),
        policy(policy_),
        bytes(c),
        parts(parts_of(threads, {c.idx.count, bytes.row, bytes.table})),
        asked(!may_sort(c, policy)),
        slots(asked ? slots_of(c, policy, parts) : Slots(c.idx, c.table.rows, OutOfRange::drop, false)),
        sample(is_asked() ? Sample(slots, bytes.row) : Sample()) {}

  /// Whether a sample is taken: nothing depends on it for one thread and a table that fits into L2.
  bool is_asked() const { return parts > 1 || bytes.table > caches().second; }
  bool moves_nothing() const { return bytes.row == 0; }
  /// Whether a scatter is divided among threads that own ranges of slots. It is not if few slots receive most rows, if
  /// short rows mostly go next to the previous one, or for two threads if one core saturates memory with non-temporal
  /// stores.
  bool divides() const {
    if (stream && parts == 2 && bytes.row >= 64 && streams().filled_by_one) return false;
    return sample.various() && sample.divides(parts) && (bytes.row > 64 || sample.jumps());
  }
  Regions regions() const {
    if (bytes.row > 4 || slots.count() < fewest_sorted || !slots.as_given()) return {};
    const Regions r = regions_of(move(0, 0, nullptr), sample.valid(slots.count()), sample, call.gathers());
    return r.count > 0 && Sample::goes_on(slots, bytes.row) ? Regions{} : r;
  }
  /// Sorts elements by region and moves them, a scatter by `loop`. Returns false if the caller has to move them;
  /// `slots` is validated then.
  bool by_region(MoveLoop loop, bool sortable = true) {
    const Regions r = sortable ? regions() : Regions{};
    if (r.count > 0 && done_by(r, loop)) return true;
    if (!asked) slots = slots_of(call, policy, parts);
    return false;
  }
  bool done_by(Regions r, MoveLoop loop) const {
    const Move all = move(0, slots.count(), nullptr);
    const ByRegion job{
        all,           slots.wide(), r, most_sorted(bytes.table), parts, !asked && policy == OutOfRange::undefined,
        sample.mixed()};
    return call.gathers() ? gather_by_region(job) : scatter_by_region(job, loop);
  }

  /// The move of rows [begin, begin + count). Their slots are resolved into `room` if the indices cannot be used as
  /// they are.
  Move move(std::int64_t begin, std::int64_t count, void* room) const {
    Move m{};
    m.table = call.table.data, m.stride = stride_bytes(call.table);
    m.capacity = slots.capacity();
    m.data_stride = stride_bytes(call.moved), m.data = call.moved.data + begin * m.data_stride;
    m.row_bytes = bytes.row, m.count = count;
    m.far = far, m.near = near, m.stream = stream;
    m.slots = slots.resolve(begin, count, room);
    return m;
  }
};

void gather_part(const Plan& p, std::int64_t begin, std::int64_t end) {
  const std::int64_t step = p.slots.as_given() ? end - begin : batch;
  alignas(64) std::byte resolved[8 * batch];
  for (std::int64_t i = begin; i < end; i += step) {
    Move m = p.move(i, std::min(step, end - i), resolved);
    if (p.slots.all_valid()) m.capacity = Move::unchecked;
    kernels().gather[p.slots.wide()](m);
  }
  kernels().fence();
}

void gather_call(const Call& c, const GatherOptions& o) {
  check_options(c.name, o);
  check_operands(c);
  if (c.idx.count == 0) return;
  Plan p(c, pto::instr::out_of_range(o.oob), o.threads);
  if (p.moves_nothing() || p.by_region(nullptr)) return;
  const std::int64_t count = c.idx.count;
  const int pieces = p.parts == 1 ? 1 : 4 * p.parts;  // a thread that wakes late delays the call by one piece
  share(pieces, p.parts,
        [&](int i) { gather_part(p, part_begin(count, i, pieces), part_begin(count, i + 1, pieces)); });
}

/// The slots [first, end) of the table, which one thread owns: it moves all rows that go there, in order.
struct Share {
  std::uint64_t first, end;
  bool all;  ///< these are all valid slots
};

void scatter_share(const Plan& p, MoveLoop loop, Share mine) {
  const bool pick = !mine.all || !p.slots.all_valid();
  const std::int64_t count = p.slots.count(), step = pick || !p.slots.as_given() ? batch : count;
  Batch room;
  for (std::int64_t i = 0; i < count; i += step) {
    Move m = p.move(i, std::min(step, count - i), room.resolved);
    if (pick) {
      m.count = kernels().pick[p.slots.wide()](m.slots, m.count, mine.first, mine.end, {room.slots, room.positions});
      m.slots = room.slots, m.positions = room.positions;
    }
    if (m.count > 0) loop(m);
  }
  kernels().fence();
}

/// Scatters on several threads, each of which owns a range of slots.
void scatter_shares(const Plan& p, MoveLoop loop) {
  share(p.parts, [&](int i) {
    const auto cut = [&](int part) { return std::min(p.sample.cut(part, p.parts), p.slots.capacity()); };
    const Share mine{cut(i), cut(i + 1), p.parts == 1};
    if (mine.first < mine.end) scatter_share(p, loop, mine);
  });
}

void scatter_call(const Call& c, pto::instr::DType dtype, const ScatterOptions& o) {
  check_options(c.name, o, dtype);
  check_operands(c);
  if (c.idx.count == 0) return;
  Plan p(c, pto::instr::out_of_range(o.oob), o.threads);
  if (p.moves_nothing() || c.table.rows == 0) return;
  const auto loop = [&](bool wide) { return kernels().updating(wide, o.op, dtype); };
  if (!p.sample.jumps() || (o.op == pto::ScatterAtomicOp::None && p.bytes.table <= far_to_write(p.bytes.row)))
    p.far = false;
  p.stream &= o.op == pto::ScatterAtomicOp::None && past_caches(p.bytes.table) && p.sample.spread();
  if (p.parts > 1 && !p.divides()) p.parts = 1;
  const bool elements =
      o.op == pto::ScatterAtomicOp::None || c.table.width == 1;  // pairs hold one element, not a row of several
  if (!p.by_region(loop(false), elements)) scatter_shares(p, loop(p.slots.wide()));
}

}  // namespace

void gather_rows(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_call({"gather_rows", "out", table, idx, out, true, true}, o);
}
void gather(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_call({"gather", "out", table, idx, out, false, true}, o);
}
void scatter_rows(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions& o) {
  scatter_call({"scatter_rows", "src", table, idx, src, true, false}, dtype, o);
}
void scatter(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
             const ScatterOptions& o) {
  scatter_call({"scatter", "src", table, idx, src, false, false}, dtype, o);
}

}  // namespace ptox::detail
