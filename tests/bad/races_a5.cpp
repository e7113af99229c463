// SPDX-License-Identifier: Apache-2.0
// Kernels with a race on a5 that involves its SIMT lanes.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"stored_before_the_lanes_finished",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                                TSTORE(g.out, dst);
                              }},
                             {"elements_stored_before_the_lanes_finished",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 dst;
                                CellIndex8 idx;
                                fetch(idx, g.cells);
                                MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                TSTORE(g.results, dst);
                              }},
                             {"element_indices_read_before_their_dma_arrived",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 dst;
                                CellIndex8 idx;
                                TLOAD(idx, g.cells);
                                MGATHER<Coalesce::Elem>(dst, g.table, idx);
                              }},
                             {"gathered_over_a_tile_that_a_store_still_reads",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, dst);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"loaded_over_the_index_of_lanes_under_way",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                                TLOAD(idx, g.idx);
                              }},
                             {"loaded_over_the_source_of_a_scatter",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row>(g.sums, src, idx);
                                TLOAD(src, g.rows);
                              }},
                             {"scatter_source_read_before_its_dma_arrived",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                fetch(idx, g.idx);
                                TLOAD(src, g.rows);
                                MSCATTER<Coalesce::Row>(g.sums, src, idx);
                              }},
                             {"scatter_index_read_before_its_dma_arrived",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 src;
                                CellIndex8 idx;
                                fetch(src, g.values);
                                TLOAD(idx, g.cells);
                                MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(g.sums, src, idx);
                              }},
                             {"indices_by_set_value_with_no_flag_to_the_lanes",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                for (int i = 0; i < 8; ++i) idx.SetValue(i, i);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"get_value_of_what_the_lanes_still_gather",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                                m.ints[0] = static_cast<std::int32_t>(dst.GetValue(0));
                              }},
                             {"gathered_over_a_load_under_way",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                TLOAD(dst, g.rows);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"one_static_element_reads_its_index_by_the_scalar_unit",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                One dst;
                                OneIndex idx;
                                TLOAD(idx, g.idx);
                                MGATHER<Coalesce::Elem>(dst, g.table, idx);
                              }},
                             {"one_static_element_stored_with_no_flag_of_the_scalar_unit",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 1, 1> out(m.out.data());
                                One dst;
                                OneIndex idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                TSTORE(out, dst);
                              }},
                         });

}  // namespace
}  // namespace ptox::corpus
