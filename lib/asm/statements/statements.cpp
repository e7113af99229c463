// SPDX-License-Identifier: Apache-2.0
// Interprets the bare statements of the manuals.
#include "asm/statements/statements.hpp"

#include <utility>

#include "asm/statements/statements_build.hpp"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"

namespace ptox::assembly {

using llvm::StringRef;
using mlir::Operation;
using mlir::Value;
using Kind = Token::Kind;

namespace {

class Reader {
 public:
  Reader(Module& module, std::string_view text, Diagnostics& out)
      : module_(module), source_(text, module, out), builder_(module.context.get()), text_(text) {
    const mlir::Location start = source_.loc(text.data());
    module.op = mlir::ModuleOp::create(start);
    function_ = mlir::func::FuncOp::create(start, "main", builder_.getFunctionType({}, {}));
    module.op->push_back(function_);
    entry_ = function_.addEntryBlock();
    builder_.setInsertionPointToEnd(entry_);
    values_.emplace(source_, entry_);
  }

  bool run() {
    const std::vector<Statement> statements = split_statements(text_, faults_, Source::most_errors);
    for (const Statement& s : statements)
      for (const Token& name : defined_names(beginning(s))) values_->announce(name.text.substr(1));
    for (const Statement& s : statements)
      if (s.text.starts_with(".arg") && !s.faulty) read_argument(tokens_of(s));
    for (const Statement& s : statements) {
      if (source_.stopped()) return false;
      read(s);
    }
    return finish();
  }

 private:
  struct Frame {
    Operation* op;
    Token at;
  };

  /// The first tokens of a statement, enough to find the names that it defines.
  static std::vector<Token> beginning(const Statement& s) {
    const bool defines = s.text.starts_with("%") || s.text.starts_with(".const") || s.text.starts_with("scf.for");
    if (!defines) return {Token{}};
    if (s.text.starts_with("%")) {
      const auto equals = s.text.find('=');
      return tokens_of({s.text.substr(0, equals == s.text.npos ? equals : equals + 1)});
    }
    return tokens_of({s.text.substr(0, s.text.find('='))});
  }

  void read(const Statement& s) {
    const std::vector<Token> tokens = tokens_of(s);
    if (s.faulty) {
      const Fault& fault = faults_[next_fault_++];
      return fail(s, tokens, fault.at, fault.message);
    }
    if (tokens[0].is("}")) return close(tokens);
    if (tokens[0].is(Kind::attribute))
      return fail(s, tokens, tokens[0].text, "this is no statement; a comment is '# ' with a blank");
    if (tokens[0].is(Kind::word) && tokens[0].text.starts_with(".")) return read_directive(s, tokens);
    const Token& opcode = tokens[opcode_index(tokens)];
    StringRef name(opcode.text.data(), opcode.text.size());
    name = name.take_until([](char c) { return c == '<'; });
    (void)name.consume_front("pto.");
    if (!opcode.is(Kind::word) || name.empty())
      return fail(s, tokens, opcode.text, "a statement begins with its opcode, as in `mgather.row %dst, %table, %idx`");
    const bool block = name == "scf.for" || name == "scf.if" || name == "section.vector" || name == "section.cube";
    if (block) return read_block(s, tokens, name);
    if (s.opens) return fail(s, tokens, opcode.text, in_quotes(name.str()) + " has no block");
    Operation* op = build(tokens, name);
    if (op)
      define_results(tokens, op);
    else
      pass_over(s, tokens);
  }

  /// Reports an error in a statement and continues with the next one.
  void fail(const Statement& s, const std::vector<Token>& tokens, std::string_view at, const std::string& message) {
    source_.fail(at, message);
    pass_over(s, tokens);
  }
  /// Skips a faulty statement: the names that it defines become known without a value, so that their uses cause no
  /// further errors, and the statements of a block that it opens are still read.
  void pass_over(const Statement& s, const std::vector<Token>& tokens) {
    if (s.opens) open(section("section.vector", builder_.getDictionaryAttr({}), tokens[0]), tokens[0]);
    for (const Token& name : defined_names(tokens)) values_->poison(name);
  }

