// SPDX-License-Identifier: Apache-2.0
// Kernels whose indices are out of range, negative, repeated, or need more than 32 bits.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

template <auto... policies>
void gather_rows(Memory& m, int at, std::int32_t index) {
  Views g(m);
  m.idx[at] = index;
  Rows8 dst;
  Index8 idx;
  fetch(idx, g.idx);
  MGATHER<Coalesce::Row, policies...>(dst, g.table, idx);
}
template <auto... policies>
void gather_elements(Memory& m, int at, std::int32_t index) {
  Views g(m);
  m.idx[at] = index;
  Cells8 dst;
  CellIndex8 idx;
  fetch(idx, g.cells);
  MGATHER<Coalesce::Elem, policies...>(dst, g.table, idx);
}
template <auto... policies>
void scatter_rows(Memory& m, int at, std::int32_t index) {
  Views g(m);
  m.idx[at] = index;
  Rows8 src;
  Index8 idx;
  TLOAD(src, g.rows);
  fetch(idx, g.idx);
  MSCATTER<Coalesce::Row, policies...>(g.sums, src, idx);
}
template <auto... policies>
void scatter_elements(Memory& m, int at, std::int32_t index) {
  Views g(m);
  m.idx[at] = index;
  Cells8 src;
  CellIndex8 idx;
  TLOAD(src, g.values);
  fetch(idx, g.cells);
  MSCATTER<Coalesce::Elem, policies...>(g.sums, src, idx);
}

const Add outside(
    bad(),
    {
        {"row_one_past_the_table", everywhere, {FindingKind::oob_index}, [](Memory& m) { gather_rows(m, 7, 64); }},
        {"element_one_past_the_table",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) { gather_elements(m, 63, 64 * 32); }},
        {"a_negative_row", everywhere, {FindingKind::oob_index}, [](Memory& m) { gather_rows(m, 0, -1); }},
        {"a_scatter_one_row_past_the_table",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) { scatter_rows(m, 3, 64); }},
        {"an_atomic_scatter_past_the_table",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) { scatter_elements<ScatterAtomicOp::Add>(m, 9, 1 << 20); }},
        {"an_unsigned_index_of_four_thousand_million",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           Views g(m);
           Rows8 dst;
           Tile<TileType::Vec, std::uint32_t, 1, 8> idx;
           TEXPANDS(idx, 4000000000u);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
         }},
        {"a_row_index_used_for_elements_of_a_row",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           Matrix<float, 1, 32> row(m.table.data());
           Views g(m);
           Cells8 dst;
           CellIndex8 idx;
           fetch(idx, g.cells);
           MGATHER<Coalesce::Elem>(dst, row, idx);
         }},
        {"a_clamp_in_an_empty_table",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           GlobalTensor<float, Shape<1, 1, 1, -1, 32>, Stride<2048, 2048, 2048, 32, 1>> empty(m.table.data(),
                                                                                              {m.ints[0]});
           Views g(m);
           Rows8 dst;
           Index8 idx;
           fetch(idx, g.idx);
           MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, empty, idx);
         }},
        {"a_wrap_in_an_empty_table",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           GlobalTensor<float, Shape<1, 1, 1, -1, 32>, Stride<2048, 2048, 2048, 32, 1>> empty(m.out.data(),
                                                                                              {m.ints[0]});
           Views g(m);
           Rows8 src;
           Index8 idx;
           TLOAD(src, g.rows);
           fetch(idx, g.idx);
           MSCATTER<Coalesce::Row, ScatterOOB::Wrap>(empty, src, idx);
         }},
        {"a_row_that_a5_counts_in_the_fourth_extent_alone",
         a5_only,
         {FindingKind::oob_index},
         [](Memory& m) {
           GlobalTensor<float, Shape<1, 1, 2, 32, 32>, Stride<2048, 2048, 1024, 32, 1>> halves(m.table.data());
           Views g(m);
           m.idx[0] = 40;
           Rows8 dst;
           Index8 idx;
           fetch(idx, g.idx);
           MGATHER<Coalesce::Row>(dst, halves, idx);
         }},
        {"an_l1_gather_past_the_table",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           Views g(m);
           Matrix<std::int32_t, 1, 16> idx(m.idx.data());
           m.idx[15] = 64;
           Mat16 dst;
           MGATHER<Coalesce::Row>(dst, g.table, idx);
         }},
        {"a_tile_gather_past_its_source",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           Views g(m);
           Matrix<float, 4, 8> half(m.table.data());
           Cells8 dst;
           Tile<TileType::Vec, float, 4, 8> src;
           CellIndex8 idx;
           TLOAD(src, half);
           fetch(idx, g.cells);
           TGATHER(dst, src, idx);
         }},
        {"a_tile_scatter_past_its_destination",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           Views g(m);
           Cells8 src;
           Tile<TileType::Vec, float, 4, 8> dst;
           CellIndex8 idx;
           TLOAD(src, g.values);
           fetch(idx, g.cells);
           TEXPANDS(dst, 0.0f);
           TSCATTER(dst, src, idx);
         }},
        {"a_block_gather_past_its_source",
         everywhere,
         {FindingKind::oob_index},
         [](Memory& m) {
           Views g(m);
           Cells8 src, dst;
           Tile<TileType::Vec, std::uint32_t, 8, 8, BLayout::RowMajor, 8, 1> offset;
           fetch(src, g.values);
           TEXPANDS(offset, 256u);
           TGATHERB(dst, src, offset);
         }},
    });

