// SPDX-License-Identifier: Apache-2.0
// Correct lookups.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(
    good(),
    {
        {"lookup_with_the_flags_it_owes",
         everywhere,
         {},
         [](Memory& m) {
           Matrix<float, 64, 32> table(m.table.data());
           Matrix<float, 8, 32> out(m.out.data());
           Matrix<std::int32_t, 1, 8> idx_gm(m.idx.data());
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, idx_gm);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, dst);
         }},
        {"lookup_inferred_from_the_shape_of_its_index",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, dst);
         }},
        {"lookup_of_single_elements",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           IdSquare ids(m.idx.data());
           Square out(m.out.data());
           Square8 dst;
           IdSquare8 idx;
           TLOAD(idx, ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Elem>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, dst);
         }},
        {"lookup_by_unsigned_indices",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<std::uint32_t, 1, 8> ids(reinterpret_cast<std::uint32_t*>(m.idx.data()));
           Rows8 dst;
           Tile<TileType::Vec, std::uint32_t, 1, 8> idx;
           TLOAD(idx, ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, dst);
         }},
        {"lookup_of_the_same_row_eight_times",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           given(m, {5, 5, 5, 5, 5, 5, 5, 5});
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
         }},
        {"lookup_after_a_prefetch_through_its_own_tile",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Rows8 dst;
           Index8 idx;
           TPREFETCH(dst, g.in);
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, dst);
         }},
        {"two_lookups_by_one_index_and_one_flag_for_both_stores",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m), second(m, 1);
           Rows8 a, b;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(a, g.table, idx);
           MGATHER<Coalesce::Row>(b, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, a);
           TSTORE(second.out, b);
         }},
        {"lookup_of_one_row",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<float, 1, 32> out(m.out.data());
           Matrix<std::int32_t, 1, 1> id(m.idx.data() + 3);
           Tile<TileType::Vec, float, 1, 32> dst;
           Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 1> idx;
           TLOAD(idx, id);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, dst);
         }},
        {"lookup_by_a_column_of_indices",
         cpu_a5,
         {},
         [](Memory& m) {
           Gm g(m);
           GlobalTensor<std::int32_t, Shape<1, 1, 1, 8, 1>, Stride<8, 8, 8, 1, 8>, Layout::DN> ids(m.idx.data());
           Rows8 dst;
           Tile<TileType::Vec, std::int32_t, 8, 1, BLayout::ColMajor> idx;
           TLOAD(idx, ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, dst);
         }},
        {"lookup_by_one_padded_column_of_indices",
         cpu_a5,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<std::int32_t, 8, 1> ids(m.idx.data());
           Rows8 dst;
           Tile<TileType::Vec, std::int32_t, 8, 1> idx;
           TLOAD(idx, ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, dst);
         }},
        {"lookup_into_a_column_major_tile",
         cpu_a5,
         {},
         [](Memory& m) {
           Gm g(m);
           GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<256, 256, 256, 1, 8>, Layout::DN> out(m.out.data());
           Tile<TileType::Vec, float, 8, 32, BLayout::ColMajor> dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, dst);
         }},
        {"lookup_of_halves",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<half, 64, 32> table(reinterpret_cast<half*>(m.table.data()));
           Matrix<half, 8, 32> out(reinterpret_cast<half*>(m.out.data()));
           Tile<TileType::Vec, half, 8, 32> dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, dst);
         }},
        {"lookup_of_bytes",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<std::int8_t, 64, 32> table(reinterpret_cast<std::int8_t*>(m.table.data()));
           Matrix<std::int8_t, 8, 32> out(reinterpret_cast<std::int8_t*>(m.out.data()));
           Tile<TileType::Vec, std::int8_t, 8, 32> dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, dst);
         }},
        {"lookup_of_the_first_half_of_each_row",
         cpu_a2a3,
         {},
         [](Memory& m) {
           Gm g(m);
           Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 8, 16> dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
           TSTORE(g.out, dst);
         }},
        {"lookup_in_a_table_with_gaps_between_rows",
         cpu_a2a3,
         {},
         [](Memory& m) {
           Gm g(m);
           GlobalTensor<float, Shape<1, 1, 1, 32, 32>, Stride<2048, 2048, 2048, 64, 1>> table(m.table.data());
           given(m, {0, 31, 2, 30, 4, 29, 6, 28});
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
           TSTORE(g.out, dst);
         }},
        {"lookup_from_a_constant_table",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           GlobalTensor<const float, Shape<1, 1, 1, 64, 32>, Stride<2048, 2048, 2048, 32, 1>> table(m.table.data());
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(g.out, dst);
         }},
    });

}  // namespace
}  // namespace ptox::corpus
