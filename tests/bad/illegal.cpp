// SPDX-License-Identifier: Apache-2.0
// Kernels that break a rule of their machine.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

template <class T, auto... policies>
void scatter_of(Memory& m) {
  Views g(m);
  const Buffer<T> sums = m.dev.alloc<T>(64 * 32);
  Matrix<T, 64, 32> table(sums.data());
  Tile<TileType::Vec, T, 8, 32> src;
  Index8 idx;
  fetch(idx, g.idx);
  TEXPANDS(src, T(1));
  MSCATTER<Coalesce::Row, policies...>(table, src, idx);
}

const Add everyone(bad(), {
                              {"no_valid_rows_at_run_time",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 Views g(m);
                                 Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, 32> a(m.ints[0]);
                                 TLOAD(a, g.rows);
                               }},
                              {"more_valid_rows_than_the_tile_has",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, -1> a(9, 32);
                                 Views g(m);
                                 TLOAD(a, g.table);
                               }},
                              {"an_index_of_fewer_rows_than_the_tile",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 Views g(m);
                                 Rows8 dst;
                                 Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, -1, -1> idx(1, 8);
                                 fetch(idx, g.idx);
                                 idx.SetValidShape(1, 6);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                               }},
                              {"shapes_that_are_neither_row_nor_elem",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 Views g(m);
                                 Cells8 dst;
                                 Tile<TileType::Vec, std::int32_t, 8, 8, BLayout::RowMajor, -1, -1> idx(8, 8);
                                 fetch(idx, g.cells);
                                 idx.SetValidShape(4, 4);
                                 MGATHER(dst, g.table, idx);
                               }},
                              {"a_table_narrower_than_the_tile",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 GlobalTensor<float, Shape<1, 1, 1, 64, -1>, Stride<2048, 2048, 2048, 32, 1>> table(
                                     m.table.data(), {16});
                                 Views g(m);
                                 Rows8 dst;
                                 Index8 idx;
                                 fetch(idx, g.idx);
                                 MGATHER<Coalesce::Row>(dst, table, idx);
                               }},
                              {"a_tile_larger_than_the_tensor_it_is_stored_to",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 GlobalTensor<float, Shape<1, 1, 1, -1, 32>, Stride<2048, 2048, 2048, 32, 1>> out(
                                     m.out.data(), {4});
                                 Rows8 a;
                                 TEXPANDS(a, 1.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(out, a);
                               }},
                              {"get_value_outside_the_tile",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory& m) {
                                 Views g(m);
                                 Rows8 a;
                                 TLOAD(a, g.rows);
                                 after(PIPE_MTE2, PIPE_S);
                                 m.ints[0] = static_cast<std::int32_t>(a.GetValue(8, 0));
                               }},
                              {"set_value_outside_the_tile",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory&) {
                                 Index8 idx;
                                 idx.SetValue(8, 1);
                               }},
                              {"a_valid_extent_that_contradicts_the_type",
                               everywhere,
                               {FindingKind::illegal},
                               [](Memory&) { Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 4, -1> a(5, 32); }},
                          });