const Add negative(bad(), {
                              {"a_negative_index_clamped_to_the_last_row",
                               everywhere,
                               {FindingKind::negative_index},
                               [](Memory& m) { gather_rows<GatherOOB::Clamp>(m, 2, -1); }},
                              {"a_negative_index_wrapped",
                               everywhere,
                               {FindingKind::negative_index},
                               [](Memory& m) { gather_elements<GatherOOB::Wrap>(m, 5, -3); }},
                              {"a_negative_index_that_gives_zeros",
                               everywhere,
                               {FindingKind::negative_index},
                               [](Memory& m) { gather_rows<GatherOOB::Zero>(m, 7, -2147483647); }},
                              {"a_negative_index_skipped",
                               everywhere,
                               {FindingKind::negative_index},
                               [](Memory& m) { scatter_rows<ScatterOOB::Skip>(m, 0, -1); }},
                              {"a_negative_index_of_an_atomic_scatter",
                               everywhere,
                               {FindingKind::negative_index},
                               [](Memory& m) { scatter_elements<ScatterAtomicOp::Add, ScatterOOB::Wrap>(m, 8, -64); }},
                              {"a_negative_index_with_no_policy",
                               everywhere,
                               {FindingKind::negative_index, FindingKind::oob_index},
                               [](Memory& m) { gather_elements(m, 0, -1); }},
                          });

const Add twice(
    bad(),
    {
        {"two_rows_scattered_to_one", everywhere, {FindingKind::alias}, [](Memory& m) { scatter_rows(m, 5, 7); }},
        {"two_elements_scattered_to_one",
         everywhere,
         {FindingKind::alias},
         [](Memory& m) { scatter_elements(m, 63, 0); }},
        {"every_row_scattered_to_one",
         everywhere,
         {FindingKind::alias},
         [](Memory& m) {
           Views g(m);
           Rows8 src;
           Index8 idx;
           fetch(src, g.rows);
           TEXPANDS(idx, 3);
           MSCATTER<Coalesce::Row>(g.sums, src, idx);
         }},
        {"two_indices_that_a_clamp_makes_one",
         everywhere,
         {FindingKind::alias},
         [](Memory& m) {
           m.idx[1] = 1000;
           scatter_rows<ScatterOOB::Clamp>(m, 2, 63);
         }},
        {"two_indices_that_a_wrap_makes_one",
         everywhere,
         {FindingKind::alias},
         [](Memory& m) { scatter_rows<ScatterOOB::Wrap>(m, 4, 64 + 7); }},
        {"duplicates_left_to_the_order_of_the_lanes",
         a5_and_cpu,
         {FindingKind::alias},
         [](Memory& m) { scatter_rows<ScatterConflict::Default>(m, 6, 14); }},
    });

template <class T>
using Endless = GlobalTensor<T, Shape<1, 1, 1, -1, 32>, Stride<1, 1, 1, 32, 1>>;  // as many rows as it is told

const Add wraps(bad(), {
                           {"two_to_the_32_elements_to_gather_from",
                            machines,
                            {FindingKind::address_wrap},
                            [](Memory& m) {
                              Endless<float> table(m.table.data(), {std::int64_t{1} << 27});
                              Views g(m);
                              Cells8 dst;
                              CellIndex8 idx;
                              fetch(idx, g.cells);
                              MGATHER<Coalesce::Elem>(dst, table, idx);
                            }},
                           {"two_to_the_32_rows_to_gather_from",
                            machines,
                            {FindingKind::address_wrap},
                            [](Memory& m) {
                              Endless<float> table(m.table.data(), {std::int64_t{1} << 32});
                              Views g(m);
                              Rows8 dst;
                              Index8 idx;
                              fetch(idx, g.idx);
                              MGATHER<Coalesce::Row>(dst, table, idx);
                            }},
                           {"two_to_the_32_elements_to_wrap_around_in",
                            machines,
                            {FindingKind::address_wrap},
                            [](Memory& m) {
                              Endless<float> table(m.out.data(), {std::int64_t{1} << 28});
                              Views g(m);
                              Cells8 src;
                              CellIndex8 idx;
                              TLOAD(src, g.values);
                              fetch(idx, g.cells);
                              MSCATTER<Coalesce::Elem, ScatterOOB::Wrap>(table, src, idx);
                            }},
                           {"two_to_the_32_rows_to_add_to",
                            machines,
                            {FindingKind::address_wrap},
                            [](Memory& m) {
                              Endless<float> table(m.out.data(), {std::int64_t{1} << 33});
                              Views g(m);
                              Rows8 src;
                              Index8 idx;
                              TLOAD(src, g.rows);
                              fetch(idx, g.idx);
                              MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
                            }},
                           {"a_row_whose_product_passes_32_bits",
                            a5_only,
                            {FindingKind::address_wrap},
                            [](Memory& m) {
                              constexpr std::int64_t rows = (std::int64_t{1} << 27) + 8;
                              const Buffer<std::int8_t> large = m.dev.alloc<std::int8_t>(rows * 32);
                              Endless<std::int8_t> table(large.data(), {rows});
                              Tile<TileType::Vec, std::int8_t, 8, 32> dst;
                              Index8 idx;
                              TEXPANDS(idx, 1 << 27);
                              MGATHER<Coalesce::Row>(dst, table, idx);
                            }},
                           {"a_row_whose_product_passes_32_bits_after_a_clamp",
                            a5_only,
                            {FindingKind::address_wrap},
                            [](Memory& m) {
                              constexpr std::int64_t rows = (std::int64_t{1} << 27) + 8;
                              const Buffer<std::int8_t> large = m.dev.alloc<std::int8_t>(rows * 32);
                              Endless<std::int8_t> table(large.data(), {rows});
                              Tile<TileType::Vec, std::int8_t, 8, 32> dst;
                              Index8 idx;
                              TEXPANDS(idx, 2147483647);
                              MGATHER<Coalesce::Row, GatherOOB::Clamp>(dst, table, idx);
                            }},
                       });

}  // namespace
}  // namespace ptox::corpus
