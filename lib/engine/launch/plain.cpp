// SPDX-License-Identifier: Apache-2.0
#include "engine/launch/plain.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

#include "engine/core/budget.hpp"
#include "engine/core/rank.hpp"
#include "engine/launch/gathered.hpp"
#include "engine/report/report_file.hpp"
#include "engine/system/at_fork.hpp"
#include "observe/launch_time.hpp"

namespace ptox {

namespace {

/// Whether a kernel has run whose findings the process reports at exit.
constinit std::atomic<bool> used = false;

constinit std::atomic<std::uint64_t> cycles = 0;

/// The state of the process: the default device, settings from the environment, and results so far.
struct Process {
  std::mutex mutex;
  const Target* from_outside = nullptr;
  std::atomic<const Target*> target = &target::cpu;
  std::atomic<int> generation = 0;
  const char* check = nullptr;
  const char* report = nullptr;
  const char* trace = nullptr;
  std::uint64_t seed = 0;
  ReportFile file{""};    ///< of PTOX_REPORT
  std::size_t saved = 0;  ///< number of findings in the file so far
  bool any_saved = false;
  std::string rank_text;  ///< "rank 2 of 4"; empty if the process is not one of several ranks
  Gathered plain;         ///< of plain calls and launches by <<<>>>, until take_plain_report
  Gathered launches;      ///< if PTOX_REPORT is set: of launches by Device, and what take_plain_report returned

  Process();
  bool keeps_all_reports() const { return report && *report; }
  std::size_t findings() const { return plain.findings() + launches.findings(); }
  /// Writes the findings so far to the file if a new one was added, or if a launch ended for the first time. The caller
  /// holds the mutex.
  void save() noexcept;
  Check check_for(const Target& t) const {
    if (check) return std::strcmp(check, "off") == 0 ? Check::off : Check::all;
    return Device::default_check(t);
  }
};

void forget_results(Process& p);

Process& process() {
  // Never destroyed, because static objects may issue instructions at exit.
  static Process* const p = [] {
    auto* made = new Process;
    hold_at_fork(ForkLock{made, [](void* p) { static_cast<Process*>(p)->mutex.lock(); },
                          [](void* p) { return static_cast<Process*>(p)->mutex.try_lock(); },
                          [](void* p) { static_cast<Process*>(p)->mutex.unlock(); },
                          [](void* p) {
                            static_cast<Process*>(p)->mutex.unlock();
                            std::construct_at(&static_cast<Process*>(p)->mutex);
                            forget_results(*static_cast<Process*>(p));
                          }});
    return made;
  }();
  return *p;
}

[[noreturn]] void bad_environment(const char* variable, const char* value, const char* rule) {
  std::fprintf(stderr, "ptox: %s is %s; it must be %s\n", variable, value, rule);
  std::_Exit(2);
}

std::uint64_t seed_from_outside() {
  const char* text = std::getenv("PTOX_SEED");
  if (!text || !*text) return 0;
  std::uint64_t seed = 0;
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, seed);
  if (error != std::errc() || rest != end) bad_environment("PTOX_SEED", text, "a number from 0 to 2^64 - 1");
  return seed;
}

Process::Process() {
  if (const char* name = std::getenv("PTOX_TARGET"); name && *name) {
    from_outside = find_on_host(name);
    if (!from_outside) bad_environment("PTOX_TARGET", name, "cpu, a2a3 or a5");
    target = from_outside;
  }
  check = std::getenv("PTOX_CHECK");
  if (check && !*check) check = nullptr;
  if (check && std::strcmp(check, "off") != 0 && std::strcmp(check, "all") != 0)
    bad_environment("PTOX_CHECK", check, "off or all");
  seed = seed_from_outside();
  report = std::getenv("PTOX_REPORT");
  file = ReportFile(report ? report : "");
  trace = std::getenv("PTOX_TRACE");
  if (report && trace && *trace && std::strcmp(report, trace) == 0)
    bad_environment("PTOX_TRACE", trace, "another file than PTOX_REPORT");
}

void Process::save() noexcept {
  if (!keeps_all_reports() || (any_saved && findings() <= saved)) return;
  any_saved = true, saved = findings();
  try {
    const Target& t = *target.load();
    Gathered all = launches, unfinished = plain;
    all.add(unfinished.take(t), t);
    file.write_part(all.take(t));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ptox: %s\n", e.what());
  }
}

/// Calls write(path) if the environment names a file. Returns false if it could not be written.
template <class W>
bool written(const char* path, W&& write) {
  if (!path || !*path) return true;
  try {
    write(path);
    return true;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "ptox: %s\n", e.what());
    return false;
  }
}

