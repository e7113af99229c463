// SPDX-License-Identifier: Apache-2.0
// How are whole tensors moved? Operands and indices are checked, then the rows are shared among threads: a gather by
// what is written, a scatter by the slots, so that rows that meet are one thread's and keep their order.
#include "ptox/ops.hpp"

#include <vector>

#include "cpu/bucket.hpp"
#include "cpu/host.hpp"
#include "cpu/kernels.hpp"
#include "cpu/ops_checks.hpp"
#include "cpu/sharing.hpp"
#include "cpu/slots.hpp"

namespace ptox::detail {

namespace {

using pto::instr::OutOfRange;

/// Indices that are resolved or picked at a time.
constexpr std::int64_t batch = 4096;
struct Batch {
  alignas(64) std::byte slots[8 * (batch + 16)], resolved[8 * batch];
  std::uint32_t positions[batch + 16];
};

/// Sizes of a call in bytes.
struct Extent {
  std::int64_t row, table, moved;
  Extent(const Call& c)
      : row(c.table.width * c.table.size),
        table((c.table.rows - 1) * c.table.stride * c.table.size + row),
        moved(c.idx.count * row) {}
};

bool past_caches(std::int64_t bytes) { return bytes > caches().last + caches().last / 2; }

/// One more than the largest index, saturated.
std::uint64_t index_bound(const IndexView& idx, int parts) {
  std::vector<std::uint64_t> largest(static_cast<std::size_t>(parts));
  share(parts, [&](int i) {
    const std::int64_t begin = part_begin(idx.count, i, parts), end = part_begin(idx.count, i + 1, parts);
    largest[static_cast<std::size_t>(i)] = kernels().largest[idx.wide](index_from(idx, begin), end - begin);
  });
  const std::uint64_t top = *std::max_element(largest.begin(), largest.end());
  return top == ~std::uint64_t{0} ? top : top + 1;
}

std::int64_t first_past(const IndexView& idx, std::uint64_t capacity) {
  std::int64_t i = 0;
  while (index_at(idx, i) < capacity) ++i;
  return i;
}

/// The slots of a call, or an exception when the policy has none for an index.
Slots slots_of(const Call& c, OutOfRange policy, const char* policies, int parts) {
  const auto capacity = static_cast<std::uint64_t>(c.table.rows);
  const bool in_range = index_bound(c.idx, parts) <= capacity;
  if (!in_range && (policy == OutOfRange::undefined || (capacity == 0 && policy != OutOfRange::drop))) {
    const std::int64_t i = first_past(c.idx, capacity);
    refuse_index(c, i, index_at(c.idx, i), policies);
  }
  return Slots(c.idx, c.table.rows, policy, in_range);
}

/// The move of rows [begin, begin + count) of a call, without slots.
Move move_of(const Call& c, const Extent& bytes, std::int64_t begin, std::int64_t count) {
  Move m{};
  m.table = c.table.data, m.stride = c.table.stride * c.table.size;
  m.capacity = static_cast<std::uint64_t>(c.table.rows);
  m.data_stride = c.moved.stride * c.moved.size, m.data = c.moved.data + begin * m.data_stride;
  m.row_bytes = bytes.row, m.count = count;
  m.far = bytes.table > caches().second;
  return m;
}

/// Whether indices can be sorted by region before they are used.
bool sortable(const Slots& slots) { return slots.all_valid() && slots.as_given() && !slots.wide(); }

void gather_part(const Call& c, const Extent& bytes, const Slots& slots, Regions regions, std::int64_t begin,
                 std::int64_t end) {
  const std::int64_t step = slots.as_given() ? end - begin : batch;
  alignas(64) std::byte resolved[8 * batch];
  for (std::int64_t i = begin; i < end; i += step) {
    Move m = move_of(c, bytes, i, std::min(step, end - i));
    m.stream = past_caches(bytes.moved);
    if (slots.all_valid()) m.capacity = Move::unchecked;
    m.slots = slots.resolve(i, m.count, resolved);
    if (regions.count == 0 || !gather_by_region(m, regions)) kernels().gather[slots.wide()](m);
  }
}

void gather_call(const Call& c, const GatherOptions& o) {
  check_options(c.name, o);
  check_operands(c);
  if (c.idx.count == 0) return;
  const Extent bytes(c);
  const int parts = parts_of(o.threads, 2 * bytes.moved + 4 * c.idx.count);
  const Slots slots = slots_of(c, pto::instr::out_of_range(o.oob), "Clamp, Wrap or Zero define this", parts);
  if (bytes.row == 0) return;
  Regions regions;
  if (sortable(slots))
    regions = regions_of(move_of(c, bytes, 0, 0), c.idx.count / parts, Sample(slots, bytes.row), true);
  share(parts, [&](int i) {
    gather_part(c, bytes, slots, regions, part_begin(c.idx.count, i, parts), part_begin(c.idx.count, i + 1, parts));
  });
}

/// Slots [first, end) of the table, by one thread: all rows that go there, in order.
struct Share {
  std::uint64_t first, end;
  bool all;  ///< of the valid ones
};

void scatter_share(const Call& c, const Extent& bytes, const Slots& slots, MoveLoop loop, Share mine, bool stream) {
  const bool pick = !mine.all || !slots.all_valid();
  const std::int64_t step = pick || !slots.as_given() ? batch : c.idx.count;
  Batch room;
  for (std::int64_t i = 0; i < c.idx.count; i += step) {
    Move m = move_of(c, bytes, i, std::min(step, c.idx.count - i));
    m.stream = stream;
    m.slots = slots.resolve(i, m.count, room.resolved);
    if (pick) {
      m.count = kernels().pick[slots.wide()](m.slots, m.count, mine.first, mine.end, {room.slots, room.positions});
      m.slots = room.slots, m.positions = room.positions;
    }
    if (m.count > 0) loop(m);
  }
}

/// By owners of ranges of slots.
void scatter_shares(const Call& c, const Extent& bytes, const Slots& slots, const Sample& sample, MoveLoop loop,
                    bool stream, int parts) {
  const std::uint64_t capacity = slots.capacity();
  share(parts, [&](int i) {
    const Share mine{std::min(sample.cut(i, parts), capacity), std::min(sample.cut(i + 1, parts), capacity),
                     parts == 1};
    if (mine.first < mine.end) scatter_share(c, bytes, slots, loop, mine, stream);
  });
}

/// By owners of regions; false: it is not worth it, and nothing was done.
bool scatter_regions(const Call& c, const Extent& bytes, const Slots& slots, const Sample& sample, MoveLoop loop,
                     int parts) {
  if (!sortable(slots)) return false;
  Move all = move_of(c, bytes, 0, c.idx.count);
  all.slots = c.idx.data;
  const Regions r = regions_of(all, c.idx.count, sample, false);
  if (r.count == 0) return false;
  share(std::min(parts, r.count), [&](int i) {
    const int shares = std::min(parts, r.count), first = r.count * i / shares, end = r.count * (i + 1) / shares;
    if (!scatter_by_region(all, r, first, end, loop)) {
      const std::uint64_t from = std::uint64_t(first) << r.shift, to = std::uint64_t(end) << r.shift;
      scatter_share(c, bytes, slots, loop, {from, std::min(to, slots.capacity()), false}, false);
    }
  });
  return true;
}

void scatter_call(const Call& c, pto::instr::DType dtype, const ScatterOptions& o) {
  check_options(c.name, o, dtype);
  check_operands(c);
  if (c.idx.count == 0) return;
  const Extent bytes(c);
  const int parts = parts_of(o.threads, 2 * bytes.moved + 4 * c.idx.count);
  const Slots slots = slots_of(c, pto::instr::out_of_range(o.oob), "Clamp, Wrap or Skip define this", parts);
  if (bytes.row == 0 || c.table.rows == 0) return;
  const Sample sample(slots, bytes.row);
  const MoveLoop loop = kernels().updating(slots.wide(), o.op, dtype);
  const bool stream =
      o.op == pto::ScatterAtomicOp::None && past_caches(bytes.moved) && past_caches(bytes.table) && sample.spread();
  if (!scatter_regions(c, bytes, slots, sample, loop, parts))
    scatter_shares(c, bytes, slots, sample, loop, stream, parts);
}

}  // namespace

void gather_rows(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_call({"gather_rows", "out", table, idx, out, true}, o);
}
void gather(const RowsView& table, const IndexView& idx, const RowsView& out, const GatherOptions& o) {
  gather_call({"gather", "out", table, idx, out, false}, o);
}
void scatter_rows(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
                  const ScatterOptions& o) {
  scatter_call({"scatter_rows", "src", table, idx, src, true}, dtype, o);
}
void scatter(const RowsView& table, const IndexView& idx, const RowsView& src, pto::instr::DType dtype,
             const ScatterOptions& o) {
  scatter_call({"scatter", "src", table, idx, src, false}, dtype, o);
}

}  // namespace ptox::detail
