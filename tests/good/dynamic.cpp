// SPDX-License-Identifier: Apache-2.0
// Correct kernels with run-time extents.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

using AnyMatrix = GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<-1, -1, -1, -1, 1>>;
using AnyTile = Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, -1>;

const Add kernels(
    good(),
    {
        {"extents_known_at_run_time",
         everywhere,
         {},
         [](Memory& m) {
           AnyMatrix in(m.table.data(), {8, 32}, {256, 256, 256, 32});
           AnyMatrix out(m.out.data(), {8, 32}, {256, 256, 256, 32});
           AnyTile t(8, 32);
           TLOAD(t, in);
           after(PIPE_MTE2, PIPE_MTE3);
           TSTORE(out, t);
         }},
        {"a_last_chunk_that_is_shorter",
         everywhere,
         {},
         [](Memory& m) {
           AnyTile t(8, 32);
           for (int r = 0; r < 21; r += 8) {
             const int n = 21 - r < 8 ? 21 - r : 8;
             AnyMatrix in(m.table.data() + 32 * r, {n, 32}, {2048, 2048, 2048, 32});
             AnyMatrix out(m.out.data() + 32 * r, {n, 32}, {2048, 2048, 2048, 32});
             t.SetValidShape(n, 32);
             TLOAD(t, in);
             after(PIPE_MTE2, PIPE_MTE3);
             TSTORE(out, t);
             after(PIPE_MTE3, PIPE_MTE2);
           }
         }},
        {"a_lookup_of_as_many_rows_as_there_are",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           for (int n : {1, 3, 8, 5}) {
             AnyMatrix out(m.out.data(), {n, 32}, {2048, 2048, 2048, 32});
             GlobalTensor<std::int32_t, Shape<1, 1, 1, 1, -1>, Stride<8, 8, 8, 8, 1>> ids(m.idx.data(), {n});
             Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, 32> dst(n);
             Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, -1> idx(n);
             TLOAD(idx, ids);
             after(PIPE_MTE2, PIPE_V);
             MGATHER<Coalesce::Row>(dst, g.table, idx);
             after(PIPE_V, PIPE_MTE3);
             TSTORE(out, dst);
             after(PIPE_MTE3, PIPE_V);
             after(PIPE_V, PIPE_MTE2);
           }
         }},
        {"a_scatter_of_as_many_elements_as_there_are",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, -1> src(5);
           Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, -1> idx(5);
           for (int i = 0; i < 5; ++i) src.SetValue(i, 1.0f), idx.SetValue(i, i);
           after(PIPE_S, PIPE_V);
           MSCATTER<Coalesce::Elem>(g.results, src, idx);
         }},
        {"one_element_at_run_time_goes_by_the_lanes",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, -1> dst(1), copy(1);
           Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, -1> idx(1);
           TEXPANDS(idx, 3);
           MGATHER<Coalesce::Elem>(dst, g.table, idx);
           TMOV(copy, dst);
         }},
        {"a_table_whose_rows_are_counted_at_run_time",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           AnyMatrix table(m.table.data(), {64, 32}, {2048, 2048, 2048, 32});
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
         }},
        {"the_valid_part_of_a_padded_tile",
         everywhere,
         {},
         [](Memory& m) {
           Matrix<float, 5, 20> in(m.table.data()), out(m.out.data());
           Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, 5, 20> a, b;
           TLOAD(a, in);
           after(PIPE_MTE2, PIPE_V);
           TMOV(b, a);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(out, b);
         }},
        {"a_padded_index_reads_its_valid_part",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<std::int32_t, 1, 5> ids(m.idx.data());
           Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 5, 32> dst;
           Tile<TileType::Vec, std::int32_t, 1, 16, BLayout::RowMajor, 1, 5> idx;
           TLOAD(idx, ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, g.table, idx);
         }},
        {"a_padded_source_is_scattered_by_its_valid_part",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, 3, 32> src;
           Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, 3> idx;
           for (int i = 0; i < 3; ++i) idx.SetValue(i, i);
           after(PIPE_S, PIPE_V);
           TEXPANDS(src, 1.0f);
           MSCATTER<Coalesce::Row>(g.results, src, idx);
         }},
        {"a_load_pads_what_is_read_later",
         everywhere,
         {},
         [](Memory& m) {
           Matrix<float, 5, 20> in(m.table.data());
           Matrix<float, 8, 24> out(m.out.data());
           Tile<TileType::Vec, float, 8, 24, BLayout::RowMajor, -1, -1, SLayout::NoneBox, 512, PadValue::Zero> t(5, 20);
           TLOAD(t, in);
           t.SetValidShape(8, 24);
           after(PIPE_MTE2, PIPE_MTE3);
           TSTORE(out, t);
         }},
        {"a_load_pads_an_index_with_the_least_value",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<std::int32_t, 1, 5> ids(m.idx.data());
           Rows8 dst;
           Tile<TileType::Vec, std::int32_t, 1, 8, BLayout::RowMajor, 1, -1, SLayout::NoneBox, 512, PadValue::Min> idx(
               5);
           TLOAD(idx, ids);
           after(PIPE_MTE2, PIPE_V);
           idx.SetValidCol(8);
           MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, g.table, idx);
         }},
        {"the_rest_of_a_tile_is_filled_by_a_second_write",
         everywhere,
         {},
         [](Memory& m) {
           Gm g(m);
           Block4 in(m.table.data());
           Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, 32> t(8);
           TEXPANDS(t, 0.0f);
           after(PIPE_V, PIPE_MTE2);
           t.SetValidRow(4);
           TLOAD(t, in);
           t.SetValidRow(8);
           after(PIPE_MTE2, PIPE_MTE3);
           TSTORE(g.out, t);
         }},
        {"a_strided_column_slice_that_ends_with_its_memory",
         everywhere,
         {},
         [](Memory& m) {
           using Slice = GlobalTensor<float, Shape<1, 1, 1, 64, 8>, Stride<2048, 2048, 2048, 32, 1>>;
           Slice in(m.table.data() + 24), out(m.out.data() + 24);
           Tile<TileType::Vec, float, 64, 8> t;
           TLOAD(t, in);
           after(PIPE_MTE2, PIPE_MTE3);
           TSTORE(out, t);
         }},
        {"two_slices_of_the_same_rows_never_meet",
         everywhere,
         {},
         [](Memory& m) {
           using Slice = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<256, 256, 256, 32, 1>>;
           Slice left(m.out.data()), right(m.out.data() + 16);
           Tile<TileType::Vec, float, 8, 16> t, u;
           TEXPANDS(t, 1.0f);
           after(PIPE_V, PIPE_MTE3);
           TSTORE(left, t);
           TLOAD(u, right);
         }},
        {"five_extents_flattened_into_a_tile",
         everywhere,
         {},
         [](Memory& m) {
           GlobalTensor<float, Shape<2, 2, 1, 2, 32>, Stride<512, 256, 128, 32, 1>> in(m.table.data());
           Gm g(m);
           Rows8 t;
           TLOAD(t, in);
           after(PIPE_MTE2, PIPE_MTE3);
           TSTORE(g.out, t);
         }},
        {"rows_of_a_table_with_outer_extents",
         cpu_a2a3,
         {},
         [](Memory& m) {
           GlobalTensor<float, Shape<2, 2, 2, 8, 32>, Stride<1024, 512, 256, 32, 1>> table(m.table.data());
           Gm g(m);
           Rows8 dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row>(dst, table, idx);
           TSTORE(g.out, dst);
         }},
        {"eight_bit_floats_are_looked_up",
         cpu_a5,
         {},
         [](Memory& m) {
           Gm g(m);
           Matrix<float8_e4m3_t, 64, 32> table(reinterpret_cast<float8_e4m3_t*>(m.table.data()));
           Tile<TileType::Vec, float8_e4m3_t, 8, 32> dst;
           Index8 idx;
           TLOAD(idx, g.ids);
           after(PIPE_MTE2, PIPE_V);
           MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, table, idx);
         }},
    });

}  // namespace
}  // namespace ptox::corpus
