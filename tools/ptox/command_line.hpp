// SPDX-License-Identifier: Apache-2.0
// The options and arguments of one verb: declared once, then parsed, printed by --help, and suggested when misspelt.
//
// The parser is CLI11. Only command_line.cpp includes it, because every file that does takes seconds longer to compile.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "verbs.hpp"

namespace ptox::tool {

/// The values that an option accepts: `least` to `most`, both included.
struct NumberRange {
  std::uint64_t least, most;
};

/// Declarations keep references to the variables that they fill. The value of a variable at its declaration is the
/// default that --help shows.
class CommandLine {
 public:
  /// `program` is "ptox check"; `words` is what follows the options in the usage line, such as "[--] PROG [ARGUMENTS]".
  CommandLine(std::string program, std::string words, std::string purpose);

  /// An option without a value.
  CommandLine& flag(const std::string& name, bool& value, const std::string& help);
  /// An option whose value is any text. `otherwise` is the default that is shown for an empty variable.
  CommandLine& text(const std::string& name, const std::string& placeholder, std::string& value,
                    const std::string& help, const std::string& otherwise = "none");
  /// An option whose value is the name of a file, which is not empty.
  CommandLine& file(const std::string& name, std::string& value, const std::string& help);
  /// A text option that may be given several times.
  CommandLine& texts(const std::string& name, const std::string& placeholder, std::vector<std::string>& values,
                     const std::string& help);
  CommandLine& number(const std::string& name, std::uint64_t& value, NumberRange, const std::string& help,
                      const std::string& otherwise = "");
  CommandLine& number(const std::string& name, int& value, NumberRange, const std::string& help,
                      const std::string& otherwise = "");
  /// An option whose value is one of `names`, or of `also`, which --help does not show.
  CommandLine& choice(const std::string& name, std::string& value, const std::vector<std::string>& names,
                      const std::string& help, const std::string& otherwise = "",
                      const std::vector<std::string>& also = {});
  /// If the option declared last is not given, it takes the value of this environment variable.
  CommandLine& or_variable(const std::string& variable);

  /// An argument that is not an option. It must be given if `required`.
  CommandLine& word(const std::string& placeholder, std::string& value, bool required);
  /// All arguments that are not options.
  CommandLine& words(std::vector<std::string>& values);
  /// Options end before the first other argument or after `--`; the rest belongs to another program.
  CommandLine& rest(std::vector<std::string>& values);

  /// A condition on the values: after they are parsed, `wrong` returns a sentence if it is broken, otherwise "".
  CommandLine& require(std::function<std::string()> wrong);

  /// A paragraph below the options.
  CommandLine& note(const std::string& text);
  CommandLine& example(const std::string& command, const std::string& purpose);

  std::string help() const;
  /// Fills the variables. Returns an exit code if the verb has to end, after printing the help (--help was given) or
  /// what is wrong.
  std::optional<int> parse(Arguments arguments) const;
  /// Prints what is wrong with the arguments; returns the exit code for that.
  int wrong(const std::string& sentence) const;

 private:
  struct Option {
    std::string name, placeholder, help, shown_default;
    std::string variable{};
    /// Stores the values, in the order in which they were given. Returns a sentence if one is wrong, otherwise an empty
    /// string.
    std::function<std::string(const std::vector<std::string>&)> take;
    bool is_flag() const { return placeholder.empty(); }
  };

  CommandLine& add(Option option);
  std::string read(Arguments arguments, bool& wants_help) const;
  static std::string take_variable(const Option& option);
  std::string take_words(const std::vector<std::string>& words) const;
  std::string unknown(const std::string& option) const;
  std::string misused(Arguments arguments) const;

  std::string program_, usage_words_, purpose_;
  std::vector<Option> options_;
  std::function<std::string(const std::vector<std::string>&)> take_words_;
  bool for_another_ = false;
  std::vector<std::function<std::string()>> conditions_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, std::string>> examples_;
};

}  // namespace ptox::tool
