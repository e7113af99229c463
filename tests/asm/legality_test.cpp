// SPDX-License-Identifier: Apache-2.0
// The verifier accepts and rejects exactly what C++ does, with the same messages.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "asm/dialect/operands.hpp"
#include "asm/mutate.hpp"
#include "asm/text/module.hpp"
#include "asm/text/opcode.hpp"
#include "asm/text_of.hpp"
#include "asm/verify/verify.hpp"
#include "pto/tile/tile_type.hpp"

namespace ptox::assembly::testing {

namespace {

/// The operands as C++ passes them: MGATHER to Mat with Row has no scratch operand.
template <class I>
typename I::Operands as_called(typename I::Operands o) {
  if constexpr (std::is_same_v<I, pto::instr::MgatherMat>)
    if (o.policy.coalesce.row()) o.scratch = o.table;
  return pto::instr::resolved<I>(o);
}

/// The message for an invalid tile type; empty if C++ accepts the tile types.
template <class I>
std::string tile_fault_of(const typename I::Operands& o) {
  std::string fault;
  I::OperandList::each(o, [&]<class F, class D>(F, const D& desc) {
    if constexpr (std::is_same_v<D, TileDesc>)
      if (const char* sentence = pto::instr::tile_type_fault(desc); sentence && fault.empty()) fault = sentence;
  });
  return fault;
}
template <class I>
std::string broken_label(const Target& target, const typename I::Operands& o) {
  std::string label;
  I::Rules::each([&]<class R>() {
    if (label.empty() && !R::holds(target, o)) label = std::string(I::mnemonic) + " " + R::label.code + ": ";
  });
  return label;
}

bool same(const TileDesc& a, TileDesc b) { return b.offset = a.offset, a == b; }
bool same(const TensorDesc& a, const TensorDesc& b) {
  return a.dtype == b.dtype && a.layout == b.layout && a.static_block == b.static_block &&
         std::equal(std::begin(a.shape), std::end(a.shape), b.shape) &&
         std::equal(std::begin(a.stride), std::end(a.stride), b.stride);
}
bool same(const pto::instr::CoalesceChoice& a, const pto::instr::CoalesceChoice& b) {
  return a.mode == b.mode && a.open == b.open && a.ambiguous == b.ambiguous;
}
bool same(const pto::instr::NoPolicy&, const pto::instr::NoPolicy&) { return true; }
bool same(const pto::instr::Texpands::Scalar&, const pto::instr::Texpands::Scalar&) { return true; }
bool same(const pto::instr::GatherPolicy& a, const pto::instr::GatherPolicy& b) {
  return same(a.coalesce, b.coalesce) && a.oob == b.oob && a.one_static == b.one_static;
}
bool same(const pto::instr::ScatterPolicy& a, const pto::instr::ScatterPolicy& b) {
  return same(a.coalesce, b.coalesce) && a.oob == b.oob && a.op == b.op && a.conflict == b.conflict &&
         a.conflict_spelled == b.conflict_spelled && a.one_static == b.one_static;
}
bool same(const pto::instr::MgatherMat::Policy& a, const pto::instr::MgatherMat::Policy& b) {
  return same(a.coalesce, b.coalesce) && a.oob == b.oob && a.exec == b.exec && a.exec_spelled == b.exec_spelled;
}
bool same(const pto::instr::Tstore::Policy& a, const pto::instr::Tstore::Policy& b) { return a.atomic == b.atomic; }
bool same(const pto::MaskPattern& a, const pto::MaskPattern& b) { return a == b; }

template <class I>
bool same_operands(const typename I::Operands& a, const typename I::Operands& b) {
  bool equal = same(a.policy, b.policy);
  I::OperandList::each(a, [&]<class F>(F, const auto& desc) { equal = equal && same(desc, F::of(b)); });
  return equal;
}

/// Many functions in one module, each with one instruction; compares the errors in C++ with those of the verifier.
template <class I>
class Matrix {
 public:
  void add(const typename I::Operands& o, const Spelling& spelling) {
    FunctionText function("f" + std::to_string(cases_.size()), spelling);
    cases_.push_back(as_called<I>(o));
    const std::string text = function.template of<I>(o);
    first_line_.push_back(next_line_);
    next_line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
    text_ += text;
    if (cases_.size() == 500) flush();
  }
  void flush() {
    if (cases_.empty()) return;
    Diagnostics read_errors;
    const auto module = read(text_, "matrix.pto", TextForm::mlir, read_errors);
    for (const Diagnostic& d : read_errors.all()) ADD_FAILURE() << d.message << " at line " << d.place.line;
    ASSERT_TRUE(module) << text_.substr(0, 2000);
    compare_operands(*module);
    for (const Target* target : target::on_host) compare(*module, *target);
    total_ += cases_.size();
    cases_.clear(), first_line_.clear(), text_.clear();
    next_line_ = 1;
  }
  std::size_t total() const { return total_; }
  std::size_t legal(const Target& t) const { return legal_[static_cast<std::size_t>(t.id)]; }
  const std::set<std::string>& labels() const { return labels_; }

