// SPDX-License-Identifier: Apache-2.0
// Names of asynchronous transfers. The types exist, so that sources which mention them compile. A call is refused at
// compile time with the name of the instruction that does the same and waits.
#pragma once

#include <cstdint>

#include "pto/tile/qualifiers.hpp"

namespace pto::comm {

/// The engine that carries out an asynchronous transfer.
enum class DmaEngine : std::uint8_t { SDMA, URMA, RDMA };
/// The engine that carries out a collective.
enum class CollEngine : std::uint8_t { AIV, CCU };
enum class CcuInputSource : std::uint8_t { HostManaged, AivStored };

namespace sdma {

inline constexpr std::uint32_t UB_ALIGN_SIZE = 256;
inline constexpr std::uint32_t SDMA_FLAG_LENGTH = 128;
inline constexpr std::uint32_t kSdmaMaxChannelGroups = 48;

struct SdmaBaseConfig {
  std::uint64_t block_bytes = 1024 * 1024;
  std::uint64_t comm_block_offset = 0;
  std::uint32_t queue_num = 1;
};

/// Reserves the memory by which kernels start transfers on the machine. There is none here: Init returns false.
class SdmaWorkspaceManager {
 public:
  bool Init() { return false; }
  void* GetWorkspaceAddr() const { return nullptr; }
  void Finalize() {}
};

}  // namespace sdma

namespace urma {

/// Reserves the memory for transfers between machines. There is none here either.
class UrmaWorkspaceManager {
 public:
  template <class Comm>
  bool Init(Comm, std::uint32_t /*rank*/, std::uint32_t /*ranks*/, void* /*address*/, std::uint64_t /*bytes*/) {
    return false;
  }
  void* GetWorkspaceAddr() const { return nullptr; }
  void Finalize() {}
};

}  // namespace urma

/// The state of the transfers that a core has started.
struct AsyncSession {
  DmaEngine engine = DmaEngine::SDMA;
  bool valid = false;
  std::uint8_t* contextGm = nullptr;
  std::uint64_t tmpBufAddr = 0;
  std::uint32_t tmpBufSize = 0, syncId = 0, channelGroupIdx = 0;
  std::uint64_t blockBytes = 0, commBlockOffset = 0;
  std::uint32_t queueNum = 0;
  mutable std::uint64_t state = 0;
  std::uint32_t destRankId = 0, qpIdx = 0, myPe = 0;
};

/// Identifies a transfer that was started; handle 0 means that none was, so that waiting returns at once.
struct AsyncEvent {
  std::uint64_t handle = 0;
  DmaEngine engine = DmaEngine::SDMA;
  AICORE bool valid() const { return handle != 0; }
  AICORE bool Wait(const AsyncSession&) const { return true; }
  AICORE bool Test(const AsyncSession&) const { return true; }
};

namespace detail {
template <class...>
inline constexpr bool is_here = false;
}  // namespace detail

template <DmaEngine engine = DmaEngine::SDMA, class... Operands>
AICORE AsyncEvent TPUT_ASYNC(Operands&&...) {
  static_assert(
      detail::is_here<Operands...>,
      "TPUT_ASYNC: asynchronous transfers are not implemented; TPUT copies the same bytes and waits for them");
  return {};
}
template <DmaEngine engine = DmaEngine::SDMA, class... Operands>
AICORE AsyncEvent TGET_ASYNC(Operands&&...) {
  static_assert(
      detail::is_here<Operands...>,
      "TGET_ASYNC: asynchronous transfers are not implemented; TGET copies the same bytes and waits for them");
  return {};
}
template <DmaEngine engine = DmaEngine::SDMA, class... Operands>
AICORE bool BuildAsyncSession(Operands&&...) {
  static_assert(detail::is_here<Operands...>,
                "BuildAsyncSession: asynchronous transfers are not implemented; TPUT and TGET need no session");
  return false;
}

}  // namespace pto::comm

namespace pto {

/// What TPREFETCH_ASYNC is given.
struct PrefetchAsyncContext {
  void* workspace = nullptr;
  comm::AsyncSession* session = nullptr;
  AICORE PrefetchAsyncContext(void* workspace_ = nullptr, comm::AsyncSession* session_ = nullptr)
      : workspace(workspace_), session(session_) {}
  AICORE comm::AsyncSession* GetSession() const { return session; }
};

template <class... Operands>
AICORE comm::AsyncEvent TPREFETCH_ASYNC(Operands&&...) {
  static_assert(comm::detail::is_here<Operands...>,
                "TPREFETCH_ASYNC: asynchronous transfers are not implemented; TPREFETCH gives the same hint");
  return {};
}

}  // namespace pto
