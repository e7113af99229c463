// SPDX-License-Identifier: Apache-2.0
// Correct scatters.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"scatter_of_loaded_rows_to_unique_places",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               }},
                              {"scatter_of_elements_to_unique_places",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 src;
                                 IdSquare8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem>(g.results, src, idx);
                               }},
                              {"scatter_of_a_constant_that_v_wrote",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 TEXPANDS(src, 1.0f);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               }},
                              {"the_largest_position_wins_where_last_is_spelled",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {3, 3, 3, 9, 9, 3, 0, 0});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 using enum ScatterConflict;
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::None, ScatterOOB::Undefined, Last>(g.results,
                                                                                                             src, idx);
                               }},
                              {"last_among_duplicate_elements",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2});
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 src;
                                 IdSquare8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem, ScatterConflict::Last>(g.results, src, idx);
                               }},
                              {"conflicts_left_to_the_machine_that_never_happen",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterConflict::Default>(g.results, src, idx);
                               },
                               {.seed = 11}},
                              {"duplicate_rows_are_added",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {3, 3, 3, 9, 9, 3, 0, 0});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                               }},
                              {"duplicate_rows_are_added_in_an_open_order",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {3, 3, 3, 3, 3, 3, 3, 3});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                               },
                               {.seed = 5}},
                              {"duplicate_elements_are_counted",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 given(m, {3, 3, 3, 9, 9, 3, 0, 0});
                                 IdSquare ids(m.idx.data());
                                 Matrix<std::int32_t, 1, 64> counts(m.ints.data());
                                 IdSquare8 ones, idx;
                                 TLOAD(idx, ids);
                                 TEXPANDS(ones, 1);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(counts, ones, idx);
                               }},
                              {"duplicate_rows_keep_the_largest",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {3, 3, 3, 9, 9, 3, 0, 0});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Max>(g.results, src, idx);
                               }},
                              {"duplicate_elements_keep_the_smallest",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 given(m, {3, 3, 3, 9, 9, 3, 0, 0});
                                 IdSquare ids(m.idx.data());
                                 Matrix<std::int32_t, 1, 64> least(m.ints.data());
                                 IdSquare8 src, idx;
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 TMOV(src, idx);
                                 MSCATTER<Coalesce::Elem, ScatterAtomicOp::Min>(least, src, idx);
                               }},
                              {"halves_are_added_to_duplicate_rows",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 given(m, {1, 1, 2, 2, 1, 1, 2, 2});
                                 Matrix<half, 64, 32> table(reinterpret_cast<half*>(m.out.data()));
                                 Tile<TileType::Vec, half, 8, 32> src;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 TEXPANDS(src, half(0.5f));
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
                               }},
                              {"a_scatter_and_a_store_read_one_tile",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), last(m, 7);
                                 given(m, {0, 1, 2, 3, 4, 5, 6, 7});
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(last.out, src);
                               }},
                              {"a_scattered_tile_is_loaded_anew_after_v",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 src;
                                 Index8 idx;
                                 for (Gm* k : {&g, &next}) {
                                   TLOAD(src, k->in);
                                   TLOAD(idx, k->ids);
                                   after(PIPE_MTE2, PIPE_V);
                                   MSCATTER<Coalesce::Row>(g.results, src, idx);
                                   after(PIPE_V, PIPE_MTE2);
                                 }
                               }},
                              {"v_overwrites_what_its_own_scatter_read",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 TEXPANDS(src, 1.0f);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 TEXPANDS(src, 2.0f);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                               }},
                              {"a_table_is_scattered_to_and_looked_up_by_one_index",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src, back;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 MGATHER<Coalesce::Row>(back, g.results, idx);
                               }},
                              {"a_table_is_looked_up_then_scattered_to",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 rows;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(rows, g.table, idx);
                                 MSCATTER<Coalesce::Row>(g.table, rows, idx);
                               }},
                              {"scattered_rows_are_loaded_back_after_the_cache_is_cleaned",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src, back;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 after(PIPE_V, PIPE_S);
                                 dcci(m.out.data(), ENTIRE_DATA_CACHE, CACHELINE_OUT);
                                 dsb(DSB_DDR);
                                 TLOAD(back, g.out);
                               }},
                              {"scattered_elements_are_loaded_back_after_the_cache_is_cleaned",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 src;
                                 IdSquare8 idx;
                                 Rows8 back;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem>(g.results, src, idx);
                                 pipe_barrier(PIPE_ALL);
                                 dcci(m.out.data(), ENTIRE_DATA_CACHE);
                                 dsb(DSB_DDR);
                                 TLOAD(back, g.out);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
