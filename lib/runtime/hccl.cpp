// SPDX-License-Identifier: Apache-2.0
// Implements the functions of hccl/hccl.h.
#include "hccl/hccl.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "comm/group/member.hpp"
#include "comm/hccl/fabric.hpp"
#include "comm/hccl/root_info.hpp"
#include "comm/hccl/session.hpp"
#include "engine/launch/device_state.hpp"
#include "engine/launch/plain.hpp"
#include "engine/memory/updates.hpp"

namespace ptox::comm::hccl {

namespace {

constexpr std::uint64_t MB = 1 << 20;

/// What programs know as CommDeviceContext; they declare it themselves.
struct DeviceContext {
  std::uint64_t workSpace = 0, workSpaceSize = 0;
  std::uint32_t rankId = 0, rankNum = 0;
  std::uint64_t winSize = 0;
  std::uint64_t windowsIn[most_ranks] = {}, windowsOut[most_ranks] = {};
};
static_assert(sizeof(DeviceContext) == 1056);

/// The value of an environment variable that is a whole number from 1 to `most`. Another value is reported and ignored.
std::int64_t number_from_outside(const char* name, std::int64_t otherwise, std::int64_t most) {
  const char* text = std::getenv(name);
  if (!text || !*text) return otherwise;
  char* end = nullptr;
  const long long n = std::strtoll(text, &end, 10);
  if (*end == 0 && n >= 1 && n <= most) return n;
  std::fprintf(stderr, "ptox: %s is '%s'; it must be from 1 to %lld; %lld is used\n", name, text,
               static_cast<long long>(most), static_cast<long long>(otherwise));
  return otherwise;
}

std::size_t window_bytes() { return static_cast<std::size_t>(number_from_outside("HCCL_BUFFSIZE", 200, 65536)) * MB; }

std::chrono::milliseconds deadline() {
  constexpr std::int64_t usual_ms = 60'000, a_day_ms = 86'400'000;
  return std::chrono::milliseconds(number_from_outside("PTOX_DEADLINE", usual_ms, a_day_ms));
}

RanksOptions options() {
  RanksOptions o;
  o.deadline = deadline();
  return o;
}

/// The smaller one of HCCL_CONNECT_TIMEOUT and the deadline, if one is set.
Session::Patience patience() {
  const std::chrono::seconds connect(number_from_outside("HCCL_CONNECT_TIMEOUT", 120, 7200));
  const char* const limited = std::getenv("PTOX_DEADLINE");
  if (!limited || !*limited || connect <= deadline()) return {connect, "HCCL_CONNECT_TIMEOUT"};
  return {deadline(), "the deadline of ranks"};
}

HcclResult refused(HcclResult code, const char* function, const std::string& sentence) {
  std::fflush(stdout);
  const bool named = sentence.rfind(function, 0) == 0;
  std::fprintf(stderr, "%s%s%s\n", named ? "" : function, named ? "" : ": ", sentence.c_str());
  return code;
}

HcclResult code_of(Session::Refusal::Why why) {
  switch (why) {
    case Session::Refusal::Why::wrong_call:
      return HCCL_E_PARA;
    case Session::Refusal::Why::timed_out:
      return HCCL_E_TIMEOUT;
    case Session::Refusal::Why::lost_rank:
      return HCCL_E_REMOTE;
  }
  return HCCL_E_INTERNAL;
}

FindingKind kind_of(Session::Refusal::Why why) {
  return why == Session::Refusal::Why::wrong_call  ? FindingKind::comm_shape
         : why == Session::Refusal::Why::timed_out ? FindingKind::comm_timeout
                                                   : FindingKind::comm_dead_rank;
}

void stop_if_the_group_has_ended() {
  if (Member* member = current_member()) member->go_on();
}

/// A rank of this process.
class Rank {
 public:
  Rank(std::unique_ptr<Session> session, int id, std::uint64_t bytes)
      : session_(std::move(session)),
        id_(id),
        member_(std::make_unique<ProgramFabric>(id, *session_), options()),
        context_(static_cast<DeviceContext*>(ptox::detail::gm_alloc(sizeof(DeviceContext), 1))),
        name_("ptox_" + std::to_string(getpid()) + "_" + std::to_string(++made)) {
    const std::size_t offset = member_.allocate(static_cast<std::int64_t>(bytes), 1);
    *context_ = {.rankId = static_cast<std::uint32_t>(id),
                 .rankNum = static_cast<std::uint32_t>(member_.size()),
                 .winSize = bytes};
    for (int r = 0; r < member_.size(); ++r)
      context_->windowsIn[r] = context_->windowsOut[r] = reinterpret_cast<std::uint64_t>(member_.at(r, offset));
  }
  ~Rank() {
    Board& board = session_->board();
    board.seat(id_).state.store(Seat::returned);
    board.ring_all();
    ptox::detail::gm_free(context_);
  }
  Rank(const Rank&) = delete;

