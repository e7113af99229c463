// SPDX-License-Identifier: Apache-2.0
#include "comm/group/shared_fabric.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "engine/memory/combine.hpp"

namespace ptox::comm {

namespace {

constexpr std::size_t alignment = 512, page = 4096;
constexpr std::size_t gib = std::size_t{1} << 30;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

void* map_private(std::size_t bytes) {
  return mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// Maps an anonymous file that is sealed against resizing. Its descriptor is closed: the file exists as long as the
/// mapping. Returns MAP_FAILED and sets errno if a system call fails.
void* map_shared(std::size_t bytes) {
  const int file = memfd_create("ptox ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return MAP_FAILED;
  void* p = MAP_FAILED;
  if (ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0)
    p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  const int error = errno;
  close(file);
  errno = error;
  return p;
}

}  // namespace

std::size_t Heap::usual_slot(int ranks) { return std::min(64 * gib, 512 * gib / static_cast<std::size_t>(ranks)); }

Heap Heap::reserve(int ranks, std::size_t asked, bool between_processes) {
  std::size_t slot = rounded(asked ? asked + alignment : usual_slot(ranks), page);  // with a gap between allocations
  for (;; slot = rounded(slot / 2, page)) {  // the default size is halved until the address space suffices
    const std::size_t bytes = slot * static_cast<std::size_t>(ranks);
    void* p = between_processes ? map_shared(bytes) : map_private(bytes);
    if (p != MAP_FAILED) {
      madvise(p, bytes, MADV_HUGEPAGE);
      return {static_cast<std::byte*>(p), slot, ranks};
    }
    if (asked || slot < 16 * page)
      throw std::system_error(errno, std::generic_category(),
                              "run_ranks: symmetric memory of " + std::to_string(bytes) + " bytes");
  }
}

void Heap::release() noexcept {
  if (base) munmap(base, slot * static_cast<std::size_t>(ranks));
  base = nullptr;
}

std::optional<std::size_t> SharedFabric::allocate(std::size_t bytes) {
  if (const auto wrong = board_.asked(allocations_++, bytes, id_)) return fail(*wrong), std::nullopt;
  const std::size_t begin = used_, room = heap_.slot - used_;
  if (bytes > room || rounded(bytes, alignment) + alignment > room) {
    fail({std::nullopt,
          "symmetric: rank " + std::to_string(id_) + " asks for " + std::to_string(bytes) + " bytes, " +
              std::to_string(room) + " of " + std::to_string(heap_.slot) +
              " are left. Give run_ranks a larger symmetric_bytes",
          {id_}});
    return std::nullopt;
  }
  used_ += rounded(bytes, alignment) + alignment;
  return begin;
}

std::optional<Place> SharedFabric::locate(const void* at) const {
  const auto offset = reinterpret_cast<std::uintptr_t>(at) - reinterpret_cast<std::uintptr_t>(heap_.base);
  if (offset >= heap_.slot * static_cast<std::size_t>(heap_.ranks)) return std::nullopt;
  return Place{static_cast<int>(offset / heap_.slot), offset % heap_.slot};
}

void SharedFabric::put(Place to, const std::byte* from, const Rectangle& r) {
  std::byte* there = address(to.rank, to.offset);
  for (std::int64_t i = 0; i < r.rows; ++i)
    std::memcpy(there + i * r.there_step, from + i * r.here_step, static_cast<std::size_t>(r.row_bytes));
}

void SharedFabric::get(std::byte* to, Place from, const Rectangle& r) {
  const std::byte* there = address(from.rank, from.offset);
  for (std::int64_t i = 0; i < r.rows; ++i)
    std::memcpy(to + i * r.here_step, there + i * r.there_step, static_cast<std::size_t>(r.row_bytes));
}

void SharedFabric::add(Place to, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) {
  add_rows(address(to.rank, to.offset), from, dtype, r);
}

void add_rows(std::byte* there, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) {
  const std::int64_t size = pto::instr::size_of(dtype);
  pto::instr::with_type(dtype, [&]<class T>() {
    for (std::int64_t i = 0; i < r.rows; ++i)
      for (std::int64_t at = 0; at < r.row_bytes; at += size)
        combine<T>(pto::ScatterAtomicOp::Add, there + i * r.there_step + at, from + i * r.here_step + at);
  });
}

void SharedFabric::notify(Place at, pto::comm::NotifyOp op, std::int32_t value) {
  update_signal(address(at.rank, at.offset), op, value);
  board_.ring(at.rank);
}

void update_signal(std::byte* at, pto::comm::NotifyOp op, std::int32_t value) {
  auto* word = reinterpret_cast<std::int32_t*>(at);
  if (op == pto::comm::NotifyOp::Set)
    __atomic_store_n(word, value, __ATOMIC_SEQ_CST);
  else
    __atomic_fetch_add(word, value, __ATOMIC_SEQ_CST);
}

std::int32_t SharedFabric::peek(Place at) { return __atomic_load_n(word(at), __ATOMIC_ACQUIRE); }

std::vector<int> SharedFabric::missing(std::uint64_t barrier) {
  std::vector<int> ranks;
  for (int r = 0; r < size(); ++r)
    if (board_.seat(r).barriers.load() < barrier) ranks.push_back(r);
  return ranks;
}

void SharedFabric::progress(const char* op, std::int64_t rows, std::int64_t of_rows) {
  Seat& s = board_.seat(id_);
  s.op.set(op);
  s.rows.store(rows, std::memory_order_relaxed), s.of_rows.store(of_rows, std::memory_order_relaxed);
  if (rows > 0) s.pulse.fetch_add(1, std::memory_order_relaxed);
}

std::string SharedFabric::last_op(int rank) {
  const Seat& s = board_.seat(rank);
  return last_op_text(s.op.text(), s.rows.load(), s.of_rows.load());
}

std::string last_op_text(const std::string& op, std::int64_t rows, std::int64_t of_rows) {
  if (op.empty()) return "no operation yet";
  if (of_rows == 0) return op;
  return op + ", " + std::to_string(rows) + " of " + std::to_string(of_rows) + " rows delivered";
}

}  // namespace ptox::comm
