// SPDX-License-Identifier: Apache-2.0
// Runs the processes of an MPI job as ranks.
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

#include "comm/group/member.hpp"
#include "comm/mpi/fabric.hpp"
#include "comm/mpi/group.hpp"
#include "comm/mpi/link.hpp"
#include "comm/mpi/watch.hpp"
#include "comm/mpi/world.hpp"
#include "engine/launch/plain.hpp"
#include "engine/memory/updates.hpp"
#include "engine/system/pool.hpp"

namespace ptox::comm::mpi {

namespace {

void stop_if_the_group_has_ended() {
  if (Member* member = current_member()) member->go_on();
}

using std::chrono::milliseconds;

/// How long a rank waits for the others to enter their first run_ranks. Starting MPI on many machines takes time.
milliseconds first_patience(milliseconds deadline) {
  int started = 0;
  MPI_Initialized(&started);
  return started ? deadline : std::max(deadline, milliseconds(60000));
}

/// Allocates what the ranks of a node share until the process ends: update locks, and how often each rank has entered
/// run_ranks.
void share_for_good(World& world) {
  static const bool shared = [&] {
    if (world.node_ranks == 1) return true;
    static const NodeBytes locks(world, UpdateLocks::bytes);
    static const NodeBytes visits(world, static_cast<std::size_t>(world.node_ranks) * sizeof(std::uint64_t));
    for (const NodeBytes* bytes : {&locks, &visits})
      if (!bytes->data()) throw std::runtime_error("run_ranks: memory of the node: " + bytes->error());
    UpdateLocks::share(locks.data(), stop_if_the_group_has_ended);
    world.share_visits(visits.data());
    return true;
  }();
  static_cast<void>(shared);
}

void refuse(const World& world, int n) {
  const bool started_alone =
      !simulated && world.size == 1 && !std::getenv("OMPI_COMM_WORLD_SIZE") && !std::getenv("PMI_SIZE");
  if (started_alone && n > 1)
    throw std::invalid_argument("run_ranks: n is " + std::to_string(n) +
                                ", the MPI job has 1 rank. Start the program with mpirun -n " + std::to_string(n));
  if (world.broken())
    throw RanksError(FindingKind::comm_dead_rank, "run_ranks: an earlier group lost a rank of this MPI job", {});
}

/// The results of all ranks, on every rank.
std::vector<std::string> exchanged(World& world, const std::string& mine) {
  const int bytes = static_cast<int>(mine.size());
  std::vector<int> sizes(static_cast<std::size_t>(world.size)), begins(sizes.size());
  MPI_Allgather(&bytes, 1, MPI_INT, sizes.data(), 1, MPI_INT, world.windows);
  std::exclusive_scan(sizes.begin(), sizes.end(), begins.begin(), 0);
  std::string all(static_cast<std::size_t>(begins.back() + sizes.back()), 0);
  MPI_Allgatherv(mine.data(), bytes, MPI_BYTE, all.data(), sizes.data(), begins.data(), MPI_BYTE, world.windows);
  std::vector<std::string> answers;
  for (std::size_t r = 0; r < sizes.size(); ++r)
    answers.push_back(all.substr(static_cast<std::size_t>(begins[r]), static_cast<std::size_t>(sizes[r])));
  return answers;
}

/// Waits until the functions of all ranks have ended. Returns false if a rank is lost, or if some have not ended in
/// time after a failure.
bool wait_for_all(Group& group) {
  if (simulated) return true;
  Board& board = group.board();
  Deadline until = Deadline::max();
  while (!group.all_over()) {
    const std::uint32_t seen = board.seat(group.world().rank).bell.load();
    if (group.all_over()) break;
    if (group.state().lost.load() != 0) return false;
    if (board.failed() && until == Deadline::max()) until = Time::now() + group.grace();
    if (Time::now() >= until) return false;
    board.sleep(group.world().rank, seen, Time::now() + std::chrono::milliseconds(20));
  }
  return group.state().lost.load() == 0;
}

std::unique_ptr<Group> make_group(World& world, const RanksOptions& options) {
  const Call call(world, Call::waits);
  share_for_good(world);
  return std::make_unique<Group>(world, options);
}

/// While an object of this class lives, a process that exits leaves its group before the end.
class InGroup {
 public:
  explicit InGroup(World& world) : world_(world) { world_.in_group = true; }
  InGroup(const InGroup&) = delete;
  ~InGroup() { world_.in_group = false; }

 private:
  World& world_;
};

/// The MPI job, once all ranks have entered run_ranks. A rank that waits for them longer than the deadline prints a
/// message and ends its process.
World& all_come(milliseconds deadline) {
  if (World::known() || simulated) return World::instance();
  std::mutex mutex;
  std::condition_variable_any ended;
  const std::jthread patience([&](const std::stop_token& stop) {
    std::unique_lock lock(mutex);
    ended.wait_for(lock, stop, deadline, [] { return false; });
    if (stop.stop_requested()) return;
    std::fprintf(
        stderr,
        "ptox: [comm-timeout] run_ranks: this process (%d) has waited %lld ms for the other ranks of the MPI job "
        "to come to their first run_ranks\n",
        static_cast<int>(getpid()), static_cast<long long>(deadline.count()));
    std::_Exit(1);
  });
  return World::instance();
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the parameters are those of Runner.
std::vector<std::string> run(int n, detail::RankBody body, const RanksOptions& options) {
  World& world = all_come(first_patience(options.deadline));
  refuse(world, n);
  share_machine(world.core_sharers);
  const InGroup in_group(world);
  world.come();
  Watch watch(world, options.deadline);
  const std::unique_ptr<Group> group = make_group(world, options);
  Link link(*group);
  watch.begin(*group, link);
  std::string answer;
  bool returned = false;
  {
    Member member(std::make_unique<MpiFabric>(*group, link), options);
    returned = run_rank(member, body, answer);
    end_plain_launch();
    if (returned) member.fabric().quiet(member.deadline());  // completes its puts and adds
  }
  watch.over();
  group->leave(returned);
  const bool together = wait_for_all(*group);
  watch.closing();
  link.stop();
  if (!together) world.break_off(), throw_failure(group->board().failure());
  const Call call(world, Call::waits);
  link.drain();
  const bool failed = group->board().failed();
  const Failure failure = group->board().failure();
  group->give_back();
  if (failed) throw_failure(failure);
  return exchanged(world, answer);
}

[[maybe_unused]] const bool registered = (mpi_runner = run) != nullptr;

}  // namespace

}  // namespace ptox::comm::mpi

/// Programs reference this symbol, so that the linker takes the engine from its archive.
extern "C" void ptox_mpi_engine() {}
