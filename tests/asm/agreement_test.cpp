// SPDX-License-Identifier: Apache-2.0
// Do the examples in text, the same in C++, and the C++ printed from the text leave the same bytes?
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "asm/level.hpp"
#include "asm/lower.hpp"
#include "asm/print.hpp"
#include "asm/run.hpp"
#include "asm/verify.hpp"
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

/// A folder with the arguments of an example, as its program had them before and after.
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

std::unique_ptr<Module> load(const Example& example) {
  Diagnostics said;
  const std::string file = std::string(PTOX_SOURCE_DIR "/examples/") + example.text + ".pto";
  auto module = read(contents(file), file, TextForm::detect, said);
  EXPECT_TRUE(module) << file << (said.all().empty() ? "" : said.all()[0].message);
  return module;
}

/// Arguments from the dump: arrays as files, scalars as numbers.
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

std::vector<Parameter> parameters_of(const Example& example) {
  const auto module = load(example);
  Diagnostics said;
  Kernel kernel;
  EXPECT_TRUE(lower(*module, entry_of(*module, "", said), kernel, said));
  return kernel.parameters;
}

const char* cpp_type(DType d) {
  return d == DType::i32 ? "int32_t" : d == DType::f32 ? "float" : d == DType::f16 ? "half" : "bfloat16_t";
}

/// The printed kernel in a namespace of its own, and a function that runs it on a dump.
std::string with_driver(const Example& example, const std::vector<Parameter>& parameters) {
  const auto module = load(example);
  Diagnostics said;
  std::istringstream lines(to_cpp(*module, said));
  EXPECT_FALSE(said.has_errors()) << said.all()[0].message;
  std::string includes, code, line;
  while (std::getline(lines, line)) (line.starts_with("#include") ? includes : code) += line + "\n";
  std::ostringstream out;
  out << includes << "namespace printed_" << example.text << " {\n"
      << code << "\nvoid drive(const ptox::Target& target, "
      << "const std::string& folder) {\n  ptox::Device dev(target, {.check = ptox::Check::all});\n";
  std::string arguments, save;
  for (const Parameter& p : parameters) {
    const bool pointer = p.kind == Parameter::Kind::pointer;
    const std::string type = pointer ? cpp_type(p.dtype) : "int32_t", name = "a_" + p.name;
    out << "  const auto " << name << "_file = ptox::read_npy(folder + \"/" << p.name << ".npy\");\n  auto " << name
        << " = dev.alloc<" << type << ">(" << name << "_file.count());\n  std::memcpy(" << name << ".data(), " << name
        << "_file.bytes.data(), " << name << "_file.bytes.size());\n";
    arguments += ", " + name + (pointer ? ".data()" : "[0]");
    if (pointer)
      save += "  ptox::write_npy(folder + \"/" + p.name + ".printed.npy\", pto::instr::dtype_of<" + type + ">, " +
              name + "_file.shape, " + name + ".data());\n";
  }
  const std::string kernel = entry_of(*module, "", said);
  out << "  const auto report = dev.launch<" << kernel << ">({.blocks = " << example.blocks << "}" << arguments
      << ");\n  if (!report.clean()) std::cout << report;\n"
      << save << "}\n}\n";
  return out.str();
}

std::string program_text(const std::vector<std::vector<Parameter>>& parameters) {
  std::string out = "#include <cstring>\n#include <iostream>\n#include <ptox/npy.hpp>\n#include <ptox/ptox.hpp>\n";
  std::string main =
      "int main(int, char** argv) {\n  const std::string which = argv[1];\n"
      "  const ptox::Target& target = *ptox::find_target(argv[2]);\n";
  for (std::size_t i = 0; i < std::size(examples); ++i) {
    out += with_driver(examples[i], parameters[i]);
    main += std::string("  if (which == \"") + examples[i].text + "\") printed_" + examples[i].text +
            "::drive(target, argv[3]);\n";
  }
  return out + main + "}\n";
}

}  // namespace

TEST(agreement, examples_in_text_do_what_they_do_in_cpp) {
  for (const Example& example : examples)
    for (const Target* target : target::all) {
      const Dump dump(example, *target);
      const auto module = load(example);
      Diagnostics said;
      const auto result = run(*module, *target, options_of(example, dump, parameters_of(example)), said);
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
  std::vector<std::vector<Parameter>> parameters;
  for (const Example& example : examples) parameters.push_back(parameters_of(example));
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ptox_printed_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "printed.cpp") << program_text(parameters);
  const Ended built =
      shell("cd '" + folder.string() + "' && '" PTOX_TOOL "' c++ printed.cpp -o printed -O0 " PTOX_FLAGS);
  ASSERT_EQ(built.code, 0) << built.output;
  for (std::size_t i = 0; i < std::size(examples); ++i)
    for (const Target* target : target::all) {
      const Dump dump(examples[i], *target);
      const Ended ran =
          shell((folder / "printed").string() + " " + examples[i].text + " " + target->name + " '" + dump.path() + "'");
      EXPECT_EQ(ran.code, 0) << ran.output;
      EXPECT_EQ(ran.output, "") << examples[i].text << " on " << target->name;
      Diagnostics said;
      const auto module = load(examples[i]);
      const auto result = run(*module, *target, options_of(examples[i], dump, parameters[i]), said);
      ASSERT_TRUE(result);
      for (const Argument& a : result->arguments)
        if (a.pointer) {
          EXPECT_EQ(a.bytes, read_npy(dump.file(a.name + ".printed.npy")).bytes) << examples[i].text << " " << a.name;
        }
    }
  std::filesystem::remove_all(folder);
}

}  // namespace ptox::assembly
