// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/world.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <thread>

namespace ptox::comm::mpi {

namespace {

World* the_world = nullptr;

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// The number of ranks according to the environment; 0 if this process was not started as part of an MPI job.
int announced() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 0;
}

void finalize(int status, void*) {
  // MPI_Finalize would wait for a lost rank, or for the other ranks if this one exits inside run_ranks.
  if (the_world && (the_world->broken() || the_world->in_group.load())) {
    std::cout.flush(), std::fflush(nullptr);
    the_world->end_process(status == 0 ? 1 : status);
  }
  int done = 0;
  MPI_Finalized(&done);
  if (!done) MPI_Finalize();
}

// The component for one-sided communication (osc) that Open MPI must not select. Before version 5, rdma is slow within
// a node and does not work between hosts without special hardware. In version 5, rdma is the only component for every
// network, and ucx is selected on machines where it then fails to create a window.
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
constexpr const char* without_component = "^ucx";
#else
constexpr const char* without_component = "^rdma";
#endif

void initialize() {
  int initialized = 0, finalized = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  if (finalized) throw std::logic_error("run_ranks: MPI_Finalize was called, and MPI cannot be started again");
  if (!initialized) {
    setenv("OMPI_MCA_osc", without_component, 0);
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
    if constexpr (!simulated) on_exit(finalize, nullptr);
  }
}

int pretended_nodes() {
  const char* value = std::getenv("PTOX_MPI_NODES");
  return value ? std::max(1, std::atoi(value)) : 1;
}

template <class T>
std::vector<T> from_all(T value, MPI_Comm comm, int size) {
  std::vector<T> all(static_cast<std::size_t>(size));
  MPI_Allgather(&value, sizeof value, MPI_BYTE, all.data(), sizeof value, MPI_BYTE, comm);
  return all;
}

/// How many ranks of `host` may run on a core on which this rank may run. A launcher that binds each rank to cores of
/// its own has divided the machine already; otherwise all ranks share all cores.
int sharers_of_cores(MPI_Comm host, int host_size) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_SET(0, &mine);  // fails with more than CPU_SETSIZE cores
  const auto all = from_all(mine, host, host_size);
  return static_cast<int>(std::count_if(all.begin(), all.end(), [&](const cpu_set_t& other) {
    cpu_set_t both;
    CPU_AND(&both, &mine, &other);
    return CPU_COUNT(&both) > 0;
  }));
}

MPI_Comm copy_of(MPI_Comm comm) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN);
  return copy;
}

}  // namespace

std::string text_of(int code) {
  char text[MPI_MAX_ERROR_STRING + 1] = {};
  int length = 0;
  MPI_Error_string(code, text, &length);
  return text;
}

bool World::known() { return the_world != nullptr; }

World& World::instance() {
  if (!the_world) {
    initialize();
    the_world = new World;  // never deleted: used until the process ends
  }
  return *the_world;
}

World::World() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (!simulated && size == 1 && announced() > 1)
    throw std::runtime_error("run_ranks: the job has " + std::to_string(announced()) +
                             " processes, and MPI sees one. Start it with the mpirun of the MPI that it is linked to");
  windows = copy_of(MPI_COMM_WORLD), messages = copy_of(MPI_COMM_WORLD);
  find_nodes(windows);
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (!simulated && nodes > 1 && level < MPI_THREAD_SERIALIZED)
    throw std::runtime_error(
        "run_ranks: MPI was initialised for one thread; between nodes it must be MPI_THREAD_SERIALIZED at least. Use "
        "MPI_Init_thread, or let run_ranks do it");
  MPI_Comm_split(windows, leads() ? 0 : MPI_UNDEFINED, rank, &leaders);
  if (leads()) MPI_Comm_set_errhandler(leaders, MPI_ERRORS_RETURN), enders = copy_of(leaders);
}

