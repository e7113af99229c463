// SPDX-License-Identifier: Apache-2.0
// Reads a file in MLIR text or in the AS form.
#include <ostream>
#include <sstream>

#include "asm/dialect/dialect.hpp"
#include "asm/text/module.hpp"
#include "engine/report/quoted.hpp"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"

namespace ptox::assembly {

using llvm::StringRef;

namespace {

constexpr int deepest = 256;

/// Counts the nesting depth of brackets outside strings and comments, because the recursive parser of libMLIR does not
/// limit it.
class Nesting {
 public:
  /// The line at which the nesting exceeds the limit, 0 if it does not.
  int too_deep_at(std::string_view text) {
    bool in_string = false, at_start = true;
    int line = 1;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\n') ++line, in_string = false, minus_ = 0;
      if (in_string) {
        if (c == '\\') ++i;
        if (c == '"') in_string = false;
        continue;
      }
      if (c == '"') in_string = true;
      const bool comment = (c == '/' && i + 1 < text.size() && text[i + 1] == '/') ||
                           (at_start && c == '#' && i + 1 < text.size() && text[i + 1] == ' ');
      at_start = c == '\n' || (at_start && (c == ' ' || c == '\t'));
      if (comment) {
        i = std::min(text.find('\n', i), text.size()) - 1;
        continue;
      }
      count(c, i > 0 ? text[i - 1] : ' ');
      if (depth_[0] + depth_[1] + depth_[2] + depth_[3] > deepest || minus_ > deepest) return line;
    }
    return 0;
  }

 private:
  void count(char c, char before) {
    constexpr std::string_view open = "([{<", close = ")]}>";
    minus_ = c == '-' ? minus_ + 1 : c == ' ' ? minus_ : 0;
    if (const std::size_t k = open.find(c); k != std::string_view::npos) ++depth_[k];
    if (const std::size_t k = close.find(c); k != std::string_view::npos && depth_[k] > 0)
      if (c != '>' || before != '-') --depth_[k];
  }
  int depth_[4] = {}, minus_ = 0;
};

/// Detects the form from the first line that is neither empty nor a comment: MLIR text begins with a module, a
/// function, a quoted operation name, `!` or `#`.
TextForm detect(std::string_view text) {
  bool hashes = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const StringRef line = StringRef(text.data() + at, end - at).trim();
    at = end + 1;
    hashes |= line.starts_with("# ") || line == "#";
    if (line.empty() || line.starts_with("//") || line.starts_with("# ") || line == "#") continue;
    for (const char* word : {"module", "func.func", "builtin.module", "\"", "!", "#"})
      if (line.starts_with(word)) return TextForm::mlir;
    return TextForm::as;
  }
  return hashes ? TextForm::as : TextForm::mlir;
}

/// Replaces the comment marker `# ` of the manuals at the start of a line by `//`, without changing the length of the
/// text.
std::string with_slashes(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; at < out.size(); at = std::min(out.find('\n', at), out.size()) + 1) {
    const std::size_t first = out.find_first_not_of(" \t", at);
    if (first == std::string::npos || out[first] != '#') continue;
    if (first + 1 == out.size() || out[first + 1] == '\n' || out[first + 1] == '\r') out[first] = ' ';
    if (first + 1 < out.size() && out[first + 1] == ' ') out[first] = out[first + 1] = '/';
  }
  return out;
}

Severity severity_of(mlir::DiagnosticSeverity s) {
  if (s == mlir::DiagnosticSeverity::Error) return Severity::error;
  return s == mlir::DiagnosticSeverity::Warning ? Severity::warning : Severity::note;
}

/// Stores the names of SSA values in their locations.
class Names {
 public:
  explicit Names(const mlir::AsmParserState& state) {
    for (const auto& block : state.getBlockDefs())
      for (std::size_t i = 0; i < block.arguments.size() && i < block.block->getNumArguments(); ++i)
        if (const StringRef name = text(block.arguments[i].loc); !name.empty()) {
          mlir::BlockArgument argument = block.block->getArgument(static_cast<unsigned>(i));
          argument.setLoc(named(argument.getLoc(), name));
        }
    for (const auto& op : state.getOpDefs())
      if (op.op->getNumResults() == 1 && op.resultGroups.size() == 1)
        if (const StringRef name = text(op.resultGroups[0].definition.loc); !name.empty())
          op.op->setLoc(named(op.op->getLoc(), name));
  }