  Operation* build(const std::vector<Token>& tokens, StringRef name) {
    const Place here{source_, *values_, builder_};
    const Token& at = tokens[opcode_index(tokens)];
    if (name.starts_with("arith.")) return build_from_text(here, tokens, name);
    const StringRef dialect = name.take_until([](char c) { return c == '.'; });
    for (StringRef other : {"scf", "func", "builtin"})
      if (dialect == other)
        return source_.fail(at.text,
                            "the AS form has no " + in_quotes(name.str()) + "; of scf it has scf.for and scf.if"),
               nullptr;
    if (name == "return" || name == "unknown")
      return source_.fail(at.text, in_quotes(name.str()) + " is not written"), nullptr;
    const Opcode opcode = parse_opcode({name.data(), name.size()});
    if (!opcode.error.empty()) return source_.fail(at.text, opcode.error), nullptr;
    const bool instruction = !forms_of(opcode.base).empty() || opcode.base == "tbroadcast" || opcode.base == "treduce";
    if (!instruction && (name == "pipe_barrier" || has_operation(opcode.base)))
      return build_from_text(here, tokens, name == "pipe_barrier" ? "pto.barrier" : "pto." + opcode.base);
    const Written written = parse_written(tokens);
    if (!written.fault.message.empty())
      return source_.fail(written.fault.at, opcode.base + ": " + written.fault.message), nullptr;
    return instruction ? build_instruction(here, written, opcode) : build_unknown(here, written, ("pto." + name).str());
  }
  void define_results(const std::vector<Token>& tokens, Operation* op) {
    const std::vector<Token> names = defined_names(tokens);
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i < op->getNumResults())
        values_->define(names[i], op->getResult(static_cast<unsigned>(i)));
      else
        values_->poison(names[i]);
    }
    if (names.size() != op->getNumResults() && !names.empty())
      source_.fail(names[0].text, "there are " + std::to_string(names.size()) + " names for " +
                                      std::to_string(op->getNumResults()) + " results");
  }

  // Directives

  void read_directive(const Statement& s, const std::vector<Token>& tokens) {
    const std::string_view name = tokens[0].text;
    if (s.opens) return fail(s, tokens, name, in_quotes(name) + " has no block");
    if (name == ".arg") return;  // read before all other statements
    if (name == ".const") return read_constant(s, tokens);
    if (name == ".target") return read_target(tokens);
    if (name == ".func") return read_name(tokens);
    if (name == ".attr" || name == ".module_attr") return read_attribute(tokens);
    source_.fail(name, "there is no directive " + in_quotes(name) +
                           "; there are .target, .func, .attr, .module_attr, .arg, .const");
  }
  void read_argument(const std::vector<Token>& tokens) {
    if (!tokens[0].is(".arg")) return;
    if (!tokens[1].is(Kind::value)) return source_.fail(tokens[1].text, ".arg needs a %name and its type");
    if (!tokens[2].is(":")) return source_.fail(tokens[2].text, ".arg needs ':' and a type after the name");
    const mlir::Type type =
        is_type(tokens[3]) ? source_.type(tokens[3].text) : complain(tokens[3], ".arg needs a type");
    if (!type) return values_->poison(tokens[1]);
    const unsigned before = entry_->getNumArguments();
    values_->argument(tokens[1], type);
    if (tokens[4].is(Kind::end) || entry_->getNumArguments() == before) return;
    const mlir::DictionaryAttr attributes = braces(tokens, 4);
    if (attributes) argument_attributes_.emplace_back(before, attributes);
  }
  static bool is_type(const Token& t) { return t.is(Kind::type) || t.is(Kind::word); }
  mlir::Type complain(const Token& at, const char* message) { return source_.fail(at.text, message), mlir::Type(); }
  /// The rest of a directive as a dictionary attribute.
  mlir::DictionaryAttr braces(const std::vector<Token>& tokens, std::size_t from) {
    const char *begin = tokens[from].text.data(), *end = tokens.back().text.data();
    if (!tokens[from].is("{")) return source_.fail(tokens[from].text, "expected the end of the line"), nullptr;
    return source_.dictionary({begin, static_cast<std::size_t>(end - begin)});
  }

