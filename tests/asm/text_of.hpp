// SPDX-License-Identifier: Apache-2.0
// Converts the operands of an instruction to a function in MLIR text.
#pragma once

#include <cctype>
#include <string>
#include <vector>

#include "asm/text/forms.hpp"
#include "asm/text/type_text.hpp"
#include "pto/isa/all.hpp"

namespace ptox::assembly::testing {

using pto::instr::known;
using pto::instr::unknown;

/// Options for writing the same operands in different ways.
struct Spelling {
  bool tiles_are_arguments = false;  ///< otherwise alloc_tile
  bool result = false;               ///< Level 1: the output of a tile instruction is its result
  bool suffixes = false;             ///< policies as suffixes of the opcode, where there are any
  bool short_shapes = false;         ///< leading extents of 1 are omitted
  bool layout_in_type = false;       ///< otherwise an attribute of the view
};

inline std::string tile_type(const TileDesc& t, const char* kind) {
  TypeSpec spec;
  spec.kind = std::string_view(kind) == "tile" ? TypeSpec::Kind::tile : TypeSpec::Kind::tile_buf;
  spec.dtype = t.dtype, spec.tile = t;
  return "!pto." + to_text(spec);
}

/// The text of one function. Its arguments are pointers, dynamic extents and, if requested, tiles.
class FunctionText {
 public:
  FunctionText(std::string name, const Spelling& spelling) : name_(std::move(name)), as_(spelling) {}

  template <class I>
  std::string of(const typename I::Operands& o) {
    std::vector<std::string> names, types;
    I::OperandList::each(o, [&]<class F, class D>(F, const D& desc) {
      names.push_back(std::string("%") + F::name);
      if (as_.result && names.size() == 1 && std::is_same_v<D, TileDesc>)
        types.push_back(result_type(desc));
      else
        types.push_back(operand(F::name, desc));
    });
    add_policy(o.policy);
    std::string mnemonic = I::mnemonic;
    instruction(mnemonic.substr(0, mnemonic.find('.')), names, types);
    return "func.func @" + name_ + "(" + arguments_ + ") {\n" + body_ + "return\n}\n";
  }

 private:
  std::string tile_type_of(const TileDesc& t) const { return tile_type(t, as_.result ? "tile" : "tile_buf"); }
  std::string result_type(const TileDesc& t) {
    has_result_ = true;
    return tile_type_of(t);
  }
  static std::string result_type(const TensorDesc&) { return ""; }
  void argument(const std::string& name, const std::string& type) {
    arguments_ += (arguments_.empty() ? "" : ", ") + name + ": " + type;
  }

  /// Writes the definition of an operand; returns its type.
  std::string operand(const std::string& name, const TileDesc& t) {
    const std::string type = tile_type_of(t), value = "%" + name;
    if (as_.tiles_are_arguments || as_.result) return argument(value, type), type;
    body_ += value + " = pto.alloc_tile";
    if (!known(t.valid_rows)) argument(value + "_vr", "index"), body_ += " valid_row = " + value + "_vr";
    if (!known(t.valid_cols)) argument(value + "_vc", "index"), body_ += " valid_col = " + value + "_vc";
    body_ += " : " + type + "\n";
    return type;
  }
  std::string operand(const std::string& name, const TensorDesc& t) {
    const std::string value = "%" + name;
    const int first = as_.short_shapes ? leading_ones(t) : 0;
    TypeSpec spec;
    spec.kind = TypeSpec::Kind::tensor_view, spec.dtype = t.dtype;
    for (int i = first; i < 5; ++i) spec.shape.push_back(t.shape[i]);
    if (as_.layout_in_type) spec.layout = t.layout;
    constexpr const char* layouts[] = {"nd", "dn", "nz"};
    argument(value + "_p", std::string("!pto.ptr<") + dtype_text(t.dtype) + ">");
    const std::string shape = list(value + "_n", t.shape, first), strides = list(value + "_s", t.stride, first);
    body_ += value + " = pto.make_tensor_view " + value + "_p, shape = " + shape + ", strides = " + strides;
    if (!as_.layout_in_type)
      body_ += std::string(" {layout = #pto.layout<") + layouts[static_cast<int>(t.layout)] + ">}";
    const std::string type = "!pto." + to_text(spec);
    body_ += " : " + type + "\n";
    return type;
  }
  /// The number of leading extents of 1 that can be omitted: those whose strides equal the packed ones.
  static int leading_ones(const TensorDesc& t) {
    int first = 0;
    while (first < 3 && t.shape[first] == 1 && known(t.stride[first + 1]) && known(t.shape[first + 1]) &&
           t.stride[first] == pto::instr::checked_product(t.stride[first + 1], t.shape[first + 1]))
      ++first;
    return first;
  }
  std::string list(const std::string& prefix, const std::int64_t (&numbers)[5], int first) {
    std::string text;
    for (int i = first; i < 5; ++i) {
      const std::string open = prefix + std::to_string(i);
      if (!known(numbers[i])) argument(open, "index");
      text += (text.empty() ? "" : ", ") + (known(numbers[i]) ? std::to_string(numbers[i]) : open);
    }
    return "[" + text + "]";
  }

