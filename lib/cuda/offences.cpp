// SPDX-License-Identifier: Apache-2.0
#include "cuda/offences.hpp"

#include <cuda_runtime_api.h>

#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "ptox/cuda.hpp"

namespace ptox::cuda {

namespace {

/// A stream by what is never used again; its handle may be.
std::uint64_t id_of(Stream stream) {
  unsigned long long id = 0;
  check_cuda(cudaStreamGetId(stream, &id), "asking for a stream's number");
  return id;
}

/// What a sentence about a call needs, after its operands are gone.
struct Noted {
  const char *name, *moved_name;
  ptox::detail::RowsView table, moved;
  ptox::detail::IndexView idx;
  bool by_row, gather;
  std::uint64_t stream;
};

/// The latest calls of a device, by turns, and the device's memory for what they met.
class Calls {
 public:
  static constexpr std::uint64_t most = 4096;

  /// The place for a call that is about to be put on the stream; cleared there.
  Offence* note(const Noted& call, Stream stream) {
    const std::lock_guard lock(mutex_);
    if (!offences_)
      check_cuda(cudaMalloc(reinterpret_cast<void**>(&offences_), most * sizeof(Offence)), "taking memory");
    // Nobody waited for so many calls: the one whose place this was may still be under way.
    if (open_.contains(next_ - most))
      check_cuda(cudaDeviceSynchronize(), "waiting for earlier calls"), open_.erase(next_ - most);
    Offence* at = offences_ + next_ % most;
    check_cuda(cudaMemsetAsync(at, 0xff, sizeof(Offence), stream), "clearing memory");
    open_.emplace(next_++, call);
    return at;
  }
  /// The numbers of a stream's calls that nobody asked about yet, oldest first.
  std::vector<std::uint64_t> of(std::uint64_t stream) {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, call] : open_)
      if (call.stream == stream) numbers.push_back(number);
    return numbers;
  }
  /// What the first of these calls, all of them done, met. They are not asked about again.
  std::optional<std::pair<Noted, Offence>> take(const std::vector<std::uint64_t>& numbers, Stream stream) {
    std::vector<Offence> met(most);
    check_cuda(cudaMemcpyAsync(met.data(), offences_, most * sizeof(Offence), cudaMemcpyDeviceToHost, stream),
               "asking what calls met");
    check_cuda(cudaStreamSynchronize(stream), "asking what calls met");
    const std::lock_guard lock(mutex_);
    std::optional<std::pair<Noted, Offence>> first;
    for (const std::uint64_t number : numbers) {
      const auto call = open_.find(number);
      if (call == open_.end()) continue;
      const Offence& offence = met[number % most];
      if (offence.position != Offence::none && !first) first.emplace(call->second, offence);
      open_.erase(call);
    }
    return first;
  }

 private:
  std::mutex mutex_;
  Offence* offences_ = nullptr;
  std::map<std::uint64_t, Noted> open_;
  std::uint64_t next_ = most;
};

Calls& calls() {
  static std::mutex mutex;
  static auto& all = *new std::map<int, Calls>;  // longer than any static that may call
  int device = 0;
  check_cuda(cudaGetDevice(&device), "asking for the current device");
  const std::lock_guard lock(mutex);
  return all[device];
}

}  // namespace

Offence* note_call(const ptox::detail::Call& c, Stream stream) {
  return calls().note({c.name, c.moved_name, c.table, c.moved, c.idx, c.by_row, c.gather, id_of(stream)}, stream);
}

void synchronize(Stream stream) {
  const std::vector<std::uint64_t> numbers = calls().of(id_of(stream));
  check_cuda(cudaStreamSynchronize(stream), "waiting for the stream");
  if (numbers.empty()) return;
  if (const auto met = calls().take(numbers, stream)) {
    const auto& [call, offence] = *met;
    ptox::detail::refuse_index({call.name, call.moved_name, call.table, call.idx, call.moved, call.by_row, call.gather},
                               static_cast<std::int64_t>(offence.position), offence.index);
  }
}

}  // namespace ptox::cuda
