// SPDX-License-Identifier: Apache-2.0
// Every statement is unchanged after printing and reading, and no text crashes the reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "asm/text/forms.hpp"
#include "asm/text/module.hpp"
#include "asm/text/opcode.hpp"
#include "asm/text/print.hpp"

namespace ptox::assembly {
namespace {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return engine_() % n; }
  bool coin() { return below(2) == 1; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[below(all.size())];
  }

 private:
  std::mt19937 engine_;
};

const std::vector<std::string> tiles{"!pto.tile<8x32xf32>",
                                     "!pto.tile<...>",
                                     "!pto.tile<RxCxT>",
                                     "pto.tile<1x8xi32>",
                                     "!pto.tile_buf<...>",
                                     "!pto.tile_buf<vec, 8x32xf16, valid=?x32>",
                                     "!pto.tile_buf<mat, 16x32xui8>",
                                     "!pto.tile<loc, dtype, rows, cols, blayout, slayout, fractal, pad>"};
const std::vector<std::string> tensors{"!pto.memref<...>", "!pto.memref<f32>", "!pto.memref<64x32xbf16>",
                                       "!pto.tensor_view<?x32xf8E4M3FN>", "!pto.partition_tensor_view<MxNxdtype>"};

/// Generates statements of every instruction in every spelling, with unique operand names.
class Generator {
 public:
  explicit Generator(std::uint32_t seed) : dice_(seed) {}

  std::string statement() {
    const Form& form = dice_.one_of(all_forms());
    const bool result = form.operands[0].tile && dice_.coin();
    collect(form, result);
    policies_.clear();
    std::string attributes, text = result ? name("r") + " = " : "";
    if (dice_.coin()) text += "pto.";  // one draw per statement: the same order with every compiler
    text += opcode(form, attributes);
    if (!result && dice_.coin()) return text + grouped() + attributes;
    return text + signature(result, attributes);
  }
  /// `kind<value>` of each policy in the last statement.
  const std::vector<std::string>& policies() const { return policies_; }

 private:
  std::string name(const std::string& stem) { return "%" + stem + std::to_string(next_++); }

  void collect(const Form& form, bool result) {
    names_.clear(), types_.clear();
    for (std::size_t i = result; i < form.operands.size(); ++i) {
      names_.push_back(name(form.operands[i].name));
      types_.push_back(dice_.one_of(form.operands[i].tile ? tiles : tensors));
    }
    if (form.takes_scalar) names_.push_back(name("s")), types_.push_back("f32");
  }

  std::string opcode(const Form& form, std::string& attributes) {
    std::vector<std::string> suffixes, entries;
    for (const PolicyKind* kind : policies_of(form.base)) {
      const bool mask = std::string_view(kind->kind) == "mask_pattern";
      // gatherExec is only valid for a gather into L1, whose indices are in global memory.
      if (std::string_view(kind->kind) == "gather_exec" && form.operands[2].tile) continue;
      if (mask ? !form.takes_mask : dice_.below(3) == 0) continue;
      const std::string value = kind->values[mask ? 1 + dice_.below(7) : dice_.below(kind->values.size())];
      const std::string suffix = suffix_of(kind->kind, value);
      policies_.push_back("#pto." + std::string(kind->kind) + "<" + value + ">");
      if (!suffix.empty() && dice_.coin())
        suffixes.push_back(suffix);
      else
        entries.push_back(std::string(kind->attribute) + " = " + policies_.back());
    }
    if (dice_.below(5) == 0) entries.push_back("note = \"a \\\" and # and {\"");
    for (std::size_t i = 0; i < entries.size(); ++i) attributes += (i ? ", " : " {") + entries[i];
    if (!entries.empty()) attributes += "}";
    for (std::size_t i = suffixes.size(); i > 1; --i) std::swap(suffixes[i - 1], suffixes[dice_.below(i)]);
    std::string text = form.base;
    for (const std::string& s : suffixes) text += "." + s;
    return text;
  }

  std::string list(const std::vector<std::string>& all, std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < end; ++i) text += (i == begin ? "" : ", ") + all[i];
    return text;
  }
  /// The form with ins(...) outs(...); the first operand is the output.
  std::string grouped() {
    const std::size_t n = names_.size();
    return " ins(" + list(names_, 1, n) + " : " + list(types_, 1, n) + ")" + (dice_.coin() ? "\n  " : " ") + "outs(" +
           names_[0] + " : " + types_[0] + ")";
  }
  std::string signature(bool result, const std::string& attributes) {
    const bool bracket = dice_.coin(), late = dice_.coin();
    const std::string arrow = dice_.coin() ? "\n -> " : " -> ", type = dice_.one_of(tiles);
    std::string text = " " + list(names_, 0, names_.size()) + (late ? "" : attributes) + " : " + (bracket ? "(" : "") +
                       list(types_, 0, types_.size()) + (bracket ? ")" : "");
    if (result)
      text += arrow + type;
    else if (dice_.below(3) == 0)
      text += " -> ()";
    return text + (late ? attributes : "");
  }

  Dice dice_;
  int next_ = 0;
  std::vector<std::string> names_, types_, policies_;
};

