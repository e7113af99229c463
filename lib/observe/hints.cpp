// SPDX-License-Identifier: Apache-2.0
#include "observe/hints.hpp"

#include <algorithm>

#include "engine/report/grouped.hpp"
#include "pto/isa/simt.hpp"

namespace ptox {

namespace {

constexpr std::uint64_t worth_percent = 10;      ///< of the block's time: less is not worth a hint about a call
constexpr std::int64_t short_burst_bytes = 64;   ///< shorter bursts consist mostly of overhead
constexpr std::uint64_t launch_percent = 50;     ///< of a call's time in launches: less is not worth a hint
constexpr std::uint64_t waiting_percent = 25;    ///< of the block's time: less is not worth a hint about a wait
constexpr std::uint64_t saturated_percent = 80;  ///< of the block's time: more overlap does not help a pipe this busy

/// Examines the calls of a block and collects hints.
class Hints {
 public:
  explicit Hints(const BlockTime& block) : block_(block), timing_(timing_of(*block.target)) {}

  std::vector<std::string> take() {
    for (const CallTime& c : block_.calls)
      if (share(c.cycles + c.scalar_cycles) >= worth_percent) look_at(c);
    look_at_waits();
    return std::move(hints_);
  }

 private:
  std::uint64_t share(std::uint64_t cycles) const { return block_.end ? cycles * 100 / block_.end : 0; }

  void say(const CallTime& c, const std::string& text) {
    hints_.push_back((c.file.empty() ? "" : c.file + ":" + std::to_string(c.line) + ": ") + "hint: " + c.mnemonic +
                     " " + text);
  }

  void look_at(const CallTime& c) {
    scan(c);
    if (!disguised_rows(c)) one_by_one(c), uncoalesced(c);
    short_bursts(c);
    small_launch(c);
  }

  void scan(const CallTime& c) {
    if (!c.work.scanned()) return;
    const auto cycles =
        static_cast<std::uint64_t>(static_cast<double>(c.work.scanned()) / timing_->simt.lanes_per_cycle);
    if (share(cycles) < worth_percent) return;
    say(c,
        std::string(c.work.last_spelled ? "with ScatterConflict::Last" : "without a ScatterConflict, which is Last,") +
            " scans " + grouped(c.work.slots_scanned) + " slots x " + grouped(c.work.indices) + " indices, about " +
            grouped(cycles) + " of " + grouped(block_.end) +
            " cycles. Where indices are unique, spell ScatterConflict::Default (on a5 and cpu; a2a3 takes no "
            "spelled one); else use an atomic or a smaller table");
  }

  bool disguised_rows(const CallTime& c) {
    if (!c.work.rows_in_disguise) return false;
    say(c, "moves whole rows by Coalesce::Elem: the " + grouped(c.work.cols) +
               " indices of each row count up from the start of a row. Coalesce::Row needs one index a row and moves " +
               grouped(c.work.cols) + " elements at once");
    return true;
  }

  void one_by_one(const CallTime& c) {
    if (!c.work.scalar_path || c.work.lanes < 2) return;
    say(c, "moves " + grouped(c.work.lanes) + " elements one by one on the scalar unit, " + grouped(c.cycles) + " of " +
               grouped(block_.end) + " cycles. Use Coalesce::Row where whole rows are needed, or fewer elements");
  }

  /// Warps that load more than one line for every two lanes gain little from coalescing.
  void uncoalesced(const CallTime& c) {
    const Work& w = c.work;
    if (!w.warps || w.by_row || w.lanes < pto::instr::warp_lanes || w.lines * 2 <= w.lanes) return;
    say(c, "touches " + grouped(w.lines) + " lines of " + grouped(timing_->simt.line_bytes) + " bytes for " +
               grouped(w.lanes) + " elements: the lanes load one by one. Sort the indices, or use Coalesce::Row");
  }

  void short_bursts(const CallTime& c) {
    const Work& w = c.work;
    if ((c.pipe != PIPE_MTE2 && c.pipe != PIPE_MTE3) || w.nz || w.bursts < 2 * c.count) return;
    const std::int64_t bytes = w.gm_bytes() / w.bursts;
    if (bytes >= short_burst_bytes) return;
    say(c, "moves " + grouped(w.gm_bytes()) + " bytes in " + grouped(w.bursts) + " bursts of " + grouped(bytes) +
               " bytes. Below " + grouped(short_burst_bytes) + " bytes a burst is mostly its own overhead; rows of " +
               grouped(short_burst_bytes) + " bytes would be " + grouped(w.gm_bytes() / short_burst_bytes) +
               " bursts. Widen the rows, or lay them one after another, so that a burst moves several");
  }

  /// A hint about launches whose fixed cost dominates. Given only for several launches, which could be combined.
  void small_launch(const CallTime& c) {
    if (!c.work.warps || c.count < 2 || !c.cycles) return;
    const auto launches =
        static_cast<std::uint64_t>(static_cast<double>(c.count) * (timing_->simt.launch + timing_->simt.start));
    if (launches * 100 / c.cycles < launch_percent) return;
    say(c, "launches lanes " + grouped(c.count) + " times for at most " + grouped(c.work.rows) + " x " +
               grouped(c.work.cols) + " elements: the launch is about " + grouped(launches) + " of its " +
               grouped(c.cycles) + " cycles. Move more rows per call");
  }

  /// Whether this is a wait or barrier of the kernel that runs several times: one that runs once has nothing to overlap
  /// with. Waits for flags that an instruction sets itself are excluded, because the kernel cannot change them.
  static bool repeated_wait(const CallTime& c) {
    return c.count > 1 && (c.mnemonic == "wait_flag" || c.mnemonic == "pipe_barrier");
  }

  /// A hint about the wait that takes the most time, if no pipe is busy most of the time.
  void look_at_waits() {
    const CallTime* longest = nullptr;
    for (const CallTime& c : block_.calls)
      if (repeated_wait(c) && (!longest || c.cycles > longest->cycles)) longest = &c;
    const std::uint64_t busiest = *std::max_element(block_.busy.begin(), block_.busy.end());
    if (!longest || share(longest->cycles) < waiting_percent || share(busiest) >= saturated_percent) return;
    const bool barrier = longest->mnemonic == "pipe_barrier";
    const std::string held = barrier ? "the kernel" : pto::instr::pipe_name(longest->pipe);
    const std::string until = barrier ? "all pipes are" : pto::instr::pipe_name(longest->other) + std::string(" is");
    say(*longest, "makes " + held + " wait for " + grouped(longest->cycles) + " of " + grouped(block_.end) +
                      " cycles until " + until + " done; no pipe is busy more than " +
                      std::to_string(percent(busiest, block_.end)) + " %. Two tiles used alternately" +
                      (barrier ? ", with flags in place of the barrier," : "") + " let the pipes overlap");
  }

  const BlockTime& block_;
  const Timing* timing_;
  std::vector<std::string> hints_;
};

}  // namespace

std::vector<std::string> hints_of(const BlockTime& block) {
  if (!block.target || !timing_of(*block.target) || !block.end) return {};
  return Hints(block).take();
}

}  // namespace ptox
