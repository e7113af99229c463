// SPDX-License-Identifier: Apache-2.0
#include "asm/text/opcode.hpp"

#include <algorithm>

#include "asm/text/forms.hpp"

namespace ptox::assembly {

namespace {

bool spelled_in_opcodes(std::string_view kind) {
  return kind == "coalesce" || kind == "gather_oob" || kind == "scatter_oob" || kind == "scatter_atomic_op" ||
         kind == "reduce_op";
}

std::string spelled(const PolicyKind& kind, std::string_view value) {
  return (std::string_view(kind.kind) == "scatter_atomic_op" ? "atomic_" : "") + std::string(value);
}

std::string legal_suffixes(std::string_view base) {
  std::string all;
  for (const PolicyKind* kind : policies_of(base))
    if (spelled_in_opcodes(kind->kind))
      for (const std::string& value : kind->values) all += (all.empty() ? "" : ", ") + spelled(*kind, value);
  return all;
}

}  // namespace

std::string suffix_of(std::string_view kind, std::string_view value) {
  const PolicyKind* known = find_kind(kind);
  if (!known || !spelled_in_opcodes(kind) || (!known->open && value == known->values.front())) return "";
  return spelled(*known, value);
}

Opcode parse_opcode(std::string_view text) {
  if (text.starts_with("pto.")) text.remove_prefix(4);
  const std::size_t dot = text.find('.');
  Opcode out{std::string(text.substr(0, dot)), {}, ""};
  if (dot == std::string_view::npos) return out;
  if (legal_suffixes(out.base).empty()) return out.base = text, out;
  for (std::string_view rest = text.substr(dot + 1); out.error.empty();) {
    const std::size_t end = std::min(rest.find('.'), rest.size());
    const std::string suffix(rest.substr(0, end));
    bool found = false;
    for (const PolicyKind* kind : policies_of(out.base)) {
      if (!spelled_in_opcodes(kind->kind)) continue;
      for (const std::string& value : kind->values) {
        if (spelled(*kind, value) != suffix) continue;
        found = true;
        for (const auto& [other, v] : out.policies)
          if (other == kind->kind)
            out.error = out.base + " has two suffixes of one kind, ." + spelled(*kind, v) + " and ." + suffix;
        out.policies.emplace_back(kind->kind, value);
      }
    }
    if (!found) out.error = out.base + " has no suffix '." + suffix + "'; it takes " + legal_suffixes(out.base);
    if (end == rest.size()) break;
    rest.remove_prefix(end + 1);
  }
  return out;
}

}  // namespace ptox::assembly