  /// Makes kernels of this process run as this rank.
  void become_current() {
    UpdateLocks::share(session_->locks(), stop_if_the_group_has_ended);
    set_process_rank(&member_);
  }

  Member& member() { return member_; }
  DeviceContext* context() { return context_; }
  const std::string& name() const { return name_; }

 private:
  static inline int made = 0;
  std::unique_ptr<Session> session_;
  int id_;
  Member member_;
  DeviceContext* context_;
  std::string name_;
};

/// The ranks of this process, and the groups that it opened and not all of whose ranks have joined yet.
class Ranks {
 public:
  static Ranks& get() {
    static auto* const ranks = new Ranks;  // never destroyed: programs may leave without HcclCommDestroy
    return *ranks;
  }

  void opened(int file) {
    const std::lock_guard lock(mutex_);
    close_complete();
    open_.push_back(file);
  }
  HcclComm add(std::unique_ptr<Rank> rank) {
    const std::lock_guard lock(mutex_);
    close_complete();
    ranks_.push_back(std::move(rank));
    use_last();
    reset_device();
    return ranks_.back().get();
  }
  Rank* find(HcclComm comm) {
    const std::lock_guard lock(mutex_);
    const auto at = position(comm);
    return at == ranks_.end() ? nullptr : at->get();
  }
  Rank* find(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(ranks_.begin(), ranks_.end(), [&](const auto& r) { return r->name() == name; });
    return at == ranks_.end() ? nullptr : at->get();
  }
  bool remove(HcclComm comm) {
    const std::lock_guard lock(mutex_);
    const auto at = position(comm);
    if (at == ranks_.end()) return false;
    end_plain_launch();
    const std::unique_ptr<Rank> gone = std::move(*at);
    ranks_.erase(at);
    use_last();  // before the memory of `gone` is unmapped
    return true;
  }