TEST(statements_random, any_instruction_survives_with_all_its_policies) {
  Generator generator(2024);
  std::size_t policies = 0;
  for (int i = 0; i < 3000 && !testing::Test::HasFailure(); ++i) {
    const std::string text = generator.statement();
    Diagnostics out;
    const auto first = read(text, "f", TextForm::as, out);
    ASSERT_EQ(out.text(), "") << text;
    const std::string mlir = to_mlir(*first), printed = to_statements(*first, out);
    const auto second = read(printed, "g", TextForm::as, out);
    ASSERT_EQ(out.text(), "") << text << "\n" << printed;
    ASSERT_EQ(to_mlir(*second), mlir) << text << "\n" << printed;
    for (const std::string& policy : generator.policies())
      EXPECT_NE(mlir.find(policy), std::string::npos) << policy << " is lost from " << text << "\n" << mlir;
    policies += generator.policies().size();
  }
  EXPECT_GT(policies, 1500u);
}

TEST(statements_random, many_statements_in_one_text_survive) {
  Generator generator(7);
  std::string text;
  for (int i = 0; i < 500; ++i) text += generator.statement() + "\n";
  Diagnostics out;
  const auto first = read(text, "f", TextForm::as, out);
  ASSERT_EQ(out.text(), "");
  const std::string printed = to_statements(*first, out);
  const auto second = read(printed, "g", TextForm::as, out);
  ASSERT_EQ(out.text(), "");
  EXPECT_EQ(to_mlir(*second), to_mlir(*first));
}

const char* const seed_text = R"(.target a5
.func @f
.attr pto.entry
.arg %n : index {pto.hint = 3 : i32}
.const %c0 = 0 : index
.const %half = 0.5 : f32
%v = make_tensor_view %t, shape = [%n, 32], strides = [32, 1] : !pto.tensor_view<?x32xf32>
%p = partition_view %v, offsets = [%c0, 0], sizes = [64, 32] : !pto.partition_tensor_view<64x32xf32>
%d = alloc_tile valid_row = %n : !pto.tile_buf<vec, 8x32xf32, valid=?x32>
tassign %e, @tile(0x1000)
section.vector {
  scf.for %i = %c0 to %n step %n {
    mgather.row.zero %d, %p, %idx : (!pto.tile_buf<vec, 8x32xf32, valid=?x32>, !pto.partition_tensor_view<64x32xf32>, !pto.tile<1x8xi32>)
    %odd = arith.cmpi eq, %i, %c0 : index
    scf.if %odd {
      texpands %d, %half
    } else {
      set_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID0>]
    }
    mscatter.row.skip.atomic_add %p, %d, %idx {scatterConflict = #pto.scatter_conflict<last>}
  }
}
dcci %t, #pto.cache_line<ENTIRE_DATA_CACHE>
tscatter %group, %src : (!pto.group<...>, !pto.memref<...>)
%x, %y = other[3] ins(%d : !pto.tile<...>) outs(%e : !pto.tile<...>) -> (i32, index)
)";

/// The text with one to four random changes: bytes, words or lines are inserted, removed or swapped.
std::string damaged(std::string text, Dice& dice) {
  const std::vector<std::string> pieces{"{",     "}",   "(",    ")",   "<",   ">", "[",  "]",           "%",
                                        "%c0",   "\"",  "\n",   "->",  ":",   ",", "=",  "#",           "#pto.",
                                        "!pto.", "...", "pto.", "}\n", "{\n", "-", "0x", "\xe2\x80\xa6"};
  for (std::size_t n = 1 + dice.below(4); n > 0 && !text.empty(); --n) {
    const std::size_t at = dice.below(text.size()), other = dice.below(text.size());
    if (dice.coin())
      text.insert(at, dice.one_of(pieces));
    else if (dice.coin())
      text.erase(at, 1 + dice.below(12));
    else
      text.insert(at, text.substr(other, dice.below(40)));
  }
  return text;
}

TEST(statements_random, damaged_text_is_read_or_refused_at_a_place_in_it) {
  Dice dice(99);
  int refused = 0;
  for (int i = 0; i < 1500; ++i) {
    const std::string text = damaged(seed_text, dice);
    const int lines = 1 + static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    Diagnostics out;
    const auto module = read(text, "f", TextForm::as, out);
    ASSERT_EQ(module != nullptr, !out.has_errors()) << text;
    refused += !module;
    for (const Diagnostic& d : out.all())
      ASSERT_TRUE(d.place.file == "f" && d.place.line >= 1 && d.place.line <= lines && d.place.column >= 1)
          << d << text;
    if (!module) continue;
    const std::string printed = to_statements(*module, out);
    Diagnostics again;
    const auto second = read(printed, "g", TextForm::as, again);
    ASSERT_TRUE(second) << again.text() << text << "\n" << printed;
    ASSERT_EQ(to_mlir(*second), to_mlir(*module)) << text;
  }
  EXPECT_GT(refused, 300);
  EXPECT_LT(refused, 1500);
}

}  // namespace
}  // namespace ptox::assembly
