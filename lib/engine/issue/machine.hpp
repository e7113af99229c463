// SPDX-License-Identifier: Apache-2.0
// The machine on which reference meanings run: addresses and moves of elements, updates, signals, flags.
#pragma once

#include <array>
#include <cstring>
#include <vector>

#include "engine/core/core.hpp"
#include "engine/memory/combine.hpp"
#include "loops/tiles/lines.hpp"
#include "pto/comm/signal_ops.hpp"
#include "pto/isa/instr.hpp"
#include "pto/tile/event.hpp"

namespace ptox {

/// Element addresses, moves and updates for one instruction of one core. An element past the end of its buffer has a
/// null address, which is neither read nor written.
class Machine {
 public:
  /// Indices that S read at issue, in row-major order; they replace those of the index tile.
  using Indices = std::vector<std::uint32_t>;
  /// `cache`: whether global memory is accessed through the data cache or past it.
  Machine(Core& core, pto::instr::Site site, const Indices* indices = nullptr, CacheView cache = {})
      : core_(core), site_(site), indices_(indices), cache_(cache) {}

  const Target& target() const { return core_.target(); }

  std::byte* at(const pto::instr::TileDesc& t, std::int64_t r, std::int64_t c) {
    Space& space = core_.space(t.loc);
    const std::int64_t size = pto::instr::size_of(t.dtype),
                       offset = t.offset + pto::instr::element_offset(t, r, c) * size;
    return offset + size <= space.bytes() ? space.base() + offset : nullptr;
  }
  std::byte* at(const pto::instr::TensorDesc& t, std::int64_t offset) const {
    return static_cast<std::byte*>(t.base) + offset * pto::instr::size_of(t.dtype);
  }
  /// An index is read as uint32_t, whatever its declared sign.
  std::uint32_t index(const std::byte* p) const {
    std::uint32_t value = 0;
    if (p) load(reinterpret_cast<std::byte*>(&value), p, sizeof value);
    return value;
  }
  std::uint32_t index(const pto::instr::TileDesc& t, std::int64_t r, std::int64_t c) {
    return indices_ ? (*indices_)[static_cast<std::size_t>(r * t.valid_cols + c)] : index(at(t, r, c));
  }

  void copy(std::byte* to, const std::byte* from, pto::instr::DType d) const {
    const auto n = static_cast<std::size_t>(pto::instr::size_of(d));
    if (!to || !from) return;
    if (!cache_.cache) [[likely]]
      return void(std::memmove(to, from, n));
    std::byte value[8];
    load(value, from, n);
    store(to, value, n);
  }
  void set(std::byte* to, pto::instr::DType d, std::uint64_t bits) const {
    if (to) std::memcpy(to, &bits, static_cast<std::size_t>(pto::instr::size_of(d)));
  }
  void zero(std::byte* to, pto::instr::DType d) const { set(to, d, 0); }
  void update(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from, pto::instr::DType d) const {
    if (!to || !from) return;
    if (op == pto::ScatterAtomicOp::None) return copy(to, from, d);
    if (cache_.through) cache_.cache->clean(to);  // atomics operate on memory
    pto::instr::with_type(d, [&]<class T>() { combine<T>(op, to, from); });
  }
  /// The same as a plain read-modify-write: with a seed, another block may run between the read and the write.
  void update_plainly(pto::ScatterAtomicOp op, std::byte* to, const std::byte* from, pto::instr::DType d) const {
    if (!to || !from) return;
    alignas(8) std::byte value[8] = {};
    load(value, to, static_cast<std::size_t>(pto::instr::size_of(d)));
    if (core_.run().turn) core_.run().turn->pass();
    pto::instr::with_type(d, [&]<class T>() { apply<T>(op, value, from); });
    store(to, value, static_cast<std::size_t>(pto::instr::size_of(d)));
  }
  void prefetch(const std::byte* p) const { __builtin_prefetch(p); }

  // Both do for a region what `copy` and `set` do for an element, by whole rows or columns. They return false, without
  // effect, where element by element is needed: the data cache is modelled, the layouts differ in direction, or the
  // operands overlap.

