// SPDX-License-Identifier: Apache-2.0
// How does a .pto file look in another form?
#include <algorithm>
#include <iostream>

#include "asm/input.hpp"
#include "asm/level.hpp"
#include "asm/lower.hpp"
#include "asm/operands.hpp"
#include "asm/print.hpp"
#include "asm/verify.hpp"

namespace ptox::tool {

namespace {

struct Order {
  Input input;
  std::string as;
  bool insert_sync = false;
};

std::string parse(Arguments arguments, Order& order) {
  std::string error;
  for (ArgumentWalk walk(arguments); walk.next() && error.empty();) {
    if (walk.name() == "--as")
      order.as = walk.value().value_or("");
    else if (walk.name() == "--insert-sync" && !walk.has_value())
      order.insert_sync = true;
    else if (!take_input(walk, order.input, error))
      error = "there is no option '" + walk.name() + "'";
  }
  const std::string forms[] = {"level1", "level2", "as", "cpp"};
  if (!error.empty()) return error;
  if (order.input.file.empty()) return "which file?";
  if (order.as.empty()) return "--as says in which form: level1, level2, as or cpp";
  if (std::find(std::begin(forms), std::end(forms), order.as) == std::end(forms))
    return "--as is '" + order.as + "'; it is level1, level2, as or cpp";
  if (order.insert_sync && order.as == "level1") return "--insert-sync: flags stand at Level 2; --as level2, as or cpp";
  return "";
}

/// The text in the form asked for; errors are among the diagnostics.
std::string emitted(assembly::Module& module, const Order& order, assembly::Diagnostics& out) {
  assembly::write_coalesce(module, out);
  const Target* target = assembly::target_of(module, order.input.target, out);
  if (!target) return "";
  if (assembly::schematic_inside(module.op.get()))
    out.add(Severity::note, "schematic types have no level and no place: what has them is printed as it is",
            {module.file, 0, 0});
  if (order.as == "as" && !order.insert_sync) return assembly::to_statements(module, out);
  if (order.as == "level1") return assembly::to_level1(module, out) ? assembly::to_mlir(module) : "";
  const bool values = assembly::has_values(module);
  if (!assembly::to_level2(module, out)) return "";
  if (order.as == "cpp") assembly::materialise_tiles(module, values, out);
  if (out.has_errors()) return "";
  const bool placed = order.as == "cpp" || order.insert_sync;
  if (placed && !assembly::stage_collectives(module, true, out)) return "";
  if (placed && !assembly::place_tiles(module, *target, out)) return "";
  if (order.insert_sync && !assembly::insert_sync(module, *target, out)) return "";
  if (order.as == "as") return assembly::to_statements(module, out);
  return order.as == "cpp" ? assembly::to_cpp(module, out) : assembly::to_mlir(module);
}

int run(Arguments arguments) {
  Order order;
  std::string error = parse(arguments, order);
  if (!error.empty()) return usage_error(emit_verb, error);
  const std::string text = file_text(order.input.file, error);
  if (!error.empty()) return std::cerr << "ptox emit: " << error << '\n', usage;
  assembly::Diagnostics found_;
  const auto module = assembly::read(text, order.input.file, order.input.form, found_);
  const std::string result = module ? emitted(*module, order, found_) : "";
  if (order.input.strict) found_.make_strict();
  print(found_, order.input, order.input.target, std::cerr);
  if (found_.has_errors()) return found;
  std::cout << result;
  return ok;
}

}  // namespace

const Verb emit_verb{
    "emit", "print a .pto file in another form, or as C++",
    "usage: ptox emit FILE --as level1|level2|as|cpp [--insert-sync] [--target cpu|a2a3|a5] [--form as|mlir]\n"
    "                 [--strict] [--format text|json|sarif]\n\n"
    "Reads PTO-AS in either form and prints it again: level1 has tiles as values, level2 tiles in buffers,\n"
    "as is the manuals' bare statements, cpp a kernel for <pto/pto-inst.hpp>. --insert-sync adds the flags\n"
    "that the target needs. Diagnostics go to stderr.\n"
    "Exit code 0: printed; 1: the file was rejected; 2: usage; 3: internal error.\n",
    run};

}  // namespace ptox::tool
