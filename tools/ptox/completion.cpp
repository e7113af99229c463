// SPDX-License-Identifier: Apache-2.0
// Which words may follow on the command line, for the shell to complete?
#include <cctype>
#include <iostream>
#include <set>
#include <string>

#include "verbs.hpp"

namespace ptox::tool {

namespace {

/// The options that a verb's help names.
std::string options_of(const Verb& verb) {
  const std::string help = verb.help;
  std::set<std::string> options{"--help"};
  for (std::size_t at = help.find("--"); at != std::string::npos; at = help.find("--", at + 2)) {
    std::size_t end = at + 2;
    while (end < help.size() && (std::islower(static_cast<unsigned char>(help[end])) || help[end] == '-')) ++end;
    if (end > at + 2) options.insert(help.substr(at, end - at));
  }
  std::string all;
  for (const std::string& option : options) all += (all.empty() ? "" : " ") + option;
  return all;
}

int run(Arguments arguments) {
  if (!arguments.empty())
    return usage_error(completion_verb, "it takes no arguments; '" + arguments[0] + "' was given");
  std::cout << "# bash completion of ptox: source <(ptox completion)\n_ptox() {\n  local words\n  case "
               "${COMP_WORDS[1]-} in\n";
  std::string names;
  for (const Verb* verb : all_verbs()) {
    names += verb->name + std::string(" ");
    std::cout << "    " << verb->name << ") words='" << options_of(*verb) << "' ;;\n";
  }
  std::cout << "    *) words= ;;\n  esac\n"
               "  if ((COMP_CWORD == 1)); then words='"
            << names
            << "--help --version'; fi\n"
               "  case ${COMP_WORDS[COMP_CWORD - 1]} in\n"
               "    --target) words='cpu a2a3 a5' ;;\n"
               "    --check) words='off all' ;;\n"
               "    --format) words='text json sarif' ;;\n"
               "    --form) words='as mlir' ;;\n"
               "    --as) words='level1 level2 as cpp' ;;\n"
               "  esac\n"
               "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
               "}\ncomplete -o default -F _ptox ptox ./ptox\n";
  return ok;
}

}  // namespace

const Verb completion_verb{"completion", "print what bash needs to complete the words of a command",
                           "usage: ptox completion\n\n"
                           "Prints a bash function that completes verbs, options and their values:\n"
                           "source <(ptox completion)\n",
                           run};

}  // namespace ptox::tool