 private:
  static StringRef text(const llvm::SMRange& range) {
    if (!range.isValid()) return {};
    const char *begin = range.Start.getPointer(), *end = range.End.getPointer();
    StringRef name(begin, static_cast<std::size_t>(end - begin));
    return name.consume_front("%") ? name.take_until([](char c) { return c == ':' || c == ' '; }) : StringRef();
  }
};

bool is_name(StringRef text) {
  const auto in_name = [](char c) { return llvm::isAlnum(c) || StringRef("_$.-").contains(c); };
  return !text.empty() && llvm::all_of(text, in_name) && (!llvm::isDigit(text[0]) || llvm::all_of(text, llvm::isDigit));
}

/// Reads the name of an argument from the attribute `pto.name`, which to_mlir writes because MLIR does not keep names.
void take_argument_name(mlir::func::FuncOp function, unsigned i, Diagnostics& out) {
  const auto name = function.getArgAttrOfType<mlir::StringAttr>(i, "pto.name");
  if (!name) return;
  mlir::BlockArgument argument = function.getArgument(i);
  if (!is_name(name.getValue()))
    return out.error("pto.name is " + quoted(name.getValue().str()) + "; a name has letters, digits and _ $ . - alone",
                     place_of(argument.getLoc()));
  argument.setLoc(named(argument.getLoc(), name.getValue()));
  function.removeArgAttr(i, mlir::StringAttr::get(function.getContext(), "pto.name"));
}
void take_argument_names(mlir::ModuleOp module, Diagnostics& out) {
  module.walk([&](mlir::func::FuncOp function) {
    if (function.isExternal()) return;
    llvm::StringSet<> seen;
    for (unsigned i = 0; i < function.getNumArguments() && i < function.getBody().getNumArguments(); ++i) {
      take_argument_name(function, i, out);
      const mlir::BlockArgument argument = function.getArgument(i);
      if (const std::string name = name_of(argument); !name.empty() && !seen.insert(name).second)
        out.error("two arguments are named '" + name + "'", place_of(argument.getLoc()));
    }
  });
}

std::unique_ptr<Module> read_mlir(std::string_view text, const std::string& file, Diagnostics& out) {
  auto module = std::make_unique<Module>();
  module->file = file;
  Listener listener(*module->context, out);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(with_slashes(text), file), {});
  mlir::AsmParserState state;
  mlir::Block top;
  const mlir::LocationAttr at = mlir::FileLineColLoc::get(module->context.get(), file, 1, 1);
  const mlir::ParserConfig config(module->context.get(), false);
  if (failed(mlir::parseAsmSourceFile(sources, &top, config, &state))) return nullptr;
  const Names names(state);
  if (llvm::hasSingleElement(top) && mlir::isa<mlir::ModuleOp>(top.front())) {
    module->op = mlir::cast<mlir::ModuleOp>(top.front());
    top.front().remove();
  } else {
    module->op = mlir::ModuleOp::create(at);
    mlir::Block* body = module->op->getBody();
    body->getOperations().splice(body->end(), top.getOperations());
  }
  if (failed(mlir::verify(*module->op))) return nullptr;
  take_argument_names(*module->op, out);
  return module;
}

}  // namespace

std::unique_ptr<mlir::MLIRContext> make_context() {
  mlir::DialectRegistry registry;
  registry.insert<PtoDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect>();
  auto context = std::make_unique<mlir::MLIRContext>(registry, mlir::MLIRContext::Threading::DISABLED);
  context->loadAllAvailableDialects();
  context->printOpOnDiagnostic(false);
  return context;
}

std::string in_our_words(std::string text) {
  StringRef rest = text, name;
  if (rest.starts_with("Dialect `"))  // ... not found for custom op 'foo.bar'
    return "there is no operation '" + rest.split("custom op '").second.split('\'').first.str() +
           "'; files use the dialects arith, func, pto and scf";
  if (rest.consume_front("custom op '"))
    std::tie(name, rest) = rest.split("' ");
  else if (rest.starts_with("'pto.") && rest.contains("' op "))
    std::tie(name, rest) = rest.drop_front(1).split("' op ");
  else
    return text;
  if (rest.starts_with("is unknown")) return ("there is no operation '" + name + "'").str();
  name.consume_front("pto.");
  const bool ours = rest.starts_with((name.split('.').first + " ").str()) || rest.starts_with("ptox ");
  return ours ? rest.str() : (name + ": " + rest).str();
}

