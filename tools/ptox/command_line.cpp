// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <sstream>
#include <utility>

#include "suggest.hpp"

namespace ptox::tool {

namespace {

constexpr std::size_t help_column = 28, help_width = 110;
constexpr char no_break = '\x1f';  ///< represents a space at which no line is broken

std::string joined(const std::vector<std::string>& words, const std::string& between, const std::string& last) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i)
    all += (i == 0 ? "" : i + 1 == words.size() ? last : between) + words[i];
  return all;
}

/// Breaks long lines at spaces; continuation lines are indented by `indent`.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t width = help_width - indent;
    if (!out.empty()) out += std::string(indent, ' ');
    while (line.size() > width) {
      const std::size_t space = line.rfind(' ', width);
      if (space == line.npos || space == 0) break;
      out += line.substr(0, space) + '\n' + std::string(indent, ' ');
      line.erase(0, space + 1);
    }
    out += line + '\n';
  }
  std::replace(out.begin(), out.end(), no_break, ' ');
  return out;
}

std::string text_of(std::uint64_t number) {
  return number == std::numeric_limits<std::uint64_t>::max() ? "2^64 - 1" : std::to_string(number);
}

/// Reads a number in the range. Returns what is wrong with it, or an empty string.
std::string read_number(const std::string& name, const std::string& text, NumberRange range, std::uint64_t& value) {
  std::uint64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || text.empty() || number < range.least || number > range.most)
    return name + " is '" + text + "'; it must be from " + text_of(range.least) + " to " + text_of(range.most);
  return value = number, "";
}

/// The name of `--name=value`.
std::string name_part(const std::string& word) { return word.substr(0, word.find('=')); }

bool looks_like_option(const std::string& word) { return word.size() > 1 && word[0] == '-'; }

}  // namespace

CommandLine::CommandLine(std::string program, std::string words, std::string purpose)
    : program_(std::move(program)), usage_words_(std::move(words)), purpose_(std::move(purpose)) {
  take_words_ = [](const std::vector<std::string>& words) {
    return words.empty() ? "" : "it takes no arguments; '" + words[0] + "' was given";
  };
}

CommandLine& CommandLine::add(Option option) {
  options_.push_back(std::move(option));
  return *this;
}

CommandLine& CommandLine::flag(const std::string& name, bool& value, const std::string& help) {
  const auto take = [&value](const std::vector<std::string>&) { return value = true, std::string(); };
  return add({.name = name, .placeholder = "", .help = help, .shown_default = "off", .take = take});
}

CommandLine& CommandLine::text(const std::string& name, const std::string& placeholder, std::string& value,
                               const std::string& help, const std::string& otherwise) {
  const auto take = [&value](const std::vector<std::string>& given) { return value = given.back(), std::string(); };
  const std::string shown = value.empty() ? otherwise : value;
  return add({.name = name, .placeholder = placeholder, .help = help, .shown_default = shown, .take = take});
}

CommandLine& CommandLine::file(const std::string& name, std::string& value, const std::string& help) {
  const auto take = [&value, name](const std::vector<std::string>& given) -> std::string {
    value = given.back();
    return value.empty() ? name + " is empty; it must be the name of a file" : "";
  };
  return add({.name = name, .placeholder = "FILE", .help = help, .shown_default = "none", .take = take});
}

CommandLine& CommandLine::texts(const std::string& name, const std::string& placeholder,
                                std::vector<std::string>& values, const std::string& help) {
  const auto take = [&values](const std::vector<std::string>& given) { return values = given, std::string(); };
  return add({.name = name, .placeholder = placeholder, .help = help, .shown_default = "none", .take = take});
}

CommandLine& CommandLine::number(const std::string& name, std::uint64_t& value, NumberRange range,
                                 const std::string& help, const std::string& otherwise) {
  const auto take = [&value, name, range](const std::vector<std::string>& given) {
    return read_number(name, given.back(), range, value);
  };
  const std::string shown = otherwise.empty() ? text_of(value) : otherwise;
  return add({.name = name, .placeholder = "N", .help = help, .shown_default = shown, .take = take});
}

