// SPDX-License-Identifier: Apache-2.0
// Kernels with a race between blocks.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

template <class T, int R, int C>
void store_ones(T* to) {
  Matrix<T, R, C> out(to);
  Tile<TileType::Vec, T, R, C> ones;
  TEXPANDS(ones, T(1));
  after(PIPE_V, PIPE_MTE3);
  TSTORE(out, ones);
}

/// The sums become zero before anything later of this block.
void store_zeros(Memory& m) {
  Views g(m);
  Rows8 zeros;
  TEXPANDS(zeros, 0.0f);
  after(PIPE_V, PIPE_MTE3);
  TSTORE(g.out, zeros);
  pipe_barrier(PIPE_ALL);
}

const Add kernels(bad(), {
                             {"two_blocks_store_the_same_rows",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) { store_ones<float, 8, 32>(m.out.data()); },
                              {.blocks = 2}},
                             {"blocks_whose_rows_overlap_by_one",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) { store_ones<float, 8, 32>(m.out.data() + get_block_idx() * 7 * 32); },
                              {.blocks = 4}},
                             {"blocks_two_elements_apart_that_store_eight",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) { store_ones<float, 1, 8>(m.out.data() + get_block_idx() * 2); },
                              {.blocks = 2}},
                             {"one_block_loads_what_another_stores",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                if (get_block_idx() == 0)
                                  store_ones<float, 8, 32>(m.out.data());
                                else
                                  TLOAD(a, g.out);
                              },
                              {.blocks = 2}},
                             {"one_block_stores_what_another_has_loaded",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                if (get_block_idx() == 1)
                                  store_ones<float, 8, 32>(m.out.data());
                                else
                                  TLOAD(a, g.out);
                              },
                              {.blocks = 2}},
                             {"many_blocks_read_what_the_last_writes",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a;
                                TLOAD(a, g.out);
                                after(PIPE_MTE2, PIPE_MTE3);
                                if (get_block_idx() == 7) TSTORE(g.out, a);
                              },
                              {.blocks = 8}},
                             {"each_block_reads_the_halo_of_its_neighbour",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Matrix<float, 8, 32> mine(m.out.data() + get_block_idx() * 8 * 32);
                                Matrix<float, 8, 32> wider(m.out.data() + (get_block_idx() * 8 + 1) * 32);
                                Rows8 a;
                                TLOAD(a, wider);
                                after(PIPE_MTE2, PIPE_MTE3);
                                TSTORE(mine, a);
                              },
                              {.blocks = 3}},
                             {"two_blocks_scatter_to_the_same_rows",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row>(g.sums, src, idx);
                              },
                              {.blocks = 2}},
                             {"two_blocks_scatter_to_the_same_elements",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 src;
                                CellIndex8 idx;
                                TLOAD(src, g.values);
                                fetch(idx, g.cells);
                                MSCATTER<Coalesce::Elem>(g.sums, src, idx);
                              },
                              {.blocks = 2}},
                             {"one_block_gathers_the_table_that_another_stores",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 dst;
                                Index8 idx;
                                if (get_block_idx() == 0) return store_ones<float, 8, 32>(m.table.data());
                                fetch(idx, g.idx);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              },
                              {.blocks = 2}},
                             {"one_block_adds_rows_where_another_stores",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                if (get_block_idx() == 0) return store_ones<float, 8, 32>(m.out.data());
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                              },
                              {.blocks = 2}},
                             {"one_block_adds_rows_that_another_loads",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                TLOAD(src, g.out);
                                fetch(idx, g.idx);
                                if (get_block_idx() == 1)
                                  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                              },
                              {.blocks = 2}},
                             {"blocks_share_one_l1_scratch",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                const Buffer<std::int32_t> zeros = m.dev.alloc<std::int32_t>(16 * 32);
                                Matrix<std::int32_t, 16, 32> idx(zeros.data());
                                Matrix<float, 16, 32> scratch(m.out.data());
                                Mat16 dst;
                                MGATHER<Coalesce::Elem>(dst, g.table, idx, scratch);
                              },
                              {.blocks = 2}},
                             {"a_race_whatever_the_seed_makes_of_the_blocks",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) { store_ones<float, 8, 32>(m.out.data()); },
                              {.blocks = 5, .seed = 77}},
                             {"one_block_takes_the_maximum_where_another_scatters",
                              a5_only,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 src;
                                CellIndex8 idx;
                                TLOAD(src, g.values);
                                fetch(idx, g.cells);
                                if (get_block_idx() == 0)
                                  MSCATTER<Coalesce::Elem, ScatterAtomicOp::Max>(g.sums, src, idx);
                                else
                                  MSCATTER<Coalesce::Elem>(g.sums, src, idx);
                              },
                              {.blocks = 2}},
                         });

