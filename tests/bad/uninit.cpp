// SPDX-License-Identifier: Apache-2.0
// Kernels that read bytes that were never written.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"rows_by_indices_never_loaded",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                MGATHER<Coalesce::Row, GatherOOB::Wrap>(dst, g.table, idx);
                              }},
                             {"elements_by_indices_never_loaded",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 dst;
                                CellIndex8 idx;
                                MGATHER<Coalesce::Elem, GatherOOB::Clamp>(dst, g.table, idx);
                              }},
                             {"a_scatter_of_a_source_never_loaded",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row>(g.sums, src, idx);
                              }},
                             {"a_scatter_by_indices_never_loaded",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                fetch(src, g.rows);
                                MSCATTER<Coalesce::Row, ScatterAtomicOp::Add, ScatterOOB::Skip>(g.sums, src, idx);
                              }},
                             {"a_store_of_a_tile_never_written",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TSTORE(g.out, a);
                              }},
                             {"a_move_of_a_tile_never_written",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory&) {
                                Rows8 a, b;
                                TMOV(b, a);
                              }},
                             {"get_value_of_a_tile_never_written",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Rows8 a;
                                m.ints[0] = a.GetValue(0) > 0 ? 1 : 0;
                              }},
                             {"indices_set_all_but_the_last",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                for (int i = 0; i < 7; ++i) idx.SetValue(i, i);
                                after(PIPE_S, PIPE_V);
                                MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, g.table, idx);
                              }},
                             {"padding_stored_after_a_load_of_the_valid_rows",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 5, 32> five(m.table.data());
                                Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, -1> part(5, 32);
                                TLOAD(part, five);
                                after(PIPE_MTE2, PIPE_MTE3);
                                part.SetValidShape(8, 32);
                                TSTORE(g.out, part);
                              }},
                             {"padding_columns_moved_after_a_load_of_the_valid_ones",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Matrix<float, 8, 20> narrow(m.table.data());
                                Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, -1> part(8, 20), all(8, 32);
                                fetch(part, narrow);
                                part.SetValidShape(8, 32);
                                TMOV(all, part);
                              }},
                             {"get_value_of_padding",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Matrix<float, 5, 32> five(m.table.data());
                                Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 5, 32> part;
                                TLOAD(part, five);
                                after(PIPE_MTE2, PIPE_S);
                                m.ints[0] = part.GetValue(6, 0) > 0 ? 1 : 0;
                              }},
                             {"elements_picked_from_a_tile_half_loaded",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 4, 8> half(m.table.data());
                                Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, -1, -1> src(4, 8);
                                Cells8 dst;
                                CellIndex8 idx;
                                TLOAD(src, half);
                                fetch(idx, g.cells);
                                src.SetValidShape(8, 8);
                                TGATHER(dst, src, idx);
                              }},
                             {"a_tile_scattered_to_in_part_and_stored_whole",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Cells8 src;
                                CellIndex8 idx;
                                TLOAD(src, g.values);
                                fetch(idx, g.cells);
                                TSCATTER(dst, src, idx);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, dst);
                              }},
                             {"a_load_in_a_loop_of_no_trips",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                for (int i = 0, n = m.ints[0]; i < n; ++i) TLOAD(a, g.rows);
                                after(PIPE_MTE2, PIPE_MTE3);
                                TSTORE(g.out, a);
                              }},
                             {"a_load_that_only_block_zero_does",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Matrix<float, 8, 32> out(m.out.data() + get_block_idx() * 8 * 32);
                                Views g(m);
                                Rows8 a;
                                if (get_block_idx() == 0) TLOAD(a, g.rows);
                                after(PIPE_MTE2, PIPE_MTE3);
                                TSTORE(out, a);
                              },
                              {.blocks = 2}},
                             {"a_prefetch_is_no_load",
                              everywhere,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TPREFETCH(a, g.rows);
                                after(PIPE_MTE2, PIPE_MTE3);
                                TSTORE(g.out, a);
                              }},
                             {"a_place_that_moved_after_the_load",
                              machines,
                              {FindingKind::uninit_read},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TASSIGN(a, 0x1000);
                                TLOAD(a, g.rows);
                                after(PIPE_MTE2, PIPE_MTE3);
                                TASSIGN(a, 0x2000);
                                TSTORE(g.out, a);
                              }},
                         });

}  // namespace
}  // namespace ptox::corpus
