// SPDX-License-Identifier: Apache-2.0
// The work of a call is on the given stream, and an index out of range with Undefined is reported only by that stream.
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <utility>

#include "ops_cases.hpp"

namespace {

using pto::GatherOOB;
using pto::ScatterAtomicOp;
using pto::ScatterConflict;
using pto::ScatterOOB;
using ptox::ScatterOptions;
using ptox::cuda::synchronize;
using namespace ptox::testing;

/// A stream that does not synchronise with the default stream.
class OwnStream {
 public:
  OwnStream() { ok(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  OwnStream(const OwnStream&) = delete;
  ~OwnStream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Blocks the work that is put on the stream afterwards, until let_go is called.
class Held {
 public:
  explicit Held(cudaStream_t stream) : stream_(stream) {
    ok(cudaLaunchHostFunc(stream, [](void* held) { static_cast<Held*>(held)->free_.get_future().wait(); }, this));
  }
  Held(const Held&) = delete;
  ~Held() { let_go(), cudaStreamSynchronize(stream_); }
  void let_go() {
    if (!std::exchange(let_go_, true)) free_.set_value();
  }

 private:
  cudaStream_t stream_;
  std::promise<void> free_;
  bool let_go_ = false;
};

Operands<float, std::int32_t> some_rows(std::int64_t width) {
  Random random(static_cast<std::uint64_t>(width));
  return {.table = values<float>(random, 300 * width),
          .moved = values<float>(random, 5000 * width),
          .idx = indices<std::int32_t>(random, 5000, 300, true),
          .width = width};
}
std::string synchronized(cudaStream_t stream) {
  return said_by([&] { synchronize(stream); });
}

TEST(cuda_streams, a_stream_of_its_own_gives_the_same_bytes) {
  const OwnStream stream;
  for (const std::int64_t width : {1, 5, 64}) {
    const auto o = some_rows(width);
    for (const auto oob : all_gather_oob) expect_gather(o, {.oob = oob}, stream);
    for (const auto oob : all_scatter_oob) {
      expect_scatter(o, {.oob = oob}, Nan::exact, stream);
      expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = oob}, Nan::exact, stream);
      expect_scatter(o, {.op = ScatterAtomicOp::Add, .oob = oob, .conflict = ScatterConflict::Default}, Nan::exact,
                     stream);
    }
  }
}

/// The call returns before its work can start, and the work follows what was on the stream before.
void comes_after_what_was_there(const ScatterOptions& options) {
  const auto o = some_rows(16);
  auto expected = o.table;
  scatter_on_host(expected, o, options);
  const OwnStream stream;
  const OnDevice<float, std::int32_t> first{o}, device{o};
  first.scatter(options, stream), synchronize(stream);  // loads the kernels and allocates memory
  const std::vector<float> poisoned = poison<float>(static_cast<std::int64_t>(o.table.size()));
  device.table.put(poisoned);
  Held held(stream);
  device.scatter(options, stream);
  EXPECT_TRUE(equal(poisoned, device.table.get()));
  device.table.put(o.table);
  held.let_go();
  synchronize(stream);
  EXPECT_TRUE(equal(expected, device.table.get()));
}
TEST(cuda_streams, a_scatter_comes_after_what_was_on_its_stream) {
  comes_after_what_was_there({.oob = ScatterOOB::Skip});
  comes_after_what_was_there({.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Clamp});
  comes_after_what_was_there(
      {.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Wrap, .conflict = ScatterConflict::Default});
}
TEST(cuda_streams, a_gather_comes_after_what_was_on_its_stream) {
  auto o = some_rows(16);
  const GatherOOB oob = GatherOOB::Wrap;
  std::vector<float> expected = o.moved;
  gather_on_host(expected, o, {.oob = oob});
  const OwnStream stream;
  const OnDevice<float, std::int32_t> first{o}, device{o};
  first.gather({.oob = oob}, stream), synchronize(stream);
  Held held(stream);
  device.gather({.oob = oob}, stream);
  EXPECT_TRUE(equal(o.moved, device.moved.get()));
  held.let_go();
  synchronize(stream);
  EXPECT_TRUE(equal(expected, device.moved.get()));
}

/// A gather whose index at position 1 is `stray`.
struct Offending {
  Guarded<float> table{std::vector<float>(100, 1.0f)}, out{std::vector<float>(3, 2.0f)};
  Guarded<std::int32_t> idx;
  explicit Offending(std::int32_t stray) : idx({5, stray, 7}) {}
  void put_on(cudaStream_t stream) const { ptox::cuda::gather(table.span(), idx.span(), out.span(), {}, stream); }
  static std::string sentence(const std::string& stray) {
    return "ptox::cuda::gather: idx[1] = " + stray + ", table has 100 elements. Clamp, Wrap or Zero define this";
  }
};
TEST(cuda_streams, an_undefined_index_is_named_by_its_own_stream) {
  const OwnStream one, other;
  const Offending hundred(100), minus_one(-1);
  hundred.put_on(one), minus_one.put_on(nullptr);
  EXPECT_EQ(synchronized(other), "");
  EXPECT_EQ(synchronized(one), Offending::sentence("100"));
  EXPECT_EQ(synchronized(one), "");
  EXPECT_EQ(synchronized(nullptr),
            Offending::sentence("-1 (read as 4294967295)") + "; Wrap makes it 95, and 15 where indices have 64 bits");
  EXPECT_EQ(synchronized(nullptr), "");
  EXPECT_EQ(hundred.out.get(), (std::vector<float>{1, 0, 1}));
}
TEST(cuda_streams, the_first_call_with_an_undefined_index_is_named) {
  const OwnStream stream, other;
  const Offending none(99), first(200), second(300), elsewhere(400);
  none.put_on(stream), elsewhere.put_on(other), first.put_on(stream), second.put_on(stream), none.put_on(stream);
  EXPECT_EQ(synchronized(stream), Offending::sentence("200"));
  EXPECT_EQ(synchronized(stream), "");
  EXPECT_EQ(synchronized(other), Offending::sentence("400"));
}
TEST(cuda_streams, a_stream_that_is_gone_leaves_nothing_to_the_next) {
  const Offending offending(100);
  {
    const OwnStream gone;
    offending.put_on(gone);
    ok(cudaStreamSynchronize(gone));
  }
  const OwnStream next;
  EXPECT_EQ(synchronized(next), "");
  EXPECT_EQ(synchronized(nullptr), "");
}
/// If there are more calls than are recorded, only the most recent ones are recorded.
TEST(cuda_streams, of_many_calls_the_latest_4096_are_remembered) {
  constexpr int calls = 5000, oldest = calls - 4096;
  const OwnStream stream;
  const Offending none(0), forgotten(111), remembered(222);
  for (int i = 0; i < calls; ++i) (i == oldest - 1 ? forgotten : i == oldest ? remembered : none).put_on(stream);
  EXPECT_EQ(synchronized(stream), Offending::sentence("222"));
  for (int i = 0; i < calls; ++i) none.put_on(stream);
  EXPECT_EQ(synchronized(stream), "");
  EXPECT_EQ(forgotten.out.get(), (std::vector<float>{1, 0, 1}));
}

/// Two indices out of range, far apart: the first in source order is reported, and neither changes a byte.
template <class T>
void names_the_first_stray(Operands<T, std::int64_t> o, ScatterOptions options) {
  const auto n = o.idx.size();
  o.idx[n - 1] = o.capacity(), o.idx[n / 2 + 1] = -7;
  expect_scatter(o, options);
}
template <class T>
Operands<T, std::int64_t> small_numbers(std::int64_t capacity, std::int64_t count, std::int64_t width, bool by_row) {
  Random random(static_cast<std::uint64_t>(count));
  Operands<T, std::int64_t> o{.table = std::vector<T>(static_cast<std::size_t>(capacity * width)),
                              .moved = std::vector<T>(static_cast<std::size_t>(count * width)),
                              .idx = indices<std::int64_t>(random, count, capacity, false),
                              .width = width,
                              .by_row = by_row};
  for (T& x : o.moved) x = static_cast<T>(random() % 3);
  return o;
}
constexpr ScatterOptions last{}, add_in_order{.op = ScatterAtomicOp::Add},
    add{.op = ScatterAtomicOp::Add, .conflict = ScatterConflict::Default};

TEST(cuda_streams, an_undefined_index_of_rows_is_named) {
  for (const auto& options : {last, add_in_order, add}) {
    names_the_first_stray(small_numbers<float>(1000, 5000, 16, true), options);
    names_the_first_stray(small_numbers<float>(1000, 5000, 3, true), options);
    names_the_first_stray(small_numbers<float>(1000, 5000, 300, true), options);
    names_the_first_stray(small_numbers<float>(1'000'003, 5000, 2, true), options);  // sorts to find the last writer
    names_the_first_stray(small_numbers<std::int16_t>(1000, 5000, 7, true), options);
  }
}
TEST(cuda_streams, an_undefined_index_of_elements_is_named) {
  for (const auto& options : {last, add_in_order, add}) {
    names_the_first_stray(small_numbers<float>(1000, 5001, 1, false), options);
    names_the_first_stray(small_numbers<std::uint8_t>(1000, 5001, 1, false), options);
    names_the_first_stray(small_numbers<double>(1000, 5001, 1, false), options);
  }
}
TEST(cuda_streams, an_undefined_index_among_hot_rows_is_named) {
  auto o = small_numbers<float>(1000, 70'001, 16, true);
  for (std::size_t i = 0; i < o.idx.size(); i += 2) o.idx[i] = 5;
  names_the_first_stray(o, add);
  o.idx[0] = 1000;  // an index that the sample reads
  names_the_first_stray(o, add);
}
TEST(cuda_streams, an_undefined_index_of_windows_is_named) {
  const auto o = small_numbers<float>(17 << 20, 4'300'000, 1, false);
  names_the_first_stray(o, last), names_the_first_stray(o, add);
}
TEST(cuda_streams, an_undefined_index_of_a_small_table_is_named) {
  const auto o = small_numbers<float>(40'000, 4'300'000, 1, false);
  names_the_first_stray(o, add), names_the_first_stray(o, add_in_order);
}

/// Concurrent calls on separate streams.
TEST(cuda_streams, calls_of_many_streams_keep_apart) {
  constexpr int streams = 6;
  const auto o = some_rows(9);
  const ScatterOptions options{.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Wrap};
  auto expected = o.table;
  for (int turn = 0; turn < 5; ++turn) {
    Operands<float, std::int32_t> again = o;
    again.table = expected;
    scatter_on_host(expected, again, options);
  }
  std::vector<OwnStream> own(streams);
  std::vector<std::unique_ptr<OnDevice<float, std::int32_t>>> devices;
  for (int i = 0; i < streams; ++i) devices.emplace_back(new OnDevice<float, std::int32_t>{o});
  for (int turn = 0; turn < 5; ++turn)
    for (int i = 0; i < streams; ++i)
      devices[static_cast<std::size_t>(i)]->scatter(options, own[static_cast<std::size_t>(i)]);
  for (const auto& stream : own) synchronize(stream);
  for (const auto& device : devices) EXPECT_TRUE(equal(expected, device->table.get()) && device->guards_stand());
}

TEST(cuda_streams, memory_that_was_given_back_is_taken_again) {
  const auto o = small_numbers<float>(1000, 4'000'000, 1, false);
  const auto free_bytes = [] {
    std::size_t free = 0, total = 0;
    ok(cudaMemGetInfo(&free, &total));
    return free;
  };
  constexpr std::size_t used = 4'000'000 * 12;  // keys, sorted keys and sorted values, at least
  expect_scatter(o, add_in_order);              // loads the kernels
  ptox::cuda::release_memory();
  for (int turn = 0; turn < 3; ++turn) {
    expect_scatter(o, add_in_order);
    const std::size_t kept = free_bytes();
    ptox::cuda::release_memory();
    EXPECT_GE(free_bytes(), kept + used) << "turn " << turn;
  }
  ptox::cuda::release_memory();  // nothing left to release
}
/// Memory of a call that is still in progress is not released.
TEST(cuda_streams, memory_is_given_back_while_a_call_is_under_way) {
  const auto o = some_rows(16);
  const ScatterOptions options{.op = ScatterAtomicOp::Add, .oob = ScatterOOB::Skip};
  auto expected = o.table;
  scatter_on_host(expected, o, options);
  const OwnStream stream, other;
  const OnDevice<float, std::int32_t> first{o}, device{o}, beside{o};
  first.scatter(options, stream), synchronize(stream);
  Held held(stream);
  device.scatter(options, stream);
  ptox::cuda::release_memory();
  beside.scatter(options, other);
  held.let_go();
  synchronize(stream), synchronize(other);
  EXPECT_TRUE(equal(expected, device.table.get()));
  EXPECT_TRUE(equal(expected, beside.table.get()));
}

}  // namespace
