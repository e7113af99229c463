// SPDX-License-Identifier: Apache-2.0
// A thread block of a GPU, emulated by threads of the host.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "pto/cuda/state.hpp"
#include "pto/cuda/update.hpp"

namespace ptox::cuda_test {

class Team;

/// The interface of a block that the bodies use, for one of its threads.
class HostBlock {
 public:
  HostBlock(Team& team, pto::instr::cuda::Count tid) : team_(team), tid_(tid) {}
  pto::instr::cuda::Count tid() const { return tid_; }
  pto::instr::cuda::Count threads() const;
  pto::instr::cuda::State& state() const;
  std::byte* ub() const { return state().ub; }
  void sync() const;

  template <class V>
  void fetch(std::byte* to, const std::byte* from) const {
    if (from)
      std::memcpy(to, from, sizeof(V));
    else
      std::memset(to, 0, sizeof(V));
  }
  static constexpr pto::instr::cuda::Count storing_threads = 1;
  bool can_store_whole() const { return true; }
  void note_written() const {}
  void store_whole(std::byte* to, const std::byte* from, pto::instr::cuda::Count bytes) const {
    std::memcpy(to, from, bytes);
  }
  void prefetch(const std::byte*) const {}

  void atomic_max(std::uint32_t* at, std::uint32_t value) const {
    std::atomic_ref<std::uint32_t> now(*at);
    for (std::uint32_t seen = now.load(); seen < value && !now.compare_exchange_weak(seen, value);) {
    }
  }
  void atomic_or(std::uint32_t* at, std::uint32_t value) const { std::atomic_ref<std::uint32_t>(*at) |= value; }
  void atomic_add(std::uint32_t* at, std::uint32_t value) const { std::atomic_ref<std::uint32_t>(*at) += value; }
  template <class U>
  U load(U* at) const {
    return std::atomic_ref<U>(*at).load();
  }
  template <class U>
  U exchange_if(U* at, U expected, U value) const {
    std::atomic_ref<U>(*at).compare_exchange_strong(expected, value);
    return expected;
  }
  template <class T>
  bool update_natively(pto::ScatterAtomicOp, std::byte*, T) const {
    return false;
  }
  bool adds_quads(pto::instr::DType d) const {
    return d == pto::instr::DType::f32 || d == pto::instr::DType::f16 || d == pto::instr::DType::bf16;
  }
  bool add_quad(pto::instr::DType, std::byte*, const pto::instr::cuda::Quad&) const { return false; }
  void update(pto::ScatterAtomicOp op, pto::instr::DType d, std::byte* to, const std::byte* from) const {
    pto::instr::cuda::update_element(*this, op, d, to, from);
  }

 private:
  Team& team_;
  pto::instr::cuda::Count tid_;
};

/// A group of host threads that execute bodies together, one body after another.
class Team {
 public:
  explicit Team(int threads) : threads_(threads), barrier_(threads), door_(threads + 1) {
    for (int i = 0; i < threads; ++i) crew_.emplace_back([this, i] { work(static_cast<pto::instr::cuda::Count>(i)); });
  }
  ~Team() {
    body_ = nullptr;
    door_.arrive_and_wait();
  }
  /// Calls body(block) in every thread, with UB at `ub`, and waits until all have returned.
  void run(std::byte* ub, const std::function<void(HostBlock&)>& body) {
    state_.ub = ub;
    body_ = &body;
    door_.arrive_and_wait();
    door_.arrive_and_wait();
  }

 private:
  friend class HostBlock;
  void work(pto::instr::cuda::Count tid) {
    HostBlock block(*this, tid);
    for (;;) {
      door_.arrive_and_wait();
      if (!body_) return;
      (*body_)(block);
      door_.arrive_and_wait();
    }
  }

  int threads_;
  std::barrier<> barrier_, door_;
  pto::instr::cuda::State state_{};
  const std::function<void(HostBlock&)>* body_ = nullptr;
  std::vector<std::jthread> crew_;
};

inline pto::instr::cuda::Count HostBlock::threads() const {
  return static_cast<pto::instr::cuda::Count>(team_.threads_);
}
inline pto::instr::cuda::State& HostBlock::state() const { return team_.state_; }
inline void HostBlock::sync() const { team_.barrier_.arrive_and_wait(); }

}  // namespace ptox::cuda_test
