// SPDX-License-Identifier: Apache-2.0
// ptox c++: compiles kernels and programs with the system's compiler after rewriting their <<<>>> launches.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_line.hpp"
#include "compile_order.hpp"
#include "includes.hpp"
#include "installation.hpp"
#include "launch_syntax.hpp"
#include "process.hpp"
#include "verbs.hpp"

namespace ptox::tool {

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// Ends the verb with a sentence for the user and an exit code.
struct Stop {
  int code;
  std::string sentence;
};

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Stop{found, "ptox c++: cannot read " + path.string()};
  return text.str();
}

void write_file(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw Stop{found, "ptox c++: cannot write " + path.string()};
}

/// The compiler: $CXX, which may contain flags, otherwise the first known compiler that is installed.
Words compiler() {
  const char* wanted = std::getenv("CXX");
  std::istringstream text(wanted ? wanted : "");
  Words words;
  for (std::string word; text >> word;) words.push_back(word);
  if (words.empty())
    for (const char* name : {"g++", "clang++-19", "clang++", "c++"})
      if (words.empty() && find_program(name)) words = {name};
  if (words.empty()) throw Stop{usage, "ptox c++: there is no C++ compiler; install g++ or name one in CXX"};
  if (!find_program(words[0])) throw Stop{usage, "ptox c++: CXX is '" + words[0] + "', which is not a program"};
  return words;
}

std::string quoted(const std::string& path) {
  std::string out = "\"";
  for (const char c : path) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out + "\"";
}

/// The source that is compiled; #line keeps the line numbers and the name of the original file.
std::string with_header(const std::string& path, std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  return "#include <ptox/launch_syntax.hpp>\n#line 1 " + quoted(path) + "\n" + text;
}

std::string folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

[[noreturn]] void stop_at(const std::string& file, int line, const std::string& sentence) {
  throw Stop{found, file + ":" + std::to_string(line) + ": error: " + sentence};
}

/// Flags that name files of dependencies.
bool is_dependency_flag(const std::string& flag) {
  return flag == "-MD" || flag == "-MMD" || flag == "-MP" || flag == "-MG" || flag.starts_with("-MF") ||
         flag.starts_with("-MT") || flag.starts_with("-MQ");
}

/// Flags whose value is the next word.
bool takes_next_word(const std::string& flag) {
  return flag == "-MF" || flag == "-MT" || flag == "-MQ" || flag == "-include";
}

/// Warns if another implementation of PTO is on the include path: whether its headers or those of ptox are included
/// depends on the form of the #include.
void warn_of_other_headers(const CompileOrder& order, const fs::path& include) {
  std::set<std::string> folders(order.folders.begin(), order.folders.end());
  for (const Word& w : order.words)
    if (w.kind == Word::Kind::source) folders.insert(folder_of(w.text));
  for (const std::string& folder : folders) {
    const fs::path other = fs::path(folder) / "pto/pto-inst.hpp";
    std::error_code none;
    if (!fs::exists(other, none) || fs::equivalent(other, include / "pto/pto-inst.hpp", none)) continue;
    std::cerr << "ptox c++: warning: " << other.string() << " is not the header of ptox, which is "
              << (include / "pto/pto-inst.hpp").string() << " and comes first for <>; leave that folder out\n";
  }
}

class Compilation {
 public:
  Compilation(CompileOrder order, const Installation& parts, Words compiler)
      : order_(std::move(order)), parts_(parts), compiler_(std::move(compiler)) {}

  int run() {
    rewrite_all();
    if (!inlined_.empty() && !order_.links && !order_.output.empty() && files() > 1)
      throw Stop{usage, "ptox c++: -o with -c names one object, and there are " + std::to_string(files()) + " files"};
    for (const std::string& name : inlined_) compile_inlined(name);
    std::set<std::string> folders;
    for (const auto& [name, file] : rewrites_)
      if (!done_.contains(name)) folders.insert(folder_of(name));
    if (folders.size() > 1) compile_apart();
    if (order_.links || files() > done_.size()) call(last_command(folders));
    for (const auto& [name, file] : rewrites_)
      if (!done_.contains(name)) name_in_dependencies(name, file);
    return ok;
  }