  void add(const char* kind, int index, bool spelled = true) {
    const PolicyKind& policy = *find_kind(kind);
    const std::string value = policy.values[static_cast<std::size_t>(index)];
    const bool opcode = as_.suffixes && std::string_view(kind) != "scatter_conflict" &&
                        std::string_view(kind) != "gather_exec" && std::string_view(kind) != "atomic_type" &&
                        std::string_view(kind) != "mask_pattern";
    if (!spelled) return;
    if (opcode)
      suffix_ += (std::string_view(kind) == "scatter_atomic_op" ? ".atomic_" : ".") + value;
    else
      attributes_ += (attributes_.empty() ? "" : ", ") + std::string(policy.attribute) + " = #pto." + policy.kind +
                     "<" + value + ">";
  }
  void add_policy(const pto::instr::NoPolicy&) {}
  void add_policy(const pto::instr::Texpands::Scalar&) {}
  void add_policy(const pto::instr::GatherPolicy& p) {
    add("coalesce", static_cast<int>(p.coalesce.mode), !p.coalesce.open);
    add("gather_oob", static_cast<int>(p.oob));
  }
  void add_policy(const pto::instr::ScatterPolicy& p) {
    add("scatter_atomic_op", static_cast<int>(p.op));
    add("coalesce", static_cast<int>(p.coalesce.mode), !p.coalesce.open);
    add("scatter_oob", static_cast<int>(p.oob));
    add("scatter_conflict", static_cast<int>(p.conflict), p.conflict_spelled);
  }
  void add_policy(const pto::instr::MgatherMat::Policy& p) {
    add("coalesce", static_cast<int>(p.coalesce.mode));
    add("gather_oob", static_cast<int>(p.oob));
    add("gather_exec", static_cast<int>(p.exec), p.exec_spelled);
  }
  void add_policy(const pto::instr::Tstore::Policy& p) { add("atomic_type", static_cast<int>(p.atomic)); }
  void add_policy(const pto::MaskPattern& p) { add("mask_pattern", static_cast<int>(p)); }

  static std::string joined(const std::vector<std::string>& parts, std::size_t first) {
    std::string text;
    for (std::size_t i = first; i < parts.size(); ++i) text += (i == first ? "" : ", ") + parts[i];
    return text;
  }
  /// Writes the instruction; the first operand is the output, all others are inputs.
  void instruction(const std::string& base, std::vector<std::string> names, std::vector<std::string> types) {
    if (base == "texpands") {
      argument("%scalar", "i32");
      names.push_back("%scalar"), types.emplace_back("i32");
    }
    const std::string policies = attributes_.empty() ? "" : " {" + attributes_ + "}";
    const std::string inputs = joined(names, 1), input_types = joined(types, 1);
    if (has_result_)
      body_ += names[0] + " = pto." + base + suffix_ + " " + inputs + policies + " : (" + input_types + ") -> " +
               types[0] + "\n";
    else
      body_ += "pto." + base + suffix_ + " ins(" + inputs + " : " + input_types + ") outs(" + names[0] + " : " +
               types[0] + ")" + policies + "\n";
  }

  std::string name_;
  Spelling as_;
  bool has_result_ = false;
  std::string arguments_, body_, suffix_, attributes_;
};

}  // namespace ptox::assembly::testing