  /// Copies rows [0, rows) and columns [0, cols) of `from`, a tile or tensor, to those of `to`.
  template <class To, class From>
  bool copy_region(const To& to, const From& from, std::int64_t rows, std::int64_t cols) {
    if (cache_.cache) return false;
    const std::int64_t size = pto::instr::size_of(from.dtype);
    return copied(rows_in(to), rows_in(from), rows, cols * size) ||
           copied(columns_in(to), columns_in(from), cols, rows * size);
  }
  /// Sets rows x cols elements of a tile, from row `r` and column `c` on.
  bool fill_region(const pto::instr::TileDesc& to, std::int64_t r, std::int64_t c, std::int64_t rows, std::int64_t cols,
                   std::uint64_t bits) {
    if (cache_.cache) return false;
    if (rows == 0 || cols == 0) return true;
    const std::int64_t size = pto::instr::size_of(to.dtype);
    return filled(rows_of(to, tile_base(to), r, c), rows, cols * size, size, bits) ||
           filled(columns_of(to, tile_base(to), r, c), cols, rows * size, size, bits);
  }

  /// Whether orders that the machine leaves open are permuted, which is the case with a seed.
  bool permutes() const { return core_.run().seed != 0; }
  std::int64_t permuted(std::int64_t k, std::int64_t n);

  /// Updates a signal atomically, at this or another rank, after all stores that this block has made.
  void notify(std::byte* signal, pto::comm::NotifyOp op, std::int32_t value);
  bool test_signal(const std::byte* signal, pto::comm::WaitCmp cmp, std::int32_t value);
  /// Waits until the signal satisfies the comparison. At the deadline reports a finding and ends the group of ranks, or
  /// the block if there is no group.
  void wait_signal(const std::byte* signal, pto::comm::WaitCmp cmp, std::int32_t value);

  void set_flag(pipe_t src, pipe_t dst, event_t id);
  /// Ends the block if S waits for a flag that nothing sets.
  void wait_flag(pipe_t src, pipe_t dst, event_t id);
  void barrier(pipe_t pipe);
  /// Sets and waits for a flag that belongs to an instruction and not to the kernel.
  void own_pair(const char* mnemonic, pipe_t src, pipe_t dst);
  /// Writes back and invalidates the cache line at `addr`, or the entire cache, after everything issued so far has
  /// executed.
  void clean_cache(const volatile void* addr, cache_line_t kind);
  /// Waits until what was cleaned before is in memory.
  void memory_barrier(mem_dsb_t kind);

 private:
  std::byte* tile_base(const pto::instr::TileDesc& t) { return core_.space(t.loc).base() + t.offset; }
  Lines rows_in(const pto::instr::TileDesc& t) { return rows_of(t, tile_base(t)); }
  Lines rows_in(const pto::instr::TensorDesc& t) { return rows_of(t); }
  Lines columns_in(const pto::instr::TileDesc& t) { return columns_of(t, tile_base(t)); }
  Lines columns_in(const pto::instr::TensorDesc& t) { return columns_of(t); }
  static bool copied(const Lines& to, const Lines& from, std::int64_t count, std::int64_t bytes) {
    if (!to.begin || !from.begin || !same_or_apart(to, from, count, bytes)) return false;
    copy_lines(to, from, count, bytes);
    return true;
  }
  static bool filled(const Lines& to, std::int64_t count, std::int64_t bytes, std::int64_t size, std::uint64_t bits) {
    if (!to.begin) return false;
    fill_lines(to, count, bytes, size, bits);
    return true;
  }
  void load(std::byte* to, const std::byte* from, std::size_t n) const {
    if (cache_.through && !core_.in_buffer(from)) return cache_.cache->read(to, from, n);
    std::memcpy(to, from, n);
  }
  void store(std::byte* to, const std::byte* from, std::size_t n) const {
    if (cache_.through && !core_.in_buffer(to)) return cache_.cache->write(to, from, n);
    std::memcpy(to, from, n);
    if (cache_.cache) cache_.cache->passed(to, n);
  }
  bool known_flag(const char* who, pipe_t src, pipe_t dst, event_t id);
  /// Reports that a flag is set again before an earlier set was waited for.
  void say_still_set(const char* instruction, const char* sets, pipe_t src, pipe_t dst, event_t id);

  Core& core_;
  pto::instr::Site site_;
  const Indices* indices_;
  CacheView cache_;
  std::int64_t order_size_ = 0;
  std::array<std::uint8_t, 32> order_;
};

}  // namespace ptox