bool trace_written(const Report& r, const char* path) {
  const Target* t = find_target(r.target().c_str());
  const bool no_time = !r.time().trace && t && t->native;
  if (path && *path && no_time)
    std::fprintf(stderr, "ptox: no trace: %s has no time estimate. Choose a2a3 or a5\n", t->name);
  return no_time || written(path, [&](const std::string& to) { r.write_trace(with_process(to)); });
}

/// At exit, writes the files that the environment names, and prints the report of the process if it has findings or,
/// with PTOX_REPORT, estimated cycles. Turns exit status 0 into 1 if there are errors or warnings or a file could not
/// be written.
void finish_at_exit(int status, void*) {
  if (!used.load()) return;
  end_plain_launch();
  const Report r = take_process_report();
  const bool json = written(process().report, [&](const std::string&) { process().file.write(r); });
  const bool trace = trace_written(r, process().trace);
  if (!r.findings().empty() || (process().report && r.cycles())) {
    std::ostringstream text;  // written at once, because other ranks write too
    if (!process().rank_text.empty()) text << process().rank_text << ":\n";
    text << r;
    std::cerr << text.str();
  }
  if ((r.clean() && json && trace) || status != 0) return;
  std::cerr.flush();
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(1);
}

// Registered before any static object is constructed, so that it runs after all of them are destroyed.
[[gnu::constructor(101)]] void watch_exit() { on_exit(finish_at_exit, nullptr); }

struct ThreadPlain {
  std::unique_ptr<Core> core;
  int generation = -1;
  bool under_way = false;
  bool tiles_survived = false;  ///< tiles were alive at the end of the last launch
};

// A pointer with a separate guard: tiles with static or thread storage may be destroyed after the guard, and the
// pointer, which has no destructor, can still be read then.
constinit thread_local ThreadPlain* plain = nullptr;
struct ThreadEnd {
  ~ThreadEnd() {
    end_plain_launch();
    delete std::exchange(plain, nullptr);
  }
};

/// In a forked child: forgets the results so far, which the parent reports.
void forget_results(Process& p) {
  p.plain = {}, p.launches = {};
  p.file.begin_anew();
  p.saved = 0, p.any_saved = false;
  const bool under_way = plain && plain->under_way;
  if (under_way) static_cast<void>(plain->core->log().take());
  used = under_way;
}

ThreadPlain& thread_plain() {
  if (!plain) {
    thread_local ThreadEnd at_end;
    plain = new ThreadPlain;
  }
  return *plain;
}

}  // namespace

Core& plain_core() {
  Process& p = process();
  ThreadPlain& mine = thread_plain();
  const int generation = p.generation.load(std::memory_order_relaxed);
  const bool fresh = !mine.core || mine.generation != generation;
  if (fresh) {
    end_plain_launch();
    const Target& t = *p.target.load();
    mine.core = std::make_unique<Core>(t, p.check_for(t));
    mine.generation = generation;
  }
  if (!mine.under_way) {
    mine.under_way = true;
    used.store(true, std::memory_order_relaxed);
    Updater::begin();
    if (fresh || !mine.tiles_survived)
      mine.core->start({.seed = p.seed, .poisoned = false, .rank = current_rank()});
    else
      mine.core->go_on();
  }
  return *mine.core;
}

