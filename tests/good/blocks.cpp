// SPDX-License-Identifier: Apache-2.0
// Correct kernels with many blocks.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"blocks_store_their_own_rows",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               },
                               {.blocks = 8}},
                              {"blocks_in_another_order",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               },
                               {.blocks = 8, .dyn_ub_bytes = 0, .seed = 42}},
                              {"blocks_look_up_one_table",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               },
                               {.blocks = 8}},
                              {"blocks_read_the_same_indices",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Ids8 ids(m.idx.data());
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               },
                               {.blocks = 8}},
                              {"blocks_scatter_to_rows_that_never_meet",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                               },
                               {.blocks = 8}},
                              {"blocks_add_to_the_same_rows",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Ids8 ids(m.idx.data());
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                               },
                               {.blocks = 8}},
                              {"blocks_add_to_the_same_elements",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 src;
                                 IdSquare8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(g.results, src, idx);
                               },
                               {.blocks = 8}},
                              {"blocks_keep_the_largest_of_the_same_elements",
                               cpu_a5,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data());
                                 Square8 src;
                                 IdSquare8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem, ScatterAtomicOp::Max>(g.results, src, idx);
                               },
                               {.blocks = 4, .dyn_ub_bytes = 0, .seed = 9}},
                              {"blocks_add_elements_of_their_own",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Matrix<float, 64, 32> results(m.out.data());
                                 Ids8 ids(m.idx.data() + 8 * get_block_idx());
                                 Tile<TileType::Vec, float, 1, 8> ones;
                                 Index8 idx;
                                 TLOAD(idx, ids);
                                 TEXPANDS(ones, 1.0f);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(results, ones, idx);
                               },
                               {.blocks = 8}},
                              {"blocks_add_a_tile_to_one_block_of_memory",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Block8 sum(m.out.data());
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE<AtomicType::AtomicAdd>(sum, t);
                               },
                               {.blocks = 8}},
                              {"blocks_add_by_store_and_by_scatter_to_the_same_rows",
                               cpu_a2a3,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Block8 sum(m.out.data());
                                 Rows8 t;
                                 Index8 idx;
                                 TLOAD(t, g.in);
                                 TLOAD(idx, g.ids);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, t, idx);
                                 TSTORE<AtomicType::AtomicAdd>(sum, t);
                               },
                               {.blocks = 4}},
                              {"one_block_of_many_does_the_work",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 if (get_block_idx() != 2) return;
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               },
                               {.blocks = 4}},
                              {"blocks_take_rows_by_turns",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Tile<TileType::Vec, float, 1, 32> row;
                                 for (int r = get_block_idx(); r < 64; r += get_block_num()) {
                                   Matrix<float, 1, 32> in(m.table.data() + 32 * r), out(m.out.data() + 32 * r);
                                   TLOAD(row, in);
                                   after(PIPE_MTE2, PIPE_MTE3);
                                   TSTORE(out, row);
                                   after(PIPE_MTE3, PIPE_MTE2);
                                 }
                               },
                               {.blocks = 3}},
                              {"blocks_write_neighbouring_bytes",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Matrix<float, 1, 1> out(m.out.data() + get_block_idx());
                                 Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> one;
                                 TEXPANDS(one, 1.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(out, one);
                               },
                               {.blocks = 8}},
                              {"blocks_read_back_only_what_they_stored",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, a);
                                 after(PIPE_MTE3, PIPE_MTE2);
                                 TLOAD(b, g.out);
                               },
                               {.blocks = 8}},
                              {"more_blocks_than_work",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 if (get_block_idx() >= 8) return;
                                 Gm g(m, get_block_idx());
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               },
                               {.blocks = 40}},
                              {"every_block_has_flags_of_its_own",
                               machines,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID5);
                                 wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID5);
                                 TSTORE(g.out, t);
                               },
                               {.blocks = 4}},
                              {"blocks_skip_the_indices_of_others",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m, get_block_idx());
                                 Block8 own(m.out.data() + 256 * get_block_idx());
                                 Ids8 ids(m.idx.data());
                                 Rows8 src;
                                 Index8 idx;
                                 TLOAD(src, g.in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row, ScatterOOB::Skip>(own, src, idx);
                               },
                               {.blocks = 8}},
                          });

}  // namespace
}  // namespace ptox::corpus
