// SPDX-License-Identifier: Apache-2.0
// Correct moves between tiles.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"a_chain_on_v_needs_no_flags",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Square out(m.out.data());
                                 Square8 a, b, c, d;
                                 IdSquare8 idx;
                                 TEXPANDS(a, 1.0f);
                                 TEXPANDS(idx, 5);
                                 TMOV(b, a);
                                 TGATHER(c, b, idx);
                                 TMOV(d, c);
                                 TSCATTER(d, c, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(out, d);
                               }},
                              {"v_writes_what_it_has_just_read",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Rows8 a, b;
                                 TEXPANDS(a, 1.0f);
                                 TMOV(b, a);
                                 TEXPANDS(a, 2.0f);
                                 TMOV(b, a);
                               }},
                              {"loads_on_one_pipe_are_in_order",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 t;
                                 Index8 idx;
                                 TLOAD(t, g.in);
                                 TLOAD(idx, g.ids);
                                 TLOAD(t, next.in);
                                 TLOAD(idx, next.ids);
                               }},
                              {"a_gather_reads_only_what_was_written",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Tile<TileType::Vec, float, 16, 8, BLayout::RowMajor, -1, 8> src(8);
                                 Square in(m.table.data());
                                 Square8 dst;
                                 IdSquare8 idx;
                                 IdSquare ids(m.idx.data());
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 src.SetValidRow(16);
                                 after(PIPE_MTE2, PIPE_V);
                                 TGATHER(dst, src, idx);
                               }},
                              {"a_gather_with_a_scratch_tile",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Square8 src, dst, tmp;
                                 IdSquare8 idx;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(idx, 63);
                                 TGATHER(dst, src, idx, tmp);
                               }},
                              {"a_mask_keeps_every_other_column",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Square8 src;
                                 Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 4> dst, copy;
                                 TEXPANDS(src, 1.0f);
                                 TGATHER<MaskPattern::P0101>(dst, src);
                                 TMOV(copy, dst);
                               }},
                              {"a_mask_reads_only_the_columns_it_keeps",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Square8 src;
                                 Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 4> half_of_it, dst;
                                 TEXPANDS(half_of_it, 1.0f);
                                 TSCATTER<MaskPattern::P1010>(src, half_of_it);
                                 TGATHER<MaskPattern::P1010>(dst, src);
                               }},
                              {"two_masks_fill_a_tile_between_them",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Square out(m.out.data());
                                 Square8 dst;
                                 Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, 8, 4> even, odd;
                                 TEXPANDS(even, 0.0f);
                                 TEXPANDS(odd, 1.0f);
                                 TSCATTER<MaskPattern::P0101>(dst, even);
                                 TSCATTER<MaskPattern::P1010>(dst, odd);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(out, dst);
                               }},
                              {"a_tile_scatter_with_duplicates_has_a_last_writer",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Square8 dst, src;
                                 IdSquare8 idx;
                                 TEXPANDS(dst, 0.0f);
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(idx, 12);
                                 TSCATTER(dst, src, idx);
                               }},
                              {"a_tile_scatter_fills_all_that_is_stored",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 IdSquare ids(m.idx.data());
                                 Square in(m.table.data()), out(m.out.data());
                                 Square8 dst, src;
                                 IdSquare8 idx;
                                 TLOAD(src, in);
                                 TLOAD(idx, ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 TSCATTER(dst, src, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(out, dst);
                               }},
                              {"blocks_of_32_bytes_by_offset",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Square8 src, dst;
                                 Tile<TileType::Vec, std::uint32_t, 8, 8, BLayout::RowMajor, 8, 1> offset;
                                 TEXPANDS(src, 1.0f);
                                 for (int r = 0; r < 8; ++r) offset.SetValue(r, 0, 32 * (7 - r));
                                 after(PIPE_S, PIPE_V);
                                 TGATHERB(dst, src, offset);
                               }},
                              {"blocks_of_32_bytes_from_the_part_that_was_written",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Tile<TileType::Vec, float, 8, 8, BLayout::RowMajor, -1, 8> src(2);
                                 Square8 dst;
                                 Tile<TileType::Vec, std::uint32_t, 8, 8, BLayout::RowMajor, 8, 1> offset;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(offset, 32);
                                 TGATHERB(dst, src, offset);
                               }},
                              {"v_reads_while_the_store_reads",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TEXPANDS(a, 1.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, a);
                                 TMOV(b, a);
                               }},
                              {"v_writes_another_tile_while_the_dma_loads",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 TEXPANDS(b, 1.0f);
                                 after(PIPE_MTE2, PIPE_V);
                                 TMOV(b, a);
                               }},
                              {"a_tile_is_moved_into_itself_by_way_of_another",
                               everywhere,
                               {},
                               [](Memory&) {
                                 Rows8 a, b;
                                 TEXPANDS(a, 1.0f);
                                 for (int i = 0; i < 10; ++i) TMOV(b, a), TMOV(a, b);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
