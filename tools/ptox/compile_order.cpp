// SPDX-License-Identifier: Apache-2.0
#include "compile_order.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ptox::tool {

namespace {

template <std::size_t n>
bool one_of(const std::array<std::string_view, n>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Flags whose value is the next argument, unless it is attached.
constexpr std::array<std::string_view, 31> with_value{"-o",          "-I",
                                                      "-D",          "-U",
                                                      "-L",          "-l",
                                                      "-x",          "-T",
                                                      "-u",          "-z",
                                                      "-e",          "-B",
                                                      "-MF",         "-MT",
                                                      "-MQ",         "-include",
                                                      "-imacros",    "-isystem",
                                                      "-iquote",     "-idirafter",
                                                      "-isysroot",   "--sysroot",
                                                      "--param",     "-Xlinker",
                                                      "-Xclang",     "-Xpreprocessor",
                                                      "-Xassembler", "-target",
                                                      "-arch",       "-aux-info",
                                                      "-mllvm"};
constexpr std::array<std::string_view, 12> for_the_last_step{"-o", "-l",       "-L",      "-T",      "-u",        "-z",
                                                             "-e", "-Xlinker", "-shared", "-static", "-rdynamic", "-s"};
constexpr std::array<std::string_view, 4> for_headers{"-I", "-isystem", "-iquote", "-idirafter"};
constexpr std::array<std::string_view, 6> without_link{"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only"};
constexpr std::array<std::string_view, 9> old_standards{"98", "03", "0x", "11", "1y", "14", "1z", "17", "2003"};
constexpr std::array<std::string_view, 7> of_cpp{".cpp", ".cc", ".cxx", ".cce", ".C", ".c++", ".cp"};

class Reader {
 public:
  explicit Reader(Arguments arguments) : arguments_(arguments) {}

  CompileOrder run() {
    for (; at_ < arguments_.size() && order_.wrong.empty(); ++at_) read(arguments_[at_]);
    const bool any =
        std::any_of(order_.words.begin(), order_.words.end(), [](const Word& w) { return w.kind != Word::Kind::flag; });
    if (order_.wrong.empty() && !any) order_.wrong = "there is no file to compile";
    return std::move(order_);
  }

 private:
  void read(const std::string& a) {
    if (a.empty())
      order_.wrong = "a file has a name; it is empty";
    else if (a == "--" && !only_files_)
      only_files_ = true;
    else if (only_files_ || a[0] != '-' || a == "-")
      file(a);
    else if (one_of(with_value, a))
      valued(a);
    else
      flag(a);
  }

  void file(const std::string& name) {
    if (name[0] == '@' && !only_files_) return add(Word::Kind::input, name);  // a response file, read by the compiler
    std::error_code none;
    if (name != "-" && !std::filesystem::exists(name, none)) order_.wrong = "there is no file '" + name + "'";
    if (std::filesystem::is_directory(name, none)) order_.wrong = "'" + name + "' is a folder, not a file";
    if (name.ends_with(".pto"))
      order_.wrong = "'" + name + "' is PTO-AS; `ptox run` runs it, and `ptox emit --as cpp` translates it to C++";
    const bool cpp =
        language_ == "c++" || (language_ == "none" && one_of(of_cpp, std::filesystem::path(name).extension().string()));
    add(cpp && name != "-" ? Word::Kind::source : Word::Kind::input,
        (only_files_ && name[0] == '-' ? "./" : "") + name);
  }

  void valued(const std::string& name) {
    if (at_ + 1 == arguments_.size()) {
      order_.wrong = name + " needs a value";
      return;
    }
    const std::string& value = arguments_[++at_];
    add(kind_of(name), name);
    add(kind_of(name), value);
    take(name, value);
  }

  void flag(const std::string& a) {
    if (a.starts_with("-std=") &&
        one_of(old_standards, std::string_view(a).substr(std::min(a.size(), a.find('+') + 2)))) {
      order_.old_standard = a;
      return;
    }
    add(kind_of(a), a);
    if (one_of(without_link, a)) order_.links = false;
    if (a == "-E" || a == "-M" || a == "-MM") order_.only_preprocesses = true;
    if (a.starts_with("-std=")) order_.has_standard = true;
    if (a.starts_with("-O")) order_.has_optimization = true;
    for (const std::string_view name : with_value)
      if (name.size() == 2 && a.starts_with(name)) take(name, a.substr(2));
    for (const std::string_view name : {"-isystem", "-iquote", "-idirafter", "-MF"})
      if (a.starts_with(name)) take(name, a.substr(name.size()));
  }

  static Word::Kind kind_of(const std::string& flag) {
    const bool attached = flag.starts_with("-l") || flag.starts_with("-L") || flag.starts_with("-o");
    const bool last = attached || flag.starts_with("-Wl,") || one_of(for_the_last_step, flag);
    return last ? Word::Kind::last : Word::Kind::flag;
  }

  void take(std::string_view name, const std::string& value) {
    if (name == "-o") order_.output = value;
    if (name == "-MF") order_.dependencies = value;
    if (name == "-x") language_ = value;
    if (name == "-D") check_target(value);
    if (name == "-include") order_.forced.push_back(value);
    if (one_of(for_headers, name)) order_.folders.push_back(value);
  }

  /// PTO_TARGET is part of a name in the headers; a wrong value would give pages of errors there.
  void check_target(std::string_view macro) {
    constexpr std::string_view name = "PTO_TARGET";
    if (macro.substr(0, macro.find('=')) != name) return;
    const std::string_view value = macro.substr(std::min(macro.size(), name.size() + 1));
    if (value != "cpu" && value != "a2a3" && value != "a5")
      order_.wrong = "-DPTO_TARGET is '" + std::string(value) + "'; it must be cpu, a2a3 or a5";
  }

  void add(Word::Kind kind, const std::string& text) { order_.words.push_back({kind, text}); }

  Arguments arguments_;
  std::size_t at_ = 0;
  bool only_files_ = false;
  std::string language_ = "none";
  CompileOrder order_;
};

}  // namespace

CompileOrder compile_order(Arguments arguments) { return Reader(arguments).run(); }

}  // namespace ptox::tool