const Add on_a2a3(bad(), {
                             {"a_maximum_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) { scatter_of<float, ScatterAtomicOp::Max>(m); }},
                             {"a_minimum_of_ints_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) { scatter_of<std::int32_t, ScatterAtomicOp::Min>(m); }},
                             {"an_unsigned_add_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) { scatter_of<std::uint32_t, ScatterAtomicOp::Add>(m); }},
                             {"a_conflict_policy_spelled_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) { scatter_of<float, ScatterConflict::Last>(m); }},
                             {"a_column_of_indices_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<std::int32_t, 8, 1> column(m.idx.data());
                                Rows8 dst;
                                Tile<TileType::Vec, std::int32_t, 8, 1> idx;
                                fetch(idx, column);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"a_col_major_tile_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) {
                                Views g(m);
                                Tile<TileType::Vec, float, 8, 32, BLayout::ColMajor> dst;
                                Index8 idx;
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"an_execution_spelled_for_l1_on_a2a3",
                              a2a3_only,
                              {FindingKind::illegal},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<std::int32_t, 1, 16> idx(m.idx.data());
                                Mat16 dst;
                                MGATHER<Coalesce::Row, GatherExec::Simt>(dst, g.table, idx);
                              }},
                         });

const Add on_a5(bad(),
                {
                    {"an_add_of_bytes_on_a5",
                     a5_only,
                     {FindingKind::illegal},
                     [](Memory& m) { scatter_of<std::int8_t, ScatterAtomicOp::Add>(m); }},
                    {"a_maximum_of_shorts_on_a5",
                     a5_only,
                     {FindingKind::illegal},
                     [](Memory& m) { scatter_of<std::int16_t, ScatterAtomicOp::Max>(m); }},
                    {"a_table_wider_than_the_tile_on_a5",
                     a5_only,
                     {FindingKind::illegal},
                     [](Memory& m) {
                       Views g(m);
                       Tile<TileType::Vec, float, 8, 16> dst;
                       Index8 idx;
                       fetch(idx, g.idx);
                       MGATHER<Coalesce::Row>(dst, g.table, idx);
                     }},
                    {"rows_with_gaps_on_a5",
                     a5_only,
                     {FindingKind::illegal},
                     [](Memory& m) {
                       GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<2048, 2048, 2048, 64, 1>> table(
                           m.table.data());
                       Rows8 dst;
                       Index8 idx;
                       TEXPANDS(idx, 3);
                       MGATHER<Coalesce::Row>(dst, table, idx);
                     }},
                    {"an_nz_table_on_a5",
                     a5_only,
                     {FindingKind::illegal},
                     [](Memory& m) {
                       NzMatrix<float, 64, 32> table(m.table.data());
                       Nz<float, 16, 32> dst;
                       Tile<TileType::Vec, std::int32_t, 1, 16> idx;
                       TEXPANDS(idx, 3);
                       MGATHER<Coalesce::Row>(dst, table, idx);
                     }},
                    {"a_column_of_indices_with_padding_on_a5",
                     a5_only,
                     {FindingKind::illegal},
                     [](Memory& m) {
                       Views g(m);
                       Rows8 dst;
                       Tile<TileType::Vec, std::int32_t, 8, 8, BLayout::RowMajor, 8, 1> idx;
                       TEXPANDS(idx, 3);
                       MGATHER<Coalesce::Row>(dst, g.table, idx);
                     }},
                    {"a_dn_table_on_a_machine",
                     machines,
                     {FindingKind::illegal},
                     [](Memory& m) {
                       GlobalTensor<float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 1, 64>, Layout::DN> table(
                           m.table.data());
                       Rows8 dst;
                       Index8 idx;
                       TEXPANDS(idx, 3);
                       MGATHER<Coalesce::Row>(dst, table, idx);
                     }},
                });

const Add direct(bad(), {
                            {"rows_gathered_by_a_direct_call",
                             a5_only,
                             {FindingKind::simt_launch},
                             [](Memory& m) {
                               Views g(m);
                               Rows8 dst;
                               Index8 idx;
                               fetch(idx, g.idx);
                               MGATHER<Coalesce::Row>(dst, g.table, idx);
                             },
                             {.direct = true}},
                            {"elements_gathered_by_a_direct_call",
                             a5_only,
                             {FindingKind::simt_launch},
                             [](Memory& m) {
                               Views g(m);
                               Cells8 dst;
                               CellIndex8 idx;
                               fetch(idx, g.cells);
                               MGATHER<Coalesce::Elem>(dst, g.table, idx);
                             },
                             {.direct = true}},
                            {"rows_scattered_by_a_direct_call",
                             a5_only,
                             {FindingKind::simt_launch},
                             [](Memory& m) { scatter_of<float>(m); },
                             {.direct = true}},
                            {"a_maximum_by_a_direct_call",
                             a5_only,
                             {FindingKind::simt_launch},
                             [](Memory& m) { scatter_of<float, ScatterAtomicOp::Max>(m); },
                             {.blocks = 2, .direct = true}},
                            {"one_element_of_run_time_extent_by_a_direct_call",
                             a5_only,
                             {FindingKind::simt_launch},
                             [](Memory& m) {
                               Views g(m);
                               Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, -1, -1> dst(1, 1);
                               OneIndex idx;
                               fetch(idx, g.idx);
                               MGATHER<Coalesce::Elem>(dst, g.table, idx);
                             },
                             {.direct = true}},
                            {"an_l1_gather_on_simt_by_a_direct_call",
                             a5_only,
                             {FindingKind::simt_launch},
                             [](Memory& m) {
                               Views g(m);
                               Matrix<std::int32_t, 1, 16> idx(m.idx.data());
                               Mat16 dst;
                               MGATHER<Coalesce::Row, GatherExec::Simt>(dst, g.table, idx);
                             },
                             {.direct = true}},
                        });

}  // namespace
}  // namespace ptox::corpus
