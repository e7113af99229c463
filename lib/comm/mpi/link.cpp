// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/link.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "comm/group/shared_fabric.hpp"

namespace ptox::comm::mpi {

namespace {

/// The seat and note of a rank as they are sent to other nodes.
struct News {
  std::int32_t rank = 0;
  std::uint32_t state = 0;
  std::uint64_t barriers = 0, pulse = 0;
  OpName::Words op{};
  std::int64_t rows = 0, of_rows = 0;
};

/// Whether a message is acknowledged after it was executed. Under SimGrid a rank cannot end before its messages are
/// delivered, so that only adds are acknowledged.
constexpr bool is_answered(Kind kind) {
  return kind == Kind::add || (!simulated && (kind == Kind::notify || kind == Kind::put_and_add));
}

std::int64_t now_ms() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Time::now().time_since_epoch()).count();
}

}  // namespace

Link::Link(Group& group)
    : group_(group),
      world_(group.world()),
      messages_(world_, [this](const Header& h, std::span<const std::byte> bytes) { handle(h, bytes); }),
      heard_(static_cast<std::size_t>(world_.nodes)) {
  for (auto& h : heard_) h.store(now_ms());
  if (!simulated && world_.nodes > 1 && world_.leads())
    thread_ = std::jthread([this](const std::stop_token& stop) { serve(stop); });
}

void Link::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Link::send(int about_rank, Header header, std::span<const std::byte> bytes) {
  header.from = world_.rank;
  header.rank = about_rank;
  if (is_answered(header.kind)) asked_.fetch_add(1);
  messages_.send(world_.leader(about_rank), header, bytes);
}

void Link::to_all_leaders(const Header& header, std::span<const std::byte> bytes) {
  Header h = header;
  h.from = world_.rank;
  for (int node = 0; node < world_.nodes; ++node)
    if (node != world_.node) messages_.send(world_.leader_of[static_cast<std::size_t>(node)], h, bytes);
}

/// Polls continuously while there is work, and at growing intervals of up to 200 us while there is none.
void Link::serve(const std::stop_token& stop) {
  constexpr int eager = 200, patient = 2000;
  for (int idle = 0; !stop.stop_requested();) {
    bool busy = false;
    {
      const Call call(world_);
      busy = !world_.broken() && step();
    }
    idle = busy ? 0 : std::min(idle + 1, patient);
    if (idle < eager)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(idle < patient ? 20 : 200));
  }
}

bool Link::step() {
  bool busy = messages_.pump();
  busy = step_round() || busy;
  busy = step_end() || busy;
  tell_failure();
  tell_news();
  return busy || asked() > 0;
}

