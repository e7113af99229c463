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

/// What a sentence about a call needs, after its operands are gone.
struct Noted {
  const char *name, *moved_name;
  ptox::detail::RowsView table, moved;
  ptox::detail::IndexView idx;
  bool by_row, gather;
  Stream stream;
  bool open = false;
};

/// The latest calls of a device, by turns, and the device's memory for what they met.
class Calls {
 public:
  static constexpr std::size_t most = 4096;
  Calls() : noted_(most) {
    const std::vector<Offence> none(most);
    check_cuda(cudaMalloc(reinterpret_cast<void**>(&offences_), most * sizeof(Offence)), "taking device memory");
    check_cuda(cudaMemcpy(offences_, none.data(), most * sizeof(Offence), cudaMemcpyHostToDevice), "setting it up");
  }
  Offence* note(const Noted& call) {
    const std::size_t at = next_++ % most;
    if (noted_[at].open) clear(at, call.stream);
    noted_[at] = call;
    return offences_ + at;
  }
  /// The first call of the stream that met one, with it. All of the stream's are closed.
  std::optional<std::pair<Noted, Offence>> take(Stream stream) {
    std::vector<Offence> met(most);
    std::optional<std::pair<Noted, Offence>> first;
    bool copied = false;
    for (std::size_t k = 0; k < most; ++k) {
      const std::size_t at = (next_ + k) % most;  // oldest first
      if (!noted_[at].open || noted_[at].stream != stream) continue;
      if (!std::exchange(copied, true))
        check_cuda(cudaMemcpy(met.data(), offences_, most * sizeof(Offence), cudaMemcpyDeviceToHost), "asking for it");
      noted_[at].open = false;
      if (met[at].position == Offence::none) continue;
      if (!first) first.emplace(noted_[at], met[at]);
      clear(at, stream);
    }
    return first;
  }

 private:
  void clear(std::size_t at, Stream stream) {
    static const Offence none;
    check_cuda(cudaMemcpyAsync(offences_ + at, &none, sizeof none, cudaMemcpyHostToDevice, stream), "clearing it");
  }
  Offence* offences_ = nullptr;
  std::vector<Noted> noted_;
  std::size_t next_ = 0;
};

std::mutex mutex;

Calls& calls() {
  static std::map<int, Calls>& all = *new std::map<int, Calls>;  // longer than any static that may call
  int device = 0;
  check_cuda(cudaGetDevice(&device), "asking for the current device");
  return all.try_emplace(device).first->second;
}

}  // namespace

Offence* note_call(const ptox::detail::Call& c, Stream stream) {
  const std::lock_guard lock(mutex);
  return calls().note({c.name, c.moved_name, c.table, c.moved, c.idx, c.by_row, c.gather, stream, true});
}

void synchronize(Stream stream) {
  check_cuda(cudaStreamSynchronize(stream), "waiting for the stream");
  const std::lock_guard lock(mutex);
  if (const auto met = calls().take(stream)) {
    const auto& [call, offence] = *met;
    ptox::detail::refuse_index({call.name, call.moved_name, call.table, call.idx, call.moved, call.by_row, call.gather},
                               offence.position, offence.index);
  }
}

}  // namespace ptox::cuda
