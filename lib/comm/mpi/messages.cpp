// SPDX-License-Identifier: Apache-2.0
#include "comm/mpi/messages.hpp"

#include <cstring>

namespace ptox::comm::mpi {

void Messages::send(int to, const Header& header, std::span<const std::byte> bytes) {
  Sent& s = sent_.emplace_back();
  s.bytes.resize(sizeof header + bytes.size());
  std::memcpy(s.bytes.data(), &header, sizeof header);
  if (!bytes.empty()) std::memcpy(s.bytes.data() + sizeof header, bytes.data(), bytes.size());
  MPI_Isend(s.bytes.data(), static_cast<int>(s.bytes.size()), MPI_BYTE, to, 0, world_.messages, &s.request);
}

bool Messages::all_sent() {
  sent_.remove_if([](Sent& s) {
    int done = 0;
    return MPI_Test(&s.request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done;
  });
  return sent_.empty();
}

bool Messages::pump() {
  bool any = false;
  for (;;) {
    int there = 0, bytes = 0;
    MPI_Status status;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, world_.messages, &there, &status) != MPI_SUCCESS || !there) break;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    received_.resize(static_cast<std::size_t>(bytes));
    if (MPI_Recv(received_.data(), bytes, MPI_BYTE, status.MPI_SOURCE, 0, world_.messages, MPI_STATUS_IGNORE) !=
        MPI_SUCCESS)
      break;
    Header header;
    if (received_.size() < sizeof header) continue;
    std::memcpy(&header, received_.data(), sizeof header);
    handler_(header, std::span(received_).subspan(sizeof header));
    any = true;
  }
  if (!sent_.empty()) all_sent();
  return any;
}

void Messages::wait() {
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, 0, world_.messages, &status);
  pump();
}

void Messages::drain(MPI_Comm comm) {
  MPI_Request everyone = MPI_REQUEST_NULL;
  for (int done = 0, waiting = 0; !done;) {
    pump();
    if (waiting) MPI_Test(&everyone, &done, MPI_STATUS_IGNORE);
    if (!waiting && all_sent()) MPI_Ibarrier(comm, &everyone), waiting = 1;
  }
}

}  // namespace ptox::comm::mpi
