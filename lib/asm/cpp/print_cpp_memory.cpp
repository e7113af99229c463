// SPDX-License-Identifier: Apache-2.0
// Prints declarations of tiles and views of global memory in C++.
#include <algorithm>
#include <climits>

#include "asm/cpp/print_cpp.hpp"
#include "pto/tile/tile_type.hpp"

namespace ptox::assembly::cpp {

using llvm::StringRef;
using mlir::Operation;
using mlir::Value;
using pto::instr::unknown;

namespace {

using Texts = std::array<std::string, 5>;

/// "{n, m}": the run-time values of the entries that the type leaves open; empty if all are constant.
std::string open_ones(const std::int64_t (&in_type)[5], const Texts& texts) {
  std::string all;
  for (std::size_t i = 0; i < 5; ++i)
    if (in_type[i] == unknown) all += (all.empty() ? "{" : ", ") + texts[i];
  return all.empty() ? "" : all + "}";
}

/// Writes the constant entries as text.
void write_known(const std::int64_t (&n)[5], Texts& texts) {
  for (std::size_t i = 0; i < 5; ++i)
    if (n[i] != unknown) texts[i] = number(n[i]);
}

/// Builds the text of a sum of products; constant products are folded.
class Sum {
 public:
  /// Adds a * b. False if the constant part overflows 63 bits.
  bool add(const std::string& a, std::optional<std::int64_t> a_value, const std::string& b, std::int64_t b_value) {
    std::int64_t product = 0;
    if (a_value && b_value != unknown)
      return !__builtin_mul_overflow(*a_value, b_value, &product) &&
             !__builtin_add_overflow(number_, product, &number_);
    if (a_value == 0 || b_value == 0) return true;
    text_ += (text_.empty() ? "" : " + ") + (a_value == 1 ? b : b_value == 1 ? a : a + " * " + b);
    return true;
  }
  std::string text() const {
    if (number_ == 0) return text_;
    return text_.empty() ? number(number_) : text_ + " + " + number(number_);
  }

 private:
  std::int64_t number_ = 0;
  std::string text_;
};

}  // namespace

std::string open_extents(const View& v) {
  const std::string shape = open_ones(v.desc.shape, v.shape), stride = open_ones(v.desc.stride, v.stride);
  if (stride.empty()) return shape.empty() ? "" : ", " + shape;
  return ", " + (shape.empty() ? "{}" : shape) + ", " + stride;
}

bool is_read(Value view) {
  return std::any_of(view.user_begin(), view.user_end(), [](Operation* u) { return base_name(u) != "partition_view"; });
}

TensorDesc described(Value tensor) {
  TensorDesc t = describe_tensor(tensor);
  for (int i = 0; i < 3; ++i)
    if (t.shape[i] == 1 && t.stride[i] == unknown) t.stride[i] = 1;
  return t;
}

View Body::whole_view(Operation* op) {
  View v{described(op->getResult(0)), use(op, op->getOperand(0)), "", {}, {}};
  const auto shape = view_list(op, "shape"), strides = view_list(op, "strides");
  const std::size_t first = 5 - shape.size();
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (const auto extent = mlir::dyn_cast<Value>(shape[i])) v.shape[first + i] = texts_.lookup(extent);
    v.stride[first + i] = use(op, strides[i]);
  }
  write_known(v.desc.shape, v.shape), write_known(v.desc.stride, v.stride);
  for (std::size_t i = first; i-- > 0;)
    if (v.desc.stride[i] == unknown) v.stride[i] = "wrap_mul<int64_t>(" + v.stride[i + 1] + ", " + v.shape[i + 1] + ")";
  return v;
}