/// A round begins when all ranks of this node have arrived, and is complete when those of all nodes have. Returns
/// whether anything was done.
bool Link::step_round() {
  if (round_.request != MPI_REQUEST_NULL) {
    int done = 0;
    if (MPI_Test(&round_.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done) return false;
    judge(round_);
    group_.complete(round_.started);
    return true;
  }
  const auto ranks = static_cast<std::uint64_t>(world_.node_ranks);
  if (group_.state().arrivals.load() < (round_.started + 1) * ranks) return false;
  ++round_.started;
  gather_values(round_);
  MPI_Iallreduce(round_.mine, round_.all, 2, MPI_UINT64_T, MPI_MAX, world_.leaders, &round_.request);
  return true;
}

void Link::gather_values(Round& round) {
  round.mine[0] = 0, round.mine[1] = 0;
  for (int r : world_.members(world_.node)) {
    const std::uint64_t value = group_.state().notes[r].value.load();
    round.mine[0] = std::max(round.mine[0], value), round.mine[1] = std::max(round.mine[1], ~value);
  }
}

void Link::judge(const Round& round) {
  const std::uint64_t most = round.all[0], least = ~round.all[1];
  if (most == least) return;
  const auto text = [](std::uint64_t v) {
    return v == 0 ? std::string("comes to a barrier") : "asks for " + std::to_string(v - 1) + " bytes";
  };
  group_.board().fail({FindingKind::comm_shape,
                       "symmetric: one rank " + text(most) + ", another " + text(least) +
                           ". All ranks ask for the same in the same order",
                       {}});
}

void Link::round_simulated(std::uint64_t round, std::uint64_t value) {
  round_.mine[0] = value, round_.mine[1] = ~value;
  MPI_Allreduce(round_.mine, round_.all, 2, MPI_UINT64_T, MPI_MAX, world_.leaders);
  judge(round_);
  group_.complete(round);
}

bool Link::step_end() {
  if (end_.request != MPI_REQUEST_NULL) {
    int done = 0;
    if (MPI_Test(&end_.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || !done) return false;
    group_.state().all_over.store(1);
    group_.board().ring_all();
    return true;
  }
  if (end_started_ || group_.state().over.load() < static_cast<std::uint32_t>(world_.node_ranks)) return false;
  end_started_ = true;
  MPI_Ibarrier(world_.enders, &end_.request);
  return true;
}

/// When a group ended early, some leaders may be in a round that others have not begun. All complete it here.
void Link::drain() {
  if (world_.nodes == 1) return;
  if (world_.leads()) {
    std::uint64_t most = round_.started;
    MPI_Allreduce(MPI_IN_PLACE, &most, 1, MPI_UINT64_T, MPI_MAX, world_.enders);
    while (round_.started < most) {
      ++round_.started;
      MPI_Iallreduce(round_.mine, round_.all, 2, MPI_UINT64_T, MPI_MAX, world_.leaders, &round_.request);
    }
    MPI_Wait(&round_.request, MPI_STATUS_IGNORE);
    tell_failure();
  }
  messages_.drain(world_.windows);
}

void Link::tell_news() {
  const auto pause = std::max(std::chrono::milliseconds(50), std::chrono::milliseconds(world_.nodes));
  std::uint64_t changes = 0;  // the end of a rank is sent at once
  std::vector<News> all;
  const Time::time_point now = Time::now();
  const auto ended = group_.state().over.load();
  if (changes_told_ == ended && now - news_told_ < pause) return;
  changes = ended;
  for (int r : world_.members(world_.node)) {
    const Seat& s = group_.board().seat(r);
    all.push_back({r, s.state.load(), s.barriers.load(), s.pulse.load(), s.op.load(), s.rows.load(), s.of_rows.load()});
  }
  changes_told_ = changes, news_told_ = now;
  to_all_leaders({.kind = Kind::news}, std::as_bytes(std::span(all)));
}

void Link::hear_news(std::span<const std::byte> bytes) {
  bool ended = false;
  for (; bytes.size() >= sizeof(News); bytes = bytes.subspan(sizeof(News))) {
    News n;
    std::memcpy(&n, bytes.data(), sizeof n);
    Seat& s = group_.board().seat(n.rank);
    ended = ended || s.state.load() != n.state;
    s.op.store(n.op);
    s.rows.store(n.rows), s.of_rows.store(n.of_rows), s.pulse.store(n.pulse), s.barriers.store(n.barriers);
    if (s.state.load() == Seat::running) s.state.store(n.state);
  }
  if (ended) group_.board().ring_all();
}

void Link::tell_failure() {
  if (failure_told_ || !group_.board().failed()) return;
  failure_told_ = true;
  const Failure f = group_.board().failure();
  std::string text = (f.kind ? name(*f.kind) : std::string()) + '\0' + f.sentence + '\0';
  for (int r : f.ranks) text.append(reinterpret_cast<const char*>(&r), sizeof r);
  to_all_leaders({.kind = Kind::failure, .what = world_.broken() ? 1 : 0}, std::as_bytes(std::span(text)));
}

void Link::hear_failure(const Header& header, std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t first = text.find('\0'), second = text.find('\0', first + 1);
  if (second == std::string::npos) return;
  Failure f{find_kind(text.substr(0, first)), text.substr(first + 1, second - first - 1), {}};
  for (std::size_t at = second + 1; at + sizeof(int) <= text.size(); at += sizeof(int)) {
    int r = 0;
    std::memcpy(&r, text.data() + at, sizeof r);
    f.ranks.push_back(r);
  }
  failure_told_ = true;  // the sender has sent it to all leaders
  if (header.what) return group_.lose(f.ranks, "as another node says: " + f.sentence);
  group_.board().fail(f);
}

void Link::handle(const Header& h, std::span<const std::byte> bytes) {
  if (h.kind == Kind::done) return void(asked_.fetch_sub(1));
  heard_[static_cast<std::size_t>(world_.node_of[static_cast<std::size_t>(h.from)])].store(now_ms());
  if (h.kind == Kind::news) return hear_news(bytes);
  if (h.kind == Kind::failure) return hear_failure(h, bytes);
  apply(h, bytes);
  if (is_answered(h.kind)) messages_.send(h.from, {.kind = Kind::done});
}

/// Executes a request from a rank of another node on the memory of a rank of this node.
void Link::apply(const Header& h, std::span<const std::byte> bytes) {
  const auto slot = static_cast<std::size_t>(world_.index_of[static_cast<std::size_t>(h.rank)]) * group_.heap().slot();
  std::byte* memory = group_.heap().base() + slot;
  const auto value = static_cast<std::int32_t>(h.value);
  const Rectangle& r = h.rectangle;
  if (h.kind == Kind::add) return add_rows(memory + h.offset, bytes.data(), static_cast<pto::instr::DType>(h.what), r);
  if (h.kind == Kind::notify) {
    update_signal(memory + h.offset, static_cast<pto::comm::NotifyOp>(h.what), value);
  } else {
    for (std::int64_t i = 0; i < r.rows; ++i)
      std::memcpy(memory + h.offset + i * r.there_step, bytes.data() + i * r.here_step,
                  static_cast<std::size_t>(r.row_bytes));
    update_signal(memory + h.signal, pto::comm::NotifyOp::AtomicAdd, value);
  }
  group_.board().ring(h.rank);
}

std::chrono::milliseconds Link::silence(int node) const {
  return std::chrono::milliseconds(now_ms() - heard_[static_cast<std::size_t>(node)].load());
}

void Link::forgive(std::chrono::milliseconds pause) {
  for (auto& h : heard_) h.fetch_add(pause.count());
}

}  // namespace ptox::comm::mpi
