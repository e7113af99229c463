// SPDX-License-Identifier: Apache-2.0
// Correct kernels with NZ tiles and tables.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

using NzTile = Tile<TileType::Vec, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512>;
using MatTile = Tile<TileType::Mat, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512>;
template <class T, int R, int C>
using Nz = GlobalTensor<T, TileShape2D<T, R, C, Layout::NZ>, BaseShape2D<T, R, C, Layout::NZ>, Layout::NZ>;
using NzTable = Nz<float, 64, 32>;
using NzBlock = Nz<float, 16, 32>;
using Ids16 = Matrix<std::int32_t, 1, 16>;
using Index16 = Tile<TileType::Vec, std::int32_t, 1, 16>;

const Add kernels(good(),
                  {
                      {"nz_block_through_a_tile",
                       everywhere,
                       {},
                       [](Memory& m) {
                         NzBlock in(m.table.data()), out(m.out.data());
                         NzTile t;
                         TLOAD(t, in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(out, t);
                       }},
                      {"nz_rows_are_looked_up",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.table.data());
                         NzBlock out(m.out.data());
                         Ids16 ids(m.idx.data());
                         NzTile dst;
                         Index16 idx;
                         TLOAD(idx, ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Row>(dst, table, idx);
                         TSTORE(out, dst);
                       }},
                      {"nz_rows_are_scattered",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.out.data());
                         NzBlock in(m.table.data());
                         Ids16 ids(m.idx.data());
                         NzTile src;
                         Index16 idx;
                         TLOAD(src, in);
                         TLOAD(idx, ids);
                         MSCATTER<Coalesce::Row>(table, src, idx);
                       }},
                      {"nz_rows_are_added_with_duplicates",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.out.data());
                         NzTile src;
                         Index16 idx;
                         TEXPANDS(src, 1.0f);
                         TEXPANDS(idx, 17);
                         MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(table, src, idx);
                       }},
                      {"nz_elements_are_looked_up",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.table.data());
                         NzBlock out(m.out.data());
                         NzTile dst;
                         Tile<TileType::Vec, std::int32_t, 16, 32> idx;
                         TEXPANDS(idx, 2047);
                         MGATHER<Coalesce::Elem>(dst, table, idx);
                         TSTORE(out, dst);
                       }},
                      {"nz_elements_are_added_with_duplicates",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.out.data());
                         NzTile src;
                         Tile<TileType::Vec, std::int32_t, 16, 32> idx;
                         TEXPANDS(src, 1.0f);
                         TEXPANDS(idx, 33);
                         MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(table, src, idx);
                       }},
                      {"a_whole_nz_row_is_written_past_its_valid_columns",
                       a2a3_only,
                       {},
                       [](Memory& m) {
                         NzTable table(m.table.data());
                         NzBlock out(m.out.data());
                         Ids16 ids(m.idx.data());
                         Tile<TileType::Vec, float, 16, 32, BLayout::ColMajor, 16, -1, SLayout::RowMajor, 512> dst(8);
                         Index16 idx;
                         TLOAD(idx, ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Row>(dst, table, idx);
                         dst.SetValidCol(32);
                         TSTORE(out, dst);
                       }},
                      {"zero_clears_the_padded_rows_of_an_nz_tile",
                       a2a3_only,
                       {},
                       [](Memory& m) {
                         NzTable table(m.table.data());
                         NzBlock out(m.out.data());
                         Ids8 ids(m.idx.data());
                         Tile<TileType::Vec, float, 16, 32, BLayout::ColMajor, -1, 32, SLayout::RowMajor, 512> dst(8);
                         Index8 idx;
                         TLOAD(idx, ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Row, GatherOOB::Zero>(dst, table, idx);
                         dst.SetValidRow(16);
                         TSTORE(out, dst);
                       }},
                      {"nz_halves_are_looked_up",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         Nz<half, 64, 32> table(reinterpret_cast<half*>(m.table.data()));
                         Tile<TileType::Vec, half, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512> dst, copy;
                         Ids16 ids(m.idx.data());
                         Index16 idx;
                         TLOAD(idx, ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Row>(dst, table, idx);
                         TMOV(copy, dst);
                       }},
                      {"skipped_nz_rows_are_never_written",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.out.data());
                         NzTile never_written;
                         Index16 idx;
                         TEXPANDS(idx, 64);
                         MSCATTER<Coalesce::Row, ScatterOOB::Skip>(table, never_written, idx);
                       }},
                      {"blocks_scatter_nz_rows_that_never_meet",
                       cpu_a2a3,
                       {},
                       [](Memory& m) {
                         NzTable table(m.out.data());
                         Ids16 ids(m.idx.data() + 16 * get_block_idx());
                         NzTile src;
                         Index16 idx;
                         TLOAD(idx, ids);
                         TEXPANDS(src, 1.0f);
                         MSCATTER<Coalesce::Row>(table, src, idx);
                       },
                       {.blocks = 4}},
                      {"rows_to_an_l1_tile",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Table table(m.table.data());
                         Ids16 ids(m.idx.data());
                         Matrix<float, 16, 32> out(m.out.data());
                         MatTile dst;
                         MGATHER<Coalesce::Row>(dst, table, ids);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(out, dst);
                       }},
                      {"elements_to_an_l1_tile_by_way_of_scratch",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Table table(m.table.data());
                         IdSquare ids(m.idx.data());
                         Matrix<float, 16, 8> scratch(m.out.data());
                         Tile<TileType::Mat, float, 16, 8, BLayout::ColMajor, 8, 8, SLayout::RowMajor, 512> dst;
                         MGATHER<Coalesce::Elem>(dst, table, ids, scratch);
                         MGATHER<Coalesce::Elem>(dst, table, ids, scratch);
                       }},
                      {"rows_to_an_l1_tile_by_scalar_dma_where_it_is_spelled",
                       cpu_a5,
                       {},
                       [](Memory& m) {
                         Table table(m.table.data());
                         Ids16 ids(m.idx.data());
                         Matrix<float, 16, 32> out(m.out.data());
                         MatTile dst;
                         MGATHER<Coalesce::Row, GatherExec::Scalar>(dst, table, ids);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(out, dst);
                       }},
                      {"rows_to_an_l1_tile_by_lanes_where_they_are_spelled",
                       cpu_a5,
                       {},
                       [](Memory& m) {
                         Table table(m.table.data());
                         Ids16 ids(m.idx.data());
                         Matrix<float, 16, 32> out(m.out.data());
                         MatTile dst;
                         MGATHER<Coalesce::Row, GatherExec::Simt>(dst, table, ids);
                         after(PIPE_V, PIPE_MTE3);
                         TSTORE(out, dst);
                       }},
                      {"an_event_after_rows_to_an_l1_tile",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Table table(m.table.data());
                         Ids16 ids(m.idx.data());
                         Matrix<float, 16, 32> out(m.out.data());
                         MatTile dst;
                         Event<Op::MGATHER_MAT, Op::TSTORE_MAT> moved = MGATHER<Coalesce::Row>(dst, table, ids);
                         TSTORE(out, dst, moved);
                       }},
                  });

}  // namespace
}  // namespace ptox::corpus
