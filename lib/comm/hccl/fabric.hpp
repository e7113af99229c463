// SPDX-License-Identifier: Apache-2.0
// Connects ranks that are separate programs.
#pragma once

#include "comm/hccl/session.hpp"

namespace ptox::comm::hccl {

/// Ranks share memory as forked ones do, but no process watches them: each one looks for others that died while it
/// waits.
class ProgramFabric : public SharedFabric {
 public:
  ProgramFabric(int id, Session& session)
      : SharedFabric(id, session.board(), session.heap(), false), session_(session) {}

  void sleep(std::uint32_t seen, Deadline deadline) override;

 private:
  void look_for_dead();

  Session& session_;
  Deadline looked_ = Deadline::min();
};

}  // namespace ptox::comm::hccl
