// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/fabric.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>

namespace ptox::comm::mpi {

namespace {

constexpr std::size_t alignment = 512, first_piece = 64 << 10;
constexpr std::size_t most_under_way = 16 << 20;
constexpr std::int64_t most_at_once = 256 << 20;

constexpr std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Calls move(offset in local memory, remote place, rectangle) for parts of a rectangle whose size fits into an int.
template <class F>
void each_part(Place place, const Rectangle& r, F&& move) {
  const std::int64_t rows_at_once = std::max<std::int64_t>(1, most_at_once / std::max<std::int64_t>(1, r.row_bytes));
  for (std::int64_t i = 0; i < r.rows; i += rows_at_once)
    for (std::int64_t at = 0; at < r.row_bytes; at += most_at_once) {
      const Place to{place.rank, place.offset + static_cast<std::size_t>(i * r.there_step + at)};
      move(i * r.here_step + at, to,
           Rectangle{std::min(rows_at_once, r.rows - i), std::min(most_at_once, r.row_bytes - at), r.here_step,
                     r.there_step});
    }
}

/// The MPI datatype and count that describe rows of bytes `step` apart.
class Rows {
 public:
  Rows(const Rectangle& r, std::int64_t step) {
    plain_ = r.rows == 1 || step == r.row_bytes;
    bytes_ = static_cast<int>(r.rows * r.row_bytes);
    if (plain_) return;
    MPI_Type_create_hvector(static_cast<int>(r.rows), static_cast<int>(r.row_bytes), static_cast<MPI_Aint>(step),
                            MPI_BYTE, &type_);
    MPI_Type_commit(&type_);
  }
  ~Rows() {
    if (!plain_) MPI_Type_free(&type_);
  }
  Rows(const Rows&) = delete;
  int count() const { return plain_ ? bytes_ : 1; }
  MPI_Datatype type() const { return plain_ ? MPI_BYTE : type_; }

 private:
  bool plain_ = true;
  int bytes_ = 0;
  MPI_Datatype type_ = MPI_BYTE;
};

std::vector<std::byte> packed(const std::byte* from, const Rectangle& r) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(r.rows * r.row_bytes));
  for (std::int64_t i = 0; i < r.rows; ++i)
    std::memcpy(bytes.data() + i * r.row_bytes, from + i * r.here_step, static_cast<std::size_t>(r.row_bytes));
  return bytes;
}

}  // namespace

MpiFabric::MpiFabric(Group& group, Link& link)
    : SharedFabric(group.world().rank, group.board(),
                   {group.heap().base(), group.heap().slot(), group.world().node_ranks}, false),
      group_(group),
      world_(group.world()),
      link_(link),
      mates_(group.world().members(group.world().node)) {}

std::byte* MpiFabric::address(int rank, std::size_t offset) const {
  if (!world_.here(rank)) return nullptr;
  const auto index = static_cast<std::size_t>(world_.index_of[static_cast<std::size_t>(rank)]);
  return group_.heap().base() + index * group_.heap().slot() + offset;
}

std::optional<Place> MpiFabric::locate(const void* at) const {
  std::optional<Place> place = SharedFabric::locate(at);  // its rank is an index in the node
  if (place) place->rank = mates_[static_cast<std::size_t>(place->rank)];
  return place;
}

std::uint64_t MpiFabric::come(std::uint64_t value) {
  const std::uint64_t round = group_.arrive(value);
  if constexpr (simulated) {
    const Call call(world_);
    link_.round_simulated(round, value);
  }
  return round;
}

/// Waits until all ranks have requested an allocation. Returns false, after `fail`, if the group has failed, a rank
/// does not arrive or the sizes differ.
bool MpiFabric::agree(std::size_t bytes) {
  if (const auto wrong = group_.board().asked(allocations_++, bytes, id())) return fail(*wrong), false;
  progress("symmetric", 0, 0);
  return wait_for(come(bytes + 1), "symmetric");
}

bool MpiFabric::wait_for(std::uint64_t round, const char* what) {
  const Deadline until = Time::now() + group_.options().deadline;
  while (!group_.came(round)) {
    const std::uint32_t seen = bell();
    if (group_.came(round)) break;
    if (failed()) return false;
    const std::vector<int> ranks = missing(round);
    const bool gone = std::any_of(ranks.begin(), ranks.end(), [&](int r) { return returned(r) || !alive(r); });
    if ((gone && !group_.came(round)) || Time::now() >= until) {
      std::string who;
      for (int r : ranks)
        who += (who.empty() ? "rank " : ", rank ") + std::to_string(r) + " (last in " + last_op(r) + ")";
      fail({gone ? FindingKind::comm_dead_rank : FindingKind::comm_timeout,
            std::string(what) + ": rank " + std::to_string(id()) + " waits for " + who +
                (gone ? ", which has ended"
                      : ", which did not come within " + std::to_string(group_.options().deadline.count()) + " ms"),
            ranks});
      return false;
    }
    SharedFabric::sleep(seen, Time::now() + std::chrono::milliseconds(20));
  }
  return !failed();
}

