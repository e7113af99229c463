// SPDX-License-Identifier: Apache-2.0
#include "asm/run/run.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <numeric>

#include "asm/level/level.hpp"
#include "asm/run/inputs.hpp"
#include "asm/run/jit.hpp"
#include "asm/run/run_on_ranks.hpp"
#include "asm/verify/verify.hpp"

namespace ptox::assembly {

namespace {

/// Maximum size of one argument.
constexpr std::int64_t most_bytes = std::int64_t{1} << 32;

class Runner : public std::enable_shared_from_this<Runner> {
 public:
  Runner(Module& module, const Target& target, RunOptions options, Diagnostics& out)
      : module_(module), target_(target), options_(std::move(options)), out_(out) {}

  std::optional<RunResult> run() {
    if (!prepare() || !bind_scalars()) return std::nullopt;
    uses_.resize(kernel_.parameters.size());
    for (int r = 0; r < ranks(); ++r) measure(r);
    auto result = options_.ranks ? run_by_ranks() : run_alone();
    if (!result) return std::nullopt;
    result->kernel = kernel_.name;
    result->checked = Device(target_, DeviceOptions{options_.check}).check() == Check::all;
    if (result->writes && !write_files(*result)) return std::nullopt;
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

  int ranks() const { return options_.ranks ? options_.ranks->count : 1; }

  std::optional<RunResult> run_alone() {
    RunResult result;
    if (!bind_pointers(-1, result.arguments)) return std::nullopt;
    for (std::size_t i = 0; i < result.arguments.size(); ++i) take_memory(i, result.arguments[i]);
    result.report = launch();
    for (std::size_t i = 0; i < result.arguments.size(); ++i) collect(i, result.arguments[i]);
    return result;
  }
  std::optional<RunResult> run_by_ranks() {
    const auto job = std::make_shared<RanksJob>(RanksJob{&target_, options_, kernel_.name});
    job->scalars = values_;
    job->block = [self = shared_from_this()](const std::uint64_t* values) { self->run_block(values); };
    for (int r = 0; r < ranks(); ++r) {
      job->arguments.emplace_back();
      if (!bind_pointers(r, job->arguments.back())) return std::nullopt;
    }
    return run_on_ranks(job, out_);
  }

  /// Verifies, transforms and compiles the module. False after adding an error.
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
    if (out_.has_errors() || !stage_collectives(module_, true, out_) || !place_tiles(module_, target_, out_))
      return false;
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

  /// Whether the kernel has the array `x` of `x` or `x@2` (with --ranks, the array of rank 2); otherwise adds an error.
  bool names_array(const std::string& name, const char* option) {
    const std::size_t at = name.find('@');
    if (at == std::string::npos) return find(name, true, option);
    const std::string text = name.substr(at + 1);
    int rank = -1;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), rank);
    if (!options_.ranks) return misuse(std::string(option) + " " + name + ": there are ranks with --ranks alone");
    if (fault != std::errc() || end != text.data() + text.size() || rank < 0 || rank >= ranks())
      return misuse(std::string(option) + " " + name + ": the rank is '" + text + "'; it must be 0 to " +
                    std::to_string(ranks() - 1));
    return find(name.substr(0, at), true, option);
  }

