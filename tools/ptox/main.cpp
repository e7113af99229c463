// SPDX-License-Identifier: Apache-2.0
// The main function of ptox: runs one verb, or prints the help of all.
#include <stdlib.h>

#include <algorithm>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "suggest.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

const Verb* const verbs[] = {&demo_verb,  &run_verb, &verify_verb, &emit_verb,      &cxx_verb,
                             &check_verb, &isa_verb, &bench_verb,  &completion_verb};

void explain(std::ostream& out) {
  out << "ptox runs gather and scatter kernels of the PTO tile instruction set without the hardware.\n\n"
         "usage: ptox VERB [arguments]        ptox VERB --help explains one\n\n";
  for (const Verb* v : verbs)
    out << "  " << v->name << std::string(12 - std::string(v->name).size(), ' ') << v->summary << '\n';
  out << "\n  --version   print the version\n  --help      print this\n\n"
         "Start with `ptox demo`. Kernels are C++: include <pto/pto-inst.hpp>, link ptox::pto, or let\n"
         "`ptox c++ kernel.cpp main.cpp -o prog` do it, and then `ptox check ./prog`. Or they are\n"
         "PTO-AS, the textual form: `ptox run kernel.pto`.\n";
}

int no_verb(const std::string& word) {
  std::vector<std::string> names{"--help", "--version"};
  for (const Verb* v : verbs) names.emplace_back(v->name);
  const std::string suggestion = did_you_mean(word, names);
  std::cerr << "ptox: there is no verb '" << word << '\'' << suggestion;
  if (suggestion.empty()) {
    std::cerr << "; there are";
    for (const Verb* v : verbs) std::cerr << ' ' << v->name;
  }
  std::cerr << (suggestion.empty() ? ". " : " ") << "`ptox --help` explains them\n";
  return usage;
}

/// Removes the variables of ptox from the environment, so that launches of the tool itself follow its options only.
/// `ptox check` needs them: they are its defaults, and it gives the resulting values to the program that it runs.
void ignore_variables() {
  for (const char* name : {"PTOX_TARGET", "PTOX_CHECK", "PTOX_SEED", "PTOX_REPORT", "PTOX_TRACE"}) unsetenv(name);
}

int help(const std::vector<std::string>& words);

int dispatch(const std::vector<std::string>& words) {
  if (words.empty()) return explain(std::cout), ok;
  const std::string& first = words.front();
  if (first == "help") return help({words.begin() + 1, words.end()});
  if (first == "--help" || first == "-h") return explain(std::cout), ok;
  if (first == "--version") return std::cout << "ptox " << PTOX_VERSION << '\n', ok;
  const auto verb = std::find_if(std::begin(verbs), std::end(verbs), [&](const Verb* v) { return first == v->name; });
  if (verb == std::end(verbs)) return no_verb(first);
  if (*verb != &check_verb) ignore_variables();
  return (*verb)->run(Arguments(words.data() + 1, words.size() - 1));
}

/// `ptox help [VERB]`
int help(const std::vector<std::string>& words) {
  if (words.size() < 2) return words.empty() ? dispatch({"--help"}) : dispatch({words[0], "--help"});
  std::cerr << "ptox help: one VERB at a time; '" << words[0] << "' and '" << words[1] << "' were given\n";
  return usage;
}

}  // namespace

std::span<const Verb* const> all_verbs() { return verbs; }

}  // namespace ptox::tool

int main(int argc, char** argv) {
  try {
    const int code = ptox::tool::dispatch({argv + 1, argv + argc});
    std::cout.flush();
    if (std::cout) return code;
    std::cerr << "ptox: standard output cannot be written\n";
    return ptox::tool::internal;
  } catch (const std::exception& e) {
    std::cerr << "ptox: internal error: " << e.what() << '\n';
    return ptox::tool::internal;
  }
}
