// SPDX-License-Identifier: Apache-2.0
// Assigns operands to the roles of an instruction by their types, independent of the written order.
#include <algorithm>
#include <optional>

#include "asm/dialect/syntax_parts.hpp"

namespace ptox::assembly {

bool is_collective(llvm::ArrayRef<Type> types) { return !types.empty() && is_group(types.front()); }
bool takes_group(StringRef base) {
  return base == "tscatter" || base == "tgather" || base == "tbroadcast" || base == "treduce";
}
bool is_instruction(StringRef base) {
  return !forms_of({base.data(), base.size()}).empty() || base == "tbroadcast" || base == "treduce";
}

std::string type_name(Type type) {
  if (const TypeSpec* spec = spec_of(type)) return short_text(*spec);
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

mlir::InFlightDiagnostic fault(mlir::Operation* op) {
  mlir::InFlightDiagnostic error = op->emitError();
  error << base_name(op) << " ";
  return error;
}

namespace {

/// The operands that a form requires, for a message: "dst (tile), table (tensor), idx (tile)".
std::string wants(const Form& form, bool has_result) {
  std::string text;
  for (std::size_t i = has_result; i < form.operands.size(); ++i)
    text += (text.empty() ? "" : ", ") + std::string(form.operands[i].name) +
            (form.operands[i].tile ? " (tile)" : " (tensor)");
  return form.takes_scalar ? "a scalar, " + text : text;
}

/// The order of written operands for one form; std::nullopt if the types do not match it.
std::optional<SmallVector<int>> fit(const Form& form, llvm::ArrayRef<Type> written, bool has_result, bool masked) {
  if (form.takes_mask != masked || (has_result && !form.operands[0].tile)) return std::nullopt;
  const std::size_t first = has_result ? 1 : 0, count = form.operands.size();
  SmallVector<int> field(count, -1), order;
  SmallVector<bool> used(written.size(), false);
  if (form.takes_scalar) {
    for (std::size_t w = 0; w < written.size() && order.empty(); ++w)
      if (!spec_of(written[w])) order.push_back(static_cast<int>(w)), used[w] = true;
    if (order.empty()) return std::nullopt;
  }
  for (std::size_t f = first; f < count; ++f)
    for (std::size_t w = 0; w < written.size() && field[f] < 0; ++w)
      if (!used[w] && (form.operands[f].tile ? is_tile(written[w]) : is_tensor(written[w])))
        field[f] = static_cast<int>(w), used[w] = true;
  for (std::size_t f = 1; f < count; ++f) {
    const bool optional = form.operands[f].role == pto::instr::Role::scratch;
    if (field[f] < 0 && !optional) return std::nullopt;
    if (field[f] >= 0) order.push_back(field[f]);
  }
  if (first == 0) {
    if (field[0] < 0) return std::nullopt;
    order.push_back(field[0]);
  }
  return llvm::all_of(used, [](bool u) { return u; }) ? std::optional(order) : std::nullopt;
}

}  // namespace

Ordered order_operands(StringRef base, llvm::ArrayRef<Type> written, bool has_result, bool masked) {
  Ordered out;
  std::string given;
  for (Type t : written) given += (given.empty() ? "" : ", ") + type_name(t);
  if (is_collective(written) && takes_group(base)) {
    const bool fits =
        !has_result && written.size() > 1 && is_tensor(written[1]) && llvm::all_of(written.drop_front(2), is_tile);
    for (std::size_t i = 0; i < written.size(); ++i) out.position.push_back(static_cast<int>(i));
    if (!fits) out.error = (base + " takes a !pto.group, a tensor and staging tiles; it is given ").str() + given;
    const std::size_t staging = written.size() - std::min<std::size_t>(written.size(), 2);
    if (fits && base != "treduce" && staging > 2)
      out.error =
          (base + " takes at most two staging tiles, ping and pong; it is given ").str() + std::to_string(staging);
    if (fits && base == "treduce" && (staging == 1 || staging > 3))
      out.error = (base + " takes no staging tile, or acc and recv, or acc, ping and pong; it is given ").str() +
                  std::to_string(staging);
    return out;
  }
  const std::vector<const Form*> forms = forms_of({base.data(), base.size()});
  for (const Form* form : forms)
    if (auto order = fit(*form, written, has_result, masked)) return out.position = *order, out;
  std::string fitting;
  for (const Form* form : forms)
    if (form->takes_mask == masked && (form->operands[0].tile || !has_result))
      fitting += (fitting.empty() ? "" : ", or ") + wants(*form, has_result);
  if (fitting.empty() && !forms.empty())
    return out.error = (base + (masked ? " takes no maskPattern" : " has no result: it writes a tensor")).str(), out;
  if (fitting.empty()) fitting = "a !pto.group first";
  out.error = (base + " takes ").str() + fitting + "; it is given " + (given.empty() ? "nothing" : given);
  return out;
}

}  // namespace ptox::assembly