void World::find_nodes(MPI_Comm all) {
  MPI_Comm host = MPI_COMM_NULL;
  if constexpr (simulated)
    MPI_Comm_split(all, rank, 0, &host);
  else
    MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host);
  int host_size = 1, host_index = 0;
  MPI_Comm_size(host, &host_size), MPI_Comm_rank(host, &host_index);
  const auto mates = from_all(rank, host, host_size);
  const auto mates_pids = from_all(getpid(), host, host_size);
  pids.assign(static_cast<std::size_t>(size), 0);
  for (std::size_t i = 0; i < mates.size(); ++i) pids[static_cast<std::size_t>(mates[i])] = mates_pids[i];
  const int parts = std::min(pretended_nodes(), host_size);
  MPI_Comm_split(host, host_index * parts / host_size, rank, &node_comm);
  MPI_Comm_set_errhandler(node_comm, MPI_ERRORS_RETURN);
  if constexpr (!simulated) core_sharers = sharers_of_cores(host, host_size);
  MPI_Comm_free(&host);
  MPI_Comm_rank(node_comm, &index), MPI_Comm_size(node_comm, &node_ranks);
  int first = rank;
  MPI_Bcast(&first, 1, MPI_INT, 0, node_comm);
  const auto firsts = from_all(first, all, size);
  index_of = from_all(index, all, size);
  leader_of = firsts;
  std::sort(leader_of.begin(), leader_of.end());
  leader_of.erase(std::unique(leader_of.begin(), leader_of.end()), leader_of.end());
  nodes = static_cast<int>(leader_of.size());
  ranks_on.assign(leader_of.size(), 0);
  for (int f : firsts) {
    const auto at = std::lower_bound(leader_of.begin(), leader_of.end(), f) - leader_of.begin();
    node_of.push_back(static_cast<int>(at)), ++ranks_on[static_cast<std::size_t>(at)];
  }
  node = node_of[static_cast<std::size_t>(rank)];
}

std::vector<int> World::members(int of_node) const {
  std::vector<int> ranks;
  for (int r = 0; r < size; ++r)
    if (node_of[static_cast<std::size_t>(r)] == of_node) ranks.push_back(r);
  return ranks;
}

void World::end_process(int status) const {
  // Open MPI's mpirun may hang or crash when several ranks end at once: one ends first, and mpirun ends the others.
  constexpr std::chrono::milliseconds between{200};
  std::this_thread::sleep_for(between * std::min(rank, 5));
  std::_Exit(status);
}

void World::come() {
  ++mine_;
  if (auto* visits = visits_.load()) visits[index].store(mine_);
}

void World::share_visits(std::byte* words) {
  visits_.store(reinterpret_cast<std::atomic<std::uint64_t>*>(words));
  visits_.load()[index].store(mine_);
  on_exit([](int, void* world) { static_cast<World*>(world)->wait_for_leavers(); }, this);
}

void World::wait_for_leavers() {
  auto* visits = visits_.load();
  int finalized = 0;  // whether the program itself called MPI_Finalize
  MPI_Finalized(&finalized);
  if (!visits || finalized || broken() || in_group.load()) return;
  visits[index].store(left);
  for (const int r : members(node))
    while (visits[index_of[static_cast<std::size_t>(r)]].load() != left) {
      if (kill(pids[static_cast<std::size_t>(r)], 0) != 0) return break_off();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

std::vector<int> World::absent() const {
  std::vector<int> ranks;
  const auto* visits = visits_.load();
  for (const int r : members(node)) {
    const std::uint64_t came = visits ? visits[index_of[static_cast<std::size_t>(r)]].load() : mine_;
    if (came < mine_ || came == left) ranks.push_back(r);
  }
  return ranks;
}

std::chrono::milliseconds World::waiting_for() const {
  const std::int64_t since = since_.load();
  return std::chrono::milliseconds(since == 0 ? 0 : (now_ns() - since) / 1'000'000);
}

Call::Call(World& world, Kind kind) : world_(world), lock_(world.turns_), waits_(kind == waits) {
  if (waits_) world_.since_.store(now_ns());
}
Call::~Call() {
  if (waits_) world_.since_.store(0);
}

}  // namespace ptox::comm::mpi
