// SPDX-License-Identifier: Apache-2.0
// Kernels with a race between pipes over a tile, on every machine.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"index_read_before_its_dma_arrived",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                TLOAD(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"moved_before_its_dma_arrived",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                TLOAD(a, g.rows);
                                TMOV(b, a);
                              }},
                             {"tile_index_read_before_its_dma_arrived",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 dst, src;
                                CellIndex8 idx;
                                fetch(src, g.values);
                                TLOAD(idx, g.cells);
                                TGATHER(dst, src, idx);
                              }},
                             {"stored_before_v_filled_it",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TEXPANDS(a, 1.0f);
                                TSTORE(g.out, a);
                              }},
                             {"stored_before_the_scatter_within_tiles_finished",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 dst, src;
                                CellIndex8 idx;
                                TLOAD(src, g.values);
                                fetch(idx, g.cells);
                                TEXPANDS(dst, 0.0f);
                                TSCATTER(dst, src, idx);
                                TSTORE(g.results, dst);
                              }},
                             {"stored_before_its_dma_arrived",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TLOAD(a, g.rows);
                                TSTORE(g.out, a);
                              }},
                             {"overwritten_by_v_while_a_store_still_reads_it",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, a);
                                TEXPANDS(a, 2.0f);
                              }},
                             {"overwritten_by_a_load_while_a_store_still_reads_it",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TLOAD(a, g.rows);
                                after(PIPE_MTE2, PIPE_MTE3);
                                TSTORE(g.out, a);
                                TLOAD(a, g.rows);
                              }},
                             {"overwritten_by_a_load_while_v_still_reads_it",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                fetch(a, g.rows);
                                TMOV(b, a);
                                TLOAD(a, g.rows);
                              }},
                             {"loaded_over_what_v_still_fills",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TEXPANDS(a, 0.0f);
                                TLOAD(a, g.rows);
                              }},
                             {"filled_over_what_a_load_still_writes",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TLOAD(a, g.rows);
                                TEXPANDS(a, 0.0f);
                              }},
                             {"a_loop_that_loads_over_the_tile_of_its_last_round",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                for (int i = 0; i < 2; ++i) {
                                  fetch(a, g.rows);
                                  TMOV(b, a);
                                }
                              }},
                             {"a_loop_that_fills_what_its_last_round_still_stores",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                for (int i = 0; i < 3; ++i) {
                                  TEXPANDS(a, static_cast<float>(i));
                                  after(PIPE_V, PIPE_MTE3);
                                  TSTORE(g.out, a);
                                }
                              }},
                             {"a_tile_of_a_loop_body_takes_the_bytes_of_the_last_round",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                for (int i = 0; i < 2; ++i) {
                                  Rows8 a;
                                  TEXPANDS(a, static_cast<float>(i));
                                  after(PIPE_V, PIPE_MTE3);
                                  TSTORE(g.out, a);
                                }
                              }},
                         });

const Add wrong_flags(bad(), {
                                 {"a_pair_between_unrelated_pipes",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    TLOAD(a, g.rows);
                                    after(PIPE_MTE3, PIPE_V);
                                    TMOV(b, a);
                                  }},
                                 {"a_pair_the_wrong_way_round",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    TLOAD(a, g.rows);
                                    after(PIPE_V, PIPE_MTE2);
                                    TMOV(b, a);
                                  }},
                                 {"a_pair_to_the_wrong_pipe",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TEXPANDS(a, 1.0f);
                                    after(PIPE_V, PIPE_MTE2);
                                    TSTORE(g.out, a);
                                  }},
                                 {"a_flag_set_before_the_load_it_is_for",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                    TLOAD(a, g.rows);
                                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                    TMOV(b, a);
                                  }},
                                 {"a_flag_waited_for_after_the_use",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    TLOAD(a, g.rows);
                                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                    TMOV(b, a);
                                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                  }},
                                 {"the_flag_of_the_other_buffer_waited_for",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 ping, pong, b;
                                    TLOAD(ping, g.rows);
                                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                    TLOAD(pong, g.rows);
                                    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                    TMOV(b, pong);
                                    wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                                  }},
                                 {"a_barrier_of_the_reading_pipe_alone",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    TLOAD(a, g.rows);
                                    pipe_barrier(PIPE_V);
                                    TMOV(b, a);
                                  }},
                                 {"a_chain_of_flags_with_a_missing_link",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    after(PIPE_MTE2, PIPE_M);
                                    after(PIPE_V, PIPE_MTE3);
                                    TSTORE(g.out, a);
                                  }},
                                 {"an_event_given_to_the_wrong_instruction",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    Event<Op::TLOAD, Op::TSTORE_VEC> loaded = TLOAD(a, g.rows);
                                    TMOV(b, a, loaded);
                                  }},
                                 {"an_event_never_given",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b, c;
                                    Event<Op::TLOAD, Op::TMOV> loaded = TLOAD(a, g.rows);
                                    TMOV(b, a);
                                    TMOV(c, a, loaded);
                                  }},
                             });