std::optional<std::size_t> MpiFabric::allocate(std::size_t bytes) {
  if (!agree(bytes)) return std::nullopt;
  const std::size_t need = rounded(bytes) + alignment, most = group_.options().symmetric_bytes;
  if (need < bytes || (most != 0 && (bytes > most || used_ + rounded(bytes) > most))) {
    fail({std::nullopt,
          "symmetric: rank " + std::to_string(id()) + " asks for " + std::to_string(bytes) + " bytes, " +
              std::to_string(most - std::min(used_, most)) + " of " + std::to_string(most) +
              " are left. Give run_ranks a larger symmetric_bytes",
          {id()}});
    return std::nullopt;
  }
  NodeHeap& heap = group_.heap();
  if (used_ + need > heap.filled()) {
    used_ = heap.filled();  // an allocation does not span two pieces
    const Call call(world_, Call::waits);
    const std::string error = heap.grow(std::max({need, first_piece, used_}));
    if (!error.empty()) {
      fail({std::nullopt,
            "symmetric: rank " + std::to_string(id()) + " asks for " + std::to_string(bytes) + " bytes: " + error,
            {id()}});
      return std::nullopt;
    }
  }
  used_ += need;
  return used_ - need;
}

void MpiFabric::put(Place to, const std::byte* from, const Rectangle& r) {
  if (world_.here(to.rank)) return SharedFabric::put(to, from, r);
  each_part(to, r, [&](std::int64_t first, Place place, const Rectangle& part) {
    const Call call(world_, Call::waits);
    if (world_.broken()) return;
    const auto& bytes = under_way_.emplace_back(packed(from + first, part));
    const NodeHeap::Target target = group_.heap().target(place);
    const int leader = world_.leader(to.rank);
    const Rows there(part, part.there_step);
    MPI_Put(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, leader, target.at, there.count(), there.type(),
            target.window);
    touched_.emplace(target.window, leader);
    bytes_under_way_ += bytes.size();
    if (bytes_under_way_ > most_under_way) flush();
  });
}

void MpiFabric::get(std::byte* to, Place from, const Rectangle& r) {
  if (world_.here(from.rank)) return SharedFabric::get(to, from, r);
  each_part(from, r, [&](std::int64_t first, Place place, const Rectangle& part) {
    const Call call(world_, Call::waits);
    if (world_.broken()) return;
    const NodeHeap::Target target = group_.heap().target(place);
    const int leader = world_.leader(from.rank);
    const Rows here(part, part.here_step), there(part, part.there_step);
    MPI_Get(to + first, here.count(), here.type(), leader, target.at, there.count(), there.type(), target.window);
    MPI_Win_flush(leader, target.window);
  });
}

void MpiFabric::add(Place to, const std::byte* from, pto::instr::DType dtype, const Rectangle& r) {
  if (world_.here(to.rank)) return SharedFabric::add(to, from, dtype, r);
  each_part(to, r, [&](std::int64_t first, Place place, const Rectangle& part) {
    const Call call(world_);
    Rectangle there = part;
    there.here_step = part.row_bytes;
    link_.send(
        to.rank,
        {.kind = Kind::add, .what = static_cast<std::int32_t>(dtype), .offset = place.offset, .rectangle = there},
        packed(from + first, part));
  });
}

/// Completes all puts. The caller holds a Call.
void MpiFabric::flush() {
  for (const auto& [window, leader] : touched_) MPI_Win_flush(leader, window);
  touched_.clear(), under_way_.clear();
  bytes_under_way_ = 0;
}

bool MpiFabric::quiet(Deadline deadline) {
  if (world_.nodes == 1) return true;
  while (!world_.broken()) {
    {
      const Call call(world_, Call::waits);
      flush();
      link_.pump();
    }
    if (link_.asked() == 0) return true;
    if (Time::now() >= deadline) return false;
    if (failed()) return true;  // the caller checks for failures
    std::this_thread::yield();
  }
  return true;
}

void MpiFabric::notify(Place at, pto::comm::NotifyOp op, std::int32_t value) {
  if (world_.here(at.rank)) return SharedFabric::notify(at, op, value);
  const Call call(world_);
  link_.send(at.rank,
             {.kind = Kind::notify, .what = static_cast<std::int32_t>(op), .value = value, .offset = at.offset});
}

/// Few bytes are sent in a single message: one network latency instead of three (put, its completion, notify).
void MpiFabric::put_and_add(Place to, const std::byte* from, const Rectangle& r, Place signal, std::int32_t value) {
  constexpr std::int64_t few = 1 << 20;
  if (world_.here(to.rank) || to.rank != signal.rank || r.rows * r.row_bytes > few)
    return SharedFabric::put_and_add(to, from, r, signal, value);
  if (!touched_.empty()) quiet(Time::now() + group_.options().deadline);
  const Call call(world_);
  Rectangle there = r;
  there.here_step = r.row_bytes;
  link_.send(
      to.rank,
      {.kind = Kind::put_and_add, .value = value, .offset = to.offset, .signal = signal.offset, .rectangle = there},
      packed(from, r));
}

std::int32_t MpiFabric::peek(Place at) {
  if (world_.here(at.rank)) return SharedFabric::peek(at);
  std::int32_t value = 0;
  get(reinterpret_cast<std::byte*>(&value), at, {1, sizeof value, sizeof value, sizeof value});
  return value;
}

void MpiFabric::sleep(std::uint32_t seen, Deadline deadline) {
  if constexpr (simulated) {
    const Call call(world_);
    link_.wait_simulated();
  } else {
    // Events on other nodes ring no bell, so return after 1 ms for the caller to poll.
    const bool far = world_.nodes > 1;
    SharedFabric::sleep(seen, far ? std::min(deadline, Time::now() + std::chrono::milliseconds(1)) : deadline);
  }
}

}  // namespace ptox::comm::mpi