CommandLine& CommandLine::number(const std::string& name, int& value, NumberRange range, const std::string& help,
                                 const std::string& otherwise) {
  const auto take = [&value, name, range](const std::vector<std::string>& given) {
    std::uint64_t number = static_cast<std::uint64_t>(value);
    const std::string wrong = read_number(name, given.back(), range, number);
    return value = static_cast<int>(number), wrong;
  };
  const std::string shown = otherwise.empty() ? std::to_string(value) : otherwise;
  return add({.name = name, .placeholder = "N", .help = help, .shown_default = shown, .take = take});
}

CommandLine& CommandLine::choice(const std::string& name, std::string& value, const std::vector<std::string>& names,
                                 const std::string& help, const std::string& otherwise,
                                 const std::vector<std::string>& also) {
  const auto take = [&value, name, names, also](const std::vector<std::string>& given) -> std::string {
    const std::string& word = given.back();
    const bool known = std::find(names.begin(), names.end(), word) != names.end() ||
                       std::find(also.begin(), also.end(), word) != also.end();
    if (known) return value = word, "";
    return name + " is '" + word + "'; it must be " + joined(names, ", ", " or ") + did_you_mean(word, names);
  };
  const std::string shown = value.empty() ? otherwise : value, placeholder = joined(names, "|", "|");
  return add({.name = name, .placeholder = placeholder, .help = help, .shown_default = shown, .take = take});
}

CommandLine& CommandLine::or_variable(const std::string& variable) {
  options_.back().variable = variable;
  return *this;
}

CommandLine& CommandLine::word(const std::string& placeholder, std::string& value, bool required) {
  take_words_ = [&value, placeholder, required](const std::vector<std::string>& words) -> std::string {
    if (words.empty()) return required ? placeholder + " is missing" : "";
    if (words.size() > 1)
      return "one " + placeholder + " at a time; '" + words[0] + "' and '" + words[1] + "' were given";
    if (words[0].empty()) return placeholder + " is empty";
    return value = words[0], "";
  };
  return *this;
}

CommandLine& CommandLine::words(std::vector<std::string>& values) {
  take_words_ = [&values](const std::vector<std::string>& words) { return values = words, std::string(); };
  return *this;
}

CommandLine& CommandLine::rest(std::vector<std::string>& values) {
  for_another_ = true;
  return words(values);
}

CommandLine& CommandLine::note(const std::string& text) {
  notes_.push_back(text);
  return *this;
}

CommandLine& CommandLine::example(const std::string& command, const std::string& purpose) {
  examples_.emplace_back(command, purpose);
  return *this;
}

std::string CommandLine::help() const {
  std::string out = "usage: " + program_ + " [OPTIONS]" + (usage_words_.empty() ? "" : " " + usage_words_) + "\n\n" +
                    wrapped(purpose_, 0) + "\noptions:\n";
  for (const Option& o : options_) {
    std::string left = "  " + o.name + (o.is_flag() ? "" : " " + o.placeholder);
    left += left.size() + 2 > help_column ? '\n' + std::string(help_column, ' ')
                                          : std::string(help_column - left.size(), ' ');
    const std::string from = o.variable.empty() ? "" : o.variable + ", else ";
    out += left + wrapped(o.help + " [default:" + no_break + from + o.shown_default + "]", help_column);
  }
  out += "  --help" + std::string(help_column - 8, ' ') + "print this\n";
  for (const std::string& note : notes_) out += '\n' + wrapped(note, 0);
  out += examples_.size() == 1 ? "\nexample:\n" : "\nexamples:\n";
  for (const auto& [command, purpose] : examples_) out += "  " + command + "\n      " + wrapped(purpose, 6);
  return out;
}

std::string CommandLine::unknown(const std::string& word) const {
  std::vector<std::string> names{"--help"};
  for (const Option& o : options_) names.push_back(o.name);
  const std::string name = name_part(word);
  return "there is no option '" + name + "'" + did_you_mean(name, names);
}

/// A sentence if a flag has a value, or an option that needs a value has none; otherwise nothing.
std::string CommandLine::misused(Arguments arguments) const {
  const auto find = [&](const std::string& word) {
    return std::find_if(options_.begin(), options_.end(), [&](const Option& o) { return o.name == name_part(word); });
  };
  const auto is_help = [](const std::string& word) { return name_part(word) == "--help" || name_part(word) == "-h"; };
  for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
    const std::string& w = arguments[i];
    if (!looks_like_option(w) && for_another_) break;
    const auto option = find(w);
    const bool flag = is_help(w) || (option != options_.end() && option->is_flag());
    const bool with_value = w.find('=') != w.npos;
    if (with_value && flag) return name_part(w) + " takes no value";
    if (with_value || flag || option == options_.end()) continue;
    if (++i == arguments.size() || arguments[i] == "--" || is_help(arguments[i]) ||
        find(arguments[i]) != options_.end())
      return option->name + " needs a value";
  }
  return "";
}

