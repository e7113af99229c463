// SPDX-License-Identifier: Apache-2.0
// Shared tile types and queries of the UB tests.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pto/pto-inst.hpp"
#include "ptox/ptox.hpp"

namespace ptox::ub_test {

using namespace pto;
using ptox::Device;
using ptox::Finding;
using ptox::LaunchOptions;
using ptox::Report;
using ptox::UbMap;
using ptox::UbOwner;
using ptox::target::a2a3;
using ptox::target::a5;
using std::int64_t;

constexpr int64_t kib = 1024;
template <int n>
using Kib = Tile<TileType::Vec, float, n, 256>;  // one KiB per row
using Line = Tile<TileType::Vec, float, 1, 8>;   // 32 bytes
using Range = std::pair<int64_t, int64_t>;

template <class TileT>
void use(const TileT& t, instr::Site site = instr::Site::current()) {
  (void)t.desc(site);
}

template <class F>
UbMap map_of(const ptox::Target& t, F kernel, const LaunchOptions& options = {}) {
  return Device(t).launch(options, kernel).ub_map();
}

inline std::vector<Range> ranges(const UbMap& map) {
  std::vector<Range> all;
  for (const UbOwner& o : map.owners) all.emplace_back(o.begin, o.end);
  return all;
}

inline std::string message(const Report& r, FindingKind kind) {
  for (const Finding& f : r.findings())
    if (f.kind == kind) return f.message;
  return {};
}

inline bool says(const Report& r, FindingKind kind, const std::string& text) {
  return message(r, kind).find(text) != std::string::npos;
}

std::string text(const auto& x) {
  std::ostringstream out;
  out << x;
  return out.str();
}

}  // namespace ptox::ub_test
