// SPDX-License-Identifier: Apache-2.0
// Prints what bash needs to complete the words of a command.
#include <iostream>
#include <sstream>
#include <string>

#include "command_line.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

/// The options of a verb, read from its help, which lists one per line.
std::string options_of(const Verb& verb) {
  std::istringstream help(verb.help());
  std::string all;
  for (std::string line; std::getline(help, line);)
    if (line.starts_with("  --")) all += (all.empty() ? "" : " ") + line.substr(2, line.find_first_of(" \n", 2) - 2);
  return all;
}

CommandLine command_line() {
  return CommandLine("ptox completion", "", "Prints a bash function that completes verbs, options and their values.")
      .example("source <(ptox completion)", "completion in this shell; in ~/.bashrc: in every shell");
}

int run(Arguments arguments) {
  if (const auto code = command_line().parse(arguments)) return *code;
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
                           [] { return command_line().help(); }, run};

}  // namespace ptox::tool
