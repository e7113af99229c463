// SPDX-License-Identifier: Apache-2.0
#include "includes.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

#include "launch_syntax.hpp"

namespace ptox::tool {

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string_view without_blanks(std::string_view s) {
  const std::size_t begin = s.find_first_not_of(" \t");
  return begin == s.npos ? std::string_view() : s.substr(begin);
}

/// What stands after the directive `name` of a line; nullopt if the line is another one.
std::optional<std::string_view> directive(std::string_view line, std::string_view name) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_blanks(line.substr(1));
  if (!line.starts_with(name)) return std::nullopt;
  return without_blanks(line.substr(name.size()));
}

/// The name in a line `#include "name"` or `#include <name>`, with its first delimiter.
std::optional<std::string_view> included_name(std::string_view line) {
  const auto rest = directive(line, "include");
  if (!rest || rest->empty() || (rest->front() != '"' && rest->front() != '<')) return std::nullopt;
  const std::size_t end = rest->find(rest->front() == '"' ? '"' : '>', 1);
  return end == rest->npos ? std::nullopt : std::optional(rest->substr(0, end));
}

class Search {
 public:
  explicit Search(const std::vector<std::string>& folders) : folders_(folders) {}

  bool launches_below(const fs::path& file) {
    std::istringstream lines(text_of(file));
    for (std::string line; std::getline(lines, line);)
      if (const auto name = included_name(line); name && includes_a_launch(*name, file.parent_path())) return true;
    return false;
  }

  /// `name` is a name in an #include, with its first delimiter; `beside` is the folder of the including file.
  bool includes_a_launch(std::string_view name, const fs::path& beside) {
    const auto header = find(name, beside);
    return header && launches(*header);
  }

 private:
  bool launches(const fs::path& header) {
    if (!seen_.insert(fs::weakly_canonical(header)).second) return false;
    const Rewritten r = rewrite_launches(text_of(header));
    return r.launches > 0 || r.complaint || launches_below(header);
  }

  std::optional<fs::path> find(std::string_view name, const fs::path& beside) const {
    std::error_code none;
    const std::string_view path = name.substr(1);
    if (name.front() == '"' && fs::is_regular_file(beside / path, none)) return beside / path;
    for (const std::string& folder : folders_)
      if (fs::is_regular_file(fs::path(folder) / path, none)) return fs::path(folder) / path;
    return std::nullopt;
  }

  const std::vector<std::string>& folders_;
  std::set<fs::path> seen_;
};

}  // namespace

bool included_files_launch(const fs::path& source, const std::vector<std::string>& folders,
                           const std::vector<std::string>& forced) {
  Search search(folders);
  return search.launches_below(source) || std::any_of(forced.begin(), forced.end(), [&](const std::string& name) {
           return search.includes_a_launch('"' + name, "");
         });
}

SourceLine origin_of(const std::string& preprocessed, int line) {
  SourceLine at{"", 0};
  std::istringstream lines(preprocessed);
  std::string text;
  for (int i = 1; i <= line && std::getline(lines, text); ++i) {
    ++at.line;
    const auto marker = directive(text, "");
    int number = 0;
    if (!marker || std::from_chars(marker->data(), marker->data() + marker->size(), number).ec != std::errc()) continue;
    at.line = number - 1;
    const std::size_t begin = marker->find('"'), end = marker->rfind('"');
    if (begin < end && end != marker->npos) at.file = marker->substr(begin + 1, end - begin - 1);
  }
  return at;
}

}  // namespace ptox::tool