const Add scalar_unit(bad(), {
                                 {"set_value_then_v_without_a_flag",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    fetch(a, g.rows);
                                    after(PIPE_MTE2, PIPE_S);
                                    a.SetValue(0, 1.0f);
                                    TMOV(b, a);
                                  }},
                                 {"set_value_then_a_store_without_a_flag",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    after(PIPE_MTE2, PIPE_MTE3);
                                    after(PIPE_MTE2, PIPE_S);
                                    a.SetValue(7, 31, 1.0f);
                                    TSTORE(g.out, a);
                                  }},
                                 {"set_value_then_a_load_over_it_without_a_flag",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    a.SetValue(3, 4, 1.0f);
                                    TLOAD(a, g.rows);
                                  }},
                                 {"set_value_behind_a_flag_to_v_then_a_store",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    after(PIPE_MTE2, PIPE_MTE3);
                                    after(PIPE_MTE2, PIPE_S);
                                    a.SetValue(0, 1.0f);
                                    after(PIPE_S, PIPE_V);
                                    TSTORE(g.out, a);
                                  }},
                                 {"get_value_of_what_v_still_writes",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Rows8 a;
                                    TEXPANDS(a, 1.0f);
                                    m.ints[0] = static_cast<std::int32_t>(a.GetValue(0));
                                  }},
                                 {"get_value_of_what_a_load_still_writes",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Index8 idx;
                                    TLOAD(idx, g.idx);
                                    m.ints[0] = idx.GetValue(0, 3);
                                  }},
                                 {"get_value_behind_a_flag_to_v_alone",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Index8 idx;
                                    fetch(idx, g.idx);
                                    m.ints[0] = idx.GetValue(0);
                                  }},
                                 {"set_value_over_what_v_still_reads",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a, b;
                                    fetch(a, g.rows);
                                    after(PIPE_MTE2, PIPE_S);
                                    TMOV(b, a);
                                    a.SetValue(0, 0.0f);
                                  }},
                                 {"set_value_over_what_a_store_still_reads",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TEXPANDS(a, 1.0f);
                                    after(PIPE_V, PIPE_MTE3);
                                    after(PIPE_V, PIPE_S);
                                    TSTORE(g.out, a);
                                    a.SetValue(0, 0.0f);
                                  }},
                                 {"set_value_over_what_a_load_still_writes",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    a.SetValue(0, 0.0f);
                                  }},
                                 {"set_value_over_a_load_with_a_look_between",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    a.SetValue(0, a.data()[1]);
                                  }},
                                 {"stored_before_its_dma_arrived_with_a_look_between",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    (void)a.data();
                                    TSTORE(g.out, a);
                                  }},
                                 {"loaded_over_a_store_with_a_look_between",
                                  machines,
                                  {FindingKind::race},
                                  [](Memory& m) {
                                    Views g(m);
                                    Rows8 a;
                                    TLOAD(a, g.rows);
                                    after(PIPE_MTE2, PIPE_MTE3);
                                    TSTORE(g.out, a);
                                    (void)a.data();
                                    TLOAD(a, g.rows);
                                  }},
                             });

}  // namespace
}  // namespace ptox::corpus