Listener::Listener(mlir::MLIRContext& context, Diagnostics& out) : context_(context) {
  id_ = context.getDiagEngine().registerHandler([&out](mlir::Diagnostic& d) {
    out.add(severity_of(d.getSeverity()), in_our_words(d.str()), place_of(d.getLocation()));
    for (mlir::Diagnostic& note : d.getNotes())
      if (!StringRef(note.str()).starts_with("Registered dialects"))
        out.add(Severity::note, note.str(), place_of(note.getLocation()));
    return mlir::success();
  });
}
Listener::~Listener() { context_.getDiagEngine().eraseHandler(id_); }

std::unique_ptr<Module> read(std::string_view text, const std::string& file, TextForm form, Diagnostics& out) {
  if (text.size() > most_file_bytes) {
    out.error("the file has more than 16777216 bytes, the most that are read", {file, 1, 1});
    return nullptr;
  }
  if (const std::size_t zero = text.find('\0'); zero != std::string_view::npos) {
    out.error("the file is not text: there is a zero byte at " + std::to_string(zero), {file, 1, 1});
    return nullptr;
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // UTF-8 byte order mark
  if (form == TextForm::detect) form = detect(text);
  if (const int line = Nesting().too_deep_at(text)) {
    out.error("the file nests deeper than 256", {file, line, 1});
    return nullptr;
  }
  auto module = form == TextForm::as ? read_statements(text, file, out) : read_mlir(text, file, out);
  if (module) module->form = form;
  return out.has_errors() ? nullptr : std::move(module);
}

SourcePlace place_of(mlir::Location loc) {
  if (const auto at = mlir::dyn_cast<mlir::FileLineColLoc>(loc))
    return {at.getFilename().str(), static_cast<int>(at.getLine()), static_cast<int>(at.getColumn())};
  if (const auto name = mlir::dyn_cast<mlir::NameLoc>(loc)) return place_of(name.getChildLoc());
  if (const auto call = mlir::dyn_cast<mlir::CallSiteLoc>(loc)) return place_of(call.getCallee());
  if (const auto fused = mlir::dyn_cast<mlir::FusedLoc>(loc); fused && !fused.getLocations().empty())
    return place_of(fused.getLocations().front());
  return {};
}
std::string name_of(mlir::Value value) {
  const auto name = mlir::dyn_cast<mlir::NameLoc>(value.getLoc());
  return name ? name.getName().str() : "";
}
mlir::Location named(mlir::Location loc, StringRef name) {
  return mlir::NameLoc::get(mlir::StringAttr::get(loc.getContext(), name), loc);
}

mlir::Location unnamed(mlir::Location loc) {
  const auto name = mlir::dyn_cast<mlir::NameLoc>(loc);
  return name ? unnamed(name.getChildLoc()) : loc;
}

std::string to_mlir(const Module& module) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = module.op.get().clone();
  copy->walk([](mlir::func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (const std::string name = function.isExternal() ? "" : name_of(function.getArgument(i));
          !name.empty() && name != "arg" + std::to_string(i))
        function.setArgAttr(i, "pto.name", mlir::StringAttr::get(function.getContext(), name));
  });
  std::string text;
  llvm::raw_string_ostream out(text);
  copy->print(out, mlir::OpPrintingFlags().useLocalScope());
  return text + "\n";
}

std::string Diagnostics::text() const {
  std::ostringstream lines;
  for (const Diagnostic& d : all_) lines << d;
  return lines.str();
}

std::ostream& operator<<(std::ostream& out, const Diagnostic& d) {
  constexpr const char* words[] = {"error", "warning", "note"};
  if (!d.place.file.empty()) out << d.place.file << ':';
  if (d.place.line > 0) out << d.place.line << ':' << d.place.column << ':';
  if (!d.place.file.empty()) out << ' ';
  return out << words[static_cast<int>(d.severity)] << ": " << d.message << '\n';
}

}  // namespace ptox::assembly
