// SPDX-License-Identifier: Apache-2.0
// A kernel of the corpora: a small function, its targets, and its expected findings.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::corpus {

/// Global memory for a kernel: a 64 x 32 table with table[i] = i, indices 0, 7, 14 … modulo 64, and space for results.
struct Memory {
  Device& dev;
  Buffer<float> table, out;
  Buffer<std::int32_t> idx, ints;

  explicit Memory(Device& d)
      : dev(d),
        table(d.alloc<float>(64 * 32)),
        out(d.alloc<float>(64 * 32)),
        idx(d.alloc<std::int32_t>(64)),
        ints(d.alloc<std::int32_t>(64)) {
    for (int i = 0; i < 64 * 32; ++i) table[i] = static_cast<float>(i);
    for (int i = 0; i < 64; ++i) idx[i] = i * 7 % 64;
  }
};

using Targets = std::vector<const Target*>;
inline const Targets machines{&target::a2a3, &target::a5}, a2a3_only{&target::a2a3}, a5_only{&target::a5},
    everywhere{&target::cpu, &target::a2a3, &target::a5};

/// A kind of finding that is expected on every target of the kernel, or only on `on`.
struct Expected {
  FindingKind kind;
  const Target* on;
  Expected(FindingKind k, const Target* target = nullptr) : kind(k), on(target) {}  // NOLINT: converts from a kind
};

struct Kernel {
  std::string name;
  Targets targets;
  /// The kinds of all errors and warnings, one entry per finding, and of the notes that the kernel tests. The first
  /// entry is the main subject of the kernel.
  std::vector<Expected> expect;
  std::function<void(Memory&)> run;
  LaunchOptions options = {};

  bool is_about(FindingKind kind) const { return !expect.empty() && expect.front().kind == kind; }
  /// The complete list of findings that are expected on a target.
  std::vector<FindingKind> expected_on(const Target& t) const {
    std::vector<FindingKind> kinds;
    for (const Expected& e : expect)
      if (!e.on || e.on == &t) kinds.push_back(e.kind);
    return kinds;
  }
  bool expects(FindingKind kind) const {
    return std::any_of(expect.begin(), expect.end(), [&](const Expected& e) { return e.kind == kind; });
  }
};

/// The kernels of one corpus; every file adds its own.
std::vector<Kernel>& bad();
std::vector<Kernel>& good();

struct Add {
  Add(std::vector<Kernel>& to, std::vector<Kernel> kernels) {
    for (Kernel& k : kernels) to.push_back(std::move(k));
  }
};

template <class T, int R, int C>
using Matrix = pto::GlobalTensor<T, pto::Shape<1, 1, 1, R, C>, pto::Stride<R * C, R * C, R * C, C, 1>>;
using Rows8 = pto::Tile<pto::TileType::Vec, float, 8, 32>;         ///< 1 KiB
using Index8 = pto::Tile<pto::TileType::Vec, std::int32_t, 1, 8>;  ///< one index per row

/// Sets a flag from one pipe to another and waits for it.
inline void after(pipe_t first, pipe_t then, event_t id = EVENT_ID0,
                  pto::instr::Site site = pto::instr::Site::current()) {
  set_flag(first, then, id, site);
  wait_flag(first, then, id, site);
}

}  // namespace ptox::corpus