/// Stores the value of the environment variable of the option, if that is set. A message about a wrong value names the
/// variable in place of the option.
std::string CommandLine::take_variable(const Option& option) {
  const char* value = option.variable.empty() ? nullptr : std::getenv(option.variable.c_str());
  if (!value || !*value) return "";
  const std::string wrong = option.take({value});
  return wrong.starts_with(option.name) ? option.variable + wrong.substr(option.name.size()) : wrong;
}

/// Stores the arguments that CLI11 does not recognise as options of this verb.
std::string CommandLine::take_words(const std::vector<std::string>& words) const {
  std::vector<std::string> taken;
  bool only_words = false;
  for (const std::string& w : words) {
    if (w == "--" && !only_words) {
      only_words = true;
      continue;
    }
    if (!only_words && looks_like_option(w)) return unknown(w);
    taken.push_back(w);
    only_words = only_words || for_another_;
  }
  return take_words_(taken);
}

namespace {

/// CLI11 treats `--name=` as an option without a value. Here it is an option with an empty value, or a flag with a
/// value, which CLI11 only rejects if the value is not empty.
std::vector<std::string> with_empty_values(Arguments arguments, const std::vector<std::string>& valued, bool stops) {
  std::vector<std::string> out;
  const auto has_value = [&](const std::string& w) {
    return std::find(valued.begin(), valued.end(), w) != valued.end();
  };
  std::size_t i = 0;
  for (; i < arguments.size() && arguments[i] != "--" && (looks_like_option(arguments[i]) || !stops); ++i) {
    const std::string &w = arguments[i], name = name_part(w);
    if (w == name + "=" && has_value(name)) {
      out.insert(out.end(), {name, ""});
    } else {
      out.push_back(w == name + "=" ? w + "=" : w);
      if (has_value(w) && i + 1 < arguments.size()) out.push_back(arguments[++i]);
    }
  }
  out.insert(out.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i), arguments.end());
  return out;
}

}  // namespace

std::string CommandLine::read(Arguments arguments, bool& wants_help) const {
  std::string wrong = misused(arguments);
  if (!wrong.empty()) return wrong;
  CLI::App app;
  app.set_help_flag();
  app.allow_extras();
  app.prefix_command(for_another_);
  const CLI::Option* help = app.add_flag("-h,--help")->disable_flag_override();
  std::vector<CLI::Option*> parsed;
  std::vector<std::string> valued;
  for (const Option& o : options_) {
    parsed.push_back(o.is_flag() ? app.add_flag(o.name)->disable_flag_override() : app.add_option(o.name));
    parsed.back()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (!o.is_flag()) valued.push_back(o.name);
  }
  std::vector<std::string> backwards = with_empty_values(arguments, valued, for_another_);
  std::reverse(backwards.begin(), backwards.end());  // CLI11 expects them in reverse order
  app.parse(std::move(backwards));
  wants_help = help->count() > 0;
  if (wants_help) return "";
  for (std::size_t i = 0; i < options_.size() && wrong.empty(); ++i)
    wrong = parsed[i]->count() > 0 ? options_[i].take(parsed[i]->results()) : take_variable(options_[i]);
  return wrong.empty() ? take_words(app.remaining()) : wrong;
}

std::optional<int> CommandLine::parse(Arguments arguments) const {
  bool wants_help = false;
  const std::string sentence = read(arguments, wants_help);
  if (wants_help) return std::cout << help(), ok;
  if (!sentence.empty()) return wrong(sentence);
  for (const auto& condition : conditions_)
    if (const std::string broken = condition(); !broken.empty()) return wrong(broken);
  return std::nullopt;
}

CommandLine& CommandLine::require(std::function<std::string()> wrong) {
  conditions_.push_back(std::move(wrong));
  return *this;
}

int CommandLine::wrong(const std::string& sentence) const {
  std::cerr << program_ << ": " << sentence << "\nsee " << program_ << " --help\n";
  return usage;
}

}  // namespace ptox::tool