View Body::part_of_view(Operation* op) {
  const auto source = views_.find(op->getOperand(0));
  if (source == views_.end()) refuse(op, "its source is not a view that has a name in C++");
  View v = source->second;
  const TensorDesc whole = v.desc;
  v.desc = described(op->getResult(0));
  const auto offsets = view_list(op, "offsets"), sizes = view_list(op, "sizes");
  const std::size_t first = 5 - offsets.size();
  Sum sum;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (const auto extent = mlir::dyn_cast<Value>(sizes[i])) v.shape[first + i] = texts_.lookup(extent);
    if (!sum.add(use(op, offsets[i]), constant_of(offsets[i]), v.stride[first + i], whole.stride[first + i]))
      refuse(op, "its offset leaves 63 bits");
  }
  write_known(v.desc.shape, v.shape), write_known(v.desc.stride, v.stride);
  if (const std::string more = sum.text(); !more.empty()) v.offset += (v.offset.empty() ? "" : " + ") + more;
  return v;
}

void Body::adopt_view(Value tensor, const std::string& name) {
  View v{described(tensor), name + ".data()", "", {}, {}};
  for (std::size_t i = 0; i < 5; ++i) {
    v.shape[i] = name + ".GetShape(" + std::to_string(i) + ")";
    v.stride[i] = name + ".GetStride(" + std::to_string(i) + ")";
  }
  write_known(v.desc.shape, v.shape), write_known(v.desc.stride, v.stride);
  views_[tensor] = v;
}

void Body::print_view(Operation* op) {
  const View v = base_name(op) == "partition_view" ? part_of_view(op) : whole_view(op);
  const Value result = op->getResult(0);
  const std::string type = type_of(op, result);
  views_[result] = v;
  if (!is_read(result)) return;
  const std::string base = v.offset.empty() ? v.base : v.base + " + " + v.offset;
  line(type + " " + declare(result, "view") + "(" + base + open_extents(v) + ");");
}

void Body::place_tile(Operation* op, Value tile, mlir::OpFoldResult offset) {
  const auto number = constant_of(offset);
  line("TASSIGN(" + use(op, tile) + ", " + (number ? hexadecimal(*number) : use(op, offset)) + ");");
}

void Body::print_tile(Operation* op) {
  const Value tile = op->getResult(0);
  const std::string type = type_of(op, tile);
  std::string extents;
  for (StringRef name : {"valid_row", "valid_col"})
    if (const Value v = alloc_operand(op, name)) extents += (extents.empty() ? "" : ", ") + use(op, v);
  line(type + " " + declare(tile, "tile") + (extents.empty() ? "" : "(" + extents + ")") + ";");
  if (const Value addr = alloc_operand(op, "addr")) place_tile(op, tile, addr);
}

/// Refused for tiles that loops or branches carry: in C++ these are copies, which would keep the old valid extents.
void Body::set_valid_shape(Operation* op) {
  Value tile = op->getOperand(0);
  const auto copies = [](Operation* user) {
    return user->getName().getDialectNamespace() != "pto" && user->getName().getStringRef() != "func.call";
  };
  const bool copy = tile.getDefiningOp()
                        ? base_name(tile.getDefiningOp()) != "alloc_tile"
                        : tile.getParentBlock()->getParentOp()->getName().getStringRef() != "func.func";
  if (copy || std::any_of(tile.user_begin(), tile.user_end(), copies))
    refuse(op, "the tile is also a loop's or a branch's, and in C++ that copy would keep its extents");
  line(use(op, tile) + ".SetValidShape(" + use(op, op->getOperand(1)) + ", " + use(op, op->getOperand(2)) + ");");
}

bool Body::print_memory(Operation* op) {
  const StringRef base = base_name(op);
  if (base == "make_tensor_view" || base == "partition_view")
    print_view(op);
  else if (base == "alloc_tile")
    print_tile(op);
  else if (base == "set_validshape")
    set_valid_shape(op);
  else if (base == "tassign")
    place_tile(op, op->getOperand(0),
               op->hasAttr("offset") ? mlir::OpFoldResult(op->getAttr("offset")) : op->getOperand(1));
  else
    return false;
  return true;
}

}  // namespace ptox::assembly::cpp