Core* existing_plain_core() { return plain ? plain->core.get() : nullptr; }

void end_plain_launch() noexcept {
  if (!plain || !plain->under_way) return;
  plain->under_way = false;
  Updater::end();
  plain->tiles_survived = pto::instr::detail::live_tiles > 0;
  plain->core->finish();
  OwnerLog& owners = plain->core->space(pto::TileType::Vec).owners();
  plain->core->space(pto::TileType::Vec).needs().report_to(plain->core->log());
  if (plain->core->log().empty() && owners.empty() && plain->core->target().native) return;
  plain->core->time().finish();
  std::lock_guard lock(process().mutex);
  std::vector<BlockTime> block;
  block.push_back(plain->core->time().take());
  Gathered& all = process().plain;
  const LaunchTime time = joined(std::move(block));
  cycles += time.total;
  add(all.time, time);
  if (!plain->core->log().empty()) all.kernels.add(KernelNames::plain_calls);
  all.log.merge(std::move(plain->core->log()));
  all.owners.merge(std::move(owners));
  process().save();
}

namespace {

Report take_plain(bool keep) {
  if (!in_launch()) end_plain_launch();
  Process& p = process();
  std::lock_guard lock(p.mutex);
  const Target& target = *p.target.load();
  const bool any = !p.plain.empty();
  Report report = p.plain.take(target);
  if (any && keep && p.keeps_all_reports()) p.launches.add(report, target);
  p.saved = std::min(p.saved, p.findings());  // findings that were in both are one now
  return report;
}

}  // namespace

Report take_plain_report() { return take_plain(true); }

Report move_plain_report() { return take_plain(false); }

Report take_launch_report() {
  Process& p = process();
  std::lock_guard lock(p.mutex);
  return p.launches.take(*p.target.load());
}

void discard_report_file() {
  Process& p = process();
  std::lock_guard lock(p.mutex);
  if (p.any_saved) p.file.discard_part();
}

Report take_process_report() {
  Report plain = take_plain_report();
  return process().keeps_all_reports() ? take_launch_report() : plain;
}

std::uint64_t estimated_cycles() { return cycles; }

void set_rank_of_process(int rank, int ranks) {
  Process& p = process();
  std::lock_guard lock(p.mutex);
  p.rank_text = "rank " + std::to_string(rank) + " of " + std::to_string(ranks);
  if (p.keeps_all_reports()) p.file.set_rank(rank);
}

const Target& default_target() { return *process().target.load(); }

void note_use() { used = true; }

Device default_device() {
  const Target& t = default_target();
  return Device(t, {.check = process().check_for(t)});
}

std::uint64_t default_seed() { return process().seed; }

void add_to_plain_report(const Report& report) {
  used = true;
  cycles += report.cycles();
  Process& p = process();
  std::lock_guard lock(p.mutex);
  p.plain.add(report, *p.target.load());
  p.save();
}

bool keeps_launch_reports() { return process().keeps_all_reports(); }

void add_to_launch_report(const Report& report) {
  Process& p = process();
  if (!p.keeps_all_reports()) return;
  used = true;
  std::lock_guard lock(p.mutex);
  p.launches.add(report, *p.target.load());
  p.save();
}

Core& current_core() { return launched_core ? *launched_core : plain_core(); }
Core* existing_core() { return launched_core ? launched_core : existing_plain_core(); }

void choose_default_target(const Target& target) {
  Process& p = process();
  p.target = p.from_outside ? p.from_outside : &target;
  ++p.generation;
}

Device::Device() : Device(default_device()) {}

namespace detail {

Check default_check(const Target& target) { return process().check_for(target); }

Report DefaultDevice::run(Device device, const LaunchOptions& options, const Job& job) {
  return device.run_alone(options, job);
}

}  // namespace detail

}  // namespace ptox

namespace pto {

namespace instr::detail {

void last_tile_gone() noexcept {
  if (!ptox::in_launch()) ptox::end_plain_launch();
}

}  // namespace instr::detail
}  // namespace pto
