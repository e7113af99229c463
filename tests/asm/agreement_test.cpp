// SPDX-License-Identifier: Apache-2.0
// The examples in PTO-AS, the same examples in C++, and the C++ printed from PTO-AS produce the same bytes.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <sstream>
#include <utility>

#include "asm/level/level.hpp"
#include "asm/run/lower.hpp"
#include "asm/run/run.hpp"
#include "asm/text/print.hpp"
#include "asm/verify/verify.hpp"
#include "cases.hpp"
#include "shell.hpp"

namespace ptox::assembly {

namespace {

struct Example {
  const char *text, *program;  ///< examples/<text>.pto has the kernel of the program
  int blocks;
};
constexpr Example examples[] = {{"embedding_lookup", "embedding_lookup", 4},
                                {"moe_dispatch", "moe", 4},
                                {"moe_combine", "moe", 4},
                                {"paged_kv", "paged_kv", 2},
                                {"sparse_gradient", "sparse_gradient", 4},
                                {"ping_pong", "ping_pong", 1}};

/// A folder with the arguments of an example, as its program saved them before and after the run.
class Dump {
 public:
  Dump(const Example& example, const Target& target)
      : path_(std::filesystem::temp_directory_path() /
              ("ptox_agree_" + std::to_string(getpid()) + "_" + example.text + "_" + target.name)) {
    std::filesystem::create_directories(path_);
    const Ended ran = shell(std::string("'" PTOX_EXAMPLES "/example_") + example.program + "' " + target.name +
                            " --dump '" + path_.string() + "'");
    EXPECT_EQ(ran.code, 0) << ran.output;
  }
  ~Dump() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  bool has(const std::string& name) const { return std::filesystem::exists(path_ / name); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

std::string text_of(const Example& example) {
  return contents(std::string(PTOX_SOURCE_DIR "/examples/") + example.text + ".pto");
}

std::unique_ptr<Module> load(const std::string& text) {
  Diagnostics said;
  auto module = read(text, "kernel.pto", TextForm::detect, said);
  EXPECT_TRUE(module) << text << (said.all().empty() ? "" : said.all()[0].message);
  return module;
}

/// Run options with the arguments of the dump: arrays as files, scalars as numbers.
RunOptions options_of(const Example& example, const Dump& dump, const std::vector<Parameter>& parameters) {
  RunOptions options;
  options.launch.blocks = example.blocks;
  options.check = Check::all;
  for (const Parameter& p : parameters) {
    const std::string file = dump.file(p.name + ".npy");
    if (p.kind == Parameter::Kind::pointer) {
      options.in[p.name] = file;
      continue;
    }
    std::int64_t value = 0;
    const NpyArray array = read_npy(file);
    std::memcpy(&value, array.bytes.data(), array.bytes.size());
    options.scalars[p.name] = std::to_string(value);
  }
  return options;
}

std::vector<Parameter> parameters_of(const std::string& text) {
  const auto module = load(text);
  Diagnostics said;
  Kernel kernel;
  EXPECT_TRUE(lower(*module, entry_of(*module, "", said), kernel, said));
  return kernel.parameters;
}

const char* cpp_type(DType d) {
  constexpr const char* names[] = {"int8_t", "uint8_t",    "int16_t", "uint16_t",      "int32_t",       "uint32_t",
                                   "half",   "bfloat16_t", "float",   "float8_e4m3_t", "float8_e5m2_t", "hifloat8_t"};
  return names[static_cast<int>(d)];
}

/// A kernel in PTO-AS that is printed as C++, compiled and run.
struct Printed {
  std::string name, text;
  int blocks = 1;
  std::vector<Parameter> parameters = parameters_of(text);
};

/// The C++ text of a function that reads every argument from the folder, launches the kernel, and writes every array
/// back.
std::string driver(const Printed& p, const std::string& kernel) {
  std::ostringstream out;
  out << "void drive(const ptox::Target& target, const std::string& folder) {\n"
      << "  ptox::Device dev(target, {.check = ptox::Check::all});\n";
  std::string arguments, save;
  for (const Parameter& a : p.parameters) {
    const bool pointer = a.kind == Parameter::Kind::pointer;
    const std::string type = pointer ? cpp_type(a.dtype) : a.bits == 32 ? "int32_t" : "int64_t", name = "a_" + a.name;
    out << "  const auto " << name << "_file = ptox::read_npy(folder + \"/" << a.name << ".npy\");\n  auto " << name
        << " = dev.alloc<" << type << ">(" << name << "_file.count());\n  std::memcpy(" << name << ".data(), " << name
        << "_file.bytes.data(), " << name << "_file.bytes.size());\n";
    arguments += ", " + name + (pointer ? ".data()" : "[0]");
    if (pointer)
      save += "  ptox::write_npy(folder + \"/" + a.name + ".printed.npy\", pto::instr::dtype_of<" + type + ">, " +
              name + "_file.shape, " + name + ".data());\n";
  }
  out << "  const auto report = dev.launch<" << kernel << ">({.blocks = " << p.blocks << "}" << arguments
      << ");\n  if (!report.clean()) std::cout << report.findings()[0].id;\n"
      << save << "}\n";
  return out.str();
}

/// The printed kernel in a namespace of its own, with its driver.
std::string with_driver(const Printed& p) {
  const auto module = load(p.text);
  Diagnostics said;
  std::istringstream lines(to_cpp(*module, said));
  EXPECT_FALSE(said.has_errors()) << said.all()[0].message;
  std::string includes, code, line;
  while (std::getline(lines, line)) (line.starts_with("#include") ? includes : code) += line + "\n";
  return includes + "namespace printed_" + p.name + " {\n" + code + driver(p, entry_of(*module, "", said)) + "}\n";
}

/// A compiled program that runs one of the kernels on a target with the arguments in a folder.
class Compilation {
 public:
  explicit Compilation(const std::vector<Printed>& kernels) {
    std::filesystem::create_directories(folder_);
    std::string text = "#include <cstring>\n#include <iostream>\n#include <ptox/npy.hpp>\n#include <ptox/ptox.hpp>\n";
    std::string main =
        "int main(int, char** argv) {\n  const std::string which = argv[1];\n"
        "  const ptox::Target& target = *ptox::find_target(argv[2]);\n";
    for (const Printed& p : kernels) {
      text += with_driver(p);
      main += "  if (which == \"" + p.name + "\") printed_" + p.name + "::drive(target, argv[3]);\n";
    }
    std::ofstream(folder_ / "printed.cpp") << text + main + "}\n";
    built_ = shell("cd '" + folder_.string() +
                   "' && CXX='" PTOX_CXX "' '" PTOX_TOOL "' c++ printed.cpp -o printed -O0 " PTOX_FLAGS);
  }
  ~Compilation() { std::filesystem::remove_all(folder_); }
  const Ended& built() const { return built_; }
  Ended run(const Printed& p, const Target& target, const std::string& arguments) const {
    return shell((folder_ / "printed").string() + " " + p.name + " " + target.name + " '" + arguments + "'");
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("ptox_printed_" + std::to_string(getpid()));
  Ended built_;
};

}  // namespace

TEST(agreement, examples_in_text_do_what_they_do_in_cpp) {
  for (const Example& example : examples)
    for (const Target* target : target::on_host) {
      const Dump dump(example, *target);
      const auto module = load(text_of(example));
      Diagnostics said;
      const auto result = run(*module, *target, options_of(example, dump, parameters_of(text_of(example))), said);
      ASSERT_TRUE(result) << example.text << " " << (said.all().empty() ? "" : said.all()[0].message);
      EXPECT_TRUE(result->report.clean()) << example.text << " on " << target->name;
      int compared = 0;
      for (const Argument& a : result->arguments) {
        if (!a.pointer || !dump.has(a.name + ".out.npy")) continue;
        ++compared;
        EXPECT_TRUE(a.written);
        EXPECT_EQ(a.bytes, read_npy(dump.file(a.name + ".out.npy")).bytes) << example.text << " " << a.name;
      }
      EXPECT_GE(compared, 1) << example.text;
    }
}

TEST(agreement, printed_cpp_does_what_the_text_does) {
  std::vector<Printed> kernels;
  for (const Example& example : examples) kernels.push_back({example.text, text_of(example), example.blocks});
  const Compilation program(kernels);
  ASSERT_EQ(program.built().code, 0) << program.built().output;
  for (std::size_t i = 0; i < std::size(examples); ++i)
    for (const Target* target : target::on_host) {
      const Dump dump(examples[i], *target);
      const Ended ran = program.run(kernels[i], *target, dump.path());
      EXPECT_EQ(ran.code, 0) << ran.output;
      EXPECT_EQ(ran.output, "") << examples[i].text << " on " << target->name;
      Diagnostics said;
      const auto module = load(kernels[i].text);
      const auto result = run(*module, *target, options_of(examples[i], dump, kernels[i].parameters), said);
      ASSERT_TRUE(result);
      for (const Argument& a : result->arguments)
        if (a.pointer) {
          EXPECT_EQ(a.bytes, read_npy(dump.file(a.name + ".printed.npy")).bytes) << examples[i].text << " " << a.name;
        }
    }
}

TEST(agreement, random_kernels_printed_as_cpp_do_what_the_text_does) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ptox_random_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  const auto file = [&](const std::string& name) { return (folder / name).string(); };
  Random random(3);
  std::vector<Printed> kernels;
  std::vector<Case> cases;
  while (kernels.size() < 16) {
    const Case c = random_case(random);
    Diagnostics said;
    verify(*load(text_of(c)), target::cpu, said);
    if (said.has_errors()) continue;
    cases.push_back(c);
    kernels.push_back({"k" + std::to_string(kernels.size()), text_of(c)});
  }
  const Compilation program(kernels);
  ASSERT_EQ(program.built().code, 0) << program.built().output;
  int compared = 0;
  for (std::size_t i = 0; i < kernels.size(); ++i)
    for (const Target* target : target::on_host) {
      RunOptions options;
      const std::int64_t n = cases[i].rows;
      options.scalars = {{"n", std::to_string(n)}};
      for (const char* name : {"data", "table", "idx"}) options.out[name] = file(std::string(name) + ".npy");
      Diagnostics said;
      const auto first = run(*load(kernels[i].text), *target, options, said);  // fills the arguments from the seed
      if (!first) continue;
      write_npy(file("n.npy"), DType::i64, {}, &n);
      options.in = std::exchange(options.out, {});
      const auto second = run(*load(kernels[i].text), *target, options, said);
      ASSERT_TRUE(second);
      const Ended ran = program.run(kernels[i], *target, folder.string());
      EXPECT_EQ(ran.code, 0) << ran.output;
      for (const Argument& a : second->arguments)
        if (a.pointer) {
          ++compared;
          EXPECT_EQ(a.bytes, read_npy(file(a.name + ".printed.npy")).bytes) << target->name << kernels[i].text;
        }
    }
  EXPECT_GT(compared, 60);
  std::filesystem::remove_all(folder);
}

}  // namespace ptox::assembly
