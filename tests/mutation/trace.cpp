// SPDX-License-Identifier: Apache-2.0
#include "mutation/trace.hpp"

#include <algorithm>
#include <string_view>

#include "engine/core/core.hpp"

namespace ptox::mutation {

namespace {

/// The bytes of an access in the buffers of the current core.
std::span<std::byte> bytes_of(const Step::Touch& t) {
  std::byte* base = current_core().space(static_cast<pto::TileType>(t.space)).base();
  return {base + t.begin, static_cast<std::size_t>(t.end - t.begin)};
}

/// Whether the written bytes come from the C++ code of the kernel and not from an instruction.
bool from_kernel(const Step& s) { return s.kind == Step::Kind::outside || std::string_view(s.mnemonic) == "SetValue"; }

/// Records the steps of a launch without a seed. Bytes that the kernel itself stored are saved when its next step is
/// recorded.
class Tape : public Recorder {
 public:
  Tape(int blocks, std::function<void()> first) : taken_(static_cast<std::size_t>(blocks)), first_(std::move(first)) {
    installed_recorder = this;
  }
  ~Tape() override { installed_recorder = nullptr; }

  void take(Step step) override {
    if (!last_ && first_) first_();
    keep_bytes();
    auto& block = taken_[static_cast<std::size_t>(step.block)];
    block.push_back({std::move(step), {}});
    last_ = &block.back();
  }
  std::vector<std::vector<Taken>> finish() { return std::move(taken_); }

 private:
  void keep_bytes() {
    if (!last_ || !from_kernel(last_->step)) return;
    const auto bytes = bytes_of(last_->step.touches.front());
    last_->bytes.assign(bytes.begin(), bytes.end());
  }

  std::vector<std::vector<Taken>> taken_;
  std::function<void()> first_;
  Taken* last_ = nullptr;  // valid until the next step is added to its block
};

Program program_of(const std::vector<Taken>& block) {
  Program p;
  for (const Taken& t : block) p.push_back({&t, p.size(), t.step.kind, t.step.src, t.step.dst, t.step.id});
  return p;
}

void perform(const Op& op) {
  const Step& step = op.of->step;
  if (op.kind == Step::Kind::set) return set_flag(op.src, op.dst, op.id, step.site);
  if (op.kind == Step::Kind::wait) return wait_flag(op.src, op.dst, op.id, step.site);
  if (op.kind == Step::Kind::barrier) return pipe_barrier(op.src, step.site);
  step.again();
  if (!op.of->bytes.empty()) std::ranges::copy(op.of->bytes, bytes_of(step.touches.front()).begin());
}

void perform(const Program& program) {
  for (const Op& op : program) perform(op);
}

}  // namespace

Trace::Trace(const corpus::Kernel& kernel, const Target& target)
    : dev_(target, {Check::all}), memory_(dev_), options_(kernel.options) {
  options_.seed = 0;
  Report found;
  blocks_ = record([&] { kernel.run(memory_); }, found, true);
  for (const auto& block : blocks_) programs_.push_back(program_of(block));
}

Report Trace::replay(int block, const Program& changed) {
  restore();
  return dev_.launch(options_, [&] {
    const int mine = get_block_idx();
    perform(mine == block ? changed : programs_[static_cast<std::size_t>(mine)]);
  });
}

std::vector<std::vector<Taken>> Trace::record_again(Report& found) {
  restore();
  return record([&] { perform(programs_[static_cast<std::size_t>(get_block_idx())]); }, found, false);
}

std::vector<std::vector<Taken>> Trace::record(const std::function<void()>& kernel, Report& found, bool remembers) {
  Tape tape(options_.blocks, remembers ? [this] { remember(); } : std::function<void()>());
  found = dev_.launch(options_, [&] { kernel(); });
  return tape.finish();
}

std::vector<std::span<std::byte>> Trace::memory_bytes() {
  const auto bytes = [](const auto& buffer) { return std::as_writable_bytes(buffer.span()); };
  return {bytes(memory_.table), bytes(memory_.out), bytes(memory_.idx), bytes(memory_.ints)};
}

void Trace::remember() {
  for (const auto bytes : memory_bytes()) before_.emplace_back(bytes.begin(), bytes.end());
}

void Trace::restore() {
  const auto now = memory_bytes();
  for (std::size_t i = 0; i < before_.size(); ++i) std::ranges::copy(before_[i], now[i].begin());
}

}  // namespace ptox::mutation
