// SPDX-License-Identifier: Apache-2.0
// Selects the engine that runs the ranks.
#include "ptox/ranks.hpp"

#include <stdexcept>
#include <string>

#include "comm/group/member.hpp"
#include "engine/launch/plain.hpp"

namespace ptox {

int Rank::id() const { return member_->id(); }
int Rank::size() const { return member_->size(); }
Device& Rank::device() const { return member_->device(); }
void Rank::barrier() const { member_->barrier(); }

std::size_t detail::symmetric_place(comm::Member& member, std::int64_t count, std::size_t element_bytes) {
  return member.allocate(count, element_bytes);
}

void* detail::symmetric_address(comm::Member& member, std::size_t place, int rank) {
  if (rank < 0 || rank >= member.size())
    throw std::out_of_range("symmetric: rank " + std::to_string(rank) + " of " + std::to_string(member.size()));
  return member.at(rank, place);
}

comm::Runner comm::mpi_runner = nullptr;

std::vector<std::string> detail::run_ranks(int n, Engine engine, RankBody body, const RanksOptions& options) {
  note_use();
  if (options.deadline.count() <= 0)
    throw std::invalid_argument("run_ranks: the deadline is " + std::to_string(options.deadline.count()) +
                                " ms; it must be at least 1");
  constexpr std::chrono::hours longest(24 * 365);
  if (options.deadline > longest)
    throw std::invalid_argument("run_ranks: the deadline is " + std::to_string(options.deadline.count()) +
                                " ms; it must be at most a year");
  if (constexpr std::size_t most = std::size_t{1} << 46; options.symmetric_bytes > most)
    throw std::invalid_argument("run_ranks: symmetric_bytes is " + std::to_string(options.symmetric_bytes) +
                                "; it must be at most " + std::to_string(most));
  if (options.target.get().accelerator)
    throw std::invalid_argument(std::string("run_ranks: the target is ") + options.target.get().name +
                                ", which has no ranks; it must be cpu, a2a3 or a5");
  if (engine == Engine::mpi) {
    if (!comm::mpi_runner)
      throw std::invalid_argument(
          "run_ranks: Engine::mpi is not linked. Link ptox::mpi, built where MPI is (Debian: "
          "libopenmpi-dev)");
    return comm::mpi_runner(n, std::move(body), options);
  }
  if (n < 1) throw std::invalid_argument("run_ranks: n is " + std::to_string(n) + "; it must be at least 1");
  return engine == Engine::threads ? comm::run_threads(n, std::move(body), options)
                                   : comm::run_processes(n, std::move(body), options);
}

}  // namespace ptox
