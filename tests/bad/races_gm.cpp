// SPDX-License-Identifier: Apache-2.0
// Kernels with a race between the pipes of one block over global memory.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(bad(), {
                             {"loaded_again_before_the_store_landed",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, a);
                                TLOAD(b, g.out);
                              }},
                             {"stored_over_what_a_load_still_reads",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                TEXPANDS(b, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TLOAD(a, g.rows);
                                TSTORE(g.rows, b);
                              }},
                             {"loaded_half_of_what_a_store_still_writes",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<float, 8, 32> shifted(m.out.data() + 4 * 32);
                                Rows8 a, b;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, a);
                                TLOAD(b, shifted);
                              }},
                             {"loaded_behind_a_flag_from_the_wrong_pipe",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, a);
                                after(PIPE_V, PIPE_MTE2);
                                TLOAD(b, g.out);
                              }},
                             {"an_atomic_store_loaded_before_it_landed",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 a, b;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE<AtomicType::AtomicAdd>(g.out, a);
                                TLOAD(b, g.out);
                              }},
                             {"l1_rows_gathered_before_the_store_of_the_table_landed",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<std::int32_t, 1, 16> idx(m.ints.data());
                                Mat16 dst;
                                Rows8 a;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.rows, a);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"l1_indices_read_before_the_store_of_them_landed",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                Matrix<std::int32_t, 1, 16> idx(m.ints.data());
                                Mat16 dst;
                                Tile<TileType::Vec, std::int32_t, 1, 16> zeros;
                                TEXPANDS(zeros, 0);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(idx, zeros);
                                MGATHER<Coalesce::Row>(dst, g.table, idx);
                              }},
                             {"an_l1_scratch_that_a_store_still_writes",
                              machines,
                              {FindingKind::race},
                              [](Memory& m) {
                                Views g(m);
                                const Buffer<std::int32_t> zeros = m.dev.alloc<std::int32_t>(16 * 32);
                                Matrix<std::int32_t, 16, 32> idx(zeros.data());
                                Matrix<float, 16, 32> scratch(m.out.data());
                                Mat16 dst;
                                Rows8 a;
                                TEXPANDS(a, 1.0f);
                                after(PIPE_V, PIPE_MTE3);
                                TSTORE(g.out, a);
                                MGATHER<Coalesce::Elem>(dst, g.table, idx, scratch);
                              }},
                         });

const Add l1(bad(), {
                        {"an_l1_tile_stored_before_it_was_gathered",
                         machines,
                         {FindingKind::race},
                         [](Memory& m) {
                           Views g(m);
                           Matrix<std::int32_t, 1, 16> idx(m.idx.data());
                           Matrix<float, 16, 32> out(m.out.data());
                           Mat16 tile;
                           MGATHER<Coalesce::Row>(tile, g.table, idx);
                           TSTORE(out, tile);
                         }},
                        {"an_l1_tile_loaded_over_while_a_store_still_reads_it",
                         machines,
                         {FindingKind::race},
                         [](Memory& m) {
                           Matrix<float, 16, 32> in(m.table.data()), out(m.out.data());
                           Mat16 tile;
                           TLOAD(tile, in);
                           after(PIPE_MTE2, PIPE_MTE3);
                           TSTORE(out, tile);
                           TLOAD(tile, in);
                         }},
                    });

const Add lanes(bad(), {
                           {"loaded_behind_the_second_of_two_unordered_adds",
                            a5_only,
                            {FindingKind::race, FindingKind::stale_cache},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 src, sums;
                              Index8 idx;
                              TLOAD(src, g.rows);
                              fetch(idx, g.idx);
                              after(PIPE_MTE2, PIPE_MTE3);
                              MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                              TSTORE<AtomicType::AtomicAdd>(g.out, src);
                              after(PIPE_MTE3, PIPE_MTE2);
                              TLOAD(sums, g.out);
                            }},
                           {"loaded_before_the_lanes_scattered",
                            a5_only,
                            {FindingKind::race, FindingKind::stale_cache},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 src;
                              Index8 idx;
                              TLOAD(src, g.rows);
                              fetch(idx, g.idx);
                              MSCATTER<Coalesce::Row>(g.sums, src, idx);
                              Rows8 back;
                              TLOAD(back, g.out);
                            }},
                           {"gathered_before_the_store_of_the_table_landed",
                            a5_only,
                            {FindingKind::race},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a, dst;
                              Index8 idx;
                              fetch(idx, g.idx);
                              TEXPANDS(a, 1.0f);
                              after(PIPE_V, PIPE_MTE3);
                              TSTORE(g.rows, a);
                              MGATHER<Coalesce::Row>(dst, g.table, idx);
                            }},
                           {"table_stored_over_while_the_lanes_gather",
                            a5_only,
                            {FindingKind::race},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 a, dst;
                              Index8 idx;
                              fetch(idx, g.idx);
                              TEXPANDS(a, 1.0f);
                              after(PIPE_V, PIPE_MTE3);
                              MGATHER<Coalesce::Row>(dst, g.table, idx);
                              TSTORE(g.rows, a);
                            }},
                           {"scattered_into_what_a_load_still_reads",
                            a5_only,
                            {FindingKind::race},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 src, other;
                              Index8 idx;
                              TLOAD(src, g.rows);
                              fetch(idx, g.idx);
                              TLOAD(other, g.out);
                              MSCATTER<Coalesce::Row>(g.sums, src, idx);
                            }},
                           {"scattered_into_what_a_store_still_writes",
                            a5_only,
                            {FindingKind::race},
                            [](Memory& m) {
                              Views g(m);
                              Rows8 src, zeros;
                              Index8 idx;
                              TLOAD(src, g.rows);
                              fetch(idx, g.idx);
                              TEXPANDS(zeros, 0.0f);
                              after(PIPE_V, PIPE_MTE3);
                              TSTORE(g.out, zeros);
                              MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.sums, src, idx);
                            }},
                           {"one_static_element_scattered_and_loaded_at_once",
                            a5_only,
                            {FindingKind::race, FindingKind::stale_cache},
                            [](Memory& m) {
                              Views g(m);
                              One src;
                              OneIndex idx;
                              TLOAD(src, g.values);
                              fetch(idx, g.idx);
                              MSCATTER<Coalesce::Elem>(g.sums, src, idx);
                              Rows8 back;
                              TLOAD(back, g.out);
                            }},
                       });

}  // namespace
}  // namespace ptox::corpus
