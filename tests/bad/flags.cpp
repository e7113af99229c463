// SPDX-License-Identifier: Apache-2.0
// Kernels that misuse flags.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add deadlocks(bad(), {
                               {"a_wait_that_nothing_sets",
                                machines,
                                {FindingKind::flag_deadlock},
                                [](Memory&) { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); }},
                               {"the_wrong_event_id_waited_for",
                                machines,
                                {FindingKind::flag_deadlock},
                                [](Memory& m) {
                                  Views g(m);
                                  Rows8 a, b;
                                  TLOAD(a, g.rows);
                                  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                                  TMOV(b, a);
                                }},
                               {"a_pair_waited_for_backwards",
                                machines,
                                {FindingKind::flag_deadlock, FindingKind::race},
                                [](Memory& m) {
                                  Views g(m);
                                  Rows8 a, b;
                                  TLOAD(a, g.rows);
                                  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                                  TMOV(b, a);
                                }},
                               {"one_set_waited_for_twice",
                                machines,
                                {FindingKind::flag_deadlock},
                                [](Memory&) {
                                  Rows8 a;
                                  TEXPANDS(a, 1.0f);
                                  set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                                  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                                  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
                                }},
                               {"a_set_in_a_loop_of_no_trips",
                                machines,
                                {FindingKind::flag_deadlock},
                                [](Memory& m) {
                                  Views g(m);
                                  Rows8 a, b;
                                  TEXPANDS(a, 0.0f);
                                  for (int i = 0, n = m.ints[0]; i < n; ++i) {
                                    TLOAD(a, g.rows);
                                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                  }
                                  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                  TMOV(b, a);
                                }},
                               {"a_set_in_a_branch_not_taken",
                                machines,
                                {FindingKind::flag_deadlock},
                                [](Memory& m) {
                                  if (m.ints[0] != 0) set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                                  wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                                }},
                               {"a_ping_pong_loop_that_nobody_primed",
                                machines,
                                {FindingKind::flag_deadlock, FindingKind::flag_deadlock},
                                [](Memory& m) {
                                  Views g(m);
                                  Rows8 a, b;
                                  for (int i = 0; i < 4; ++i) {
                                    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                                    fetch(a, g.rows);
                                    TMOV(b, a);
                                    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                                  }
                                  wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                                }},
                               {"only_block_zero_sets",
                                machines,
                                {FindingKind::flag_deadlock},
                                [](Memory&) {
                                  if (get_block_idx() == 0) set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                },
                                {.blocks = 2}},
                           });

const Add leaks(bad(), {
                           {"a_set_that_nothing_waits_for",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory&) { set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); }},
                           {"a_wait_in_a_branch_not_taken",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a;
                              TLOAD(a, g.rows);
                              set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                              if (m.ints[0] != 0) wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                            }},
                           {"a_wait_in_a_loop_of_no_trips",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory& m) {
                              set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                              for (int i = 0, n = m.ints[0]; i < n; ++i) wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
                            }},
                           {"a_primed_ping_pong_that_nobody_drains",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a, b;
                              set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                              for (int i = 0; i < 4; ++i) {
                                wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                                fetch(a, g.rows);
                                TMOV(b, a);
                                set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
                              }
                            }},
                           {"an_event_recorded_and_forgotten",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a;
                              [[maybe_unused]] Event<Op::TLOAD, Op::TMOV> loaded = TLOAD(a, g.rows);
                            }},
                           {"a_barrier_is_no_wait",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a, b;
                              TLOAD(a, g.rows);
                              set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                              pipe_barrier(PIPE_ALL);
                              TMOV(b, a);
                            }},
                           {"an_early_return_before_the_wait",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory& m) {
                              set_flag(PIPE_S, PIPE_MTE3, EVENT_ID5);
                              if (m.ints[0] == 0) return;
                              wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID5);
                            }},
                           {"only_the_last_block_leaves_a_flag",
                            machines,
                            {FindingKind::flag_leak},
                            [](Memory&) {
                              set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                              if (get_block_idx() + 1 < get_block_num()) wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                            },
                            {.blocks = 3}},
                       });

