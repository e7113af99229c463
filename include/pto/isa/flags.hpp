// SPDX-License-Identifier: Apache-2.0
// Instructions that order pipes and caches: set_flag, wait_flag, pipe_barrier, dcci, dsb.
#pragma once

#include "pto/isa/instr.hpp"
#include "pto/tile/event.hpp"

namespace pto::instr {

/// when the earlier work of pipe src is done: flag (src, dst, id) = set
struct SetFlag {
  static constexpr auto mnemonic = "set_flag";
  struct Operands {
    pipe_t src, dst;
    event_t id;
  };
  using OperandList = Fields<>;
  using Rules = RuleList<>;
  static void meaning(auto& m, const Operands& o) { m.set_flag(o.src, o.dst, o.id); }
  static void effects(auto&, const Operands&, auto&&) {}
  static void samples(auto&& visit) { visit("Form", "set_flag(src, dst, id)", Operands{PIPE_MTE2, PIPE_V, EVENT_ID0}); }
};

/// pipe dst stalls until flag (src, dst, id) is set, and clears it
struct WaitFlag {
  static constexpr auto mnemonic = "wait_flag";
  using Operands = SetFlag::Operands;
  using OperandList = Fields<>;
  using Rules = RuleList<>;
  static void meaning(auto& m, const Operands& o) { m.wait_flag(o.src, o.dst, o.id); }
  static void effects(auto&, const Operands&, auto&&) {}
  static void samples(auto&& visit) {
    visit("Form", "wait_flag(src, dst, id)", Operands{PIPE_MTE2, PIPE_V, EVENT_ID0});
  }
};

/// later work on the pipe starts when all earlier work on it is done
struct PipeBarrier {
  static constexpr auto mnemonic = "pipe_barrier";
  struct Operands {
    pipe_t pipe;
  };
  using OperandList = Fields<>;
  using Rules = RuleList<>;
  static void meaning(auto& m, const Operands& o) { m.barrier(o.pipe); }
  static void effects(auto&, const Operands&, auto&&) {}
  static void samples(auto&& visit) { visit("Form", "pipe_barrier(pipe)", Operands{PIPE_ALL}); }
};

/// the line of the data cache at addr, or the entire data cache, is written back and invalidated
struct Dcci {
  static constexpr auto mnemonic = "dcci";
  struct Operands {
    const volatile void* addr;
    cache_line_t kind;
  };
  using OperandList = Fields<>;
  using Rules = RuleList<>;
  static void meaning(auto& m, const Operands& o) { m.clean_cache(o.addr, o.kind); }
  static void effects(auto&, const Operands&, auto&&) {}
  static void samples(auto&& visit) { visit("Form", "dcci(addr, kind[, dst])", Operands{nullptr, ENTIRE_DATA_CACHE}); }
};

/// earlier scalar stores become visible before any later access
struct Dsb {
  static constexpr auto mnemonic = "dsb";
  struct Operands {
    mem_dsb_t kind;
  };
  using OperandList = Fields<>;
  using Rules = RuleList<>;
  static void meaning(auto& m, const Operands& o) { m.memory_barrier(o.kind); }
  static void effects(auto&, const Operands&, auto&&) {}
  static void samples(auto&& visit) { visit("Form", "dsb(kind)", Operands{DSB_DDR}); }
};

namespace detail {
inline constexpr TargetMask everywhere = static_cast<TargetMask>(~0u);
/// Whether flags have no effect: an unchecked block on the host executes everything immediately.
PTO_INST bool flags_are_idle() {
#ifdef __CUDACC__
  return false;
#else
  return here.bare;
#endif
}
}  // namespace detail

}  // namespace pto::instr

PTO_INST void set_flag(pipe_t src, pipe_t dst, event_t id, pto::instr::Site site = pto::instr::Site::current()) {
  if (pto::instr::detail::flags_are_idle()) return;
  pto::instr::issue<pto::instr::SetFlag>({src, dst, id}, pto::instr::detail::everywhere, false, site);
}
PTO_INST void wait_flag(pipe_t src, pipe_t dst, event_t id, pto::instr::Site site = pto::instr::Site::current()) {
  if (pto::instr::detail::flags_are_idle()) return;
  pto::instr::issue<pto::instr::WaitFlag>({src, dst, id}, pto::instr::detail::everywhere, false, site);
}
PTO_INST void pipe_barrier(pipe_t pipe, pto::instr::Site site = pto::instr::Site::current()) {
  pto::instr::issue<pto::instr::PipeBarrier>({pipe}, pto::instr::detail::everywhere, false, site);
}
PTO_INST void dcci(const volatile void* addr, cache_line_t kind, pto::instr::Site site = pto::instr::Site::current()) {
  pto::instr::issue<pto::instr::Dcci>({addr, kind}, pto::instr::detail::everywhere, false, site);
}
PTO_INST void dcci(const volatile void* addr, cache_line_t kind, dcci_dst_t,
                   pto::instr::Site site = pto::instr::Site::current()) {
  dcci(addr, kind, site);
}
PTO_INST void dcci(const volatile void* addr, cache_line_t kind, cache_line_t,
                   pto::instr::Site site = pto::instr::Site::current()) {
  dcci(addr, kind, site);
}
PTO_INST void dsb(mem_dsb_t kind, pto::instr::Site site = pto::instr::Site::current()) {
  pto::instr::issue<pto::instr::Dsb>({kind}, pto::instr::detail::everywhere, false, site);
}

/// The index of the block, the number of blocks of the launch, and the vector sub-core, of which a block has one here.
AICORE int get_block_idx();
AICORE int get_block_num();
PTO_INST int get_subblockid() { return 0; }
PTO_INST int get_subblockdim() { return 1; }
AICORE int get_coreid();
