// SPDX-License-Identifier: Apache-2.0
// Kernels with out-of-range indices for which their policy defines the result.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"zero_fills_the_rows_that_no_index_finds",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {0, 64, 2, 1000000, 4, -1, 6, 2147483647});
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"zero_where_every_index_is_out_of_range",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TEXPANDS(idx, 64);
                                 MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"zero_of_an_empty_table",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Matrix<float, 0, 32> empty(m.table.data());
                                 Rows8 dst;
                                 Index8 idx;
                                 TEXPANDS(idx, 0);
                                 MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, empty, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"clamp_takes_the_last_row",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {0, 64, 2, 1000000, 4, -1, 6, 63});
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"wrap_starts_again",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {64, 65, 130, 1000000, -1, -2, 6, 63});
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row, GatherOOB::Wrap>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"the_last_row_and_the_first_are_in_range",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {0, 63, 0, 63, 0, 63, 0, 63});
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                               }},
                              {"the_last_element_is_in_range",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Square8 dst;
                                 IdSquare8 idx;
                                 TEXPANDS(idx, 64 * 32 - 1);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                               }},
                              {"elements_out_of_range_are_zero",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Square8 dst, copy;
                                 IdSquare8 idx;
                                 TEXPANDS(idx, 64 * 32);
                                 MGATHER<Coalesce::Elem, GatherOOB::Zero>(dst, g.table, idx);
                                 TMOV(copy, dst);
                               }},
                              {"elements_are_clamped_and_wrapped",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Square8 a, b;
                                 IdSquare8 idx;
                                 TEXPANDS(idx, -1);
                                 MGATHER<Coalesce::Elem, GatherOOB::Clamp>(a, g.table, idx);
                                 MGATHER<Coalesce::Elem, GatherOOB::Wrap>(b, g.table, idx);
                               }},
                              {"policies_in_another_order",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TEXPANDS(idx, 99);
                                 MGATHER<GatherOOB::Clamp, Coalesce::Row>(dst, g.table, idx);
                                 MSCATTER<ScatterOOB::Skip, ScatterAtomicOp::Add, Coalesce::Row>(g.results, dst, idx);
                               }},
                              {"skipped_rows_of_the_source_are_never_written",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {3, 1, 2, 0, -1, -1, -1, -1});
                                 Block4 in(m.table.data());
                                 Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, 32> src(4);
                                 Index8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 src.SetValidRow(8);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Skip>(g.results, src, idx);
                               }},
                              {"skipped_elements_of_the_source_are_never_written",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Tile<TileType::Vec, float, 1, 8> src;
                                 Index8 idx;
                                 for (int i = 0; i < 8; ++i) idx.SetValue(i, i % 2 ? -1 : i);
                                 for (int i = 0; i < 8; i += 2) src.SetValue(i, 1.0f);
                                 after(PIPE_S, PIPE_V);
                                 MSCATTER<Coalesce::Elem, ScatterOOB::Skip>(g.results, src, idx);
                               }},
                              {"skip_where_every_index_is_out_of_range",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 never_written;
                                 Index8 idx;
                                 TEXPANDS(idx, -1);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Skip>(g.results, never_written, idx);
                               }},
                              {"skipped_duplicates_are_no_alias",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {70, 70, 70, 1, 2, -1, -1, 3});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Skip>(g.results, src, idx);
                               }},
                              {"one_clamped_row_beside_unique_ones",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {0, 1, 2, 3, 4, 5, 6, 4000});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Clamp>(g.results, src, idx);
                               }},
                              {"wrapped_rows_that_stay_unique",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {64, 129, 2, 67, 4, 5, 70, -1});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Wrap>(g.results, src, idx);
                               }},
                              {"clamped_duplicates_are_added",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(idx, -1);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Clamp>(g.results, src, idx);
                               }},
                              {"wrapped_duplicates_where_last_is_spelled",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {0, 64, 128, 1, 65, 2, 66, -62});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Wrap, ScatterConflict::Last>(g.results, src, idx);
                               }},
                              {"rows_out_of_range_are_no_access_to_memory",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Block8 own(m.out.data() + 1024 * get_block_idx());
                                 Rows8 src, dst;
                                 Index8 idx;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(idx, 8);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Skip>(own, src, idx);
                                 MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, own, idx);
                               },
                               {.blocks = 2}},
                          });

}  // namespace
}  // namespace ptox::corpus
