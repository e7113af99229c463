// SPDX-License-Identifier: Apache-2.0
#include "asm/run.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <numeric>

#include "asm/inputs.hpp"
#include "asm/jit.hpp"
#include "asm/level.hpp"
#include "asm/verify.hpp"

namespace ptox::assembly {

namespace {

/// For one argument.
constexpr std::int64_t most_bytes = std::int64_t{1} << 32;

class Runner {
 public:
  Runner(Module& module, const Target& target, const RunOptions& options, Diagnostics& out)
      : module_(module), target_(target), options_(options), out_(out) {}

  std::optional<RunResult> run() {
    if (!prepare() || !bind_scalars()) return std::nullopt;
    uses_.resize(kernel_.parameters.size());
    measure();
    if (!bind_pointers()) return std::nullopt;
    RunResult result;
    result.kernel = kernel_.name;
    result.checked = device().check() == Check::all;
    result.report = launch();
    result.arguments = std::move(arguments_);
    for (std::size_t i = 0; i < result.arguments.size(); ++i) collect(i, result.arguments[i]);
    if (!write_files(result)) return std::nullopt;
    return result;
  }

 private:
  bool fail(std::string message) {
    out_.error(std::move(message), {module_.file, 0, 0});
    return false;
  }

  bool misuse(std::string message) {
    out_.usage_error(std::move(message));
    return false;
  }

  /// From the module to machine code.
  bool prepare() {
    refuse_schematic(module_, out_);
    if (out_.has_errors()) return false;
    write_coalesce(module_, out_);
    verify(module_, target_, out_);
    if (out_.has_errors()) return false;
    const std::string entry = entry_of(module_, options_.kernel, out_);
    if (entry.empty()) return false;
    const bool values = has_values(module_);
    if (!to_level2(module_, out_)) return false;
    materialise_arguments(module_, entry, values, out_);
    if (out_.has_errors() || !place_tiles(module_, target_, out_)) return false;
    if (options_.insert_sync && !insert_sync(module_, target_, out_)) return false;
    return lower(module_, entry, kernel_, out_) && code_.compile(kernel_, out_);
  }

  const Parameter* find(const std::string& name, bool pointer, const char* option) {
    std::string names;
    for (const Parameter& p : kernel_.parameters) {
      const bool is_pointer = p.kind == Parameter::Kind::pointer;
      if (p.name == name && is_pointer == pointer) return &p;
      if (is_pointer == pointer) names += " " + p.name;
    }
    misuse(std::string(option) + ": kernel " + kernel_.name + " has no " + (pointer ? "array" : "scalar") + " '" +
           name + "'; it has" + (names.empty() ? " none" : names));
    return nullptr;
  }

  bool bind_scalars() {
    for (const auto& [name, text] : options_.scalars)
      if (!find(name, false, "--arg")) return false;
    for (const auto* files : {&options_.in, &options_.out})
      for (const auto& [name, path] : *files)
        if (!find(name, true, files == &options_.in ? "--in" : "--out")) return false;
    values_.assign(kernel_.parameters.size(), 0);
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter& p = kernel_.parameters[i];
      if (p.kind == Parameter::Kind::pointer) continue;
      const auto given = options_.scalars.find(p.name);
      if (given == options_.scalars.end())
        return misuse("scalar argument " + p.name + " has no value: --arg " + p.name + "=128, say");
      if (!bind_scalar(p, given->second, values_[i])) return false;
    }
    return true;
  }
  bool bind_scalar(const Parameter& p, const std::string& text, std::uint64_t& value) {
    if (p.kind == Parameter::Kind::floating) {
      double number = 0;
      const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
      if (fault != std::errc() || end != text.data() + text.size())
        return misuse("--arg " + p.name + "='" + text + "' is no number");
      pto::instr::with_type(p.dtype, [&]<class T>() {
        const auto typed = static_cast<T>(number);
        std::memcpy(&value, &typed, sizeof typed);
      });
      return true;
    }
    std::int64_t number = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::int64_t high = p.bits == 64 ? INT64_MAX : (std::int64_t{1} << p.bits) - 1;
    const std::int64_t low = p.bits == 64 ? INT64_MIN : -(std::int64_t{1} << (p.bits - 1));
    if (fault != std::errc() || end != text.data() + text.size() || number < low || number > high)
      return misuse("--arg " + p.name + "='" + text + "' is no integer of " + std::to_string(p.bits) + " bits");
    value = static_cast<std::uint64_t>(number);
    return true;
  }

