// SPDX-License-Identifier: Apache-2.0
// A job with its buffers (table, indices and moved data), which ptox and the plain loops can do.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "bench/indices.hpp"
#include "bench/memory.hpp"
#include "bench/plain.hpp"

namespace ptox::bench {

enum class Move { gather, scatter, add, max, min };
enum class Number { u8, i32, f32, f16, bf16 };

std::int64_t size_of(Number);
const char* name(Number);
const char* name(Move);

/// One job: `count` rows or elements moved between a table and a dense array.
struct Work {
  Move move;
  Number number = Number::f32;
  std::int64_t rows, width;  ///< of the table; a width of 0: elements
  std::int64_t count;
  Order order = Order::uniform;
  Pages pages = Pages::huge;

  bool by_rows() const { return width > 0; }
  std::int64_t columns() const { return by_rows() ? width : 1; }
  std::int64_t row_bytes() const { return columns() * size_of(number); }
  std::int64_t moved_bytes() const { return count * row_bytes(); }
  std::int64_t table_bytes() const { return rows * row_bytes(); }
  std::string loop_name() const;  ///< of the plain loop for this job
};

/// A job with filled buffers.
class Job {
 public:
  explicit Job(const Work&);

  const Work& work() const { return work_; }
  std::span<std::int32_t> idx() const { return {idx_.as<std::int32_t>(), static_cast<std::size_t>(work_.count)}; }
  std::byte* table() const { return table_.data(); }
  std::byte* moved() const { return moved_.data(); }
  /// What the job writes: the dense array of a gather, else the table.
  const Region& result() const { return work_.move == Move::gather ? moved_ : table_; }

  /// Restores the initial contents of the table.
  void reset() const;
  /// Runs the job by ptox. `drop`: indices out of range are dropped (Skip, Zero), else they are an error.
  void ours(int threads, bool drop = false) const;
  void plain(PlainLoop) const;

  /// Throws Differs if the result of ptox, on one thread or on `threads`, differs in any bit from that of the loop.
  void verify(PlainLoop, int threads) const;
  /// The same for two implementations of this job. Each starts with the initial table; in a gather the output is
  /// overwritten before `ours`.
  void compare(const std::function<void()>& expected, const std::function<void()>& ours, const std::string& what) const;

 private:
  Work work_;
  Region table_, moved_, idx_;
};

/// Thrown if results differ; the sentence names the job and the first byte.
struct Differs {
  std::string sentence;
};

}  // namespace ptox::bench
