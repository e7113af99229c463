// SPDX-License-Identifier: Apache-2.0
// Prints a .pto file in another form.
#include <iostream>

#include "asm/dialect/operands.hpp"
#include "asm/input.hpp"
#include "asm/level/level.hpp"
#include "asm/run/lower.hpp"
#include "asm/text/print.hpp"
#include "asm/verify/verify.hpp"

namespace ptox::tool {

namespace {

/// The text in the requested form, or empty after an error, which is in `out`.
std::string emitted(assembly::Module& module, const EmitOptions& options, assembly::Diagnostics& out) {
  assembly::write_coalesce(module, out);
  const Target* target = assembly::target_of(module, options.input.target, out);
  if (!target) return "";
  if (assembly::schematic_inside(module.op.get()))
    out.add(Severity::note, "schematic types have no level and no place: operations on them are printed unchanged",
            {module.file, 0, 0});
  if (options.as == "as" && !options.insert_sync) return assembly::to_statements(module, out);
  if (options.as == "level1") return assembly::to_level1(module, out) ? assembly::to_mlir(module) : "";
  const bool values = assembly::has_values(module);
  if (!assembly::to_level2(module, out)) return "";
  if (options.as == "cpp") assembly::materialise_tiles(module, values, out);
  if (out.has_errors()) return "";
  const bool placed = options.as == "cpp" || options.insert_sync;
  if (placed && !assembly::stage_collectives(module, true, out)) return "";
  if (placed && !assembly::place_tiles(module, *target, out)) return "";
  if (options.insert_sync && !assembly::insert_sync(module, *target, out)) return "";
  if (options.as == "as") return assembly::to_statements(module, out);
  return options.as == "cpp" ? assembly::to_cpp(module, out) : assembly::to_mlir(module);
}

}  // namespace

int emit_file(const EmitOptions& options, const CommandLine&) {
  std::string error;
  const std::string text = file_text(options.input.file, error);
  if (!error.empty()) return std::cerr << "ptox emit: " << error << '\n', usage;
  assembly::Diagnostics found_;
  const auto module = assembly::read(text, options.input.file, text_form(options.input), found_);
  const std::string result = module ? emitted(*module, options, found_) : "";
  if (options.input.strict) found_.make_strict();
  print(found_, options.input, options.input.target, std::cerr);
  if (found_.has_errors()) return found;
  std::cout << result;
  return ok;
}

}  // namespace ptox::tool