  void read_constant(const Statement& s, const std::vector<Token>& tokens) {
    if (!tokens[1].is(Kind::value) || !tokens[2].is("="))
      return fail(s, tokens, tokens[1].text, ".const is written .const %name = value : type");
    std::vector<Token> constant{tokens[1], tokens[2], tokens[0]};
    constant.insert(constant.end(), tokens.begin() + 3, tokens.end());
    Operation* op = build_from_text({source_, *values_, builder_}, constant, "arith.constant");
    if (op)
      define_results({tokens[1], tokens[2], tokens.back()}, op);
    else
      pass_over(s, tokens);
  }
  void read_target(const std::vector<Token>& tokens) {
    const std::string_view name = tokens[1].text;
    if ((name != "cpu" && name != "a2a3" && name != "a3" && name != "a5") || !tokens[2].is(Kind::end))
      return source_.fail(name, ".target is " + in_quotes(name) + "; it must be cpu, a2a3, a3 or a5");
    put(*module_.op, tokens[0], "pto.target_arch", builder_.getStringAttr(name));
  }
  void read_name(const std::vector<Token>& tokens) {
    if (!tokens[1].is(Kind::symbol) || !tokens[2].is(Kind::end))
      return source_.fail(tokens[1].text, ".func needs exactly one @name");
    if (std::exchange(named_, true))
      return source_.fail(tokens[0].text, "the AS form has one function; here is another");
    Excerpt text;
    text.copy(tokens[1].text);
    const auto symbol = mlir::dyn_cast_or_null<mlir::FlatSymbolRefAttr>(source_.attribute(text));
    if (symbol) function_.setSymName(symbol.getValue());
  }
  void read_attribute(const std::vector<Token>& tokens) {
    Excerpt text;
    text.add("{", tokens[0].text.data());
    for (std::size_t i = 1; i < tokens.size(); ++i) text.copy(tokens[i].text), text.add(" ", tokens[i].text.data());
    text.add("}", tokens.back().text.data());
    const auto dictionary = mlir::dyn_cast_or_null<mlir::DictionaryAttr>(source_.attribute(text));
    if (!dictionary) return;
    Operation* op = tokens[0].is(".attr") ? function_.getOperation() : module_.op->getOperation();
    for (mlir::NamedAttribute a : dictionary) put(op, tokens[0], a.getName(), a.getValue());
  }
  void put(Operation* op, const Token& at, StringRef name, mlir::Attribute value) {
    for (StringRef own : {"sym_name", "function_type", "arg_attrs", "res_attrs"})
      if (op == function_ && name == own)
        return source_.fail(at.text, in_quotes(name.str()) + " is the function's own");
    if (name == "sym_visibility" && !mlir::isa<mlir::StringAttr>(value))
      return source_.fail(at.text, "sym_visibility is a string");
    if (op->hasAttr(name)) return source_.fail(at.text, in_quotes(name.str()) + " is given twice");
    op->setAttr(name, value);
  }

  // Blocks

  void read_block(const Statement& s, const std::vector<Token>& tokens, StringRef name) {
    const Token& at = tokens[opcode_index(tokens)];
    if (opcode_index(tokens) != 0)
      return fail(s, tokens, at.text, name.str() + " has no results in the AS form. Use the MLIR form");
    for (const Token& t : tokens)
      if (t.is("iter_args") || t.is("->"))
        return fail(s, tokens, t.text,
                    name.str() + " has no iter_args and no results in the AS form. Use the MLIR form");
    if (!s.opens) return fail(s, tokens, at.text, name.str() + " ends its line with the { of its block");
    if (name == "scf.for")
      read_for(s, tokens);
    else if (name == "scf.if")
      read_if(s, tokens);
    else
      read_section(s, tokens, name);
  }
  void read_for(const Statement& s, const std::vector<Token>& t) {
    constexpr const char* marks[] = {"", "", "=", "", "to", "", "step", ""};
    bool fits = t.size() >= 10;
    for (std::size_t i = 1; i < 8 && fits; ++i) fits = *marks[i] ? t[i].is(marks[i]) : t[i].is(Kind::value);
    const bool typed = fits && t[8].is(":");
    fits = fits && (typed ? t.size() == 12 && is_type(t[9]) : t[8].is("{"));
    if (!fits) return fail(s, t, t[0].text, "scf.for is written scf.for %i = %first to %end step %by {");
    const mlir::Type type = typed ? source_.type(t[9].text) : builder_.getIndexType();
    if (!type) return pass_over(s, t);
    const Value low = values_->use(t[3], type), high = values_->use(t[5], type), step = values_->use(t[7], type);
    if (!low || !high || !step) return pass_over(s, t);
    for (std::size_t i = 3; i < 8; i += 2)
      if (const mlir::Type known = values_->use(t[i], {}).getType(); known != type)
        return fail(s, t, t[i].text,
                    "scf.for counts in " + type_text(type) + "; " + in_quotes(t[i].text) + " is " + type_text(known));
    if (!type.isIntOrIndex()) return fail(s, t, t[9].text, "scf.for counts in index or an integer type");
    auto loop = builder_.create<mlir::scf::ForOp>(source_.loc(t[0].text.data()), low, high, step);
    loop.getInductionVar().setLoc(named(source_.loc(t[1].text.data()), {t[1].text.data() + 1, t[1].text.size() - 1}));
    open(loop, t[0]);
    values_->define(t[1], loop.getInductionVar());
  }
  void read_if(const Statement& s, const std::vector<Token>& t) {
    if (!t[1].is(Kind::value) || !t[2].is("{")) return fail(s, t, t[0].text, "scf.if is written scf.if %condition {");
    const Value condition = values_->use(t[1], builder_.getI1Type());
    if (!condition) return pass_over(s, t);
    if (!condition.getType().isInteger(1))
      return fail(
          s, t, t[1].text,
          "the condition of scf.if is an i1; " + in_quotes(t[1].text) + " is " + type_text(condition.getType()));
    open(builder_.create<mlir::scf::IfOp>(source_.loc(t[0].text.data()), condition, false), t[0]);
  }
  void read_section(const Statement& s, const std::vector<Token>& t, StringRef name) {
    mlir::DictionaryAttr attributes = builder_.getDictionaryAttr({});
    if (t[1].is("attributes")) {
      const char *begin = t[2].text.data(), *end = t[t.size() - 2].text.data();
      attributes = source_.dictionary({begin, static_cast<std::size_t>(end - begin)});
      if (!attributes) return pass_over(s, t);
    } else if (!t[1].is("{")) {
      return fail(s, t, t[1].text, name.str() + " is written " + name.str() + " {");
    }
    open(section(name, attributes, t[0]), t[0]);
  }

