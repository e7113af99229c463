// SPDX-License-Identifier: Apache-2.0
// Tests a rule: operands that break it, a neighbour that does not, and the finding of a launch.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "pto/isa/all.hpp"
#include "ptox/device.hpp"

namespace rule_check {

using namespace pto;
using namespace pto::instr;

inline constexpr TargetMask on_cpu = ptox::bit(ptox::target::cpu), on_a2a3 = ptox::bit(ptox::target::a2a3),
                            on_a5 = ptox::bit(ptox::target::a5), everywhere = on_cpu | on_a2a3 | on_a5;

constexpr TileDesc with_valid(TileDesc t, std::int64_t rows, std::int64_t cols) {
  t.valid_rows = rows, t.valid_cols = cols;
  return t;
}
constexpr TileDesc in(TileType loc, TileDesc t) {
  t.loc = loc;
  return t;
}
/// One padded column: linear in memory, its rows shorter than 32 bytes.
constexpr TileDesc one_column(DType d, std::int64_t rows) {
  TileDesc t = sample_tile(d, rows, 1);
  t.cols = 1;
  return t;
}
constexpr TensorDesc dn_table(DType d, std::int64_t rows, std::int64_t cols) {
  TensorDesc t = sample_table(d, rows, cols);
  t.layout = Layout::DN, t.stride[3] = 1, t.stride[4] = rows;
  return t;
}
constexpr TensorDesc with_extent(TensorDesc t, int dim, std::int64_t extent) {
  t.shape[dim] = extent;
  return t;
}

/// The last name in a rule's type, as g++ and clang++ spell it: c3_index_dtype.
template <class R>
std::string rule_name() {
  const std::string text = __PRETTY_FUNCTION__;
  const std::size_t begin = text.find("R = ") + 4, end = text.find_first_of(";]", begin);
  const std::string name = text.substr(begin, end - begin);
  return name.substr(name.rfind(':') + 1);
}
/// Test suites and files are named after the mnemonic: mgather.mat is mgather_mat.
template <class I>
std::string suite_name() {
  std::string name = I::mnemonic;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

/// Global memory and tile buffers of one launch, filled with a byte that an instruction would not write by chance.
class Bench {
 public:
  Bench(const Target& target, std::byte fill) : device_(target, {ptox::Check::all}), fill_(fill) {
    std::fill(memory_.begin(), memory_.end(), fill_);
  }

  /// Issues through the door that the assembler uses, every operand in a place of its own.
  template <class I>
  ptox::Report issue(typename I::Operands operands) {
    I::OperandList::each(operands, [&](auto, auto& operand) { place(operand); });
    return device_.launch({.blocks = 1}, [&] {
      fill_tiles();
      pto::instr::issue<I>(operands, pto::instr::legal_on<I>(operands), true, pto::instr::Site::current());
      tiles_untouched_ = tiles_hold_fill();
    });
  }
  /// No byte of tiles or tensors has changed.
  bool untouched() const {
    const auto is_fill = [&](std::byte b) { return b == fill_; };
    return tiles_untouched_ && std::all_of(memory_.begin(), memory_.end(), is_fill);
  }

 private:
  static constexpr std::int64_t slot_bytes = 16 * 1024, slots = 4;

  void place(TileDesc& t) { t.offset = slot_bytes * tiles_++; }
  void place(TensorDesc& t) { t.base = memory_.data() + slot_bytes * tensors_++; }
  static std::byte* buffer(TileType loc) { return pto::instr::detail::address(loc, 0, slot_bytes * slots); }
  void fill_tiles() const {
    for (TileType loc : {TileType::Vec, TileType::Mat})
      std::memset(buffer(loc), static_cast<int>(fill_), slot_bytes * slots);
  }
  bool tiles_hold_fill() const {
    const std::vector<std::byte> filled(slot_bytes * slots, fill_);
    return std::memcmp(buffer(TileType::Vec), filled.data(), filled.size()) == 0 &&
           std::memcmp(buffer(TileType::Mat), filled.data(), filled.size()) == 0;
  }

  ptox::Device device_;
  std::byte fill_;
  ptox::Buffer<std::byte> memory_ = device_.alloc<std::byte>(slot_bytes * slots);
  std::int64_t tiles_ = 0, tensors_ = 0;
  bool tiles_untouched_ = false;
};

/// One finding, `illegal`, that begins with `message`; and the instruction did nothing.
template <class I>
void expect_finding(const Target& t, const typename I::Operands& broken, const std::string& message) {
  Bench bench(t, std::byte{0x5a});
  const ptox::Report report = bench.issue<I>(broken);
  ASSERT_EQ(report.findings().size(), 1u) << t.name << ": " << report.json();
  const ptox::Finding& finding = report.findings()[0];
  EXPECT_EQ(finding.kind, ptox::FindingKind::illegal) << t.name;
  EXPECT_EQ(finding.severity, ptox::Severity::error) << t.name;
  EXPECT_EQ(finding.message.substr(0, message.size()), message) << t.name;
  EXPECT_TRUE(bench.untouched()) << t.name << ": the refused instruction wrote something";
}

/// The neighbour is legal and runs; its indices, all zero, are in range.
template <class I>
void expect_accepted(const Target& t, const typename I::Operands& accepted) {
  EXPECT_TRUE(legal_on<I>(accepted) & ptox::bit(t)) << t.name << " refuses the neighbour";
  Bench bench(t, std::byte{0});
  const ptox::Report report = bench.issue<I>(accepted);
  EXPECT_FALSE(report.has(ptox::FindingKind::illegal)) << t.name << ": " << report.json();
}

/// `broken` breaks Rule on the targets of `refused` and on no other; `accepted`, its neighbour, is legal there.
/// `message` is what the finding begins with. On `hidden` targets it breaks the rule too, but an earlier one speaks.
template <class I, class Rule>
void expect_rule(const typename I::Operands& broken, TargetMask refused, const typename I::Operands& accepted,
                 std::string_view message, TargetMask hidden = 0) {
  const std::string start = std::string(I::mnemonic) + " " + Rule::label.code + ": " + Rule::label.sentence + "; ";
  EXPECT_EQ(message.substr(0, start.size()), start);
  EXPECT_GT(message.size(), start.size()) << "no value is shown";
  EXPECT_NE(refused, 0);
  for (const Target* t : ptox::target::on_host) {
    const bool refuses = refused & ptox::bit(*t);
    EXPECT_EQ(Rule::holds(*t, broken), !refuses && !(hidden & ptox::bit(*t))) << t->name;
    EXPECT_TRUE(Rule::holds(*t, accepted)) << t->name;
    if (!refuses) continue;
    expect_finding<I>(*t, broken, std::string(message));
    expect_accepted<I>(*t, accepted);
  }
}

}  // namespace rule_check
