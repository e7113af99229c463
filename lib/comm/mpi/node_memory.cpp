// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/node_memory.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <system_error>

#include "comm/group/shared_fabric.hpp"
#include "engine/memory/updates.hpp"

namespace ptox::comm::mpi {

namespace {

constexpr std::size_t page = 4096;
/// Addresses that are equal modulo this have the same lock in every process.
constexpr std::size_t same_locks = UpdateLocks::count * page;

std::uintptr_t rounded(std::uintptr_t n, std::size_t to) { return (n + to - 1) / to * to; }
std::byte* rounded(void* p, std::size_t to) {
  return reinterpret_cast<std::byte*>(rounded(reinterpret_cast<std::uintptr_t>(p), to));
}

/// The largest slot to reserve. Simulated ranks are all in one process, where each rank reserves a slot for every rank.
std::size_t most_slot(const World& world) {
  constexpr std::size_t of_process = std::size_t{1} << 46, enough = std::size_t{1} << 30;
  const auto ranks = static_cast<std::size_t>(world.size);
  const std::size_t fair = of_process / (ranks * ranks);
  return simulated ? std::min(enough, fair / same_locks * same_locks) : Heap::usual_slot(world.node_ranks);
}

}  // namespace

NodeBytes::NodeBytes(World& world, std::size_t bytes) : bytes_(rounded(bytes, page)) {
  if (world.node_ranks == 1) {
    void* p = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      error_ = std::strerror(errno);
    else
      data_ = static_cast<std::byte*>(p);
    return;
  }
  void* mine = nullptr;
  const auto asked = static_cast<MPI_Aint>(world.leads() ? bytes_ + page : 0);  // a page more for alignment
  int code = MPI_Win_allocate_shared(asked, 1, MPI_INFO_NULL, world.node_comm, &mine, &window_);
  if (code != MPI_SUCCESS) {
    error_ = "MPI_Win_allocate_shared: " + text_of(code);
    return;
  }
  void* first = nullptr;
  MPI_Aint size = 0;
  int unit = 0;
  code = MPI_Win_shared_query(window_, 0, &size, &unit, &first);
  if (code == MPI_SUCCESS)
    data_ = rounded(first, page);
  else
    error_ = "MPI_Win_shared_query: " + text_of(code);
}

void NodeBytes::give_back() {
  if (window_ != MPI_WIN_NULL)
    MPI_Win_free(&window_);
  else if (data_)
    munmap(data_, bytes_);
  data_ = nullptr;
}

NodeHeap::NodeHeap(World& world) : world_(world) {
  const auto ranks = static_cast<std::size_t>(world.node_ranks);
  for (slot_ = most_slot(world); slot_ >= same_locks; slot_ /= 2) {
    void* p = mmap(nullptr, slot_ * ranks + same_locks, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) continue;
    reserved_ = static_cast<std::byte*>(p), base_ = rounded(p, same_locks);
    return;
  }
  throw std::system_error(errno, std::generic_category(), "run_ranks: addresses for symmetric memory");
}

NodeHeap::~NodeHeap() {
  if (reserved_) munmap(reserved_, slot_ * static_cast<std::size_t>(world_.node_ranks) + same_locks);
}

std::string NodeHeap::grow(std::size_t bytes) {
  Piece piece;
  piece.begin = filled(), piece.bytes = rounded(bytes, page);
  const std::size_t room = slot_ - piece.begin;
  if (piece.bytes > room || bytes > room) return std::to_string(room) + " bytes of address space are left";
  piece.memory = NodeBytes(world_, piece.bytes * static_cast<std::size_t>(world_.node_ranks));
  std::string error = piece.memory.error();
  if (error.empty()) error = map(piece);
  if (error.empty() && world_.nodes > 1) error = open(piece);
  pieces_.push_back(piece);
  return error;
}

/// Maps the pages of a piece a second time, those of each rank into its slot.
std::string NodeHeap::map(const Piece& piece) {
  for (std::size_t i = 0; i < static_cast<std::size_t>(world_.node_ranks); ++i) {
    std::byte* from = piece.memory.data() + i * piece.bytes;
    // Not by mremap(): the function by which MPI libraries replace it ignores the new address.
    std::byte* to = base_ + i * slot_ + piece.begin;
    if (syscall(SYS_mremap, from, 0, piece.bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) == -1)
      return std::string("mremap: ") + std::strerror(errno);
    if (piece.bytes >= std::size_t{4} << 20) madvise(to, piece.bytes, MADV_HUGEPAGE);
  }
  return {};
}

std::string NodeHeap::open(Piece& piece) {
  const bool leads = world_.leads();
  const auto bytes = static_cast<MPI_Aint>(piece.bytes * static_cast<std::size_t>(world_.node_ranks));
  const int code = MPI_Win_create(leads ? piece.memory.data() : nullptr, leads ? bytes : 0, 1, MPI_INFO_NULL,
                                  world_.windows, &piece.window);
  if (code != MPI_SUCCESS) return "MPI_Win_create: " + text_of(code);
  MPI_Win_set_errhandler(piece.window, MPI_ERRORS_RETURN);
  piece.locked.resize(static_cast<std::size_t>(world_.nodes));
  return {};
}

void NodeHeap::give_back() {
  for (Piece& piece : pieces_) {
    for (std::size_t node = 0; node < piece.locked.size(); ++node)
      if (piece.locked[node]) MPI_Win_unlock(world_.leader_of[node], piece.window);
    if (piece.window != MPI_WIN_NULL) MPI_Win_free(&piece.window);
    piece.memory.give_back();
  }
  pieces_.clear();
}

NodeHeap::Target NodeHeap::target(Place place) {
  auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), place.offset,
                                [](std::size_t offset, const Piece& p) { return offset < p.begin; });
  --piece;
  const auto node = static_cast<std::size_t>(world_.node_of[static_cast<std::size_t>(place.rank)]);
  if (!piece->locked[node]) MPI_Win_lock(MPI_LOCK_SHARED, world_.leader_of[node], MPI_MODE_NOCHECK, piece->window);
  piece->locked[node] = true;
  const std::size_t within = place.offset - piece->begin;
  const auto index = static_cast<std::size_t>(world_.index_of[static_cast<std::size_t>(place.rank)]);
  return {piece->window, static_cast<MPI_Aint>(index * piece->bytes + within), piece->bytes - within};
}

}  // namespace ptox::comm::mpi