  /// A run without instructions tells how large arguments are and what they are for.
  void measure() {
    std::vector<std::uint64_t> arguments = values_;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (kernel_.parameters[i].kind == Parameter::Kind::pointer) arguments[i] = measuring_address(static_cast<int>(i));
    for (int b = 0; b < options_.launch.blocks; ++b) {
      BlockState block;
      block.arguments = arguments.data(), block.uses = &uses_, block.target = &target_;
      block.block = b, block.blocks = options_.launch.blocks;
      kernel_.program.run(code_.main(), block);
    }
  }

  bool bind_pointers() {
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter& p = kernel_.parameters[i];
      Argument argument;
      argument.name = p.name, argument.pointer = p.kind == Parameter::Kind::pointer, argument.dtype = p.dtype;
      if (argument.pointer && !bind_pointer(i, p, argument)) return false;
      arguments_.push_back(std::move(argument));
    }
    return true;
  }
  bool bind_pointer(std::size_t i, const Parameter& p, Argument& argument) {
    const ArgumentUse& use = uses_[i];
    if (use.too_large) return fail("argument " + p.name + ": a view of it reaches below it or past 2^34 elements");
    argument.written = use.written;
    argument.shape = use.shape;
    const std::int64_t size = pto::instr::size_of(p.dtype);
    if (use.elements * size > most_bytes)
      return fail("argument " + p.name + ": its views take " + std::to_string(use.elements * size) +
                  " bytes; a run makes at most 4294967296 for one argument");
    if (const auto file = options_.in.find(p.name); file != options_.in.end()) {
      if (!read_input(file->second, p, use, argument)) return false;
    } else {
      argument.bytes.resize(static_cast<std::size_t>(use.elements * size));
      argument.origin = fill(argument.bytes, p.dtype, use, options_.launch.seed + i + 1);
    }
    const auto count = static_cast<std::int64_t>(argument.bytes.size());
    if (std::accumulate(argument.shape.begin(), argument.shape.end(), size, std::multiplies<>()) != count)
      argument.shape = {count / size};
    buffers_.push_back(device().alloc<std::byte>(count));
    std::copy(argument.bytes.begin(), argument.bytes.end(), buffers_.back().data());
    values_[i] = reinterpret_cast<std::uintptr_t>(buffers_.back().data());
    buffer_of_.resize(i + 1, -1);
    buffer_of_[i] = static_cast<int>(buffers_.size()) - 1;
    return true;
  }
  bool read_input(const std::string& path, const Parameter& p, const ArgumentUse& use, Argument& argument) {
    NpyArray array;
    try {
      array = read_npy(path);
    } catch (const std::exception& e) {
      return fail("--in " + p.name + ": " + e.what());
    }
    if (!npy_holds(array.descr, p.dtype))
      return fail("--in " + p.name + ": " + path + " holds '" + array.descr + "', the argument is " +
                  dtype_text(p.dtype) + ", in numpy '" + npy_descr(p.dtype) + "'. Save array.astype('" +
                  npy_descr(p.dtype) + "')");
    if (array.count() < use.elements)
      return fail("--in " + p.name + ": " + path + " has " + std::to_string(array.count()) +
                  " elements, the kernel's views take " + std::to_string(use.elements));
    argument.bytes = std::move(array.bytes);
    argument.shape = std::move(array.shape);
    argument.origin = path;
    return true;
  }

  Device& device() {
    if (!device_) device_.emplace(target_, DeviceOptions{options_.check});
    return *device_;
  }
  Report launch() {
    const auto block = [this] {
      BlockState state;
      state.arguments = values_.data();
      kernel_.program.run(code_.main(), state);
    };
    Report report = device().launch(options_.launch, block);
    report.set_kernel(kernel_.name);
    return report;
  }
  void collect(std::size_t i, Argument& argument) {
    if (!argument.pointer) return;
    const std::byte* from = buffers_[static_cast<std::size_t>(buffer_of_[i])].data();
    std::copy(from, from + argument.bytes.size(), argument.bytes.begin());
  }
  bool write_files(const RunResult& result) {
    for (const Argument& a : result.arguments)
      if (const auto file = options_.out.find(a.name); file != options_.out.end()) try {
          write_npy(file->second, a.dtype, a.shape, a.bytes.data());
        } catch (const std::exception& e) {
          return fail("--out " + a.name + ": " + e.what());
        }
    return true;
  }

  Module& module_;
  const Target& target_;
  const RunOptions& options_;
  Diagnostics& out_;
  Kernel kernel_;
  Compiled code_;
  std::vector<std::uint64_t> values_;
  std::vector<ArgumentUse> uses_;
  std::vector<Argument> arguments_;
  std::vector<Buffer<std::byte>> buffers_;
  std::vector<int> buffer_of_;
  std::optional<Device> device_;
};

}  // namespace

std::optional<RunResult> run(Module& module, const Target& target, const RunOptions& options, Diagnostics& out) {
  return Runner(module, target, options, out).run();
}

}  // namespace ptox::assembly
