// SPDX-License-Identifier: Apache-2.0
// Correct reads and writes of single elements.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"s_reads_after_v",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Rows8 t;
                                 TEXPANDS(t, 1.0f);
                                 after(PIPE_V, PIPE_S);
                                 (void)t.GetValue(7, 31);
                               }},
                              {"s_reads_after_a_load",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 for (int r = 0; r < 8; ++r) (void)t.GetValue(r, 0);
                               }},
                              {"s_reads_beside_a_store_that_reads_too",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 TSTORE(g.out, t);
                                 (void)t.GetValue(0, 0);
                               }},
                              {"what_s_has_read_may_be_loaded_over",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 (void)t.GetValue(3, 3);
                                 TLOAD(t, next.in);
                               }},
                              {"what_s_has_read_may_be_written_by_v",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 (void)t.GetValue(3, 3);
                                 TEXPANDS(t, 0.0f);
                               }},
                              {"s_writes_all_then_v_reads",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Index8 a, b;
                                 for (int i = 0; i < 8; ++i) a.SetValue(i, i);
                                 after(PIPE_S, PIPE_V);
                                 TMOV(b, a);
                               }},
                              {"s_writes_all_then_the_store_reads",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Ids8 out(m.ints.data());
                                 Index8 t;
                                 for (int i = 0; i < 8; ++i) t.SetValue(i, i);
                                 after(PIPE_S, PIPE_MTE3);
                                 TSTORE(out, t);
                               }},
                              {"s_reads_its_own_writes",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Index8 t;
                                 for (int i = 0; i < 8; ++i) t.SetValue(i, i);
                                 for (int i = 1; i < 8; ++i) t.SetValue(i, t.GetValue(i) + t.GetValue(i - 1));
                               }},
                              {"s_patches_a_loaded_tile_before_its_store",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 t.SetValue(0, 0, -1.0f);
                                 after(PIPE_S, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"s_writes_while_the_dma_loads_other_rows_of_another_tile",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a;
                                 Index8 b;
                                 TLOAD(a, g.in);
                                 for (int i = 0; i < 8; ++i) b.SetValue(i, i);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, a);
                               }},
                              {"s_writes_again_after_the_store_is_over",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Ids8 out(m.ints.data());
                                 Index8 t;
                                 for (int round = 0; round < 3; ++round) {
                                   for (int i = 0; i < 8; ++i) t.SetValue(i, round);
                                   after(PIPE_S, PIPE_MTE3);
                                   TSTORE(out, t);
                                   after(PIPE_MTE3, PIPE_S);
                                 }
                               }},
                              {"the_index_comes_from_s",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 for (int i = 0; i < 8; ++i) idx.SetValue(i, 63 - i);
                                 after(PIPE_S, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"one_index_is_mended_by_s_before_the_lookup",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {0, 1, 2, 1000, 4, 5, 6, 7});
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_S);
                                 if (idx.GetValue(3) >= 64) idx.SetValue(3, 0);
                                 after(PIPE_S, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                               }},
                              {"an_element_read_by_s_chooses_the_next_load",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Index8 idx;
                                 Rows8 rows;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_S);
                                 Gm chosen(m, idx.GetValue(1) % 8);
                                 TLOAD(rows, chosen.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, rows);
                               }},
                              {"s_reads_one_looked_up_element_after_the_lanes",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_S);
                                 (void)dst.GetValue(0, 0);
                               }},
                              {"s_reads_and_the_kernel_waits_with_the_loads_own_flag",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_MTE2, PIPE_S);
                                 (void)dst.GetValue(0, 0);
                               }},
                              {"s_writes_half_of_a_tile_and_v_reads_that_half",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Tile<TileType::Vec, float, 2, 8, BLayout::RowMajor, -1, 8> a(1), b(1);
                                 for (int i = 0; i < 8; ++i) a.SetValue(0, i, 1.0f);
                                 after(PIPE_S, PIPE_V);
                                 TMOV(b, a);
                               }},
                              {"elements_of_a_column_major_tile",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Tile<TileType::Vec, float, 8, 4, BLayout::ColMajor> t, u;
                                 for (int r = 0; r < 8; ++r)
                                   for (int c = 0; c < 4; ++c) t.SetValue(r, c, 1.0f);
                                 after(PIPE_S, PIPE_V);
                                 TMOV(u, t);
                               }},
                              {"the_kernels_own_cpp_writes_a_tile",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 float* p = t.data();
                                 for (int i = 0; i < 256; ++i) p[i] = 1.0f;
                                 TSTORE(g.out, t);
                               }},
                              {"the_kernels_own_cpp_writes_an_index",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 for (int i = 0; i < 8; ++i) idx.data()[i] = i;
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"the_kernels_own_cpp_looks_at_a_result",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_S);
                                 float sum = 0;
                                 for (int i = 0; i < 256; ++i) sum += t.data()[i];
                                 t.SetValue(0, sum);
                                 after(PIPE_S, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