 private:
  std::vector<std::unique_ptr<Rank>>::iterator position(HcclComm comm) {
    return std::find_if(ranks_.begin(), ranks_.end(), [&](const auto& r) { return r.get() == comm; });
  }
  void use_last() {
    if (!ranks_.empty()) return ranks_.back()->become_current();
    UpdateLocks::use_own();
    set_process_rank(nullptr);
  }
  /// Closes the files of groups whose ranks have all come: their memory then exists as long as the ranks.
  void close_complete() {
    std::erase_if(open_, [](int file) {
      const bool complete = Session(dup(file)).complete();
      if (complete) close(file);
      return complete;
    });
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Rank>> ranks_;  ///< the last one is current
  std::vector<int> open_;
};

/// The failure of a group as a report, so that the process reports it at its end.
Report failure_report(const RanksError& e) {
  Finding finding{.kind = e.kind().value_or(FindingKind::comm_dead_rank), .message = e.sentence()};
  return {default_target().name, "HCCL", 1, {std::move(finding)}};
}

/// Calls f and turns what it throws into a code, printed with its sentence.
template <class F>
HcclResult guarded(const char* function, F&& f) {
  if (!in_launch()) end_plain_launch();
  try {
    return f();
  } catch (const RanksError& e) {
    add_to_plain_report(failure_report(e));
    return refused(e.kind() == FindingKind::comm_timeout ? HCCL_E_TIMEOUT : HCCL_E_REMOTE, function, e.sentence());
  } catch (const std::exception& e) {
    return refused(HCCL_E_INTERNAL, function, e.what());
  }
}

/// Calls f with the rank of a handle.
template <class F>
HcclResult with_rank(const char* function, HcclComm comm, F&& f) {
  Rank* rank = Ranks::get().find(comm);
  if (!rank)
    return refused(HCCL_E_PARA, function, "the communicator is not one of HcclCommInitRootInfo, or was destroyed");
  return guarded(function, [&] { return f(*rank), HCCL_SUCCESS; });
}

HcclResult null(const char* function, const char* argument) {
  return refused(HCCL_E_PTR, function, std::string(argument) + " is null");
}

HcclResult join(int ranks, const HcclRootInfo& bytes, int rank, HcclComm* comm) {
  constexpr const char* function = "HcclCommInitRootInfo";
  static_assert(sizeof(RootInfo) <= sizeof(HcclRootInfo));
  RootInfo info;
  std::memcpy(&info, bytes.internal, sizeof info);
  const OpenedFile file = open_file(info);
  const std::string who = "rank " + std::to_string(rank) + ": ";
  if (file.descriptor < 0) return refused(HCCL_E_PARA, function, who + file.why);
  auto session = std::make_unique<Session>(file.descriptor);
  if (const auto refusal = session->join(ranks, rank, patience())) {
    add_to_plain_report(failure_report(RanksError(kind_of(refusal->why), refusal->sentence, {rank})));
    return refused(code_of(refusal->why), function, refusal->sentence);
  }
  const std::uint64_t window = session->window();
  set_rank_of_process(rank, ranks);
  note_use();
  *comm = Ranks::get().add(std::make_unique<Rank>(std::move(session), rank, window));
  return HCCL_SUCCESS;
}

}  // namespace

}  // namespace ptox::comm::hccl

using namespace ptox::comm::hccl;

HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo) {
  if (!rootInfo) return null("HcclGetRootInfo", "rootInfo");
  return guarded("HcclGetRootInfo", [&] {
    const int file = Session::open_new(window_bytes());
    Ranks::get().opened(file);
    const RootInfo info = describe_file(file);
    std::memset(rootInfo->internal, 0, sizeof rootInfo->internal);
    std::memcpy(rootInfo->internal, &info, sizeof info);
    return HCCL_SUCCESS;
  });
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo, uint32_t rank, HcclComm* comm) {
  if (!rootInfo) return null("HcclCommInitRootInfo", "rootInfo");
  if (!comm) return null("HcclCommInitRootInfo", "comm");
  *comm = nullptr;
  return guarded("HcclCommInitRootInfo", [&] {
    return join(static_cast<int>(std::min(nRanks, 1'000'000u)), *rootInfo, static_cast<int>(std::min(rank, 1'000'000u)),
                comm);
  });
}

HcclResult HcclGetCommName(HcclComm comm, char* name) {
  if (!name) return null("HcclGetCommName", "name");
  return with_rank("HcclGetCommName", comm, [&](Rank& r) { std::strcpy(name, r.name().c_str()); });
}

HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize) {
  if (!rankSize) return null("HcclGetRankSize", "rankSize");
  return with_rank("HcclGetRankSize", comm, [&](Rank& r) { *rankSize = r.context()->rankNum; });
}

HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank) {
  if (!rank) return null("HcclGetRankId", "rank");
  return with_rank("HcclGetRankId", comm, [&](Rank& r) { *rank = r.context()->rankId; });
}

HcclResult HcclBarrier(HcclComm comm, aclrtStream) {
  return with_rank("HcclBarrier", comm, [](Rank& r) { r.member().barrier("HcclBarrier"); });
}

HcclResult HcclCommDestroy(HcclComm comm) {
  if (Ranks::get().remove(comm)) return HCCL_SUCCESS;
  return refused(HCCL_E_PARA, "HcclCommDestroy",
                 "the communicator is not one of HcclCommInitRootInfo, or was destroyed");
}

HcclResult HcclAllocComResourceByTiling(HcclComm comm, void*, void*, void** ctx) {
  if (!ctx) return null("HcclAllocComResourceByTiling", "ctx");
  return with_rank("HcclAllocComResourceByTiling", comm, [&](Rank& r) { *ctx = r.context(); });
}

HcclResult HcomGetCommHandleByGroup(const char* group, HcclComm* comm) {
  if (!group || !comm) return null("HcomGetCommHandleByGroup", group ? "comm" : "group");
  Rank* rank = Ranks::get().find(std::string(group));
  if (!rank)
    return refused(HCCL_E_NOT_FOUND, "HcomGetCommHandleByGroup", "no communicator has the name " + std::string(group));
  *comm = rank;
  return HCCL_SUCCESS;
}

HcclResult HcomGetL0TopoTypeEx(const char*, uint32_t* topoType, uint32_t) {
  if (!topoType) return null("HcomGetL0TopoTypeEx", "topoType");
  *topoType = 1;
  return HCCL_SUCCESS;
}
