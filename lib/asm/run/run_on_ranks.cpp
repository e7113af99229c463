// SPDX-License-Identifier: Apache-2.0
#include "asm/run/run_on_ranks.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "comm/group/mail.hpp"

namespace ptox::assembly {

namespace {

/// The trace file of a rank: `t.json` becomes `t.2.json` for rank 2.
std::string trace_of(const std::string& path, int rank) {
  std::filesystem::path p(path);
  const std::string extension = p.extension().string();
  return p.replace_extension("." + std::to_string(rank) + extension).string();
}

std::string time_text(const LaunchTime& t) {
  const std::uint64_t numbers[] = {t.total, t.s, t.v, t.mte2, t.mte3};
  std::string text(reinterpret_cast<const char*>(numbers), sizeof numbers);
  for (const std::string& hint : t.hints) text += hint + '\n';
  return text + '\0';
}
/// Reads the data written by time_text from the start of `text` and removes it.
LaunchTime take_time(std::string& text) {
  LaunchTime t;
  std::uint64_t n[5] = {};
  if (text.size() < sizeof n) return t;
  std::memcpy(n, text.data(), sizeof n);
  t.total = n[0], t.s = n[1], t.v = n[2], t.mte2 = n[3], t.mte3 = n[4];
  const std::size_t end = std::min(text.find('\0', sizeof n), text.size() - 1);
  for (std::size_t at = sizeof n; at < end;) {
    const std::size_t line = std::min(text.find('\n', at), end);
    t.hints.push_back(text.substr(at, line - at)), at = line + 1;
  }
  text.erase(0, end + 1);
  return t;
}

/// Runs the kernel on one rank.
class OneRank {
 public:
  OneRank(const RanksJob& job, Rank& rank)
      : job_(job), rank_(rank), mine_(job.arguments[static_cast<std::size_t>(rank.id())]) {}

  /// Runs the rank and returns its report and arrays. If the group ends early, `ended` gets the error, and the result
  /// contains what is available.
  comm::Mail run(std::exception_ptr& ended) {
    comm::Mail mail;
    try {
      take_memory();
      rank_.barrier();
      mail.report = launch();
      mail.answer = time_text(mail.report.time());
      if (!job_.options.ranks->trace.empty()) mail.report.write_trace(trace_of(job_.options.ranks->trace, rank_.id()));
      rank_.barrier();
      for (const Symmetric<std::byte>& m : memory_) mail.answer.append(text_of(m), static_cast<std::size_t>(m.size()));
    } catch (const RanksError&) {
      ended = std::current_exception();
    }
    return mail;
  }

 private:
  static const char* text_of(const Symmetric<std::byte>& m) { return reinterpret_cast<const char*>(m.data()); }

  void take_memory() {
    values_ = job_.scalars;
    for (std::size_t i = 0; i < mine_.size(); ++i) {
      if (!mine_[i].pointer) continue;
      std::size_t most = 1;
      for (const auto& theirs : job_.arguments) most = std::max(most, theirs[i].bytes.size());
      memory_.push_back(rank_.symmetric<std::byte>(static_cast<std::int64_t>(most)));
      std::copy(mine_[i].bytes.begin(), mine_[i].bytes.end(), memory_.back().data());
      values_[i] = reinterpret_cast<std::uintptr_t>(memory_.back().data());
    }
  }
  Report launch() {
    Report report = rank_.device().launch(job_.options.launch, [this] { job_.block(values_.data()); });
    report.set_kernel(job_.kernel);
    return report;
  }

  const RanksJob& job_;
  Rank& rank_;
  const std::vector<Argument>& mine_;
  std::vector<Symmetric<std::byte>> memory_;
  std::vector<std::uint64_t> values_;
};

/// The findings of all ranks, each with the rank that found it.
std::vector<Finding> with_ranks(const std::vector<comm::Mail>& mails) {
  std::vector<Finding> all;
  for (std::size_t r = 0; r < mails.size(); ++r)
    for (Finding f : mails[r].report.findings()) {
      if (!f.has(FindingField::rank)) {  // otherwise the message already names the rank
        f.message = "rank " + std::to_string(r) + ": " + f.message;
        f.where.emplace_back(FindingField::rank, r);
      }
      all.push_back(std::move(f));
    }
  return all;
}

/// Adds the reason why the group ended, unless a finding already has it.
void add_failure(const RanksError& e, std::vector<Finding>& all) {
  for (const Finding& f : all)
    if (const std::string* why = f.text(FindingField::failure); why && *why == e.sentence()) return;
  Finding f{.kind = e.kind().value_or(FindingKind::comm_dead_rank), .message = e.sentence()};
  f.where.emplace_back(FindingField::failure, e.sentence());
  if (!e.ranks().empty()) f.where.emplace_back(FindingField::rank, e.ranks()[0]);
  all.push_back(std::move(f));
}

/// Copies the final content of a rank's arrays into its arguments.
void collect(std::vector<Argument>& arguments, const std::vector<std::vector<Argument>>& all,
             const std::string& bytes) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].pointer) continue;
    std::size_t most = 1;
    for (const auto& theirs : all) most = std::max(most, theirs[i].bytes.size());
    if (at + most > bytes.size()) return;
    std::vector<std::byte>& own = arguments[i].bytes;
    if (!own.empty()) std::memcpy(own.data(), bytes.data() + at, own.size());  // data() of an empty vector may be null
    at += most;
  }
}