const Add behind_an_atomic(bad(), {
                                      {"one_block_zeroes_the_sums_that_all_blocks_add_to",
                                       machines,
                                       {FindingKind::race},
                                       [](Memory& m) {
                                         Views g(m);
                                         Rows8 src;
                                         Index8 idx;
                                         if (get_block_idx() == 0) store_zeros(m);
                                         TLOAD(src, g.rows);
                                         fetch(idx, g.idx);
                                         MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                                       },
                                       {.blocks = 2}},
                                      {"the_last_block_loads_the_sums_of_all",
                                       machines,
                                       {FindingKind::race, {FindingKind::stale_cache, &target::a5}},
                                       [](Memory& m) {
                                         Views g(m);
                                         Rows8 src, sums;
                                         Index8 idx;
                                         TLOAD(src, g.rows);
                                         fetch(idx, g.idx);
                                         MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                                         pipe_barrier(PIPE_ALL);
                                         if (get_block_idx() == 1) TLOAD(sums, g.out);
                                       },
                                       {.blocks = 2}},
                                      {"the_last_block_loads_the_sums_that_all_store_by_adding",
                                       machines,
                                       {FindingKind::race},
                                       [](Memory& m) {
                                         Views g(m);
                                         Rows8 ones, sums;
                                         TEXPANDS(ones, 1.0f);
                                         after(PIPE_V, PIPE_MTE3);
                                         TSTORE<AtomicType::AtomicAdd>(g.out, ones);
                                         after(PIPE_MTE3, PIPE_MTE2);
                                         if (get_block_idx() == 1) TLOAD(sums, g.out);
                                       },
                                       {.blocks = 2}},
                                      {"the_first_block_loads_its_sums_and_adds_before_the_others_add",
                                       machines,
                                       {FindingKind::race},
                                       [](Memory& m) {
                                         Views g(m);
                                         Rows8 ones, sums;
                                         if (get_block_idx() == 0) TLOAD(sums, g.out);
                                         TEXPANDS(ones, 1.0f);
                                         pipe_barrier(PIPE_ALL);
                                         TSTORE<AtomicType::AtomicAdd>(g.out, ones);
                                       },
                                       {.blocks = 2}},
                                  });

template <class T>
void add_elements(Memory& m, T* sums) {
  Matrix<T, 8, 8> table(sums);
  Views g(m);
  Tile<TileType::Vec, T, 8, 8> src;
  CellIndex8 idx;
  fetch(idx, g.cells);
  TEXPANDS(src, T(1));
  MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(table, src, idx);
}

const Add atomics(bad(), {
                             {"two_blocks_add_to_the_same_elements",
                              a2a3_only,
                              {FindingKind::atomic_race, FindingKind::stale_cache},
                              [](Memory& m) { add_elements(m, m.out.data()); },
                              {.blocks = 2}},
                             {"two_blocks_count_into_one_histogram",
                              a2a3_only,
                              {FindingKind::atomic_race, FindingKind::stale_cache},
                              [](Memory& m) { add_elements(m, m.ints.data()); },
                              {.blocks = 2}},
                             {"eight_blocks_meet_in_one_bin",
                              a2a3_only,
                              {FindingKind::atomic_race, FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                Cells8 src;
                                CellIndex8 idx;
                                TEXPANDS(src, 1.0f);
                                TEXPANDS(idx, 5);
                                MSCATTER<Coalesce::Elem, ScatterAtomicOp::Add>(g.sums, src, idx);
                              },
                              {.blocks = 8, .seed = 3}},
                             {"one_block_adds_elements_where_another_adds_rows",
                              a2a3_only,
                              {FindingKind::atomic_race, FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                if (get_block_idx() == 0) return add_elements(m, m.out.data());
                                TLOAD(src, g.rows);
                                fetch(idx, g.idx);
                                MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                              },
                              {.blocks = 2}},
                             {"one_block_adds_elements_and_rows_where_another_adds_rows",
                              a2a3_only,
                              {FindingKind::atomic_race, FindingKind::stale_cache},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 src;
                                Index8 idx;
                                if (get_block_idx() == 0) add_elements(m, m.out.data());
                                TLOAD(src, g.rows);
                                for (int row = 0; row < 2; ++row) {
                                  TEXPANDS(idx, row);
                                  MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                                }
                              },
                              {.blocks = 2}},
                             {"one_block_adds_elements_where_another_adds_by_a_store",
                              a2a3_only,
                              {FindingKind::atomic_race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 ones;
                                if (get_block_idx() == 1) return add_elements(m, m.out.data());
                                TEXPANDS(ones, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE<AtomicType::AtomicAdd>(g.out, ones);
                              },
                              {.blocks = 2}},
                         });

}  // namespace
}  // namespace ptox::corpus
