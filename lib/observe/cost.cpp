// SPDX-License-Identifier: Apache-2.0
#include "observe/cost.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "observe/timing.hpp"
#include "pto/isa/simt.hpp"

namespace ptox {

namespace {

using pto::instr::Access;
using pto::instr::Effect;
using pto::instr::OutOfRange;

constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// Scalar operations for one index: Clamp and Wrap one, Zero and Skip one more. Assumed.
constexpr std::int64_t remap_operations(OutOfRange oob) {
  return oob == OutOfRange::undefined ? 0 : oob == OutOfRange::drop ? 2 : 1;
}

/// Takes the lanes of a gather or scatter one by one and counts the cache lines that their accesses touch.
class LineCount {
 public:
  LineCount(Work& w, const WorkForm& form, const Timing& timing)
      : w_(w), form_(form), timing_(timing), base_(form.tensor(form.table)->base), seen_(storage()) {
    seen_.clear();
  }

  void lane(const std::byte* at) {
    const std::int64_t offset = at - base_;  // lines count from the base: host addresses differ between runs
    form_.on_lanes ? simt_lane(offset / timing_.simt.line_bytes) : scalar_lane(offset / timing_.scalar.line_bytes);
  }
  void finish() {
    end_access();
    std::sort(seen_.begin(), seen_.end());
    w_.distinct_lines = std::unique(seen_.begin(), seen_.end()) - seen_.begin();
  }

 private:
  static std::vector<std::int64_t>& storage() {
    static thread_local std::vector<std::int64_t> lines;
    return lines;
  }
  void scalar_lane(std::int64_t line) {
    if (w_.lines && line == last_) return;
    last_ = line, ++w_.lines;
    seen_.push_back(line);
  }
  void simt_lane(std::int64_t line) {
    if (in_access_ == 0 || access_[in_access_ - 1] != line) access_[in_access_++] = line;
    const bool access_ends = ++lanes_ % pto::instr::warp_lanes == 0;
    const bool row_ends = form_.by_row && ++in_row_ == form_.cols;
    if (access_ends || row_ends) end_access();
    if (row_ends) end_row();
  }
  /// Lanes of one warp that touch the same line in one access are coalesced.
  void end_access() {
    const auto begin = access_.begin(), end = begin + static_cast<std::ptrdiff_t>(in_access_);
    std::sort(begin, end);
    const std::int64_t n = std::unique(begin, end) - begin;
    seen_.insert(seen_.end(), begin, begin + n);
    w_.lines += n, row_lines_ += n;
    in_access_ = 0, lanes_ = 0;
    if (!form_.by_row) end_row();
  }
  void end_row() {
    const std::int64_t in_flight = timing_.simt.loads_a_warp * (form_.by_row ? w_.warps_per_row : 1);
    w_.queued_lines += std::max<std::int64_t>(0, row_lines_ - in_flight);
    row_lines_ = 0, in_row_ = 0;
  }

  Work& w_;
  const WorkForm& form_;
  const Timing& timing_;
  const std::byte* base_;
  std::vector<std::int64_t>& seen_;
  std::array<std::int64_t, pto::instr::warp_lanes> access_{};
  std::size_t in_access_ = 0;
  std::int64_t lanes_ = 0, in_row_ = 0, row_lines_ = 0;
  std::int64_t last_ = 0;
};

/// Detects gathers and scatters of elements that move whole rows: the elements of every row are contiguous, and begin
/// with a row of the table or of a view of it.
class RowGuess {
 public:
  RowGuess(const WorkForm& form)
      : form_(form), table_(form.tensor(form.table)), holds_(!form.by_row && form.cols > 1 && table_->width) {}

  void lane(const std::byte* at) {
    if (!holds_) return;
    holds_ = lanes_++ % form_.cols ? at == next_ : starts_row(at - table_->base);
    next_ = at + form_.element_bytes;
  }
  bool holds() const { return holds_ && lanes_ == form_.rows * form_.cols; }

 private:
  bool starts_row(std::int64_t offset) const {
    return offset % (form_.cols * form_.element_bytes) == 0 || offset % table_->width == 0;
  }
  const WorkForm& form_;
  const WorkForm::Tensor* table_;
  bool holds_;
  std::int64_t lanes_ = 0;
  const std::byte* next_ = nullptr;
};

/// Computes the number of warps of a SIMT launch, and how many rows or runs of elements each warp processes in turn.
void shape_launch(Work& w, const WorkForm& form) {
  const pto::instr::SimtShape shape = pto::instr::simt_shape(form.rows, form.cols, form.by_row);
  w.warps = std::max<std::int64_t>(1, shape.warps()), w.warps_per_row = shape.warps_per_row;
  const std::int64_t units = form.by_row ? form.rows : ceil_div(form.rows * form.cols, pto::instr::warp_lanes);
  w.passes = ceil_div(units, std::max<std::int64_t>(1, shape.row_warps));
}

/// Counts bytes by kind of memory, and contiguous pieces of global memory.
class ByteCount {
 public:
  ByteCount(Work& w, const WorkForm& form) : w_(w), form_(form) {}

