// SPDX-License-Identifier: Apache-2.0
// Kernels that read a stale line of a data cache, or memory that a data cache has not written back.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

/// The scatter of elements that both machines do through their data cache, ready to be read by DMA.
template <ScatterAtomicOp op = ScatterAtomicOp::None>
void scatter_elements(Memory& m, Views& g) {
  Cells8 src;
  CellIndex8 idx;
  for (int i = 0; i < 64; ++i) m.idx[i] = i;
  TLOAD(src, g.values);
  TLOAD(idx, g.cells);
  after(PIPE_MTE2, PIPE_V);
  MSCATTER<Coalesce::Elem, op>(g.sums, src, idx);
  pipe_barrier(PIPE_ALL);
}
/// A gather that brings the table's lines into the data cache.
void gather_elements(Memory& m, Views& g) {
  Cells8 dst;
  CellIndex8 idx;
  for (int i = 0; i < 64; ++i) m.idx[i] = i;
  TLOAD(idx, g.cells);
  after(PIPE_MTE2, PIPE_V);
  MGATHER<Coalesce::Elem>(dst, g.table, idx);
  pipe_barrier(PIPE_ALL);
}
void clean(const volatile void* at) {
  dcci(at, ENTIRE_DATA_CACHE);
  dsb(DSB_DDR);
}

const Add kernels(bad(), {
                             {"a_scatter_read_back_without_a_cache_clean",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"a_scatter_read_back_after_dcci_without_dsb",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                dcci(m.out.data(), ENTIRE_DATA_CACHE);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"a_scatter_read_back_after_dsb_without_dcci",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                dsb(DSB_DDR);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"a_scatter_read_back_after_dsb_and_then_dcci",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                dsb(DSB_DDR);
                                dcci(m.out.data(), ENTIRE_DATA_CACHE);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"a_scatter_read_back_after_a_barrier_of_ub_alone",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                dcci(m.out.data(), ENTIRE_DATA_CACHE);
                                dsb(DSB_UB);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"only_the_first_line_of_a_scatter_cleaned",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                dcci(m.out.data(), SINGLE_CACHE_LINE);
                                dsb(DSB_DDR);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"the_cache_cleaned_before_the_scatter",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                clean(m.out.data());
                                scatter_elements(m, g);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"the_second_of_two_scatters_not_cleaned",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                clean(m.out.data());
                                scatter_elements<ScatterAtomicOp::Add>(m, g);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"sums_read_back_without_a_cache_clean",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements<ScatterAtomicOp::Add>(m, g);
                                Cells8 back;
                                TLOAD(back, g.results);
                              }},
                             {"rows_scattered_by_lanes_read_back_by_dma",
                              a5_only,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src, back;
                                Index8 idx;
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row>(g.sums, src, idx);
                                after(PIPE_V, PIPE_MTE2, EVENT_ID1);
                                TLOAD(back, g.out);
                              }},
                             {"elements_scattered_and_gathered_back_as_rows_by_dma",
                              a2a3_only,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                Rows8 back;
                                Index8 idx;
                                TLOAD(idx, g.idx);
                                after(PIPE_MTE2, PIPE_V);
                                MGATHER<Coalesce::Row>(back, g.sums, idx);
                              }},
                             {"a_store_that_adds_to_what_lanes_left_in_the_cache",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements(m, g);
                                Cells8 more;
                                TLOAD(more, g.values);
                                after(PIPE_MTE2, PIPE_MTE3, EVENT_ID2);
                                TSTORE<AtomicType::AtomicAdd>(g.results, more);
                              }},
                             {"a_scatter_of_one_block_loaded_by_another",
                              machines,
                              {FindingKind::stale_cache, FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                if (get_block_idx() == 0) scatter_elements(m, g);
                                Cells8 back;
                                if (get_block_idx() == 1) TLOAD(back, g.results);
                              },
                              {.blocks = 2}},
                             {"a_table_gathered_again_after_a_store_changed_it",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                gather_elements(m, g);
                                Cells8 fresh;
                                TLOAD(fresh, g.values);
                                after(PIPE_MTE2, PIPE_MTE3, EVENT_ID2);
                                TSTORE(g.values, fresh);
                                pipe_barrier(PIPE_ALL);
                                gather_elements(m, g);
                              }},
                             {"an_elem_add_to_what_a_store_changed_since_the_last",
                              a2a3_only,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                scatter_elements<ScatterAtomicOp::Add>(m, g);
                                Cells8 fresh;
                                TLOAD(fresh, g.values);
                                after(PIPE_MTE2, PIPE_MTE3, EVENT_ID2);
                                TSTORE(g.results, fresh);
                                pipe_barrier(PIPE_ALL);
                                scatter_elements<ScatterAtomicOp::Add>(m, g);
                              }},
                             {"a_neighbour_of_what_was_gathered_changed_in_the_same_line",
                              machines,
                              {FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                One dst;
                                OneIndex idx;
                                Matrix<std::int32_t, 1, 1> at(m.idx.data());
                                m.idx[0] = 1;
                                TLOAD(idx, at);
                                pipe_barrier(PIPE_ALL);
                                MGATHER<Coalesce::Elem>(dst, g.table, idx);
                                Cells8 fresh;
                                TLOAD(fresh, g.values);
                                pipe_barrier(PIPE_ALL);
                                TSTORE(g.values, fresh);
                                pipe_barrier(PIPE_ALL);
                                gather_elements(m, g);
                              }},
                         });

}  // namespace
}  // namespace ptox::corpus