 private:
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::count_if(order_.words.begin(), order_.words.end(), [](const Word& w) { return w.is_file(); }));
  }

  /// Rewrites the sources that launch kernels. Sources that include a header with launches are only listed.
  void rewrite_all() {
    for (const Word& w : order_.words) {
      if (w.kind != Word::Kind::source || rewrites_.contains(w.text) || inlined_.contains(w.text)) continue;
      if (!order_.only_preprocesses && included_files_launch(w.text, order_.folders, order_.forced)) {
        inlined_.insert(w.text);
        continue;
      }
      const Rewritten r = rewrite_launches(read_file(w.text));
      if (r.complaint) stop_at(w.text, r.complaint->line, r.complaint->sentence);
      if (r.launches == 0) continue;
      rewrites_[w.text] = place_for(w.text);
      write_file(rewrites_[w.text], with_header(w.text, r.text));
    }
  }

  /// A temporary file that keeps the name of the source, after which the compiler names objects.
  std::string place_for(const std::string& source) {
    const fs::path folder = temporary_.path() / std::to_string(places_++);
    fs::create_directory(folder);
    return folder / fs::path(source).filename();
  }

  /// Compiles a source that includes headers with launches: its text with that of all headers, in which macros are not
  /// yet expanded, so that messages name the right lines and columns.
  void compile_inlined(const std::string& name) {
    const std::string file = place_for(name);
    inline_headers(name, file);
    const Rewritten r = rewrite_launches(read_file(file));
    if (r.complaint) {
      const SourceLine at = origin_of(read_file(file), r.complaint->line);
      stop_at(at.file, at.line, r.complaint->sentence);
    }
    write_file(file, r.text);
    Words command = begin("");
    append_flags(command, [](const std::string& flag) { return flag == "-include" || is_dependency_flag(flag); });
    if (order_.links) command.emplace_back("-c");
    command.insert(command.end(), {"-x", "c++"});
    if (!is_clang()) command.insert(command.end(), {"-fpreprocessed", "-fdirectives-only"});
    const std::string object = order_.links ? file + ".o" : order_.output;
    if (!object.empty()) command.insert(command.end(), {"-o", object});
    command.push_back(file);
    call(command);
    rewrites_[name] = object;
    done_.insert(name);
  }

  /// Writes the text of a source with that of the headers that it includes, and the dependency file that the flags ask
  /// for.
  void inline_headers(const std::string& name, const std::string& file) {
    Words command = begin(folder_of(name));
    command.insert(command.end(), {"-include", (parts_.include / "ptox/launch_syntax.hpp").string()});
    append_flags(command, [](const std::string& flag) { return flag == "-c" || flag == "-S" || flag == "-MF"; });
    if (has_flag("-MD") || has_flag("-MMD")) append_dependencies(command, name);
    command.insert(command.end(),
                   {"-E", is_clang() ? "-frewrite-includes" : "-fdirectives-only", "-x", "c++", name, "-o", file});
    call(command);
  }

  /// The file of dependencies and the object in it, as the compiler names them when it preprocesses and compiles at
  /// once.
  void append_dependencies(Words& command, const std::string& name) {
    const fs::path stem = fs::path(name).stem();
    const bool object_is_output = !order_.links && !order_.output.empty();
    const std::string object = object_is_output ? order_.output : stem.string() + ".o";
    const std::string beside = object_is_output ? fs::path(order_.output).replace_extension(".d").string()
                               : order_.links
                                   ? (order_.output.empty() ? "a" : order_.output) + "-" + stem.string() + ".d"
                                   : stem.string() + ".d";
    command.insert(command.end(), {"-MF", order_.dependencies.empty() ? beside : order_.dependencies});
    if (!has_flag("-MT") && !has_flag("-MQ")) command.insert(command.end(), {"-MQ", object});
  }

  bool has_flag(std::string_view name) const {
    return std::any_of(order_.words.begin(), order_.words.end(),
                       [&](const Word& w) { return w.kind == Word::Kind::flag && w.text == name; });
  }

  /// Appends the flags of single compilations but those that `left_out` selects, with their values.
  template <class P>
  void append_flags(Words& command, P left_out) const {
    bool skip_value = false;
    for (const Word& w : order_.words) {
      if (w.kind != Word::Kind::flag) continue;
      if (!std::exchange(skip_value, false) && !left_out(w.text))
        command.push_back(w.text);
      else
        skip_value = left_out(w.text) && takes_next_word(w.text);
    }
  }

  bool is_clang() {
    if (!clang_) {
      const std::string macros = temporary_.path() / "macros";
      Words command = compiler_;
      command.insert(command.end(), {"-E", "-dM", "-x", "c++", "/dev/null", "-o", macros});
      call(command);
      clang_ = read_file(macros).find("#define __clang__ ") != std::string::npos;
    }
    return *clang_;
  }

  /// Compiles each rewritten file separately, so that its "header" includes are searched in the folder of its original
  /// only.
  void compile_apart() {
    if (!order_.links) throw Stop{usage, "ptox c++: files of several folders have launches; with -c, one at a time"};
    for (auto& [name, file] : rewrites_) {
      if (done_.contains(name)) continue;
      Words command = begin(folder_of(name));
      append_flags(command, [](const std::string&) { return false; });
      const std::string object = file + ".o";
      command.insert(command.end(), {"-c", "-x", "c++", file, "-o", object});
      call(command);
      file = object;
    }
  }

  Words begin(const std::string& folder) const {
    Words command = compiler_;
    if (!order_.has_standard) command.emplace_back("-std=c++20");
    if (!order_.has_optimization) command.emplace_back("-O2");
    command.insert(command.end(), {"-I", parts_.include.string(), "-pthread"});
    if (!folder.empty()) command.insert(command.end(), {"-iquote", folder});
    return command;
  }

  Words last_command(const std::set<std::string>& folders) const {
    Words command = begin(folders.size() == 1 ? *folders.begin() : "");
    for (const Word& w : order_.words) add(command, w);
    if (order_.links) command.push_back(parts_.library.string());
    return command;
  }

  void add(Words& command, const Word& w) const {
    const auto rewritten = rewrites_.find(w.text);
    const bool instead = w.kind == Word::Kind::source && rewritten != rewrites_.end();
    if (instead && done_.contains(w.text)) {
      if (order_.links) command.insert(command.end(), {"-x", "none", rewritten->second});
      return;
    }
    const std::string file = instead ? rewritten->second : w.text;
    const bool unknown = w.kind == Word::Kind::source && file.ends_with(".cce");
    if (unknown) command.insert(command.end(), {"-x", "c++", file, "-x", "none"});
    if (!unknown) command.push_back(file);
  }

  static void call(const Words& command) {
    const ProgramEnd end = run_program(command);
    if (!end.error.empty()) throw Stop{found, "ptox c++: " + command[0] + " did not start: " + end.error};
    if (end.signal) throw Stop{found, "ptox c++: " + command[0] + " was ended by signal " + signal_text(end.signal)};
    if (end.code) throw Stop{found, ""};
  }

  /// Replaces the name of the rewritten file by the name of the original in the dependency files of -MD and similar
  /// options.
  void name_in_dependencies(const std::string& name, const std::string& file) const {
    const std::string stem = fs::path(name).stem().string();
    for (const fs::path& list :
         {fs::path(order_.dependencies), fs::path(order_.output).replace_extension(".d"), fs::path(stem + ".d"),
          fs::path(order_.output + "-" + stem + ".d"), fs::path("a-" + stem + ".d")}) {
      std::error_code none;
      std::string text = fs::is_regular_file(list, none) ? read_file(list) : "";
      const std::size_t at = text.find(file);
      if (at != text.npos) write_file(list, text.replace(at, file.size(), name));
    }
  }

  CompileOrder order_;
  Installation parts_;
  Words compiler_;
  TemporaryFolder temporary_;
  int places_ = 0;
  std::map<std::string, std::string> rewrites_;  ///< the file that is compiled or linked in place of a source
  std::set<std::string> inlined_;                ///< sources that include headers with launches
  std::set<std::string> done_;                   ///< sources that are compiled already
  std::optional<bool> clang_;
};

