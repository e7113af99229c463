// SPDX-License-Identifier: Apache-2.0
#include "comm/group/board.hpp"

#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <new>
#include <system_error>
#include <thread>

namespace ptox::comm {

namespace {

long futex(std::atomic<std::uint32_t>& word, int op, std::uint32_t value, const timespec* timeout) {
  return syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word), op, value, timeout, nullptr, 0);
}

/// Copies a text and its terminating zero; a text that does not fit is truncated.
template <std::size_t n>
void keep(char (&to)[n], const std::string& text) {
  const std::size_t size = std::min(text.size(), n - 1);
  std::memcpy(to, text.data(), size);
  to[size] = 0;
}

}  // namespace

void OpName::set(const char* name) {
  char text[sizeof(Words)] = {};
  keep(text, name);
  Words words;
  std::memcpy(words.data(), text, sizeof text);
  store(words);
}

std::string OpName::text() const {
  const Words words = load();
  char text[sizeof words + 1] = {};
  std::memcpy(text, words.data(), sizeof words);
  return text;
}

OpName::Words OpName::load() const {
  Words name;
  for (std::size_t i = 0; i < words; ++i) name[i] = words_[i].load(std::memory_order_relaxed);
  return name;
}

void OpName::store(const Words& name) {
  for (std::size_t i = 0; i < words; ++i) words_[i].store(name[i], std::memory_order_relaxed);
}

std::size_t Board::bytes_for(int n) { return sizeof(Board) + (static_cast<std::size_t>(n) + 1) * sizeof(Seat); }

Board* Board::create(int n) {
  void* p = mmap(nullptr, bytes_for(n), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "run_ranks: memory of the group");
  return create_in(p, n);
}

Board* Board::create_in(void* memory, int n) {
  Board* board = new (memory) Board(n);
  for (int i = 0; i <= n; ++i) new (&board->seats_[i]) Seat;
  return board;
}

void Board::destroy(Board* board) noexcept { munmap(board, bytes_for(board->size_)); }

void Board::ring(int seat) {
  Seat& s = seats_[seat];
  s.bell.fetch_add(1);
  if (s.sleepers.load() > 0) futex(s.bell, FUTEX_WAKE, INT_MAX, nullptr);
}

void Board::ring_all() {
  for (int i = 0; i <= size_; ++i) ring(i);
}

void Board::sleep(int seat, std::uint32_t seen, Deadline deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline - Time::now()).count();
  if (left <= 0) return;
  const timespec timeout{.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
  Seat& s = seats_[seat];
  s.sleepers.fetch_add(1);
  futex(s.bell, FUTEX_WAIT, seen, &timeout);
  s.sleepers.fetch_sub(1);
}

std::uint64_t Board::arrive(int rank) {
  const std::uint64_t barrier = seats_[rank].barriers.fetch_add(1) + 1;
  if (arrivals_.fetch_add(1) + 1 == barrier * static_cast<std::uint64_t>(size_)) ring_all();
  return barrier;
}

bool Board::all_arrived(std::uint64_t barrier) const {
  return arrivals_.load() >= barrier * static_cast<std::uint64_t>(size_);
}

void Board::write(const Failure& failure) {
  kind_ = failure.kind, keep(sentence_, failure.sentence);
  named_ = std::min(failure.ranks.size(), most_named);
  std::copy_n(failure.ranks.begin(), named_, ranks_.begin());
  failed_.store(1, std::memory_order_release);
  ring_all();
}

void Board::fail(const Failure& failure) {
  if (failing_.exchange(1) == 0) write(failure);
}

void Board::fail_for_sure(const Failure& failure) {
  fail(failure);
  const Deadline soon = Time::now() + std::chrono::milliseconds(100);
  while (!failed() && Time::now() < soon) std::this_thread::yield();
  if (!failed()) write(failure);
}

Failure Board::failure() const {
  if (!failed()) return {};
  return {kind_, sentence_, {ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(named_)}};
}

std::optional<Failure> Board::asked(std::size_t nth, std::size_t bytes, int rank) {
  const std::string who = "symmetric: rank " + std::to_string(rank) + " asks for ";
  if (nth >= most_asked)
    return Failure{std::nullopt,
                   who + "memory more than " + std::to_string(most_asked) + " times. Ask once, and for more",
                   {rank}};
  std::size_t first = 0;
  if (asked_[nth].compare_exchange_strong(first, bytes + 1) || first == bytes + 1) return std::nullopt;
  return Failure{FindingKind::comm_shape,
                 who + std::to_string(bytes) + " bytes, another rank for " + std::to_string(first - 1) +
                     ", both as allocation " + std::to_string(nth + 1) +
                     ". All ranks ask for the same in the same order",
                 {rank}};
}

}  // namespace ptox::comm
