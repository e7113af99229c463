// SPDX-License-Identifier: Apache-2.0
#include "bench/work.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "engine/system/random.hpp"
#include "pto/tile/number.hpp"
#include "ptox/ops.hpp"

namespace ptox::bench {

namespace {

/// Turns random bits into floats of either sign between 1/8 and 2, so that sums of them are not NaN. Integers keep
/// them.
std::uint64_t numbers(std::uint64_t bits, Number number) {
  const std::uint64_t lanes = 0x0001000100010001u;
  switch (number) {
    case Number::f32:
      return (bits & 0x81ffffff81ffffffu) | 0x3e0000003e000000u;
    case Number::f16:
      return (bits & lanes * 0x8fff) | lanes * 0x3000;
    case Number::bf16:
      return (bits & lanes * 0x81ff) | lanes * 0x3e00;
    default:
      return bits;
  }
}

void fill(const Region& region, Number number, std::uint64_t seed) {
  Random random(seed);
  std::int64_t at = 0;
  for (; at + 8 <= region.bytes(); at += 8) {
    const std::uint64_t word = numbers(random.next(), number);
    std::memcpy(region.data() + at, &word, sizeof word);
  }
  const std::uint64_t word = numbers(random.next(), number);
  std::memcpy(region.data() + at, &word, static_cast<std::size_t>(region.bytes() - at));
}

template <class F>
void with_type(Number number, F f) {
  switch (number) {
    case Number::u8:
      return f(std::uint8_t{});
    case Number::i32:
      return f(std::int32_t{});
    case Number::f32:
      return f(float{});
    case Number::f16:
      return f(half{});
    case Number::bf16:
      return f(bfloat16_t{});
  }
}

pto::ScatterAtomicOp op_of(Move move) {
  switch (move) {
    case Move::add:
      return pto::ScatterAtomicOp::Add;
    case Move::max:
      return pto::ScatterAtomicOp::Max;
    case Move::min:
      return pto::ScatterAtomicOp::Min;
    default:
      return pto::ScatterAtomicOp::None;
  }
}

template <class T>
void run(const Job& job, const GatherOptions& options) {
  const Work& w = job.work();
  const auto* table = reinterpret_cast<const T*>(job.table());
  auto* out = reinterpret_cast<T*>(job.moved());
  if (w.by_rows()) return gather_rows(Rows{table, w.rows, w.width}, job.idx(), Rows{out, w.count, w.width}, options);
  gather(std::span(table, static_cast<std::size_t>(w.rows)), job.idx(),
         std::span(out, static_cast<std::size_t>(w.count)), options);
}

template <class T>
void run(const Job& job, const ScatterOptions& options) {
  const Work& w = job.work();
  auto* table = reinterpret_cast<T*>(job.table());
  const auto* src = reinterpret_cast<const T*>(job.moved());
  if (w.by_rows()) return scatter_rows(Rows{table, w.rows, w.width}, job.idx(), Rows{src, w.count, w.width}, options);
  scatter(std::span(table, static_cast<std::size_t>(w.rows)), job.idx(),
          std::span(src, static_cast<std::size_t>(w.count)), options);
}

}  // namespace

std::int64_t size_of(Number number) {
  constexpr std::int64_t sizes[] = {1, 4, 4, 2, 2};
  return sizes[static_cast<int>(number)];
}

const char* name(Number number) {
  constexpr const char* names[] = {"u8", "i32", "f32", "f16", "bf16"};
  return names[static_cast<int>(number)];
}

const char* name(Move move) {
  constexpr const char* names[] = {"gather", "scatter", "add", "max", "min"};
  return names[static_cast<int>(move)];
}

std::string Work::loop_name() const { return name(move) + std::string(by_rows() ? "_rows " : " ") + name(number); }

Job::Job(const Work& work)
    : work_(work),
      table_(work.table_bytes(), work.pages),
      moved_(work.moved_bytes(), work.pages),
      idx_(work.count * 4, work.pages) {
  reset();
  fill(moved_, work_.number, 2);
  fill_indices(idx(), work_.rows, work_.order, 3);
}

void Job::reset() const { fill(table_, work_.number, 1); }

void Job::ours(int threads, bool drop) const {
  with_type(work_.number, [&]<class T>(T) {
    if (work_.move == Move::gather)
      run<T>(*this, GatherOptions{drop ? pto::GatherOOB::Zero : pto::GatherOOB::Undefined, threads});
    else
      run<T>(*this, ScatterOptions{.op = op_of(work_.move),
                                   .oob = drop ? pto::ScatterOOB::Skip : pto::ScatterOOB::Undefined,
                                   .threads = threads});
  });
}

void Job::plain(PlainLoop loop) const {
  loop(table_.data(), idx_.as<std::int32_t>(), moved_.data(), work_.count, work_.columns());
}

void Job::verify(PlainLoop loop, int threads) const {
  for (const int t : threads == 1 ? std::vector{1} : std::vector{1, threads})
    compare([&] { plain(loop); }, [&] { ours(t); },
            work_.loop_name() + (t == 1 ? " on one thread" : " on " + std::to_string(t) + " threads"));
}

void Job::compare(const std::function<void()>& expected, const std::function<void()>& ours,
                  const std::string& what) const {
  const Region& out = result();
  const auto bytes = static_cast<std::size_t>(out.bytes());
  reset();
  expected();
  const Region kept(out.bytes());
  std::memcpy(kept.data(), out.data(), bytes);
  if (work_.move == Move::gather)
    std::memset(out.data(), 0xa5, bytes);
  else
    reset();
  ours();
  if (std::memcmp(out.data(), kept.data(), bytes) == 0) return;
  const auto at = std::mismatch(out.data(), out.data() + bytes, kept.data()).first - out.data();
  throw Differs{what + ": ptox differs from the plain loop at byte " + std::to_string(at) + " of " +
                std::to_string(bytes)};
}

}  // namespace ptox::bench
