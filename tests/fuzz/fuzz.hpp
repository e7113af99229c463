// SPDX-License-Identifier: Apache-2.0
// Properties of any text: the readers refuse it with an error, or it survives printing and verifying.
#pragma once

#include <string>
#include <string_view>

#include "asm/level/level.hpp"
#include "asm/text/module.hpp"
#include "asm/text/print.hpp"
#include "asm/verify/verify.hpp"

namespace ptox::fuzz {

/// Asks every rule of every target; what they answer does not matter here.
inline void verify_everywhere(const assembly::Module& module) {
  assembly::Diagnostics ignored;
  for (const Target* t : target::on_host) assembly::verify(module, *t, ignored);
  assembly::verify_portable(module, ignored);
  assembly::refuse_schematic(module, ignored);
  assembly::write_coalesce(module, ignored);
}

/// What is refused with an error is fine; what crashes is not. The module is changed on the way.
inline void transform(assembly::Module& module) {
  assembly::Diagnostics said;
  if (!assembly::to_level2(module, said) || !assembly::place_tiles(module, target::a2a3, said)) return;
  if (assembly::insert_sync(module, target::a2a3, said)) (void)assembly::to_cpp(module, said);
  (void)assembly::to_level1(module, said);
}

/// A module that can be printed as statements is the same when they are read.
inline std::string disproved_as_statements(const assembly::Module& module, const std::string& printed) {
  assembly::Diagnostics refused, said;
  const std::string statements = assembly::to_statements(module, refused);
  if (refused.has_errors()) return "";
  const auto again = assembly::read(statements, "statements.pto", assembly::TextForm::as, said);
  if (!again) return "what is printed as statements can be read:\n" + printed + statements + said.text();
  const std::string reprinted = assembly::to_mlir(*again);
  return reprinted == printed ? "" : "statements say the same:\n" + printed + statements + "then\n" + reprinted;
}

/// The sentence that `text` disproves, empty when it disproves none.
inline std::string disproved(std::string_view text, assembly::TextForm form) {
  assembly::Diagnostics first, second;
  const auto module = assembly::read(text, "fuzz.pto", form, first);
  if (!module) return first.has_errors() ? "" : "a text that is refused has an error";
  const std::string printed = assembly::to_mlir(*module);
  verify_everywhere(*module);
  const auto again = assembly::read(printed, "printed.pto", assembly::TextForm::mlir, second);
  if (!again) return "what was read is printed so that it can be read:\n" + printed + second.text();
  const std::string reprinted = assembly::to_mlir(*again);
  if (reprinted != printed) return "printing is done once:\n" + printed + "then\n" + reprinted;
  const std::string why = disproved_as_statements(*again, printed);
  transform(*again);
  return why;
}

}  // namespace ptox::fuzz