  Operation* section(StringRef name, mlir::DictionaryAttr attributes, const Token& at) {
    mlir::OperationState state(source_.loc(at.text.data()), ("pto." + name).str());
    state.addAttributes(attributes.getValue());
    state.addRegion()->emplaceBlock();
    return builder_.create(state);
  }

  void open(Operation* op, const Token& at) {
    mlir::Region& body = op->getRegion(0);
    frames_.push_back({op, at});
    enter(body.front());
    values_->open_scope();
  }
  /// Sets the insertion point to the end of the block, before its terminator.
  void enter(mlir::Block& block) {
    const bool ended = !block.empty() && block.back().hasTrait<mlir::OpTrait::IsTerminator>();
    if (ended)
      builder_.setInsertionPoint(&block.back());
    else
      builder_.setInsertionPointToEnd(&block);
  }
  void close(const std::vector<Token>& t) {
    const bool other = t[1].is("else") && t[2].is("{");
    if (frames_.empty()) return source_.fail(t[0].text, "'}' has no matching '{'");
    if (!other && !t[1].is(Kind::end)) source_.fail(t[1].text, "behind '}' stands nothing, or `else {`");
    values_->close_scope();
    Operation* op = frames_.back().op;
    if (other) return read_else(op, t);
    frames_.pop_back();
    builder_.setInsertionPointAfter(op);
  }
  void read_else(Operation* op, const std::vector<Token>& t) {
    values_->open_scope();
    auto branch = mlir::dyn_cast<mlir::scf::IfOp>(op);
    if (!branch || !branch.getElseRegion().empty())
      return source_.fail(t[1].text, "this `else` has no scf.if before it");
    mlir::Block& block = branch.getElseRegion().emplaceBlock();
    builder_.setInsertionPointToEnd(&block);
    builder_.create<mlir::scf::YieldOp>(source_.loc(t[1].text.data()));
    enter(block);
  }

  bool finish() {
    for (const Frame& f : frames_) source_.fail(f.at.text, in_quotes(f.at.text) + " is not closed by a }");
    if (source_.errors() > 0) return false;
    builder_.setInsertionPointToEnd(entry_);
    builder_.create<mlir::func::ReturnOp>(source_.loc(text_.data() + text_.size()));
    function_.setType(builder_.getFunctionType(entry_->getArgumentTypes(), {}));
    for (const auto& [argument, attributes] : argument_attributes_) function_.setArgAttrs(argument, attributes);
    return succeeded(mlir::verify(*module_.op)) && source_.errors() == 0;
  }

  Module& module_;
  Source source_;
  mlir::OpBuilder builder_;
  std::string_view text_;
  mlir::func::FuncOp function_;
  bool named_ = false;  ///< there was a .func directive
  mlir::Block* entry_ = nullptr;
  std::optional<Values> values_;
  std::vector<Frame> frames_;
  std::vector<Fault> faults_;  ///< one per faulty statement, in source order
  std::size_t next_fault_ = 0;
  std::vector<std::pair<unsigned, mlir::DictionaryAttr>> argument_attributes_;
};

}  // namespace

std::unique_ptr<Module> read_statements(std::string_view text, const std::string& file, Diagnostics& out) {
  auto module = std::make_unique<Module>();
  module->file = file;
  module->form = TextForm::as;
  return Reader(*module, text, out).run() ? std::move(module) : nullptr;
}

}  // namespace ptox::assembly