 private:
  void compare_operands(const Module& module) {
    std::size_t at = 0;
    module.op.get().walk([&](mlir::Operation* op) {
      const auto fields = fields_of(op);
      if (!fields) return;
      ASSERT_STREQ(fields->form->mnemonic, I::mnemonic);
      EXPECT_TRUE(same_operands<I>(operands_of<I>(op, *fields), cases_[at])) << text_at(at);
      ++at;
    });
    EXPECT_EQ(at, cases_.size());
  }
  void compare(const Module& module, const Target& target) {
    Diagnostics found;
    verify(module, target, found);
    std::map<std::size_t, std::vector<std::string>> said;
    for (const Diagnostic& d : found.all()) said[case_at(d.place.line)].push_back(d.message);
    for (std::size_t i = 0; i < cases_.size(); ++i) compare(target, i, said[i]);
  }
  void compare(const Target& target, std::size_t i, const std::vector<std::string>& said) {
    const std::string fault = tile_fault_of<I>(cases_[i]), label = broken_label<I>(target, cases_[i]);
    const auto starts = [&](const std::string& s) {
      return std::any_of(said.begin(), said.end(), [&](const std::string& m) { return m.starts_with(s); });
    };
    if (!fault.empty()) {
      EXPECT_TRUE(starts("Tile: ")) << target.name << " should say " << fault << "\n" << text_at(i);
    } else if (label.empty()) {
      EXPECT_TRUE(said.empty()) << target.name << " says " << said.front() << "\n" << text_at(i);
      ++legal_[static_cast<std::size_t>(target.id)];
    } else {
      EXPECT_TRUE(said.size() == 1 && starts(label))
          << target.name << " should say " << label << " and says " << (said.empty() ? "nothing" : said.front()) << "\n"
          << text_at(i);
      labels_.insert(label);
    }
  }
  std::size_t case_at(int line) const {
    return static_cast<std::size_t>(std::upper_bound(first_line_.begin(), first_line_.end(), line) -
                                    first_line_.begin()) -
           1;
  }
  std::string text_at(std::size_t i) const {
    std::size_t begin = text_.find("@f" + std::to_string(i) + "("),
                end = text_.find("}\n", text_.find("return", begin));
    return text_.substr(begin, end - begin);
  }

