// SPDX-License-Identifier: Apache-2.0
#include "comm/sharded/shards.hpp"

#include <stdexcept>

#include "comm/group/huge_pages.hpp"
#include "host/sharing.hpp"
#include "loops/caches.hpp"

namespace ptox::detail {

namespace {

constexpr std::int64_t MiB = 1 << 20;

/// Throws std::invalid_argument if a size is negative or the table exceeds 63 bits of bytes.
Layout layout_of(int ranks, std::int64_t rows, std::int64_t width, std::int64_t element_bytes) {
  const auto at_least_0 = [](const char* what, std::int64_t n) {
    if (n < 0)
      throw std::invalid_argument("Sharded: " + std::string(what) + " is " + std::to_string(n) +
                                  "; it must be at least 0");
  };
  at_least_0("rows", rows), at_least_0("width", width);
  std::int64_t padded = 0, row_bytes = 0, bytes = 0;
  if (__builtin_add_overflow(rows, ranks, &padded) || __builtin_mul_overflow(width, element_bytes, &row_bytes) ||
      __builtin_mul_overflow(padded, std::max<std::int64_t>(row_bytes, 1), &bytes))
    throw std::invalid_argument("Sharded: a table of " + std::to_string(rows) + " rows and width " +
                                std::to_string(width) + " has more bytes than 63 bits count");
  return {rows, row_bytes, std::max<std::int64_t>(1, (rows + ranks - 1) / ranks)};
}

std::int64_t window_bytes_of(const ShardedOptions& options, const Layout& rows) {
  if (options.window_bytes < 0)
    throw std::invalid_argument("Sharded: window_bytes is " + std::to_string(options.window_bytes) +
                                "; it must be at least 0");
  if (options.window_bytes > 0) return std::min(options.window_bytes, std::int64_t{1} << 56);
  return std::clamp(rows.block * rows.row_bytes, 16 * MiB, 256 * MiB);
}

/// The size of the notices and queues that ranks exchange in addition to rows.
std::int64_t meeting_bytes(const comm::Member& member) {
  return static_cast<std::int64_t>(comm::Agreement::bytes(member) +
                                   static_cast<std::size_t>(member.size()) * sizeof(Queue));
}

}  // namespace

Shards::Shards(comm::Member& member, std::int64_t rows, std::int64_t width, std::int64_t element_bytes,
               const ShardedOptions& options)
    : member_(member),
      width_(width),
      element_bytes_(element_bytes),
      rows_(layout_of(member.size(), rows, width, element_bytes)),
      place_(member.allocate(block_bytes() + meeting_bytes(member), 1)),
      agreement_(member, place_ + static_cast<std::size_t>(block_bytes())),
      queues_(place_ + static_cast<std::size_t>(block_bytes()) + comm::Agreement::bytes(member)) {
  window_bytes_ = window_bytes_of(options, rows_);
}

std::int64_t Shards::block_bytes() const {
  constexpr std::int64_t page = 4096;
  return (rows_.block * rows_.row_bytes + page - 1) / page * page;
}

Layout Shards::layout(bool by_row) const {
  if (by_row) return rows_;
  return {rows_.rows * width_, element_bytes_, std::max<std::int64_t>(1, rows_.block * width_)};
}

RowsView Shards::view(int rank, bool by_row) const {
  const std::int64_t count = rows_.count(rank);
  std::byte* data = block_of(rank);
  return by_row ? RowsView{data, count, width_, width_, element_bytes_}
                : RowsView{data, count * width_, 1, 1, element_bytes_};
}

RowsView Shards::whole(bool by_row) const {
  return by_row ? RowsView{nullptr, rows_.rows, width_, width_, element_bytes_}
                : RowsView{nullptr, rows_.rows * width_, 1, 1, element_bytes_};
}

void Shards::use_often(std::int64_t bytes, const std::function<void()>& after) {
  constexpr std::int64_t often = 4, step = 64 * MiB, moved = std::numeric_limits<std::int64_t>::max();
  const std::int64_t mine = rows_.count(member_.id()) * rows_.row_bytes;
  if (used_ == moved || mine <= caches().last || (used_ += bytes) <= often * mine) return;
  used_ = moved;
  std::byte* const block = block_of(member_.id());
  if (!on_small_pages(block, mine)) return;
  const comm::HugeRange all = comm::whole_huge_pages(block, mine);
  for (std::int64_t at = 0; at < all.bytes; at += step) {
    comm::move_to_huge_pages({all.begin + at, std::min(step, all.bytes - at)});
    after();
  }
}

int Shards::threads(int asked) const {
  if (asked > 0) return asked;
  int here = 0;
  for (int r = 0; r < member_.size(); ++r) here += mapped(r);
  return std::max(1, machine_threads() / std::max(1, here));
}

Window Shards::window(const Layout& layout) {
  constexpr std::int64_t line = 64;
  const std::int64_t item = rows_.row_bytes + 8, bytes = std::max(window_bytes_, member_.size() * item);
  if (!has_window_) window_ = member_.allocate(bytes + line, 1), has_window_ = true;
  Window w{window_, window_, bytes / (layout.row_bytes + layout.slot_bytes()), layout.slot_bytes(), layout.row_bytes};
  w.rows += static_cast<std::size_t>((w.items * w.slot_bytes + line - 1) / line * line);
  return w;
}

ShardedCall::ShardedCall(Shards& t, const IndexView& i, const RowsView& m, comm::Terms options, int asked)
    : table(t),
      idx(i),
      moved(m),
      terms(options),
      threads(t.threads(asked)),
      layout(t.layout(options.by_row)),
      owners(layout),
      name_(options.name() + std::string(": rank ") + std::to_string(t.member().id())) {
  terms.rows = t.rows().rows, terms.width = t.width(), terms.element_bytes = t.element_bytes();
}

Call ShardedCall::as_call(const RowsView& part) const {
  return {name_.c_str(), terms.scatters ? "src" : "out", part, idx, moved, terms.by_row != 0, !terms.scatters};
}

void ShardedCall::check_operands_here() const {
  if (member().remote(moved.data))
    throw std::invalid_argument(name_ + (terms.scatters ? ": src" : ": out") +
                                " lies at another rank, whose memory this one does not map");
  for (int r = 0; r < ranks(); ++r)
    if (const RowsView part = table.view(r, terms.by_row); part.data) check_operands(as_call(part));
}

Slots ShardedCall::slots(pto::instr::OutOfRange policy) const {
  const RowsView all = table.whole(terms.by_row);
  return slots_of(as_call(all), policy, parts_of(threads, {idx.count / 32, 64, 0}));  // only indices are read
}

std::shared_ptr<Shards> make_shards(const Rank& rank, std::int64_t rows, std::int64_t width, std::int64_t element_bytes,
                                    const ShardedOptions& options) {
  return std::make_shared<Shards>(rank.member(), rows, width, element_bytes, options);
}

RowsView local_rows(const Shards& s) { return s.view(s.member().id(), true); }
std::int64_t first_row(const Shards& s) { return s.rows().begin(s.member().id()); }
std::int64_t all_rows(const Shards& s) { return s.rows().rows; }

}  // namespace ptox::detail
