// SPDX-License-Identifier: Apache-2.0
// Correct kernels in which tiles reuse the bytes of earlier ones.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"a_tile_is_loaded_again_after_its_store",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 t;
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   TLOAD(t, g.in);
                                   after(PIPE_MTE2, PIPE_MTE3);
                                   TSTORE(g.out, t);
                                   after(PIPE_MTE3, PIPE_MTE2);
                                 }
                               }},
                              {"a_tile_is_loaded_twice_with_no_reader_between",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 TLOAD(t, next.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"a_tile_is_filled_by_v_again_after_its_store",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 t;
                                 for (int i = 0; i < 4; ++i) {
                                   Gm g(m, i);
                                   TEXPANDS(t, i);
                                   after(PIPE_V, PIPE_MTE3);
                                   TSTORE(g.out, t);
                                   after(PIPE_MTE3, PIPE_V);
                                 }
                               }},
                              {"two_tiles_of_one_type_at_one_place_by_turns",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TASSIGN(a, 0);
                                 TASSIGN(b, 0);
                                 TLOAD(a, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, a);
                                 after(PIPE_MTE3, PIPE_MTE2);
                                 TLOAD(b, next.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(next.out, b);
                               }},
                              {"a_name_for_the_bytes_that_another_tile_wrote",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TASSIGN(a, 1024);
                                 TASSIGN(b, 1024);
                                 TLOAD(a, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, b);
                               }},
                              {"the_same_bytes_as_integers",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Matrix<std::int32_t, 8, 32> out(reinterpret_cast<std::int32_t*>(m.out.data()));
                                 Gm g(m);
                                 Rows8 floats;
                                 Ints8 bits;
                                 TASSIGN(floats, 0);
                                 TASSIGN(bits, 0);
                                 TLOAD(floats, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(out, bits);
                               }},
                              {"the_same_bytes_in_another_shape",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Matrix<float, 16, 16> out(m.out.data());
                                 Rows8 wide;
                                 Tile<TileType::Vec, float, 16, 16> square;
                                 TASSIGN(wide, 0);
                                 TASSIGN(square, 0);
                                 TLOAD(wide, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(out, square);
                               }},
                              {"a_smaller_tile_takes_part_of_the_bytes_by_a_fresh_write",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Block4 in(m.table.data()), out(m.out.data() + 256);
                                 Rows8 big;
                                 Rows4 small;
                                 TASSIGN(big, 0);
                                 TASSIGN(small, 512);
                                 TLOAD(big, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, big);
                                 after(PIPE_MTE3, PIPE_MTE2);
                                 TLOAD(small, in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(out, small);
                               }},
                              {"a_bigger_tile_takes_the_bytes_of_two_by_a_fresh_write",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Block4 in(m.table.data()), out(m.out.data() + 256);
                                 Rows4 a, b;
                                 Rows8 big;
                                 TASSIGN(a, 0);
                                 TASSIGN(b, 512);
                                 TASSIGN(big, 0);
                                 TLOAD(a, in);
                                 TLOAD(b, in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(out, a);
                                 after(PIPE_MTE3, PIPE_MTE2);
                                 TLOAD(big, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, big);
                               }},
                              {"an_index_takes_the_bytes_of_a_float_tile_by_a_fresh_write",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 rows, dst;
                                 Index8 idx;
                                 TASSIGN(rows, 0);
                                 TASSIGN(idx, 0);
                                 TASSIGN(dst, 1024);
                                 TLOAD(rows, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, rows);
                                 after(PIPE_MTE3, PIPE_MTE2);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(next.out, dst);
                               }},
                              {"a_lookup_lands_where_an_old_index_lay",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 dst;
                                 Index8 idx, old;
                                 TASSIGN(idx, 4096);
                                 TASSIGN(old, 0);
                                 TASSIGN(dst, 0);
                                 TLOAD(old, g.ids);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                               }},
                              {"a_tile_never_read_is_written_by_another_pipe_in_order",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_V);
                                 TEXPANDS(t, 0.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, t);
                               }},
                              {"a_lookup_overwrites_a_tile_after_mte3_to_v",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 dst;
                                 Index8 idx;
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(g.out, dst);
                                 after(PIPE_MTE3, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.table, idx);
                                 after(PIPE_V, PIPE_MTE3);
                                 TSTORE(next.out, dst);
                               }},
                              {"ids_are_reused_as_soon_as_their_wait_is_over",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 t, u;
                                 for (int i = 0; i < 8; ++i) {
                                   Gm g(m, i);
                                   TLOAD(t, g.in);
                                   after(PIPE_MTE2, PIPE_V);
                                   TMOV(u, t);
                                   after(PIPE_V, PIPE_MTE3);
                                   TSTORE(g.out, u);
                                   after(PIPE_MTE3, PIPE_V);
                                   after(PIPE_V, PIPE_MTE2);
                                 }
                               }},
                              {"two_stores_of_one_tile_to_two_places",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, t);
                                 TSTORE(next.out, t);
                               }},
                              {"global_memory_is_stored_twice_by_one_pipe",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m), next(m, 1);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 TLOAD(b, next.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, a);
                                 TSTORE(g.out, b);
                               }},
                              {"a_stored_block_is_loaded_back_after_mte3_to_mte2",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TLOAD(a, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, a);
                                 after(PIPE_MTE3, PIPE_MTE2);
                                 TLOAD(b, g.out);
                               }},
                              {"a_loaded_block_is_stored_over_in_place",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 t;
                                 TLOAD(t, g.in);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.in, t);
                               }},
                              {"a_loop_long_enough_to_meet_every_flag_many_times",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Rows8 t;
                                 for (int i = 0; i < 200; ++i) {
                                   Gm g(m, i % 8);
                                   const event_t id = i % 8;
                                   TLOAD(t, g.in);
                                   after(PIPE_MTE2, PIPE_MTE3, id);
                                   TSTORE(g.out, t);
                                   after(PIPE_MTE3, PIPE_MTE2, id);
                                 }
                               }},
                              {"several_launches_worth_of_lookups_and_scatters",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 rows;
                                 Index8 idx;
                                 for (int i = 0; i < 32; ++i) {
                                   Gm k(m, i % 8);
                                   TLOAD(idx, k.ids);
                                   after(PIPE_MTE2, PIPE_V);
                                   MGATHER<Coalesce::Row>(rows, g.table, idx);
                                   MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, rows, idx);
                                   after(PIPE_V, PIPE_MTE2);
                                 }
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
