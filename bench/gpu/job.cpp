// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu/job.hpp"

#include <cuda_runtime_api.h>

#include <span>
#include <stdexcept>
#include <string>

#include "bench/gpu/tile.hpp"
#include "ptox/cuda.hpp"

namespace ptox::bench::gpu {

void check(int code) {
  if (code != cudaSuccess) throw std::runtime_error(cudaGetErrorString(static_cast<cudaError_t>(code)));
}

namespace {

constexpr std::int64_t arena_bytes = std::int64_t{8} << 30, arena_step = 2 << 20;
std::int64_t arena_used = 0;

std::byte* arena() {
  static std::byte* all = nullptr;
  if (!all) check(cudaMalloc(reinterpret_cast<void**>(&all), arena_bytes));
  return all;
}

}  // namespace

Memory::Memory(std::int64_t bytes) : bytes_((bytes + arena_step - 1) / arena_step * arena_step) {
  if (arena_used + bytes_ > arena_bytes) check(cudaErrorMemoryAllocation);
  data_ = arena() + arena_used;
  arena_used += bytes_;
}
Memory::~Memory() { arena_used -= bytes_; }

double device_seconds(const std::function<void()>& run) {
  static cudaEvent_t begin = nullptr, end = nullptr;
  if (!begin) check(cudaEventCreate(&begin)), check(cudaEventCreate(&end));
  run();  // warms up: a peer's process used the device before
  check(cudaEventRecord(begin));
  run();
  check(cudaEventRecord(end));
  check(cudaEventSynchronize(end));
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, begin, end));
  return milliseconds / 1000.0;
}

namespace {

constexpr std::uint64_t table_seed = 1, moved_seed = 2, idx_seed = 3;

std::vector<std::int32_t> indices_of(const Case& c) {
  std::vector<std::int32_t> idx(static_cast<std::size_t>(c.count));
  fill_indices(idx, c.rows, c.order, idx_seed);
  return idx;
}

/// Calls the function for whole tensors with elements of type T.
template <class T>
void call(const Case& c, const Buffers& b, bool in_order) {
  const std::span idx(b.idx, static_cast<std::size_t>(c.count));
  auto *table = static_cast<T*>(b.table), *moved = static_cast<T*>(b.moved);
  constexpr pto::ScatterAtomicOp ops[] = {pto::ScatterAtomicOp::None, pto::ScatterAtomicOp::None,
                                          pto::ScatterAtomicOp::Add, pto::ScatterAtomicOp::Max};
  const ScatterOptions options{.op = ops[static_cast<int>(c.work)],
                               .oob = pto::ScatterOOB::Skip,
                               .conflict = in_order ? pto::ScatterConflict::Last : pto::ScatterConflict::Default};
  const GatherOptions zero{.oob = pto::GatherOOB::Zero};
  if (c.by_rows()) {
    const Rows<T> there{table, c.rows, c.width}, here{moved, c.count, c.width};
    c.work == Work::gather ? cuda::gather_rows(there, idx, here, zero) : cuda::scatter_rows(there, idx, here, options);
  } else {
    const std::span<T> there(table, static_cast<std::size_t>(c.rows)), here(moved, static_cast<std::size_t>(c.count));
    c.work == Work::gather ? cuda::gather(there, idx, here, zero) : cuda::scatter(there, idx, here, options);
  }
}

}  // namespace

Job::Job(const Case& c)
    : case_(c), host_idx_(indices_of(c)), table_(c.table_bytes()), moved_(c.moved_bytes()), idx_(c.count * 4) {
  check(cudaMemcpy(idx_.data(), host_idx_.data(), host_idx_.size() * 4, cudaMemcpyHostToDevice));
  reset();
}

Buffers Job::buffers() const { return {table_.data(), moved_.data(), static_cast<const std::int32_t*>(idx_.data())}; }

void Job::reset() const {
  fill(table_.data(), case_.rows * case_.columns(), case_.type, table_seed, nullptr);
  fill(moved_.data(), case_.count * case_.columns(), case_.type, moved_seed, nullptr);
}

void Job::ours(bool in_order) const {
  switch (case_.type) {
    case Type::f32:
      return call<float>(case_, buffers(), in_order);
    case Type::f16:
      return call<half>(case_, buffers(), in_order);
    case Type::bf16:
      return call<bfloat16_t>(case_, buffers(), in_order);
    case Type::u8:
      return call<std::uint8_t>(case_, buffers(), in_order);
  }
}

std::vector<Way> Job::ways() const {
  std::vector<Way> ways;
  const auto add = [&](const char* name, Kind kind, auto run) {
    ways.push_back({name, [run] { return device_seconds(run); }, kind});
  };
  add("ptox", Kind::ours, [this] { ours(false); });
  if (writes_table()) add("in order", Kind::reference, [this] { ours(true); });
  if (has_tiles(case_)) add("tile", Kind::reference, [this] { by_tiles(case_, buffers()); });
  add("straight", Kind::plain, [this] { straight(case_, buffers(), nullptr); });
  return ways;
}

std::int64_t Job::differs_from_straight(const std::function<void()>& way) const {
  const Memory& result = writes_table() ? table_ : moved_;
  const std::int64_t bytes = writes_table() ? case_.table_bytes() : case_.moved_bytes();
  const Memory expected(bytes);
  reset();
  straight(case_, buffers(), nullptr);
  check(cudaMemcpy(expected.data(), result.data(), static_cast<std::size_t>(bytes), cudaMemcpyDeviceToDevice));
  reset();
  way();
  return differing(expected.data(), result.data(), bytes, nullptr);
}

std::int64_t Job::wrong_words() const {
  const bool rounds = case_.work == Work::add && case_.type != Type::f32;
  // If several elements go to one slot, the straight scatter leaves an arbitrary one.
  const bool any = case_.work == Work::scatter && case_.order != Order::permutation;
  if (rounds || any) return 0;
  const std::int64_t by_tiles_wrong =
      has_tiles(case_) ? differs_from_straight([this] { by_tiles(case_, buffers()); }) : 0;
  return by_tiles_wrong + differs_from_straight([this] { ours(false); }) +
         (writes_table() ? differs_from_straight([this] { ours(true); }) : 0);
}

Series copy_ceiling(int rounds, bool quick, double& bytes) {
  const std::int64_t size = std::int64_t{1} << (quick ? 26 : 31);
  const Memory from(size), to(size);
  bytes = 2.0 * static_cast<double>(size);
  const std::vector<Way> ways = {
      {"copy", [&] { return device_seconds([&] { copy(to.data(), from.data(), size, nullptr); }); }, Kind::limit},
      {"memcpy",
       [&] {
         return device_seconds([&] {
           check(cudaMemcpyAsync(to.data(), from.data(), static_cast<std::size_t>(size), cudaMemcpyDeviceToDevice));
         });
       },
       Kind::limit}};
  std::vector<Series> both = in_turns(ways, rounds);
  return both[0].median() < both[1].median() ? both[0] : both[1];
}

}  // namespace ptox::bench::gpu