/// The result of running the group.
struct Outcome {
  std::vector<comm::Mail> mails;
  std::optional<RanksError> failure;
  int rank = 0;  ///< under MPI, the rank of this process
  bool in_a_job = false;
};

Outcome run_group(const std::shared_ptr<RanksJob>& job) {
  const RunRanks& ranks = *job->options.ranks;
  const bool mpi = ranks.engine == Engine::mpi;
  const auto boxes = std::make_shared<std::vector<comm::Mailbox>>(static_cast<std::size_t>(ranks.count));
  const auto self = std::make_shared<int>(0);
  const auto body = [job, boxes, self, mpi](Rank& rank) -> std::string {
    if (mpi) *self = rank.id();
    if (rank.size() != job->options.ranks->count)
      throw std::invalid_argument("--ranks is " + std::to_string(job->options.ranks->count) + ", the job has " +
                                  std::to_string(rank.size()) + " processes");
    std::exception_ptr ended;
    const comm::Mail mail = OneRank(*job, rank).run(ended);
    (*boxes)[static_cast<std::size_t>(rank.id())].write(mail);
    if (ended) std::rethrow_exception(ended);
    return mpi ? comm::sealed(mail) : "";
  };
  RanksOptions options{.target = *job->target, .deadline = ranks.deadline, .check = job->options.check};
  Outcome outcome;
  std::vector<std::string> answers(static_cast<std::size_t>(ranks.count));
  try {
    answers = run_ranks(ranks.count, ranks.engine, body, options);
  } catch (const RanksError& e) {
    outcome.failure = e;
  }
  outcome.rank = *self, outcome.in_a_job = mpi;
  for (std::size_t r = 0; r < boxes->size(); ++r)
    outcome.mails.push_back(r < answers.size() && !answers[r].empty() ? comm::opened(answers[r]) : (*boxes)[r].read());
  return outcome;
}

/// Whether this process prints the result. That is rank 0, except for an MPI run that fails because of an error found
/// by a rank: the ranks then exchange nothing, so the rank that found the error prints it, and rank 0 prints only if it
/// has findings of its own.
bool speaks(const Outcome& outcome) {
  if (!outcome.failure || outcome.failure->ranks().empty()) return outcome.rank == 0;
  const std::optional<FindingKind> kind = outcome.failure->kind();
  const int rank = outcome.failure->ranks()[0];
  const bool found = kind && *kind != FindingKind::comm_dead_rank && *kind != FindingKind::comm_timeout;
  if (!found || !outcome.in_a_job) return outcome.rank == 0;
  const auto& own = outcome.mails[static_cast<std::size_t>(outcome.rank)].report.findings();
  return outcome.rank == rank || (outcome.rank == 0 && !own.empty());
}

}  // namespace

std::optional<RunResult> run_on_ranks(const std::shared_ptr<RanksJob>& job, Diagnostics& out) {
  Outcome outcome;
  try {
    outcome = run_group(job);
  } catch (const std::exception& e) {
    return out.usage_error(e.what()), std::nullopt;
  }
  std::vector<Finding> findings = with_ranks(outcome.mails);
  if (outcome.failure && !outcome.failure->kind() && findings.empty())
    return out.usage_error(outcome.failure->what()), std::nullopt;
  if (outcome.failure) add_failure(*outcome.failure, findings);
  RunResult result;
  result.kernel = job->kernel;
  result.report = Report(job->target->name, job->kernel, job->options.launch.blocks, std::move(findings));
  for (std::size_t r = 0; r < outcome.mails.size(); ++r) {
    LaunchTime time = take_time(outcome.mails[r].answer);
    if (time.total > result.report.cycles() || r == 0) result.report.set_time(std::move(time));
    collect(job->arguments[r], job->arguments, outcome.mails[r].answer);
  }
  for (const auto& theirs : job->arguments)
    for (const Argument& a : theirs) result.arguments.push_back(a);
  result.writes = outcome.rank == 0;
  result.speaks = speaks(outcome);
  result.left_running = outcome.failure && job->options.ranks->engine == Engine::threads;
  return result;
}

}  // namespace ptox::assembly
