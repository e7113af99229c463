// SPDX-License-Identifier: Apache-2.0
// Pipes, event ids, and the types that pass events between instructions.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "pto/tile/place.hpp"

using pipe_t = int;
using event_t = int;

inline constexpr pipe_t PIPE_S = 0, PIPE_V = 1, PIPE_MTE1 = 2, PIPE_MTE2 = 3, PIPE_MTE3 = 4, PIPE_M = 5, PIPE_ALL = 6,
                        PIPE_FIX = 7;
inline constexpr event_t EVENT_ID0 = 0, EVENT_ID1 = 1, EVENT_ID2 = 2, EVENT_ID3 = 3, EVENT_ID4 = 4, EVENT_ID5 = 5,
                         EVENT_ID6 = 6, EVENT_ID7 = 7;

enum cache_line_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE, CACHELINE_OUT };
enum class dcci_dst_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum mem_dsb_t { DSB_ALL, DSB_DDR, DSB_UB };

namespace pto {

namespace instr {

constexpr const char* pipe_name(pipe_t p) {
  constexpr const char* names[] = {"S", "V", "MTE1", "MTE2", "MTE3", "M", "ALL", "FIX"};
  return p >= 0 && p < 8 ? names[p] : "?";
}

}  // namespace instr

/// The kinds of instructions that an Event can order.
enum class Op : std::uint8_t {
  TLOAD,
  TSTORE_VEC,
  TSTORE_MAT,
  TSTORE_ACC,
  TPREFETCH,
  TMOV,
  TMOV_V2V,
  TEXPANDS,
  TGATHER,
  TGATHERB,
  TSCATTER,
  MGATHER,
  MGATHER_VEC,
  MGATHER_MAT,
  MSCATTER,
  MSCATTER_VEC,
  VECTOR,
  SCALAR,
  TASSIGN,
  OP_COUNT
};

/// Returned by an instruction: its call site. Constructing an Event from it sets the flag of the event.
struct RecordEvent {
  instr::Site site{};
  bool on_lanes = false;  ///< SIMT lanes were requested (GatherExec::Simt), which Op does not express
};

namespace instr {

/// Stands for an omitted event: the default of the trailing arguments of an instruction.
struct NoEvent {
  AICORE void Wait(Site) const {}
};
#ifdef __CUDACC__
__attribute__((device)) static constexpr NoEvent no_event;
#else
inline constexpr NoEvent no_event;
#endif

namespace detail {
struct EventTag {};
}  // namespace detail

/// Only events are accepted behind the operands of an instruction, so that a surplus operand is a compile error.
template <class E>
concept WaitEvent = std::same_as<std::remove_cv_t<E>, NoEvent> || std::derived_from<E, detail::EventTag>;

template <class... E>
AICORE void wait_all(Site site, E&... events) {
  (events.Wait(site), ...);
}

}  // namespace instr
}  // namespace pto

// The trailing event parameters of an instruction and its call site. A parameter pack cannot precede a defaulted
// parameter, so the events are eight defaulted parameters.
#define PTO_EVENT_TYPES                                                                                               \
  ::pto::instr::WaitEvent E0 = const ::pto::instr::NoEvent, ::pto::instr::WaitEvent E1 = const ::pto::instr::NoEvent, \
                          ::pto::instr::WaitEvent E2 = const ::pto::instr::NoEvent,                                   \
                          ::pto::instr::WaitEvent E3 = const ::pto::instr::NoEvent,                                   \
                          ::pto::instr::WaitEvent E4 = const ::pto::instr::NoEvent,                                   \
                          ::pto::instr::WaitEvent E5 = const ::pto::instr::NoEvent,                                   \
                          ::pto::instr::WaitEvent E6 = const ::pto::instr::NoEvent,                                   \
                          ::pto::instr::WaitEvent E7 = const ::pto::instr::NoEvent
#define PTO_EVENTS                                                                                      \
  E0 &e0 = ::pto::instr::no_event, E1 &e1 = ::pto::instr::no_event, E2 &e2 = ::pto::instr::no_event,    \
     E3 &e3 = ::pto::instr::no_event, E4 &e4 = ::pto::instr::no_event, E5 &e5 = ::pto::instr::no_event, \
     E6 &e6 = ::pto::instr::no_event, E7 &e7 = ::pto::instr::no_event,                                  \
     ::pto::instr::Site site = ::pto::instr::Site::current()
#define PTO_WAIT_EVENTS ::pto::instr::wait_all(site, e0, e1, e2, e3, e4, e5, e6, e7)
