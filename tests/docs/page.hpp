// SPDX-License-Identifier: Apache-2.0
// Splits a Markdown page into the fenced snippets that the tests compile or run.
#pragma once

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptox::docs {

/// One fenced block: ```language argument. The argument is a file name, or "illustrative: reason".
struct Snippet {
  std::string language, argument, text;
  int line = 0;  ///< of the opening fence, counted from 1

  bool illustrative() const { return argument.starts_with("illustrative: ") && argument.size() > 20; }
};

/// All fenced blocks of a page in order. Throws std::invalid_argument when the last one is not closed.
inline std::vector<Snippet> snippets_of(const std::string& page) {
  std::vector<Snippet> out;
  std::istringstream lines(page);
  bool inside = false;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.starts_with("```")) {
      if (inside) out.back().text += line + '\n';
    } else if (inside) {
      inside = false;
    } else {
      const std::size_t space = line.find(' ');
      out.push_back({line.substr(3, space == std::string::npos ? space : space - 3),
                     space == std::string::npos ? "" : line.substr(space + 1), "", number});
      inside = true;
    }
  }
  if (inside) throw std::invalid_argument("line " + std::to_string(out.back().line) + ": the snippet is not closed");
  return out;
}

/// A line of a `sh` snippet: the command without its comment, and the exit code that a comment "exit code N" announces.
struct Command {
  std::string text;
  int code = 0;
};

inline std::vector<Command> commands_of(const std::string& text) {
  std::vector<Command> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t comment = line.starts_with("#") ? 0 : line.find(" #");
    const std::string note = comment == std::string::npos ? "" : line.substr(comment);
    const std::size_t code = note.find("exit code ");
    const std::size_t end = line.find_last_not_of(' ', comment == std::string::npos ? comment : comment - 1);
    if (comment == 0 || end == std::string::npos) continue;
    out.push_back({line.substr(0, end + 1), code == std::string::npos ? 0 : std::stoi(note.substr(code + 10))});
  }
  return out;
}

/// Whether `output` is what a `text` snippet shows; a line "..." in it stands for any number of lines.
inline bool shows(const std::string& text, const std::string& output) {
  std::size_t at = 0, from = 0;
  bool anywhere = false;
  while (true) {
    const std::size_t gap = ("\n" + text).find("\n...\n", from);
    const std::string part = text.substr(from, gap == std::string::npos ? gap : gap - from);
    const std::size_t found = anywhere ? output.find(part, at) : at;
    if (found == std::string::npos || output.compare(found, part.size(), part) != 0) return false;
    if (gap == std::string::npos)
      return anywhere ? output.ends_with(part) && output.size() >= at + part.size() : at + part.size() == output.size();
    at = found + part.size();
    from = gap + 4;
    anywhere = true;
  }
}

}  // namespace ptox::docs