void refuse_to_overwrite(const CompileOrder& order) {
  std::error_code none;
  for (const Word& w : order.words)
    if (w.is_file() && !order.output.empty() && fs::equivalent(w.text, order.output, none))
      throw Stop{usage, "ptox c++: -o " + order.output + " would overwrite the input " + w.text};
}

int compile(CompileOrder order) {
  try {
    refuse_to_overwrite(order);
    if (!order.old_standard.empty())
      std::cerr << "ptox c++: warning: " << order.old_standard << " is left out, the headers of ptox are C++20\n";
    const Installation parts = find_installation();
    warn_of_other_headers(order, parts.include);
    return Compilation(std::move(order), parts, compiler()).run();
  } catch (const MissingPart& missing) {
    throw Stop{internal, "ptox c++: " + missing.sentence};
  }
}

/// Used for --help and errors only: compile_order and the compiler parse the arguments.
CommandLine command_line() {
  return CommandLine(
             "ptox c++", "FILES -o PROG [FLAGS]",
             "Compiles and links FILES with $CXX, else g++ or clang++, as C++20 with the headers and the library "
             "of ptox. All flags go to the compiler. Objects and libraries may be among FILES.")
      .note(
          "flags with a meaning here:\n"
          "  -o PROG                   the program [default: a.out]\n"
          "  -c                        make objects [default: off]\n"
          "  -O LEVEL                  optimization [default: -O2]\n"
          "  -std=STANDARD             C++20 or later [default: -std=c++20]\n"
          "  -DPTO_TARGET=TARGET       make that machine's rules compile errors: cpu, a2a3 or a5 [default: none]")
      .note(
          "In .cpp .cc .cxx .C .c++ .cce files among FILES and in the headers that they include, kernel<<<numBlocks, "
          "dynUBufSize, stream>>>(args) becomes a launch on the default device. PTOX_TARGET, PTOX_CHECK and PTOX_SEED "
          "choose it when PROG runs, PTOX_REPORT and PTOX_TRACE name what is written; `ptox check PROG` sets them. A "
          "null argument is nullptr.")
      .note(
          "Headers for host programs: acl/acl.h, acl/acl_rt.h, acl/acl_base.h, hccl/hccl.h, hccl/hccl_comm.h, "
          "hccl/hccl_types.h, runtime/rt.h, runtime/rt_ffts.h. `ptox check --ranks N PROG` runs programs that join "
          "ranks by HCCL.")
      .note("Exit code 0: compiled; 1: not compiled; 2: wrong arguments or no compiler; 3: ptox is not complete.")
      .example("ptox c++ kernel.cpp main.cpp -o prog", "then `ptox check ./prog`")
      .example("ptox c++ -c kernel.cce -O3 -DPTO_TARGET=a5", "an object, with the rules of a5 as compile errors");
}

int run(Arguments arguments) {
  if (!arguments.empty() && (arguments[0] == "--help" || arguments[0] == "-h"))
    return std::cout << command_line().help(), ok;
  CompileOrder order = compile_order(arguments);
  if (!order.wrong.empty()) return command_line().wrong(order.wrong);
  try {
    return compile(std::move(order));
  } catch (const Stop& stop) {
    if (!stop.sentence.empty()) std::cerr << stop.sentence << '\n';
    return stop.code;
  }
}

}  // namespace

const Verb cxx_verb{"c++", "compile kernels and host programs that launch by <<<>>>",
                    [] { return command_line().help(); }, run};

}  // namespace ptox::tool
