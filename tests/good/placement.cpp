// SPDX-License-Identifier: Apache-2.0
// Kernels that place tiles validly, by TASSIGN and automatically.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(),
                  {
                      {"tiles_side_by_side_to_the_byte",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m), next(m, 1);
                         Rows8 a, b;
                         TASSIGN(a, 0);
                         TASSIGN(b, 1024);
                         TLOAD(a, g.in);
                         after(PIPE_MTE2, PIPE_V);
                         TMOV(b, a);
                         after(PIPE_V, PIPE_MTE3);
                         TSTORE(g.out, a);
                         TSTORE(next.out, b);
                       }},
                      {"the_smallest_tile_at_every_multiple_of_32",
                       everywhere,
                       {},
                       [](Memory&) {
                         Tile<TileType::Vec, float, 1, 8> t[4];
                         for (int i = 0; i < 4; ++i) {
                           TASSIGN(t[i], 32 * i);
                           TEXPANDS(t[i], i);
                         }
                         TMOV(t[0], t[3]);
                       }},
                      {"a_place_known_at_compile_time",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         TASSIGN<0x2000>(t);
                         TLOAD(t, g.in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(g.out, t);
                       }},
                      {"automatic_tiles_around_a_placed_one",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 placed, a, b;
                         TASSIGN(placed, 1024);
                         TLOAD(a, g.in);
                         TLOAD(placed, g.in);
                         after(PIPE_MTE2, PIPE_V);
                         TMOV(b, a);
                         after(PIPE_V, PIPE_MTE3);
                         TSTORE(g.out, placed);
                       }},
                      {"an_automatic_tile_in_each_round_of_a_loop",
                       everywhere,
                       {},
                       [](Memory& m) {
                         for (int i = 0; i < 8; ++i) {
                           Gm g(m, i);
                           Rows8 t;
                           TLOAD(t, g.in);
                           after(PIPE_MTE2, PIPE_MTE3);
                           TSTORE(g.out, t);
                           after(PIPE_MTE3, PIPE_MTE2);
                         }
                       }},
                      {"automatic_tiles_of_many_sizes_come_and_go",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         {
                           Rows8 t;
                           TLOAD(t, g.in);
                           after(PIPE_MTE2, PIPE_MTE3);
                           TSTORE(g.out, t);
                           after(PIPE_MTE3, PIPE_MTE2);
                         }
                         {
                           Index8 idx;
                           Rows8 dst;
                           TLOAD(idx, g.ids);
                           after(PIPE_MTE2, PIPE_V);
                           MGATHER<Coalesce::Row>(dst, g.table, idx);
                           after(PIPE_V, PIPE_MTE3);
                           TSTORE(g.out, dst);
                         }
                       }},
                      {"a_tile_moves_to_another_place_between_uses",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m), next(m, 1);
                         Rows8 t;
                         TASSIGN(t, 0);
                         TLOAD(t, g.in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(g.out, t);
                         TASSIGN(t, 1024);
                         TLOAD(t, next.in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(next.out, t);
                       }},
                      {"one_tile_object_by_turns_at_two_places",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Rows8 t;
                         for (int i = 0; i < 8; ++i) {
                           Gm g(m, i);
                           const int p = i % 2;
                           if (i >= 2) wait_flag(PIPE_MTE3, PIPE_MTE2, p);
                           TASSIGN(t, 1024 * p);
                           TLOAD(t, g.in);
                           after(PIPE_MTE2, PIPE_MTE3, p);
                           TSTORE(g.out, t);
                           set_flag(PIPE_MTE3, PIPE_MTE2, p);
                         }
                         for (int p : {0, 1}) wait_flag(PIPE_MTE3, PIPE_MTE2, p);
                       }},
                      {"a_copy_of_a_tile_names_the_same_bytes",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         TLOAD(t, g.in);
                         Rows8 same = t;
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(g.out, same);
                       }},
                      {"a_tile_handed_to_a_function_by_value",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         TLOAD(t, g.in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         [](Rows8 tile, Block8 out) { TSTORE(out, tile); }(t, g.out);
                       }},
                      {"a_tensor_that_is_pointed_elsewhere",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Block8 in;
                         Rows8 t;
                         TASSIGN(in, m.table.data() + 512);
                         TLOAD(t, in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(g.out, t);
                       }},
                      {"an_unused_tile_over_the_bytes_of_another",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 t;
                         Ints8 never;
                         TASSIGN(t, 0);
                         TASSIGN(never, 512);
                         TLOAD(t, g.in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(g.out, t);
                       }},
                      {"a_mat_tile_and_a_vec_tile_at_one_offset",
                       everywhere,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 vec;
                         Tile<TileType::Mat, float, 16, 32, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512> mat;
                         Matrix<float, 16, 32> in(m.table.data());
                         TASSIGN(vec, 0);
                         TASSIGN(mat, 0);
                         TLOAD(vec, g.in);
                         TLOAD(mat, in);
                         after(PIPE_MTE2, PIPE_MTE3);
                         TSTORE(g.out, vec);
                       }},
                  });

}  // namespace
}  // namespace ptox::corpus
