// SPDX-License-Identifier: Apache-2.0
// Kernels with DMA transfers that the machine drops, because the tile is misaligned.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"a_load_to_a_tile_at_byte_16",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 tile;
                                TASSIGN(tile, 16);
                                TLOAD(tile, g.rows);
                              }},
                             {"a_store_from_a_tile_at_byte_48",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 tile;
                                TASSIGN(tile, 48);
                                TEXPANDS(tile, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, tile);
                              }},
                             {"a_store_that_adds_from_a_tile_at_byte_4",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 tile;
                                TASSIGN(tile, 4);
                                TEXPANDS(tile, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE<AtomicType::AtomicAdd>(g.out, tile);
                              }},
                             {"rows_gathered_into_a_tile_off_by_one_element",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                TASSIGN(idx, 0x2000);
                                TASSIGN(dst, 0x1004);
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"rows_scattered_from_a_tile_behind_28_bytes",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                TASSIGN(idx, 0x2000);
                                TASSIGN(src, 28);
                                TEXPANDS(src, 2.0f);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row>(g.sums, src, idx);
                              }},
                             {"nz_rows_gathered_into_a_tile_at_byte_8",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                NzMatrix<float, 64, 32> table(m.table.data());
                                Matrix<std::int32_t, 1, 16> idx_gm(m.idx.data());
                                Nz<float, 16, 32> dst;
                                Tile<TileType::Vec, std::int32_t, 1, 16> idx;
                                TASSIGN(idx, 0x4000);
                                TASSIGN(dst, 8);
                                fetch(idx, idx_gm);
                                MGATHER<Coalesce::Row>(dst, table, idx);
                              }},
                             {"rows_gathered_into_l1_at_byte_16",
                              a2a3_only,
                              {FindingKind::dma_dropped, FindingKind::ub_misaligned},
                              [](Memory& m) {
                                Matrix<float, 64, 32> table(m.table.data());
                                Matrix<std::int32_t, 1, 16> idx(m.idx.data());
                                Mat16 dst;
                                TASSIGN(dst, 16);
                                MGATHER<Coalesce::Row>(dst, table, idx);
                              }},
                         });

}  // namespace
}  // namespace ptox::corpus
