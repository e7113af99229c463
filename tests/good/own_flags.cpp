// SPDX-License-Identifier: Apache-2.0
// Kernels that rely on the flags that an instruction sets itself.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"row_lookup_orders_its_own_store",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 TSTORE(g.out, dst);
                               }},
                              {"row_lookup_orders_a_move_by_v",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst, copy;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 TMOV(copy, dst);
                               }},
                              {"row_lookup_waits_for_the_store_of_its_tile",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TEXPANDS(dst, 4.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                               }},
                              {"row_lookup_waits_for_v_that_wrote_its_index",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TEXPANDS(idx, 7);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 TSTORE(g.out, dst);
                               }},
                              {"row_lookup_of_an_index_that_was_loaded_over_after_it",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 TLOAD(idx, next.ids);
                               }},
                              {"row_lookup_in_a_chain_where_rows_are_the_next_index",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Matrix<std::int32_t, 8, 8> lists(m.idx.data());
                                 Matrix<std::int32_t, 1, 1> which(m.idx.data() + 1);
                                 Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1> list;
                                 Index8 idx;
                                 Rows8 dst;
                                 TLOAD(list, which);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(idx, lists, list);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 TSTORE(g.out, dst);
                               }},
                              {"element_lookup_needs_no_flag_at_all",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 IdSquare ids(m.idx.data());
                                 Square out(m.out.data());
                                 Square8 dst;
                                 IdSquare8 idx;
                                 TLOAD(idx, ids);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                 TSTORE(out, dst);
                                 TLOAD(idx, ids);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                 TEXPANDS(dst, 0.0f);
                               }},
                              {"element_lookup_into_a_tile_that_is_loaded_over",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 dst;
                                 IdSquare8 idx;
                                 TLOAD(idx, ids);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                 TLOAD(dst, in);
                               }},
                              {"row_scatter_waits_for_its_loads",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               }},
                              {"row_scatter_frees_its_source_for_the_next_load",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 for (int i = 0; i < 4; ++i) {
                                   Gm k(m, i);
                                   TLOAD(src, k.in);
                                   TLOAD(idx, k.ids);
                                   MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 }
                               }},
                              {"row_add_frees_its_source_for_v_and_the_next_load",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                                 TEXPANDS(src, 1.0f);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                                 TLOAD(src, g.in);
                               }},
                              {"plain_row_scatter_frees_its_source_for_s",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 src.SetValue(0, 0, 1.0f);
                               }},
                              {"row_scatter_waits_for_what_v_and_s_wrote",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TEXPANDS(src, 1.0f);
                                 for (int i = 0; i < 8; ++i) idx.SetValue(i, 8 * i);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               }},
                              {"s_writes_the_source_of_a_row_scatter",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 for (int i = 0; i < 256; ++i) src.SetValue(i, 2.0f);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               }},
                              {"scattered_rows_are_loaded_back_by_dma",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src, back;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 TLOAD(back, g.out);
                               }},
                              {"element_scatter_needs_no_flag_at_all",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 src;
                                 IdSquare8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 MSCATTER<Coalesce::Elem>(g.results, src, idx);
                                 TLOAD(src, in);
                                 MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(g.results, src, idx);
                                 TEXPANDS(src, 0.0f);
                               }},
                              {"looked_up_rows_are_scattered_with_no_flag_between",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 rows;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(rows, g.table, idx);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, rows, idx);
                               }},
                              {"looked_up_rows_are_scattered_on_one_pipe",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 rows;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(rows, g.table, idx);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, rows, idx);
                                 TEXPANDS(rows, 0.0f);
                                 TEXPANDS(idx, 0);
                               }},
                              {"one_static_element_by_the_scalar_path",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Matrix<std::int32_t, 1, 1> id(m.idx.data() + 2);
                                 Matrix<float, 1, 1> out(m.out.data());
                                 Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> dst;
                                 Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1> idx;
                                 TLOAD(idx, id);
                                 after(PIPE_MTE2, PIPE_S);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                 after(PIPE_S, PIPE_MTE3);
                                 TSTORE(out, dst);
                               }},
                              {"one_static_element_between_v_and_v_by_its_own_flags",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Matrix<std::int32_t, 1, 1> id(m.idx.data() + 2);
                                 Matrix<float, 1, 1> out(m.out.data());
                                 Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> dst, copy;
                                 Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1> idx;
                                 TLOAD(idx, id);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                 TMOV(copy, dst);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(out, copy);
                               }},
                              {"one_static_element_scattered_by_the_scalar_path",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> src;
                                 Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1> idx;
                                 TEXPANDS(src, 6.0f);
                                 TEXPANDS(idx, 40);
                                 MSCATTER<Coalesce::Elem>(g.results, src, idx);
                               }},
                              {"one_static_element_needs_no_simt_set_up",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> src;
                                 Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1> idx;
                                 TEXPANDS(src, 6.0f);
                                 TEXPANDS(idx, 40);
                                 MSCATTER<Coalesce::Elem>(g.results, src, idx);
                               },
                               {.direct = true}},
                              {"a_direct_call_where_no_machine_runs_simt",
                               a2a3_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 TSTORE(g.out, dst);
                               },
                               {.direct = true}},
                          });

}  // namespace
}  // namespace ptox::corpus
