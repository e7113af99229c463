// SPDX-License-Identifier: Apache-2.0
// Correct kernels in which two pipes are ordered only by way of a third one.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"load_to_v_to_store_without_v_touching_the_tile",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_V);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"store_to_v_to_load",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                                 after(PIPE_MTE3, PIPE_V);
                                 after(PIPE_V, PIPE_MTE2);
                                 TLOAD(t, next.in);
                               }},
                              {"load_by_way_of_three_pipes_that_do_nothing",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE1);
                                 after(PIPE_MTE1, PIPE_M);
                                 after(PIPE_M, PIPE_FIX);
                                 after(PIPE_FIX, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"s_waits_for_the_load_then_issues_the_store",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 TSTORE(g.out, t);
                               }},
                              {"s_waits_for_the_store_then_issues_the_load",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 t;
                                 TEXPANDS(t, 3.0f);
                                 after(PIPE_V, PIPE_S);
                                 TSTORE(g.out, t);
                                 after(PIPE_MTE3, PIPE_S);
                                 TLOAD(t, next.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 TSTORE(next.out, t);
                               }},
                              {"one_wait_of_s_orders_every_pipe_issued_later",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 TMOV(b, a);
                                 TSTORE(g.out, a);
                               }},
                              {"v_brings_the_load_with_it_to_s",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_V);
                                 after(PIPE_V, PIPE_S);
                                 (void)t.GetValue(0, 0);
                                 TSTORE(g.out, t);
                               }},
                              {"a_flag_set_after_s_waited_carries_what_s_knows",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                                 wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
                                 TSTORE(g.out, t);
                               }},
                              {"a_store_of_s_carried_by_v_to_the_dma",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TEXPANDS(t, 0.0f);
                                 after(PIPE_V, PIPE_S);
                                 t.SetValue(2, 5, 8.0f);
                                 after(PIPE_S, PIPE_V);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"a_store_of_s_that_a_flag_brought_back_is_known_to_all",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 for (int i = 0; i < 256; ++i) t.SetValue(i, 1.0f);
                                 after(PIPE_S, PIPE_V);
                                 after(PIPE_V, PIPE_S);
                                 TSTORE(g.out, t);
                               }},
                              {"the_flag_of_the_index_also_orders_the_source_loaded_before_it",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                 wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               }},
                              {"both_operands_reach_the_store_by_two_roads",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 after(PIPE_MTE2, PIPE_V);
                                 TEXPANDS(b, 2.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, a);
                                 TSTORE(next.out, b);
                               }},
                              {"a_barrier_of_all_pipes_orders_everything",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 pipe_barrier(PIPE_ALL);
                                 TMOV(b, a);
                                 pipe_barrier(PIPE_ALL);
                                 TSTORE(g.out, b);
                                 pipe_barrier(PIPE_ALL);
                                 TLOAD(b, next.in);
                                 pipe_barrier(PIPE_ALL);
                                 b.SetValue(0, b.GetValue(1));
                                 pipe_barrier(PIPE_ALL);
                                 TSTORE(next.out, b);
                               }},
                              {"a_barrier_of_one_pipe_beside_the_flag_that_is_needed",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t, u;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_V);
                                 TMOV(u, t);
                                 pipe_barrier(PIPE_V);
                                 TMOV(t, u);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"a_flag_set_early_and_waited_late",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);
                                 TEXPANDS(b, 1.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(next.out, b);
                                 wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID3);
                                 TSTORE(g.out, a);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
