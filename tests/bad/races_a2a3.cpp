// SPDX-License-Identifier: Apache-2.0
// Kernels with a race on a2a3 that involves its scalar and DMA moves.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"get_value_of_rows_that_the_dma_still_gathers",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                                m.ints[0] = static_cast<std::int32_t>(dst.GetValue(0));
                              }},
                             {"set_value_over_rows_that_the_dma_still_gathers",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                                dst.SetValue(0, 0.0f);
                              }},
                             {"rows_gathered_over_what_set_value_wrote",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                dst.SetValue(0, 0.0f);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"the_second_index_tile_read_before_its_dma_arrived",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                Index8 first, second;
                                fetch(first, g.idx);
                                MGATHER<Coalesce::Row>(a, g.table, first);
                                TLOAD(second, g.idx);
                                MGATHER<Coalesce::Row>(b, g.table, second);
                              }},
                             {"index_behind_a_flag_to_the_wrong_pipe",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                TLOAD(idx, g.idx);
                                after(PIPE_MTE2, PIPE_M);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"set_value_over_a_source_that_an_atomic_scatter_still_reads",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                                src.SetValue(0, 0.0f);
                              }},
                             {"nz_rows_gathered_before_the_index_arrived",
                              a2a3_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                NzMatrix<float, 64, 32> table(m.table.data());
                                Matrix<std::int32_t, 1, 16> idx_gm(m.idx.data());
                                Nz<float, 16, 32> dst;
                                Tile<TileType::Vec, std::int32_t, 1, 16> idx;
                                TLOAD(idx, idx_gm);
                                MGATHER<Coalesce::Row>(dst, table, idx);
                              }},
                         });

}  // namespace
}  // namespace ptox::corpus
