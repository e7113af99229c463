// SPDX-License-Identifier: Apache-2.0
#include "comm/hccl/session.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <stdexcept>
#include <system_error>

#include "comm/hccl/root_info.hpp"
#include "engine/memory/updates.hpp"

namespace ptox::comm::hccl {

namespace {

constexpr std::size_t page = 4096;
/// Locks of updates are chosen by address, so windows have to be at the same distance from a multiple of the memory
/// that all locks cover (one lock for each page) in every process.
constexpr std::size_t grain = UpdateLocks::count * page;

constexpr std::size_t rounded(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

// The file: the lobby, the locks of updates, the board, and the windows from the first grain on.
constexpr std::size_t locks_at = rounded(sizeof(Lobby), page), board_at = locks_at + rounded(UpdateLocks::bytes, page);
static_assert(board_at < grain);

[[noreturn]] void throw_error(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

std::string number(int rank) { return "rank " + std::to_string(rank); }

}  // namespace

int Session::open_new(std::size_t window_bytes) {
  const int file = memfd_create("ptox ranks", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  const std::size_t slot = rounded(window_bytes + page, grain);  // with a gap between windows
  if (file < 0 || ftruncate(file, static_cast<off_t>(grain + slot * most_ranks)) != 0 ||
      fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    throw_error("HcclGetRootInfo: memory of the group");
  void* memory = mmap(nullptr, locks_at, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) throw_error("HcclGetRootInfo: memory of the group");
  Lobby* lobby = new (memory) Lobby;
  lobby->window_bytes = window_bytes, lobby->slot_bytes = slot;
  munmap(memory, locks_at);
  return file;
}

Session::Session(int descriptor) : file_(descriptor) {
  void* memory = mmap(nullptr, board_at, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  if (memory == MAP_FAILED) {
    const int error = errno;
    close(file_);
    throw std::system_error(error, std::generic_category(), "HcclCommInitRootInfo: memory of the group");
  }
  lobby_ = static_cast<Lobby*>(memory);
}

Session::~Session() {
  if (group_) munmap(group_, group_bytes_);
  munmap(lobby_, board_at);
  close(file_);
}

void* Session::locks() const { return reinterpret_cast<std::byte*>(lobby_) + locks_at; }

void Session::ring() {
  lobby_->bell.fetch_add(1);
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&lobby_->bell), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

Session::Refusal Session::fail(Refusal::Why why, const std::string& sentence) {
  if (lobby_->failing.exchange(1) == 0) {
    std::strncpy(lobby_->sentence, sentence.c_str(), sizeof lobby_->sentence - 1);
    lobby_->failed.store(1, std::memory_order_release);
    ring();
  }
  return {why, sentence};
}

bool Session::complete() const {
  const int ranks = lobby_->ranks.load();
  return ranks > 0 && lobby_->came.load() == ranks;
}

bool Session::runs(int rank) const {
  const Joined& who = lobby_->joined[rank];
  const auto process = static_cast<pid_t>(who.process.load());
  return process <= 0 || start_of(process) == who.started.load();
}

std::optional<int> Session::ended() const {
  for (int r = 0; r < lobby_->ranks.load(); ++r)
    if (!runs(r)) return r;
  return std::nullopt;
}

std::string Session::missing() const {
  std::string names;
  for (int r = 0; r < lobby_->ranks.load(); ++r)
    if (lobby_->joined[r].process.load() == 0) names += (names.empty() ? "" : ", ") + number(r);
  return names;
}

std::optional<Session::Refusal> Session::take_seat(int ranks, int rank) {
  using Why = Refusal::Why;
  if (ranks < 1 || ranks > most_ranks)
    return Refusal{Why::wrong_call,
                   "nRanks is " + std::to_string(ranks) + "; it must be from 1 to " + std::to_string(most_ranks)};
  if (rank < 0 || rank >= ranks)
    return Refusal{Why::wrong_call,
                   "rank is " + std::to_string(rank) + "; it must be from 0 to " + std::to_string(ranks - 1)};
  std::int32_t agreed = 0;
  if (!lobby_->ranks.compare_exchange_strong(agreed, ranks) && agreed != ranks)
    return fail(Why::wrong_call, number(rank) + " joins a group of " + std::to_string(ranks) +
                                     " ranks, others one of " + std::to_string(agreed) +
                                     ". All ranks give the same nRanks");
  Joined& seat = lobby_->joined[rank];
  std::int64_t nobody = 0;
  if (!seat.process.compare_exchange_strong(nobody, Joined::coming)) {
    const std::string twice = number(rank) + " joins a second time with the same root info, from process " +
                              std::to_string(getpid()) + " after process " + std::to_string(nobody);
    return complete() ? Refusal{Why::wrong_call, twice} : fail(Why::wrong_call, twice);
  }
  seat.started.store(start_of(getpid()));
  seat.process.store(getpid());
  lobby_->came.fetch_add(1);
  ring();
  return std::nullopt;
}

std::optional<Session::Refusal> Session::join(int ranks, int rank, Patience patience) {
  using Why = Refusal::Why;
  if (auto refused = take_seat(ranks, rank)) return refused;
  const Deadline until = Time::now() + patience.most;
  while (!complete()) {
    const std::uint32_t seen = lobby_->bell.load();
    if (complete()) break;
    if (lobby_->failed.load(std::memory_order_acquire)) return Refusal{Why::lost_rank, lobby_->sentence};
    if (const auto gone = ended()) return fail(Why::lost_rank, number(*gone) + " ended before all ranks had joined");
    if (Time::now() >= until)
      return fail(Why::timed_out, number(rank) + " of " + std::to_string(ranks) + " waited " +
                                      std::to_string(patience.most.count()) + " ms for " + missing() + " to join (" +
                                      patience.setting + ")");
    const timespec step{.tv_sec = 0, .tv_nsec = 20'000'000};  // a process that dies rings no bell
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&lobby_->bell), FUTEX_WAIT, seen, &step, nullptr, 0);
  }
  map_group(ranks);
  return std::nullopt;
}

void Session::map_group(int ranks) {
  // Reserves a grain more than is needed and maps the windows from a multiple of the grain on.
  const std::size_t slot = lobby_->slot_bytes, bytes = grain + slot * static_cast<std::size_t>(ranks);
  void* reserved = mmap(nullptr, bytes + grain, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (reserved == MAP_FAILED) throw_error("HcclCommInitRootInfo: address space for the windows");
  auto* begin = reinterpret_cast<std::byte*>(rounded(reinterpret_cast<std::uintptr_t>(reserved), grain));
  if (mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, file_, 0) == MAP_FAILED)
    throw_error("HcclCommInitRootInfo: windows");
  if (begin != reserved) munmap(reserved, static_cast<std::size_t>(begin - static_cast<std::byte*>(reserved)));
  munmap(begin + bytes, grain - static_cast<std::size_t>(begin - static_cast<std::byte*>(reserved)));
  group_ = begin, group_bytes_ = bytes;
  heap_ = {begin + grain, slot, ranks};
  std::uint32_t none = 0;
  if (lobby_->board_made.compare_exchange_strong(none, 1)) {
    board_ = Board::create_in(begin + board_at, ranks);
    lobby_->board_made.store(2, std::memory_order_release);
    ring();
    return;
  }
  while (lobby_->board_made.load(std::memory_order_acquire) != 2) {
    if (const auto gone = ended()) throw std::runtime_error(number(*gone) + " ended while the ranks joined");
    sched_yield();
  }
  board_ = std::launder(reinterpret_cast<Board*>(begin + board_at));
}

}  // namespace ptox::comm::hccl
