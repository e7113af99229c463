// SPDX-License-Identifier: Apache-2.0
// Kernels that overlap loads and stores with the required flags.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"two_tiles_by_turns_each_with_its_own_id",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 tiles[2];
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   const int p = i % 2;
                                   if (i >= 2) wait_flag(PIPE_MTE3, PIPE_MTE2, p);
                                   TLOAD(tiles[p], g.in);
                                   after(PIPE_MTE2, PIPE_MTE3, p);
                                   TSTORE(g.out, tiles[p]);
                                   set_flag(PIPE_MTE3, PIPE_MTE2, p);
                                 }
                                 wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
                                 wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
                               }},
                              {"free_flags_are_primed_and_drained",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 tiles[2];
                                 for (int p : {0, 1}) set_flag(PIPE_MTE3, PIPE_MTE2, p);
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   const int p = i % 2;
                                   wait_flag(PIPE_MTE3, PIPE_MTE2, p);
                                   TLOAD(tiles[p], g.in);
                                   set_flag(PIPE_MTE2, PIPE_MTE3, p);
                                   wait_flag(PIPE_MTE2, PIPE_MTE3, p);
                                   TSTORE(g.out, tiles[p]);
                                   set_flag(PIPE_MTE3, PIPE_MTE2, p);
                                 }
                                 for (int p : {0, 1}) wait_flag(PIPE_MTE3, PIPE_MTE2, p);
                               }},
                              {"the_next_load_is_issued_before_this_store",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 tiles[2];
                                 Gm first(m);
                                 TLOAD(tiles[0], first.in);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i), next(m, (i + 1) % 8);
                                   const int p = i % 2, q = 1 - p;
                                   if (i >= 1) wait_flag(PIPE_MTE3, PIPE_MTE2, q);
                                   if (i < 7) TLOAD(tiles[q], next.in), set_flag(PIPE_MTE2, PIPE_MTE3, q);
                                   wait_flag(PIPE_MTE2, PIPE_MTE3, p);
                                   TSTORE(g.out, tiles[p]);
                                   if (i < 7) set_flag(PIPE_MTE3, PIPE_MTE2, p);
                                 }
                               }},
                              {"eight_tiles_and_all_eight_ids",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 tiles[8];
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   TLOAD(tiles[i], g.in);
                                   set_flag(PIPE_MTE2, PIPE_MTE3, i);
                                 }
                                 for (int i = 7; i >= 0; --i) {
                                   Gm g(m, i);
                                   wait_flag(PIPE_MTE2, PIPE_MTE3, i);
                                   TSTORE(g.out, tiles[i]);
                                 }
                               }},
                              {"three_stages_with_two_tiles_a_stage",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 in[2], out[2];
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   const int p = i % 2;
                                   if (i >= 2) wait_flag(PIPE_V, PIPE_MTE2, p);
                                   TLOAD(in[p], g.in);
                                   after(PIPE_MTE2, PIPE_V, p);
                                   if (i >= 2) wait_flag(PIPE_MTE3, PIPE_V, p);
                                   TMOV(out[p], in[p]);
                                   set_flag(PIPE_V, PIPE_MTE2, p);
                                   after(PIPE_V, PIPE_MTE3, p);
                                   TSTORE(g.out, out[p]);
                                   set_flag(PIPE_MTE3, PIPE_V, p);
                                 }
                                 for (int p : {0, 1}) wait_flag(PIPE_V, PIPE_MTE2, p), wait_flag(PIPE_MTE3, PIPE_V, p);
                               }},
                              {"lookups_by_turns_with_the_flags_simt_owes",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Rows8 rows[2];
                                 Index8 idx[2];
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   const int p = i % 2;
                                   if (i >= 2) wait_flag(PIPE_V, PIPE_MTE2, p);
                                   TLOAD(idx[p], g.ids);
                                   after(PIPE_MTE2, PIPE_V, p);
                                   if (i >= 2) wait_flag(PIPE_MTE3, PIPE_V, p);
                                   MGATHER<Coalesce::Row>(rows[p], g.table, idx[p]);
                                   set_flag(PIPE_V, PIPE_MTE2, p);
                                   after(PIPE_V, PIPE_MTE3, p);
                                   TSTORE(g.out, rows[p]);
                                   set_flag(PIPE_MTE3, PIPE_V, p);
                                 }
                                 for (int p : {0, 1}) wait_flag(PIPE_V, PIPE_MTE2, p), wait_flag(PIPE_MTE3, PIPE_V, p);
                               }},
                              {"lookups_by_turns_that_order_themselves",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Rows8 rows[2];
                                 Index8 idx[2];
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   TLOAD(idx[i % 2], g.ids);
                                   after(PIPE_MTE2, PIPE_V);
                                   MGATHER<Coalesce::Row>(rows[i % 2], g.table, idx[i % 2]);
                                   TSTORE(g.out, rows[i % 2]);
                                 }
                               }},
                              {"scatters_by_turns_with_the_flags_simt_owes",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Rows8 src[2];
                                 Index8 idx[2];
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   const int p = i % 2;
                                   if (i >= 2) wait_flag(PIPE_V, PIPE_MTE2, p);
                                   TLOAD(src[p], g.in);
                                   TLOAD(idx[p], g.ids);
                                   after(PIPE_MTE2, PIPE_V, p);
                                   MSCATTER<Coalesce::Row>(g.results, src[p], idx[p]);
                                   set_flag(PIPE_V, PIPE_MTE2, p);
                                 }
                                 for (int p : {0, 1}) wait_flag(PIPE_V, PIPE_MTE2, p);
                               }},
                              {"pending_ids_beside_the_ones_a_lookup_uses",
                               machines,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 rows, other;
                                 Index8 idx;
                                 TLOAD(other, g.in);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(rows, g.table, idx);
                                 wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID1);
                                 TSTORE(g.out, other);
                               }},
                              {"one_id_for_several_pairs_at_once",
                               machines,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 set_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID4);
                                 set_flag(PIPE_MTE2, PIPE_S, EVENT_ID4);
                                 wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID4);
                                 wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID4);
                                 TMOV(b, a);
                                 wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID4);
                                 TSTORE(g.out, a);
                               }},
                              {"flags_waited_for_in_another_order_than_set",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID2);
                                 TLOAD(b, next.in);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID6);
                                 wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID6);
                                 TSTORE(next.out, b);
                                 wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID2);
                                 TSTORE(g.out, a);
                               }},
                              {"a_later_flag_of_one_pipe_covers_its_earlier_loads",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 TLOAD(b, next.in);
                                 after(PIPE_MTE2, PIPE_MTE3, EVENT_ID7);
                                 TSTORE(g.out, a);
                                 TSTORE(next.out, b);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
