// SPDX-License-Identifier: Apache-2.0
#include "asm/statements/statements_source.hpp"

#include <algorithm>

#include "asm/dialect/dialect.hpp"
#include "llvm/Support/raw_ostream.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"

namespace ptox::assembly {

using llvm::StringRef;

std::string type_text(mlir::Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

const char* Excerpt::origin(int line, int column) const {
  std::size_t at = 0;
  for (int i = 1; i < line && at < text_.size(); ++i) at = std::min(text_.find('\n', at), text_.size() - 1) + 1;
  at += static_cast<std::size_t>(std::max(column, 1)) - 1;
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), at,
                                      [](std::size_t offset, const Piece& piece) { return offset < piece.at; });
  if (after == pieces_.begin()) return pieces_.empty() ? nullptr : pieces_.front().source;
  const Piece& piece = *(after - 1);
  return piece.verbatim ? piece.source + (at - piece.at) : piece.source;
}

Source::Source(std::string_view text, Module& module, Diagnostics& out)
    : text_(text),
      out_(out),
      context_(module.context.get()),
      file_(mlir::StringAttr::get(context_, module.file)),
      handler_(context_, [this](mlir::Diagnostic& d) { return heard(d); }) {
  lines_.push_back(0);
  for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
    lines_.push_back(at + 1);
}

SourcePlace Source::place(const char* at) const {
  const auto offset = std::min(static_cast<std::size_t>(at - text_.data()), text_.size());
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), offset) - 1;
  return {file_.str(), static_cast<int>(line - lines_.begin()) + 1, static_cast<int>(offset - *line) + 1};
}
mlir::Location Source::loc(const char* at) const {
  const SourcePlace p = place(at);
  return mlir::FileLineColLoc::get(file_, static_cast<unsigned>(p.line), static_cast<unsigned>(p.column));
}

void Source::say(Severity severity, std::string_view at, const std::string& message) {
  add(severity, message, place(at.data()));
}
void Source::add(Severity severity, const std::string& message, SourcePlace place) {
  if (severity == Severity::error && ++errors_ > most_errors) return;
  out_.add(severity, message, place);
  if (severity == Severity::error && errors_ == most_errors)
    out_.add(Severity::note, "there may be more errors; these are the first 20", std::move(place));
}
mlir::LogicalResult Source::heard(mlir::Diagnostic& d) {
  SourcePlace at = place_of(d.getLocation());
  if (const char* origin = reading_ ? reading_->origin(at.line, at.column) : nullptr) at = place(origin);
  add(d.getSeverity() == mlir::DiagnosticSeverity::Error ? Severity::error : Severity::warning, in_our_words(d.str()),
      at);
  return mlir::success();
}

mlir::Type Source::type(std::string_view text) {
  StringRef name(text.data(), text.size());
  mlir::Type& known = types_[name];
  if (known) return known;
  (void)name.consume_front("!");
  if (name.consume_front("pto.")) {
    const ParsedType parsed = parse_type({name.data(), name.size()});
    if (parsed.type) return known = PtoType::get(context_, *parsed.type);
    fail(text, parsed.error);
    return {};
  }
  Excerpt excerpt;
  excerpt.copy(text);
  reading_ = &excerpt;
  known = mlir::parseType(excerpt.text(), context_);
  reading_ = nullptr;
  return known;
}

mlir::Attribute Source::attribute(const Excerpt& excerpt) {
  reading_ = &excerpt;
  const mlir::Attribute attribute = mlir::parseAttribute(excerpt.text(), context_);
  reading_ = nullptr;
  return attribute;
}
mlir::DictionaryAttr Source::dictionary(std::string_view braces) {
  Excerpt excerpt;
  for (const Token& t : tokens_of({braces})) excerpt.copy(t.text), excerpt.add(" ", t.text.data());
  return mlir::dyn_cast_or_null<mlir::DictionaryAttr>(attribute(excerpt));
}

bool Source::parse(const Excerpt& excerpt, mlir::Block& into) {
  reading_ = &excerpt;
  const mlir::ParserConfig config(context_, false);
  const bool parsed = succeeded(mlir::parseSourceString(excerpt.text(), &into, config));
  reading_ = nullptr;
  return parsed;
}

bool Values::bind(const Token& name, Named named) {
  const auto [at, fresh] = names_.try_emplace(key(name), named);
  if (fresh) return scopes_.back().push_back(at->first()), true;
  const int line = source_.place(at->second.at).line;
  if (at->second.value)
    source_.fail(name.text,
                 in_quotes(name.text) + " is defined a second time; it stands in line " + std::to_string(line));
  return false;
}
void Values::define(const Token& name, mlir::Value value) { bind(name, {value, false, name.text.data()}); }
void Values::poison(const Token& name) {
  if (!names_.contains(key(name))) bind(name, {{}, false, name.text.data()});
}
void Values::argument(const Token& name, mlir::Type type) {
  declares_ = true;
  if (announced_.contains(key(name)))
    return source_.fail(name.text, in_quotes(name.text) + " is an argument, and a statement defines it as well");
  if (bind(name, {{}, false, name.text.data()}))
    names_[key(name)].value = entry_->addArgument(type, named(source_.loc(name.text.data()), key(name)));
}

mlir::Type Values::known(const Token& name) const {
  const auto at = names_.find(key(name));
  return at == names_.end() || !at->second.value || at->second.untyped ? mlir::Type() : at->second.value.getType();
}

mlir::Value Values::use(const Token& name, mlir::Type written, mlir::Type otherwise) {
  if (const auto at = names_.find(key(name)); at != names_.end()) {
    if (at->second.untyped && written) at->second.value.setType(written), at->second.untyped = false;
    return at->second.value;
  }
  if (announced_.contains(key(name)))
    return source_.fail(name.text, in_quotes(name.text) +
                                       " is used before, or outside the block of, the statement that "
                                       "defines it"),
           mlir::Value();
  const mlir::Type type = written ? written : otherwise;
  if (!type)
    return source_.fail(name.text, "nothing says what type " + in_quotes(name.text) + " has. Write it, or `.arg " +
                                       std::string(name.text) + " : type` above"),
           mlir::Value();
  if (declares_)
    source_.warn(name.text,
                 in_quotes(name.text) +
                     " is defined nowhere and becomes an argument, though others are declared by .arg. Is it "
                     "misspelled?");
  const mlir::Value value = entry_->addArgument(type, named(source_.loc(name.text.data()), key(name)));
  // Arguments are visible in every block.
  const auto at = names_.try_emplace(key(name), Named{value, !written, name.text.data()}).first;
  scopes_.front().push_back(at->first());
  return value;
}

void Values::close_scope() {
  for (const StringRef name : scopes_.back()) names_.erase(name);
  scopes_.pop_back();
}

}  // namespace ptox::assembly