const Add reuses(bad(), {
                            {"a_flag_set_twice",
                             machines,
                             {FindingKind::flag_reuse, FindingKind::flag_leak},
                             [](Memory&) {
                               set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                               set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                               wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                             }},
                            {"ping_pong_with_one_id",
                             machines,
                             {FindingKind::flag_reuse},
                             [](Memory& m) {
                               Views g(m);
                               Rows8 ping, pong, a, b;
                               TLOAD(ping, g.rows);
                               set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                               TLOAD(pong, g.rows);
                               set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                               wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                               TMOV(a, ping);
                               wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                               TMOV(b, pong);
                             }},
                            {"two_events_of_one_pair_and_id",
                             machines,
                             {FindingKind::flag_reuse},
                             [](Memory& m) {
                               Views g(m);
                               Rows8 a, b, c, d;
                               Event<Op::TLOAD, Op::TMOV, false> first = TLOAD(a, g.rows);
                               Event<Op::TLOAD, Op::TMOV, false> second = TLOAD(b, g.rows);
                               TMOV(c, a, first);
                               TMOV(d, b, second);
                             }},
                            {"an_event_recorded_again_before_its_wait",
                             machines,
                             {FindingKind::flag_reuse, FindingKind::race, FindingKind::flag_leak},
                             [](Memory& m) {
                               Views g(m);
                               Rows8 a, b, c;
                               Event<Op::TLOAD, Op::TMOV, false> loaded = TLOAD(a, g.rows);
                               loaded = TLOAD(b, g.rows);
                               TMOV(c, b, loaded);
                             }},
                            {"a_set_in_a_loop_and_one_wait_after_it",
                             machines,
                             {FindingKind::flag_reuse, FindingKind::flag_leak},
                             [](Memory& m) {
                               Views g(m);
                               Rows8 tiles[3];
                               for (Rows8& t : tiles) {
                                 TLOAD(t, g.rows);
                                 set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                               }
                               wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                             }},
                            {"ids_that_come_round_before_their_waits",
                             machines,
                             {FindingKind::flag_reuse, FindingKind::flag_leak},
                             [](Memory&) {
                               for (int i = 0; i < 9; ++i) set_flag(PIPE_V, PIPE_MTE3, i % 8);
                               for (int i = 0; i < 8; ++i) wait_flag(PIPE_V, PIPE_MTE3, i);
                             }},
                        });

/// A caller's flag on EVENT_ID0 that is still set when an instruction uses the same pair by itself.
template <class Instruction>
Kernel collision(std::string name, const Targets& where, pipe_t src, pipe_t dst, Instruction instruction) {
  return {std::move(name), where, {FindingKind::flag_reuse}, [=](Memory& m) {
            set_flag(src, dst, EVENT_ID0);
            instruction(m);
            wait_flag(src, dst, EVENT_ID0);
          }};
}

void gather_row(Memory& m) {
  Views g(m);
  Rows8 dst;
  Index8 idx;
  TLOAD(idx, g.idx);
  after(PIPE_MTE2, PIPE_S, EVENT_ID1);
  MGATHER<Coalesce::Row>(dst, g.table, idx);
}
void gather_elem(Memory& m) {
  Views g(m);
  Cells8 dst;
  CellIndex8 idx;
  TLOAD(idx, g.cells);
  after(PIPE_MTE2, PIPE_S, EVENT_ID1);
  MGATHER<Coalesce::Elem>(dst, g.table, idx);
}
template <ScatterAtomicOp op>
void scatter_row(Memory& m) {
  Views g(m);
  Rows8 src;
  Index8 idx;
  TLOAD(idx, g.idx);
  TLOAD(src, g.rows);
  after(PIPE_MTE2, PIPE_S, EVENT_ID1);
  MSCATTER<Coalesce::Row, op>(g.sums, src, idx);
}
void scatter_elem(Memory& m) {
  Views g(m);
  Cells8 src;
  CellIndex8 idx;
  TLOAD(idx, g.cells);
  TLOAD(src, g.values);
  after(PIPE_MTE2, PIPE_S, EVENT_ID1);
  MSCATTER<Coalesce::Elem>(g.sums, src, idx);
}
void gather_one(Memory& m) {
  Views g(m);
  One dst;
  OneIndex idx;
  TLOAD(idx, g.idx);
  after(PIPE_MTE2, PIPE_S, EVENT_ID1);
  MGATHER<Coalesce::Elem>(dst, g.table, idx);
}
void scatter_one(Memory& m) {
  Views g(m);
  One src;
  OneIndex idx;
  TLOAD(idx, g.idx);
  TLOAD(src, g.values);
  after(PIPE_MTE2, PIPE_S, EVENT_ID1);
  MSCATTER<Coalesce::Elem>(g.sums, src, idx);
}

