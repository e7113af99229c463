// SPDX-License-Identifier: Apache-2.0
// Runs ranks as threads of this process.
#include "comm/group/threads.hpp"

#include <memory>
#include <thread>
#include <vector>

#include "comm/group/board.hpp"
#include "comm/group/member.hpp"
#include "comm/group/shared_fabric.hpp"

namespace ptox::comm {

namespace {

/// The state that the threads of all ranks share. A thread that does not end keeps it alive after run_threads.
struct Group {
  Group(int n, detail::RankBody body_, const RanksOptions& options_)
      : body(std::move(body_)),
        options(options_),
        board(Board::create(n)),
        answers(static_cast<std::size_t>(n)),
        history(make_rank_order(n)) {
    try {
      heap = Heap::reserve(n, options.symmetric_bytes, false);
    } catch (...) {
      Board::destroy(board);
      throw;
    }
  }
  /// The race check between ranks, for checked runs on machine models; null otherwise. On the host a thread sanitizer
  /// can check the threads of the ranks.
  RankOrder* order() {
    const bool checked = options.check.value_or(Check::all) == Check::all;
    return checked && !options.target.get().native ? history.get() : nullptr;
  }
  ~Group() {
    heap.release();
    Board::destroy(board);
  }
  Group(const Group&) = delete;

  detail::RankBody body;
  RanksOptions options;
  Board* board;
  Heap heap;
  std::vector<std::string> answers;
  std::unique_ptr<RankOrder> history;
};

void run_thread(const std::shared_ptr<Group>& group, int id, const Wrap& wrap) {
  std::unique_ptr<Fabric> fabric = std::make_unique<SharedFabric>(id, *group->board, group->heap, true);
  if (wrap) fabric = wrap(std::move(fabric));
  Member member(std::move(fabric), group->options, group->order());
  detail::RankBody body = group->body;  // each rank has a copy of its own
  const bool returned = run_rank(member, body, group->answers[static_cast<std::size_t>(id)]);
  group->board->seat(id).state.store(returned ? Seat::returned : Seat::lost);
  group->board->ring_all();
}

bool all_over(Board& board) {
  for (int r = 0; r < board.size(); ++r)
    if (board.seat(r).state.load() == Seat::running) return false;
  return true;
}

/// Returns when all ranks have ended, or some time after a failure.
void watch(Board& board, std::chrono::milliseconds deadline) {
  constexpr std::chrono::milliseconds short_grace{200};
  Deadline until = Deadline::max();
  for (;;) {
    const std::uint32_t seen = board.seat(board.watcher()).bell.load();
    if (all_over(board)) return;
    if (board.failed() && until == Deadline::max())
      until = Time::now() +
              (board.failure().kind == FindingKind::comm_timeout ? std::min(short_grace, deadline) : deadline);
    if (Time::now() >= until) return;
    board.sleep(board.watcher(), seen, std::min(until, Time::now() + std::chrono::seconds(1)));
  }
}

}  // namespace

std::vector<std::string> run_threads(int n, detail::RankBody body, const RanksOptions& options, const Wrap& wrap) {
  const auto group = std::make_shared<Group>(n, std::move(body), options);
  Board& board = *group->board;
  std::vector<std::thread> threads;
  try {
    for (int id = 0; id < n; ++id) threads.emplace_back(run_thread, group, id, wrap);
  } catch (const std::system_error& e) {
    for (int id = static_cast<int>(threads.size()); id < n; ++id) board.seat(id).state.store(Seat::lost);
    board.fail({std::nullopt, "run_ranks: no thread for rank " + std::to_string(threads.size()) + ": " + e.what(), {}});
  }
  watch(board, options.deadline);
  for (std::size_t id = 0; id < threads.size(); ++id)
    board.seat(static_cast<int>(id)).state.load() == Seat::running ? threads[id].detach() : threads[id].join();
  if (board.failed()) throw_failure(board.failure());
  return group->answers;
}

std::vector<std::string> run_threads(int n, detail::RankBody body, const RanksOptions& options) {
  return run_threads(n, std::move(body), options, {});
}

}  // namespace ptox::comm
