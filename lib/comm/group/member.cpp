// SPDX-License-Identifier: Apache-2.0
#include "comm/group/member.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <utility>

#include "engine/memory/checked_bytes.hpp"
#include "engine/memory/registry.hpp"

namespace ptox::comm {

Member::Member(std::unique_ptr<Fabric> fabric, const RanksOptions& options, RankOrder* order)
    : fabric_(std::move(fabric)),
      options_(options),
      id_(fabric_->id()),
      size_(fabric_->size()),
      device_(options.target, {.check = options.check}),
      order_(order) {}

Member::~Member() {
  for (const void* p : known_) Registry::instance().remove(p);
}

std::size_t Member::allocate(std::int64_t count, std::size_t element_bytes) {
  const std::size_t bytes = checked_bytes("symmetric", count, element_bytes);
  const std::optional<std::size_t> offset = fabric_->allocate(bytes);
  if (!offset) go_on();  // throws the failure that the fabric recorded
  for (int r = 0; r < size_; ++r)
    if (!fabric_->address(r, *offset)) reserved_.reserve(size_, fabric_->reserved_bytes());
  for (int r = 0; r < size_; ++r) {
    if (r != id_ && fabric_->one_process() && fabric_->address(r, *offset)) continue;  // that rank registers it
    known_.push_back(at(r, *offset));
    Registry::instance().add(known_.back(), bytes, true);
  }
  return *offset;
}

std::byte* Member::at(int rank, std::size_t offset) const {
  std::byte* mapped = fabric_->address(rank, offset);
  return mapped ? mapped : reserved_.address(rank, offset);
}

std::optional<Place> Member::locate(const void* at) const {
  const std::optional<Place> place = fabric_->locate(at);
  return place ? place : reserved_.locate(at);
}

void throw_failure(const Failure& failure) { throw RanksError(failure.kind, failure.sentence, failure.ranks); }

void Member::go_on() {
  if (fabric_->failed()) throw_failure(fabric_->failure());
}

void Member::fail(FindingKind kind, const std::string& sentence) { fabric_->fail({kind, sentence, {id_}}); }

std::string Member::describe(const std::vector<int>& ranks) {
  constexpr std::size_t most = 8;
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < most; ++i) {
    const int r = ranks[i];
    const char* state = !fabric_->alive(r)     ? "dead, last in "
                        : fabric_->returned(r) ? "returned, last in "
                                               : "last in ";
    text += (i ? ", rank " : "rank ") + std::to_string(r) + " (" + state + fabric_->last_op(r) + ")";
  }
  return ranks.size() > most ? text + " and " + std::to_string(ranks.size() - most) + " more" : text;
}

std::string Member::describe_others() {
  std::vector<int> others;
  for (int r = 0; r < size_; ++r)
    if (r != id_) others.push_back(r);
  return others.empty() ? "no other rank is there" : describe(others);
}

void Member::never_came(const std::vector<int>& ranks, const std::string& why, FindingKind kind) {
  fabric_->fail(
      {kind, waits_in_ + std::string(": rank ") + std::to_string(id_) + " waits for " + describe(ranks) + ", " + why,
       ranks});
  go_on();
  throw_failure({kind, why, ranks});
}

bool Member::barrier_done(std::uint64_t number) {
  if (fabric_->all_arrived(number)) return true;
  const std::vector<int> missing = fabric_->missing(number);
  std::vector<int> gone;
  std::copy_if(missing.begin(), missing.end(), std::back_inserter(gone),
               [&](int r) { return fabric_->returned(r) || !fabric_->alive(r); });
  if (!gone.empty() && !fabric_->all_arrived(number))
    go_on(), never_came(gone, "which has ended", FindingKind::comm_dead_rank);
  return false;
}

bool Member::left_alone() {
  for (int r = 0; r < size_; ++r)
    if (r != id_ && fabric_->alive(r) && !fabric_->returned(r)) return false;
  return true;
}

bool Member::all_look() {
  for (int r = 0; r < size_; ++r)
    if (r != id_ && fabric_->alive(r) && !fabric_->returned(r) && fabric_->last_op(r) != "ttest") return false;
  return true;
}

void Member::looked_in_vain(const void* signal) {
  go_on();
  fabric_->progress("ttest", 0, 0);
  const std::lock_guard lock(vain_mutex_);
  const bool again = std::exchange(vain_, signal) == signal;
  if (!again || !all_look()) vain_since_ = Time::now();
  if (Time::now() - vain_since_ < options_.deadline) return;
  fail(FindingKind::comm_timeout,
       "ttest: rank " + std::to_string(id_) + " looks at a signal that no other rank can change any more");
  go_on();
}

std::uint64_t Member::pulses(const std::vector<int>& ranks) {
  std::uint64_t sum = 0;
  for (int r : ranks) sum += fabric_->pulse(r);
  return sum;
}

void Member::barrier(const char* op) {
  go_on();
  waits_in_ = op;
  fabric_->progress(op, 0, 0);
  if (!fabric_->quiet(deadline()))
    fail(FindingKind::comm_timeout, op + std::string(": what was put is not there by the deadline"));
  if (order_) order_->arrives(id_, ++barriers_);
  pass_barrier(fabric_->arrive());
  if (order_) order_->leaves(id_, barriers_);
}

void Member::pass_barrier(std::uint64_t number) {
  const std::chrono::milliseconds step = std::max(options_.deadline / 16, std::chrono::milliseconds(1));
  std::uint64_t pulse = pulses(fabric_->missing(number));
  for (Deadline until = deadline(); Time::now() < until;) {
    if (wait([&] { return barrier_done(number); }, std::min(until, Time::now() + step))) return go_on();
    // A missing rank that delivers rows is slow but not lost, so the deadline starts again.
    if (const std::uint64_t now = pulses(fabric_->missing(number)); now != pulse) pulse = now, until = deadline();
  }
  const std::vector<int> missing = fabric_->missing(number);
  const bool they_wait =
      std::any_of(missing.begin(), missing.end(), [&](int r) { return fabric_->last_op(r) == "twait"; });
  if (they_wait &&
      wait([&] { return barrier_done(number); }, Time::now() + std::max(2 * step, std::chrono::milliseconds(100))))
    return go_on();  // a TWAIT of a missing rank times out first and reports its own failure
  never_came(missing, "which did not come within " + std::to_string(options_.deadline.count()) + " ms",
             FindingKind::comm_timeout);
}

bool run_rank(Member& member, const detail::RankBody& body, std::string& answer) {
  const RankScope scope(&member);
  std::string what = "something that is no std::exception";
  try {
    Rank rank(member);
    answer = body(rank);
    member.go_on();
    return true;
  } catch (const RanksError& e) {
    member.fabric().fail({e.kind(), e.sentence(), e.ranks()});  // no effect unless the body itself made the error
    return false;
  } catch (const std::exception& e) {
    what = e.what();
  } catch (...) {  // NOLINT(bugprone-empty-catch): such an exception has no text
  }
  const int id = member.id();
  member.fabric().fail({{}, "rank " + std::to_string(id) + " threw: " + what + "; " + member.describe({id}), {id}});
  return false;
}

}  // namespace ptox::comm