const Add own_flags(
    bad(),
    {
        collision("gather_row_meets_a_set_v_s", a2a3_only, PIPE_V, PIPE_S, gather_row),
        collision("gather_row_meets_a_set_mte3_s", a2a3_only, PIPE_MTE3, PIPE_S, gather_row),
        collision("gather_row_meets_a_set_s_mte2", a2a3_only, PIPE_S, PIPE_MTE2, gather_row),
        collision("gather_row_meets_a_set_mte2_v", a2a3_only, PIPE_MTE2, PIPE_V, gather_row),
        collision("gather_row_meets_a_set_mte2_mte3", a2a3_only, PIPE_MTE2, PIPE_MTE3, gather_row),
        collision("gather_row_meets_a_set_s_v", a2a3_only, PIPE_S, PIPE_V, gather_row),
        collision("gather_row_meets_a_set_s_mte3", a2a3_only, PIPE_S, PIPE_MTE3, gather_row),
        collision("gather_elem_meets_a_set_mte2_s", a2a3_only, PIPE_MTE2, PIPE_S, gather_elem),
        collision("gather_elem_meets_a_set_s_mte2", a2a3_only, PIPE_S, PIPE_MTE2, gather_elem),
        collision("scatter_row_meets_a_set_mte2_s", a2a3_only, PIPE_MTE2, PIPE_S, scatter_row<ScatterAtomicOp::Add>),
        collision("scatter_row_meets_a_set_s_mte3", a2a3_only, PIPE_S, PIPE_MTE3, scatter_row<ScatterAtomicOp::Add>),
        collision("scatter_row_meets_a_set_mte3_v", a2a3_only, PIPE_MTE3, PIPE_V, scatter_row<ScatterAtomicOp::Add>),
        collision("scatter_row_meets_a_set_mte3_mte2", a2a3_only, PIPE_MTE3, PIPE_MTE2,
                  scatter_row<ScatterAtomicOp::None>),
        collision("plain_scatter_row_meets_a_set_mte3_s", a2a3_only, PIPE_MTE3, PIPE_S,
                  scatter_row<ScatterAtomicOp::None>),
        collision("scatter_elem_meets_a_set_mte3_s", a2a3_only, PIPE_MTE3, PIPE_S, scatter_elem),
        collision("scatter_elem_meets_a_set_s_mte3", a2a3_only, PIPE_S, PIPE_MTE3, scatter_elem),
        collision("gather_of_one_element_meets_a_set_v_s", machines, PIPE_V, PIPE_S, gather_one),
        collision("gather_of_one_element_meets_a_set_s_v", machines, PIPE_S, PIPE_V, gather_one),
        collision("scatter_of_one_element_meets_a_set_v_s", machines, PIPE_V, PIPE_S, scatter_one),
        collision("scatter_of_one_element_meets_a_set_s_v", machines, PIPE_S, PIPE_V, scatter_one),
    });

const Add ids(
    bad(),
    {
        {"a_set_of_id_eight", machines, {FindingKind::flag_id}, [](Memory&) { set_flag(PIPE_MTE2, PIPE_V, 8); }},
        {"a_wait_for_id_eight", machines, {FindingKind::flag_id}, [](Memory&) { wait_flag(PIPE_V, PIPE_MTE3, 8); }},
        {"a_negative_id",
         machines,
         {FindingKind::flag_id, FindingKind::flag_id},
         [](Memory&) { after(PIPE_MTE2, PIPE_V, -1); }},
        {"nine_buffers_with_an_id_each",
         machines,
         {FindingKind::flag_id, FindingKind::flag_id},
         [](Memory&) {
           for (int i = 0; i < 9; ++i) after(PIPE_V, PIPE_MTE3, i);
         }},
        {"an_event_of_id_nine",
         machines,
         {FindingKind::flag_id, FindingKind::race, FindingKind::flag_id},
         [](Memory& m) {
           Views g(m);
           Rows8 a, b;
           Event<Op::TLOAD, Op::TMOV, true, 9> loaded = TLOAD(a, g.rows);
           TMOV(b, a, loaded);
         }},
    });

}  // namespace
}  // namespace ptox::corpus
