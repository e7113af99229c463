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

/// The unique number of a stream. The handle of a destroyed stream may be used again.
std::uint64_t id_of(Stream stream) {
  unsigned long long id = 0;
  check_cuda(cudaStreamGetId(stream, &id), "asking for a stream's number");
  return id;
}

/// The data of a call that its error message needs, after the operands of the call are gone.
struct Noted {
  const char *name, *moved_name;
  ptox::detail::RowsView table, moved;
  ptox::detail::IndexView idx;
  bool by_row, gather;
  std::uint64_t stream;
};

/// The latest calls on a device and their records in device memory, a ring buffer.
class Calls {
 public:
  static constexpr std::uint64_t most = 4096;

  /// The record for a call that is about to be enqueued on the stream, on which the record is cleared.
  Offence* note(const Noted& call, Stream stream) {
    const std::lock_guard lock(mutex_);
    if (!offences_)
      check_cuda(cudaMalloc(reinterpret_cast<void**>(&offences_), most * sizeof(Offence)), "taking memory");
    // The previous call with this record has not been synchronised and may still be in progress.
    if (open_.contains(next_ - most))
      check_cuda(cudaDeviceSynchronize(), "waiting for earlier calls"), open_.erase(next_ - most);
    Offence* at = offences_ + next_ % most;
    check_cuda(cudaMemsetAsync(at, 0xff, sizeof(Offence), stream), "clearing memory");
    open_.emplace(next_++, call);
    return at;
  }
  /// The numbers of those calls on a stream whose records were not read yet, oldest first.
  std::vector<std::uint64_t> of(std::uint64_t stream) {
    const std::lock_guard lock(mutex_);
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, call] : open_)
      if (call.stream == stream) numbers.push_back(number);
    return numbers;
  }
  /// The first of these calls that used an undefined index, and its record. Precondition: the calls are complete. Their
  /// records are not read again.
  std::optional<std::pair<Noted, Offence>> take(const std::vector<std::uint64_t>& numbers, Stream stream) {
    std::vector<Offence> met(most);
    check_cuda(cudaMemcpyAsync(met.data(), offences_, most * sizeof(Offence), cudaMemcpyDeviceToHost, stream),
               "reading the undefined indices of calls");
    check_cuda(cudaStreamSynchronize(stream), "reading the undefined indices of calls");
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
  static auto& all = *new std::map<int, Calls>;  // never destroyed: destructors of static objects may use it
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
