// SPDX-License-Identifier: Apache-2.0
#include "comm/sharded/deliver.hpp"

#include <memory>

#include "host/sharing.hpp"
#include "loops/caches.hpp"

namespace ptox::detail {

namespace {

/// Gathers rows [begin, end) of a move into consecutive rows at `to`.
void gather_run(const Move& all, bool wide, std::int64_t begin, std::int64_t end, std::byte* to) {
  Move m = all;
  m.slots = static_cast<const std::byte*>(all.slots) + begin * (wide ? 8 : 4);
  m.data = to, m.data_stride = m.row_bytes, m.count = end - begin;
  if (m.count > 0) kernels().gather[wide](m);
}

void put_mapped(const ShardedCall& call, const Move& m, bool wide, std::byte* to) {
  const int parts = parts_of(call.threads, {m.count, m.row_bytes, call.layout.rows * m.row_bytes});
  share(parts, [&](int i) {
    const std::int64_t begin = part_begin(m.count, i, parts), end = part_begin(m.count, i + 1, parts);
    gather_run(m, wide, begin, end, to + begin * m.row_bytes);
    kernels().fence();
  });
}

void put_staged(const ShardedCall& call, const Move& m, bool wide, comm::Place to) {
  constexpr std::int64_t stage_bytes = 1 << 20;
  const std::int64_t step = std::clamp<std::int64_t>(stage_bytes / m.row_bytes, 1, m.count);
  const auto stage = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(step * m.row_bytes));
  for (std::int64_t i = 0; i < m.count; i += step) {
    const std::int64_t end = std::min(i + step, m.count);
    gather_run(m, wide, i, end, stage.get());
    const auto offset = static_cast<std::size_t>(i * m.row_bytes);
    put_bytes(call.member(), {to.rank, to.offset + offset}, stage.get(), (end - i) * m.row_bytes);
    call.tell(end);
  }
}

}  // namespace

bool past_caches(std::int64_t bytes) { return bytes > caches().last + caches().last / 2; }

void put_bytes(comm::Member& member, comm::Place to, const void* from, std::int64_t bytes) {
  if (bytes > 0) member.fabric().put(to, static_cast<const std::byte*>(from), {1, bytes, bytes, bytes});
}

void put_rows(const ShardedCall& call, Move m, bool wide, comm::Place to) {
  if (m.count == 0) return;
  m.capacity = Move::unchecked;
  std::byte* const mapped = call.member().fabric().address(to.rank, to.offset);
  m.stream = mapped && past_caches(m.count * m.row_bytes);
  mapped ? put_mapped(call, m, wide, mapped) : put_staged(call, m, wide, to);
}

}  // namespace ptox::detail