  void see(const Effect& e) {
    const std::int64_t bytes = e.range.bytes * e.range.count;
    if (!form_.tensor(e.operand)) {
      w_.ub_bytes += bytes;
      w_.picked += !form_.indexed && e.range.count == 1 && e.range.bytes == form_.element_bytes;
      return;
    }
    (e.access == Access::read ? w_.gm_read_bytes : w_.gm_write_bytes) += bytes;
    const bool together = e.range.count == 1 || e.range.step == e.range.bytes;
    const bool goes_on = e.operand == operand_ && e.range.begin == next_;
    w_.bursts += (together ? 1 : e.range.count) - goes_on;
    operand_ = e.operand, next_ = e.range.begin + e.range.step * (e.range.count - 1) + e.range.bytes;
  }

 private:
  Work& w_;
  const WorkForm& form_;
  const char* operand_ = nullptr;
  const std::byte* next_ = nullptr;
};

/// Calls visit(address) for each element of the table that is moved.
template <class V>
void each_element(const WorkForm& form, const std::vector<Effect>& effects, V&& visit) {
  for (const Effect& e : effects)
    for (std::int64_t k = 0; e.operand == form.table && k < e.range.count; ++k)
      for (std::int64_t b = 0; b < e.range.bytes; b += form.element_bytes) visit(e.range.begin + k * e.range.step + b);
}

/// Counts the elements that warps or the scalar unit move one by one, and the cache lines of these.
void count_lanes(Work& w, const Timing& timing, const WorkForm& form, const std::vector<Effect>& effects) {
  LineCount lines(w, form, timing);
  RowGuess guess(form);
  each_element(form, effects, [&](const std::byte* at) {
    ++w.lanes;
    lines.lane(at);
    guess.lane(at);
  });
  lines.finish();
  w.rows_in_disguise = guess.holds();
}

/// Counts the rows or elements that a DMA engine moves. Each takes one transfer, a row of an NZ table several.
void count_transfers(Work& w, const WorkForm& form, const std::vector<Effect>& effects) {
  std::int64_t bytes = 0;
  for (const Effect& e : effects)
    if (e.operand == form.table) bytes += e.range.bytes * e.range.count;
  w.lanes = bytes / form.element_bytes;
  w.transfers = form.by_row ? w.lanes / std::max<std::int64_t>(1, form.cols) * form.transfers_per_row : w.lanes;
}

void count_indexed(Work& w, const Timing& timing, const WorkForm& form, const std::vector<Effect>& effects) {
  const bool by_dma = !form.on_lanes && !w.scalar_path;
  if (form.on_lanes) shape_launch(w, form);
  by_dma ? count_transfers(w, form, effects) : count_lanes(w, timing, form, effects);
  w.indexed = true, w.by_row = form.by_row;
  w.indices = form.by_row ? form.rows : form.rows * form.cols;
  w.skipped = form.rows * form.cols - w.lanes;
  w.remaps = remap_operations(form.oob) * (form.on_lanes ? form.rows * form.cols : w.indices);
  const bool updates =
      std::any_of(effects.begin(), effects.end(), [](const Effect& e) { return e.access == Access::update; });
  if (updates) w.atomics = by_dma ? w.gm_write_bytes : w.lines;
  if (form.scans) w.slots_scanned = form.capacity, w.last_spelled = form.last_spelled;
}

std::uint64_t whole(double cycles) { return static_cast<std::uint64_t>(std::llround(std::ceil(cycles - 1e-9))); }

double indices_read(const ScalarTiming& t, const Work& w) {
  return static_cast<double>(w.indices) * t.index_read + static_cast<double>(w.remaps) * t.operation;
}

double scalar_unit(const ScalarTiming& t, const Work& w) {
  const double found = indices_read(t, w);
  if (!w.scalar_path) return found + static_cast<double>(w.transfers) * t.descriptor;
  const auto misses = static_cast<double>(w.lines + w.atomics), hits = static_cast<double>(w.lanes - w.lines);
  return found + misses * t.gm_miss + hits * t.gm_hit + static_cast<double>(w.lanes + w.skipped) * t.ub_access;
}

double dma(const DmaTiming& t, const Work& w) {
  return static_cast<double>(w.transfers) * t.start_cycles +
         static_cast<double>(w.gm_bytes() + w.atomics) / t.bytes_per_cycle;
}

double vector_unit(const VectorTiming& t, const Work& w) {
  return t.start_cycles + static_cast<double>(w.ub_bytes) / t.bytes_per_cycle +
         static_cast<double>(w.picked) / t.lanes_per_cycle;
}

/// The number of cache misses: every distinct line once, and repeated accesses in proportion to the lines that the
/// cache cannot keep.
double misses_of(const SimtTiming& t, const Work& w) {
  const auto distinct = static_cast<double>(w.distinct_lines);
  const double kept = std::min(1.0, static_cast<double>(t.cache_lines) / std::max(1.0, distinct));
  return distinct + static_cast<double>(w.lines - w.distinct_lines) * (1 - kept);
}

double simt(const SimtTiming& t, const Work& w) {
  const double misses = misses_of(t, w), share = misses / std::max(1.0, static_cast<double>(w.lines));
  const auto passes = static_cast<double>(w.passes);
  const double missing_passes = std::min(passes, misses);
  const double evicting = std::max(0.0, 1 - static_cast<double>(t.roomy_lines) / std::max(1.0, misses));
  const double queue = t.miss / static_cast<double>(t.outstanding);
  const double missed_line = t.fill * (1 - evicting) + queue * evicting;
  const double line = missed_line * share + t.hit / static_cast<double>(t.outstanding) * (1 - share);
  const double latency = missing_passes * t.miss + (passes - missing_passes) * t.hit;
  const double moved = t.launch + t.start + latency + static_cast<double>(w.queued_lines + w.atomics) * line;
  const double least = misses * static_cast<double>(t.line_bytes) / t.most_bytes_per_cycle;
  return std::max(moved, least) + static_cast<double>(w.remaps + w.scanned()) / t.lanes_per_cycle;
}

}  // namespace

void Work::add(const Work& o) {
  for (auto m : {&Work::gm_read_bytes, &Work::gm_write_bytes, &Work::ub_bytes, &Work::transfers, &Work::bursts,
                 &Work::indices, &Work::lanes, &Work::skipped, &Work::picked, &Work::passes, &Work::lines,
                 &Work::distinct_lines, &Work::queued_lines, &Work::remaps, &Work::atomics})
    this->*m += o.*m;
  for (auto m : {&Work::warps, &Work::warps_per_row, &Work::slots_scanned, &Work::rows, &Work::cols})
    this->*m = std::max(this->*m, o.*m);
  rows_in_disguise = rows_in_disguise && o.rows_in_disguise;
}

Work work_of(const Target& t, const WorkForm& form, const std::vector<Effect>& effects) {
  Work w;
  const Timing* timing = timing_of(t);
  if (!timing) return w;
  w.rows = form.rows, w.cols = form.cols, w.nz = form.nz;
  ByteCount bytes(w, form);
  for (const Effect& e : effects) bytes.see(e);
  w.s_reads_indices = form.indexed && !effects.empty() && effects.front().pipe == PIPE_S;
  w.scalar_path = w.s_reads_indices && data_pipe(effects) == PIPE_S;
  if (form.indexed)
    count_indexed(w, *timing, form, effects);
  else
    w.transfers = w.gm_bytes() > 0;
  return w;
}

Cost cost_of(const Target& t, pipe_t pipe, const Work& w) {
  const Timing* timing = timing_of(t);
  if (!timing) return {};
  if (pipe == PIPE_S) return {whole(scalar_unit(timing->scalar, w)), 0};
  const std::uint64_t issued = issue_cycles(t);
  if (pipe == PIPE_V) return {issued, whole(w.warps ? simt(timing->simt, w) : vector_unit(timing->vector, w))};
  const double moved = dma(pipe == PIPE_MTE3 ? timing->store : timing->load, w);
  if (w.s_reads_indices) return {whole(scalar_unit(timing->scalar, w)), whole(moved)};
  return {issued, whole(moved + indices_read(timing->scalar, w))};
}

std::uint64_t issue_cycles(const Target& t) {
  const Timing* timing = timing_of(t);
  return timing ? whole(timing->scalar.descriptor) : 0;
}

double remote_get_ticks(const Target& t, std::int64_t bytes) {
  const Timing* timing = timing_of(t);
  return timing ? static_cast<double>(ceil_div(bytes, timing->remote.chunk_bytes)) * timing->remote.ticks_a_chunk : 0;
}

}  // namespace ptox