  std::vector<typename I::Operands> cases_;
  std::vector<int> first_line_;
  std::string text_;
  int next_line_ = 1;
  std::size_t total_ = 0, legal_[3] = {};
  std::set<std::string> labels_;
};

Spelling any_spelling(Dice& dice) {
  return {.tiles_are_arguments = dice.one_in(2),
          .result = dice.one_in(3),
          .suffixes = dice.one_in(2),
          .short_shapes = dice.one_in(2),
          .layout_in_type = dice.one_in(2)};
}

/// Calls visit.template operator()<I>() for the instructions with tile or tensor operands.
template <class V>
void each_instruction(V&& visit) {
  pto::instr::AllInstructions::each([&]<class I>() {
    if constexpr (requires(typename I::Operands o) { o.policy; }) visit.template operator()<I>();
  });
}

}  // namespace

TEST(asm_legality, samples_of_the_manual) {
  each_instruction([]<class I>() {
    Matrix<I> matrix;
    for (int way = 0; way < 8; ++way)
      I::samples([&](const char*, const char*, const typename I::Operands& o) {
        matrix.add(o, {(way & 1) != 0, (way & 2) != 0, (way & 4) != 0, (way & 1) != 0, (way & 2) != 0});
      });
    matrix.flush();
    EXPECT_GE(matrix.total(), 8u) << I::mnemonic;
    EXPECT_GE(matrix.legal(target::cpu), 8u) << I::mnemonic;
  });
}

TEST(asm_legality, operands_near_the_samples) {
  constexpr int cases_each = 6000;
  std::set<std::string> broken;
  each_instruction([&]<class I>() {
    Matrix<I> matrix;
    Dice dice(20);
    std::vector<typename I::Operands> samples;
    I::samples([&](const char*, const char*, const typename I::Operands& o) { samples.push_back(o); });
    for (int i = 0; i < cases_each; ++i)
      matrix.add(near<I>(samples[static_cast<std::size_t>(i) % samples.size()], dice), any_spelling(dice));
    matrix.flush();
    EXPECT_EQ(matrix.total(), static_cast<std::size_t>(cases_each));
    for (const Target* t : target::on_host) EXPECT_GE(matrix.legal(*t), 600u) << I::mnemonic << " on " << t->name;
    broken.insert(matrix.labels().begin(), matrix.labels().end());
  });
  each_instruction([&]<class I>() {
    I::Rules::each([&]<class R>() {
      const std::string label = std::string(I::mnemonic) + " " + R::label.code + ": ";
      // The tile type is rejected before the rules of an instruction are checked.
      const bool said_by_type = std::string_view(R::label.sentence).starts_with("valid extents are at least 1");
      EXPECT_EQ(broken.contains(label), !said_by_type) << "some case breaks " << label << R::label.sentence;
    });
  });
}

TEST(asm_legality, an_operand_may_stand_anywhere_among_those_of_another_kind) {
  const auto context = make_context();
  const auto type = [&](const char* text) { return PtoType::get(context.get(), *parse_type(text).type); };
  const mlir::Type tiles[] = {type("tile<8x8xf32>"), type("tile<8x16xf32>"), type("tile<8x24xf32>")};
  const mlir::Type tensors[] = {type("memref<8x8xf32>"), type("memref<8x16xf32>"), type("memref<8x24xf32>")};
  for (const Form& form : all_forms()) {
    if (form.takes_scalar) continue;
    llvm::SmallVector<mlir::Type> own;
    int tile = 0, tensor = 0;
    for (const OperandForm& o : form.operands) own.push_back(o.tile ? tiles[tile++] : tensors[tensor++]);
    llvm::SmallVector<mlir::Type> wanted(own.begin() + 1, own.end());
    wanted.push_back(own[0]);
    std::vector<std::size_t> permutation(own.size());
    for (std::size_t i = 0; i < own.size(); ++i) permutation[i] = i;
    int tried = 0;
    do {
      llvm::SmallVector<mlir::Type> written;
      for (std::size_t i : permutation) written.push_back(own[i]);
      const auto in_order = [&](bool tiles_only) {
        std::size_t last = 0;
        for (std::size_t i : permutation)
          if (form.operands[i].tile == tiles_only) {
            if (i < last) return false;
            last = i;
          }
        return true;
      };
      if (!in_order(true) || !in_order(false)) continue;
      const Ordered order = order_operands(form.base, written, false, form.takes_mask);
      ASSERT_EQ(order.error, "") << form.mnemonic;
      llvm::SmallVector<mlir::Type> ordered;
      for (int i : order.position) ordered.push_back(written[static_cast<std::size_t>(i)]);
      EXPECT_TRUE(ordered == wanted) << form.mnemonic;
      ++tried;
    } while (std::next_permutation(permutation.begin(), permutation.end()));
    EXPECT_GE(tried, 1) << form.mnemonic;
  }
}

TEST(asm_legality, suffixes_stand_in_any_order) {
  for (const char* base : {"mgather", "mscatter"}) {
    std::vector<std::string> kinds;
    for (const PolicyKind* kind : policies_of(base))
      if (!suffix_of(kind->kind, kind->values.back()).empty()) kinds.push_back(kind->kind);
    ASSERT_GE(kinds.size(), 2u);
    std::sort(kinds.begin(), kinds.end());
    do {
      std::string text = base;
      for (const std::string& kind : kinds) text += "." + suffix_of(kind, find_kind(kind)->values.back());
      const Opcode opcode = parse_opcode(text);
      EXPECT_EQ(opcode.error, "") << text;
      EXPECT_EQ(opcode.base, base);
      ASSERT_EQ(opcode.policies.size(), kinds.size()) << text;
      for (std::size_t i = 0; i < kinds.size(); ++i) {
        EXPECT_EQ(opcode.policies[i].first, kinds[i]) << text;
        EXPECT_EQ(opcode.policies[i].second, find_kind(kinds[i])->values.back()) << text;
      }
      EXPECT_NE(parse_opcode(text + "." + suffix_of(kinds[0], find_kind(kinds[0])->values.back())).error, "") << text;
    } while (std::next_permutation(kinds.begin(), kinds.end()));
  }
}

}  // namespace ptox::assembly::testing
