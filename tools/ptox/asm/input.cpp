// SPDX-License-Identifier: Apache-2.0
#include "asm/input.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "ptox/report.hpp"

namespace ptox::tool {

bool ArgumentWalk::next() {
  if (at_ == arguments_.size()) return false;
  name_ = arguments_[at_++];
  inline_value_.reset();
  const std::size_t eq = name_.find('=');
  if (name_.starts_with("--") && eq != std::string::npos) inline_value_ = name_.substr(eq + 1), name_.resize(eq);
  return true;
}

std::optional<std::string> ArgumentWalk::value() {
  if (inline_value_) return inline_value_;
  if (at_ == arguments_.size()) return std::nullopt;
  return arguments_[at_++];
}

bool take_input(ArgumentWalk& walk, Input& input, std::string& error) {
  const std::string name = walk.name();
  if (name == "--strict" && walk.has_value()) return error = "--strict takes no value", true;
  if (name == "--strict") return input.strict = true;
  if (name == "--target" || name == "--form" || name == "--format") {
    const auto value = walk.value();
    if (!value) return error = name + " wants a value", true;
    if (name == "--target")
      input.target = *value;
    else if (name == "--format" && *value != "text" && *value != "json" && *value != "sarif")
      error = "--format is '" + *value + "'; it is text, json or sarif";
    else if (name == "--format")
      input.format = *value;
    else if (*value == "as")
      input.form = assembly::TextForm::as;
    else if (*value == "mlir")
      input.form = assembly::TextForm::mlir;
    else
      error = "--form is '" + *value + "'; it is as or mlir";
    return true;
  }
  if (name.starts_with("-") && name != "-") return false;
  if (!input.file.empty())
    return error = "one file at a time; '" + input.file + "' and '" + name + "' were given", true;
  if (name.empty()) error = "a file has a name; it is empty";
  input.file = name;
  return true;
}

namespace {

/// As much as is read at all, and one byte more to say so.
std::string text_of(std::istream& in) {
  std::string text(assembly::most_file_bytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

}  // namespace

std::string file_text(const std::string& path, std::string& error) {
  if (path == "-") return text_of(std::cin);
  std::error_code refused;
  if (std::filesystem::is_directory(path, refused)) return error = "'" + path + "' is a directory", "";
  std::ifstream file(path, std::ios::binary);
  if (!file) return error = "cannot read '" + path + "'", "";
  return text_of(file);
}

namespace {

/// `C3` of "mgather C3: ...", empty where no rule is named.
std::string rule_of(const assembly::Diagnostic& d) {
  const std::size_t begin = d.message.find(' ') + 1, end = d.message.find(':');
  const std::string word = end == std::string::npos || end <= begin ? "" : d.message.substr(begin, end - begin);
  const bool label = word.size() > 1 && word.find_first_not_of("0123456789", 1) == std::string::npos;
  return (d.id == "illegal" || d.id.starts_with("comm-")) && label ? word : "";
}

}  // namespace

void print(const assembly::Diagnostics& diagnostics, const Input& input, const std::string& target, std::ostream& out) {
  if (input.format == "text") {
    for (const assembly::Diagnostic& d : diagnostics.all()) std::cerr << d;
    return;
  }
  std::vector<Finding> findings;
  for (const assembly::Diagnostic& d : diagnostics.all()) {
    Finding f;
    f.id = d.id, f.severity = d.severity, f.message = d.message, f.file = d.place.file, f.line = d.place.line;
    if (d.place.column > 0) f.where.emplace_back("column", std::to_string(d.place.column));
    if (const std::string rule = rule_of(d); !rule.empty()) f.where.emplace_back("rule", rule);
    findings.push_back(std::move(f));
  }
  const Report report(target, input.file, 0, std::move(findings));
  out << (input.format == "json" ? report.json() : report.sarif());
}

}  // namespace ptox::tool