  bool bind_scalars() {
    for (const auto& [name, text] : options_.scalars)
      if (!find(name, false, "--arg")) return false;
    for (const auto* files : {&options_.in, &options_.out})
      for (const auto& [name, path] : *files)
        if (!names_array(name, files == &options_.in ? "--in" : "--out")) return false;
    values_.assign(kernel_.parameters.size(), 0);
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter& p = kernel_.parameters[i];
      if (p.kind == Parameter::Kind::pointer) continue;
      const auto given = options_.scalars.find(p.name);
      if (given == options_.scalars.end())
        return misuse("scalar argument " + p.name + " has no value: --arg " + p.name + "=128, for example");
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

  /// Executes the kernel without issuing instructions, to determine the sizes and uses of its arguments.
  void measure(int rank) {
    std::vector<std::uint64_t> arguments = values_;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (kernel_.parameters[i].kind == Parameter::Kind::pointer) arguments[i] = measuring_address(static_cast<int>(i));
    for (int b = 0; b < options_.launch.blocks; ++b) {
      BlockState block;
      block.arguments = arguments.data(), block.uses = &uses_, block.target = &target_;
      block.block = b, block.blocks = options_.launch.blocks;
      block.rank = rank, block.ranks = ranks();
      kernel_.program.run(code_.main(), block);
    }
  }

  /// Creates the arguments of a rank (-1: the run has no ranks).
  bool bind_pointers(int rank, std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < kernel_.parameters.size(); ++i) {
      const Parameter& p = kernel_.parameters[i];
      Argument argument;
      argument.name = p.name, argument.pointer = p.kind == Parameter::Kind::pointer, argument.dtype = p.dtype;
      argument.rank = rank;
      if (argument.pointer && !bind_pointer(i, p, argument)) return false;
      arguments.push_back(std::move(argument));
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
    if (const std::string file = file_of(options_.in, argument); !file.empty()) {
      if (!read_input(file, p, use, argument)) return false;
    } else {
      argument.bytes.resize(static_cast<std::size_t>(use.elements * size));
      const std::size_t before = static_cast<std::size_t>(std::max(0, argument.rank)) * kernel_.parameters.size();
      argument.origin = fill(argument.bytes, p.dtype, use, options_.launch.seed + before + i + 1);
    }
    const auto count = static_cast<std::int64_t>(argument.bytes.size());
    if (std::accumulate(argument.shape.begin(), argument.shape.end(), size, std::multiplies<>()) != count)
      argument.shape = {count / size};
    return true;
  }
  /// The file for an argument: `name@rank` if given, otherwise `name`; empty if there is none.
  static std::string file_of(const std::map<std::string, std::string>& files, const Argument& a) {
    auto file = files.find(a.name + "@" + std::to_string(a.rank));
    if (file == files.end()) file = files.find(a.name);
    return file == files.end() ? "" : file->second;
  }
  void take_memory(std::size_t i, const Argument& argument) {
    if (!argument.pointer) return;
    buffers_.push_back(device().alloc<std::byte>(static_cast<std::int64_t>(argument.bytes.size())));
    std::copy(argument.bytes.begin(), argument.bytes.end(), buffers_.back().data());
    values_[i] = reinterpret_cast<std::uintptr_t>(buffers_.back().data());
    buffer_of_.resize(i + 1, -1);
    buffer_of_[i] = static_cast<int>(buffers_.size()) - 1;
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
  void run_block(const std::uint64_t* values) const {
    BlockState state;
    state.arguments = values;
    kernel_.program.run(code_.main(), state);
  }
  Report launch() {
    Report report = device().launch(options_.launch, [this] { run_block(values_.data()); });
    report.set_kernel(kernel_.name);
    return report;
  }
  void collect(std::size_t i, Argument& argument) {
    if (!argument.pointer) return;
    const std::byte* from = buffers_[static_cast<std::size_t>(buffer_of_[i])].data();
    std::copy(from, from + argument.bytes.size(), argument.bytes.begin());
  }
  bool write_files(const RunResult& result) {
    for (const auto& [name, path] : options_.out) {
      const std::size_t at = name.find('@');
      std::vector<const Argument*> some;
      for (const Argument& a : result.arguments)
        if (a.name == name.substr(0, at) && (at == std::string::npos || name.substr(at + 1) == std::to_string(a.rank)))
          some.push_back(&a);
      if (!write_file(name, path, some, at == std::string::npos && options_.ranks)) return false;
    }
    return true;
  }
  /// Writes one array, or the arrays of all ranks stacked along a new first dimension (`stacked`).
  bool write_file(const std::string& name, const std::string& path, const std::vector<const Argument*>& parts,
                  bool stacked) {
    std::vector<std::int64_t> shape = parts[0]->shape;
    std::vector<std::byte> bytes;
    for (const Argument* part : parts) {
      if (part->shape != shape)
        return fail("--out " + name + ": ranks 0 and " + std::to_string(part->rank) +
                    " have arrays of other shapes. Name a rank: --out " + name + "@0=" + path);
      bytes.insert(bytes.end(), part->bytes.begin(), part->bytes.end());
    }
    if (stacked) shape.insert(shape.begin(), static_cast<std::int64_t>(parts.size()));
    try {
      write_npy(path, parts[0]->dtype, shape, bytes.data());
    } catch (const std::exception& e) {
      return fail("--out " + name + ": " + e.what());
    }
    return true;
  }

  Module& module_;
  const Target& target_;
  const RunOptions options_;
  Diagnostics& out_;
  Kernel kernel_;
  Compiled code_;
  std::vector<std::uint64_t> values_;
  std::vector<ArgumentUse> uses_;
  std::vector<Buffer<std::byte>> buffers_;
  std::vector<int> buffer_of_;
  std::optional<Device> device_;
};

}  // namespace

std::optional<RunResult> run(Module& module, const Target& target, const RunOptions& options, Diagnostics& out) {
  return std::make_shared<Runner>(module, target, options, out)->run();
}

}  // namespace ptox::assembly
