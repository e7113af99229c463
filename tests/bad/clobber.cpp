// SPDX-License-Identifier: Apache-2.0
// Kernels in which one tile overwrites another.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add operands(bad(), {
                              {"dst_lies_over_idx",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TASSIGN(dst, 0);
                                 TASSIGN(idx, 0);
                                 fetch(idx, g.idx);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                               }},
                              {"idx_lies_in_the_last_bytes_of_dst",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 TASSIGN(dst, 0);
                                 TASSIGN(idx, 1024 - 32);
                                 fetch(idx, g.idx);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                               }},
                              {"elements_gathered_over_their_indices",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Cells8 dst;
                                 CellIndex8 idx;
                                 TASSIGN(idx, 0x200);
                                 TASSIGN(dst, 0x200);
                                 fetch(idx, g.cells);
                                 MGATHER<Coalesce::Elem>(dst, g.table, idx);
                               }},
                              {"a_gather_within_one_tile",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Cells8 tile;
                                 CellIndex8 idx;
                                 TLOAD(tile, g.values);
                                 fetch(idx, g.cells);
                                 TGATHER(tile, tile, idx);
                               }},
                              {"a_move_that_shifts_a_tile_by_a_row",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Rows8 a, b;
                                 TASSIGN(a, 0);
                                 TASSIGN(b, 128);
                                 fetch(a, g.rows);
                                 TMOV(b, a);
                               }},
                              {"a_scatter_within_tiles_over_its_indices",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Cells8 dst, src;
                                 CellIndex8 idx;
                                 TASSIGN(dst, 0);
                                 TASSIGN(src, 0x1000);
                                 TASSIGN(idx, 0xe0);
                                 TLOAD(src, g.values);
                                 fetch(idx, g.cells);
                                 TSCATTER(dst, src, idx);
                               }},
                              {"blocks_gathered_over_their_source",
                               machines,
                               {FindingKind::ub_clobber},
                               [](Memory& m) {
                                 Views g(m);
                                 Cells8 dst, src;
                                 Tile<TileType::Vec, std::uint32_t, 8, 8, BLayout::RowMajor, 8, 1> offset;
                                 TASSIGN(src, 0);
                                 TASSIGN(dst, 0x80);
                                 TASSIGN(offset, 0x1000);
                                 fetch(src, g.values);
                                 TEXPANDS(offset, 32u);
                                 TGATHERB(dst, src, offset);
                               }},
                          });

const Add reads(bad(), {
                           {"the_end_of_one_tile_filled_as_the_start_of_another",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory&) {
                              Rows8 a, b, c;
                              TASSIGN(a, 0);
                              TASSIGN(b, 512);
                              TASSIGN(c, 0x1000);
                              TEXPANDS(a, 1.0f);
                              TEXPANDS(b, 2.0f);
                              TMOV(c, a);
                            }},
                           {"stored_after_another_tile_was_loaded_over_its_end",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a, b;
                              TASSIGN(a, 0);
                              TASSIGN(b, 1024 - 32);
                              TLOAD(a, g.rows);
                              TLOAD(b, g.rows);
                              after(PIPE_MTE2, PIPE_MTE3);
                              TSTORE(g.out, a);
                            }},
                           {"an_index_tile_in_the_middle_of_the_data",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 src;
                              Index8 idx;
                              TASSIGN(src, 0);
                              TASSIGN(idx, 256);
                              TLOAD(src, g.rows);
                              fetch(idx, g.idx);
                              MSCATTER<Coalesce::Row>(g.sums, src, idx);
                            }},
                           {"rows_of_floats_read_as_another_shape_of_ints",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a;
                              Tile<TileType::Vec, std::int32_t, 16, 16> b, c;
                              TASSIGN(a, 0);
                              TASSIGN(b, 0);
                              TASSIGN(c, 0x1000);
                              fetch(a, g.rows);
                              TMOV(c, b);
                            }},
                           {"data_taken_for_indices",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 src, dst;
                              Index8 idx;
                              TASSIGN(src, 0);
                              TASSIGN(idx, 0);
                              TASSIGN(dst, 0x1000);
                              TEXPANDS(src, 0.0f);
                              MGATHER<Coalesce::Row>(dst, g.table, idx);
                            }},
                           {"get_value_through_a_tile_that_begins_elsewhere",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Rows8 a, b;
                              TASSIGN(a, 0);
                              TASSIGN(b, 64);
                              TEXPANDS(a, 1.0f);
                              after(PIPE_V, PIPE_S);
                              m.ints[0] = static_cast<std::int32_t>(b.GetValue(0));
                            }},
                           {"set_value_through_another_tile_in_the_middle",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a, b;
                              TASSIGN(a, 0);
                              TASSIGN(b, 512);
                              TLOAD(a, g.rows);
                              after(PIPE_MTE2, PIPE_S);
                              b.SetValue(0, 1.0f);
                              pipe_barrier(PIPE_ALL);
                              TSTORE(g.out, a);
                            }},
                           {"a_narrow_nz_tile_gathers_over_its_neighbour",
                            a2a3_only,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              NzMatrix<float, 64, 32> table(m.table.data());
                              Views g(m);
                              Nz<float, 16, 8> dst;
                              Rows8 neighbour;
                              Tile<TileType::Vec, std::int32_t, 1, 16> idx;
                              TASSIGN(dst, 0);
                              TASSIGN(neighbour, 512);
                              TASSIGN(idx, 0x2000);
                              TEXPANDS(neighbour, 1.0f);
                              TEXPANDS(idx, 3);
                              after(PIPE_V, PIPE_MTE2);
                              MGATHER<Coalesce::Row>(dst, table, idx);
                              TSTORE(g.out, neighbour);
                            }},
                           {"offsets_reckoned_in_elements_instead_of_bytes",
                            machines,
                            {FindingKind::ub_clobber},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 tiles[2];
                              for (int i = 0; i < 2; ++i) {
                                TASSIGN(tiles[i], i * Rows8::Numel);
                                TEXPANDS(tiles[i], static_cast<float>(i));
                              }
                              after(PIPE_V, PIPE_MTE3);
                              TSTORE(g.out, tiles[0]);
                            }},
                       });

const Add places(bad(), {
                            {"assigned_over_an_automatic_tile",
                             machines,
                             {FindingKind::ub_clobber},
                             [](Memory&) {
                               Rows8 automatic, by_hand;
                               TEXPANDS(automatic, 1.0f);
                               TASSIGN(by_hand, 0);
                             }},
                            {"assigned_over_the_end_of_an_automatic_tile",
                             machines,
                             {FindingKind::ub_clobber},
                             [](Memory& m) {
                               Views g(m);
                               Rows8 automatic;
                               Index8 idx;
                               TLOAD(automatic, g.rows);
                               TASSIGN<1024 - 32>(idx);
                             }},
                            {"assigned_by_a_helper_over_its_callers_automatic_tile",
                             machines,
                             {FindingKind::ub_clobber},
                             [](Memory& m) {
                               Views g(m);
                               const auto helper = [&] {
                                 Rows8 scratch;
                                 TASSIGN(scratch, 0x400);
                                 TEXPANDS(scratch, 0.0f);
                               };
                               Rows8 first, second;
                               TLOAD(first, g.rows);
                               TLOAD(second, g.rows);
                               after(PIPE_MTE2, PIPE_V);
                               helper();
                             }},
                        });

}  // namespace
}  // namespace ptox::corpus
