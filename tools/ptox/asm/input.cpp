// SPDX-License-Identifier: Apache-2.0
#include "asm/input.hpp"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>

#include "ptox/report.hpp"

namespace ptox::tool {

assembly::TextForm text_form(const PtoInput& input) {
  if (input.form.empty()) return assembly::TextForm::detect;
  return input.form == "as" ? assembly::TextForm::as : assembly::TextForm::mlir;
}

namespace {

/// Reads at most most_file_bytes and one byte more, by which a file that is too large is detected.
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

void print(const assembly::Diagnostics& diagnostics, const PtoInput& input, const std::string& target,
           std::ostream& out) {
  if (input.format == "text") {
    for (const assembly::Diagnostic& d : diagnostics.all()) std::cerr << d;
    return;
  }
  std::vector<Finding> findings;
  for (const assembly::Diagnostic& d : diagnostics.all()) {
    Finding f{.kind = d.kind, .severity = d.severity, .message = d.message, .file = d.place.file, .line = d.place.line};
    if (d.place.column > 0) f.where.emplace_back(FindingField::column, d.place.column);
    if (!d.rule.empty()) f.where.emplace_back(FindingField::rule, d.rule);
    findings.push_back(std::move(f));
  }
  const Report report(target, input.file, 0, std::move(findings));
  out << (input.format == "json" ? report.json() : report.sarif());
}

}  // namespace ptox::tool
