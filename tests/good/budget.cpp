// SPDX-License-Identifier: Apache-2.0
// Kernels whose tiles use all bytes of their budget.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

template <int n>
using Kib = Tile<TileType::Vec, float, n, 256>;

const Add kernels(good(),
                  {
                      {"all_of_ub_in_one_tile",
                       a2a3_only,
                       {},
                       [](Memory&) {
                         Kib<192> t;
                         TASSIGN(t, 0);
                         TEXPANDS(t, 1.0f);
                         after(PIPE_V, PIPE_S);
                         (void)t.GetValue(t.Numel - 1);
                       }},
                      {"the_last_32_bytes_of_ub",
                       a2a3_only,
                       {},
                       [](Memory&) {
                         Tile<TileType::Vec, float, 1, 8> t;
                         TASSIGN(t, 192 * 1024 - 32);
                         TEXPANDS(t, 1.0f);
                       }},
                      {"all_of_ub_in_one_automatic_tile",
                       a2a3_only,
                       {},
                       [](Memory&) {
                         Kib<192> t;
                         TEXPANDS(t, 1.0f);
                       }},
                      {"all_of_ub_in_automatic_tiles_after_others_died",
                       a2a3_only,
                       {},
                       [](Memory&) {
                         for (int i = 0; i < 3; ++i) {
                           Kib<96> a, b;
                           TEXPANDS(a, i);
                           TMOV(b, a);
                         }
                       }},
                      {"a_dynamic_size_that_the_machine_ignores",
                       a2a3_only,
                       {},
                       [](Memory&) {
                         Kib<192> t;
                         TASSIGN(t, 0);
                         TEXPANDS(t, 1.0f);
                       },
                       {.blocks = 1, .dyn_ub_bytes = 64 * 1024}},
                      {"the_default_budget_to_the_byte",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<128> t;
                         TASSIGN(t, 0);
                         TEXPANDS(t, 1.0f);
                       }},
                      {"the_last_32_bytes_of_the_default_budget",
                       a5_only,
                       {},
                       [](Memory&) {
                         Tile<TileType::Vec, float, 1, 8> t;
                         TASSIGN(t, 128 * 1024 - 32);
                         TEXPANDS(t, 1.0f);
                       }},
                      {"the_largest_budget_to_the_byte",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<216> t;
                         TASSIGN(t, 0);
                         TEXPANDS(t, 1.0f);
                       },
                       {.blocks = 1, .dyn_ub_bytes = 216 * 1024}},
                      {"a_budget_below_the_default_to_the_byte",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<32> a, b;
                         TASSIGN(a, 0);
                         TASSIGN(b, 32 * 1024);
                         TEXPANDS(a, 1.0f);
                         TMOV(b, a);
                       },
                       {.blocks = 1, .dyn_ub_bytes = 64 * 1024}},
                      {"the_highest_byte_counts_not_the_sum",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<128> a;
                         Kib<64> b, c;
                         TASSIGN(a, 0);
                         TASSIGN(b, 0);
                         TASSIGN(c, 64 * 1024);
                         TEXPANDS(a, 1.0f);
                         TEXPANDS(b, 1.0f);
                         TMOV(c, b);
                       }},
                      {"automatic_tiles_beside_a_dynamic_size",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<88> t;
                         TEXPANDS(t, 1.0f);
                       },
                       {.blocks = 1, .dyn_ub_bytes = 128 * 1024}},
                      {"automatic_tiles_above_the_placed_ones",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<128> placed;
                         Kib<88> automatic;
                         TASSIGN(placed, 0);
                         TEXPANDS(placed, 1.0f);
                         TEXPANDS(automatic, 1.0f);
                       }},
                      {"automatic_tiles_above_the_placed_ones_of_a_given_size",
                       a5_only,
                       {},
                       [](Memory&) {
                         Kib<128> placed;
                         Kib<88> automatic;
                         TASSIGN(placed, 0);
                         TEXPANDS(placed, 1.0f);
                         TEXPANDS(automatic, 1.0f);
                       },
                       {.blocks = 1, .dyn_ub_bytes = 128 * 1024}},
                      {"automatic_tiles_that_give_their_bytes_back",
                       a5_only,
                       {},
                       [](Memory&) {
                         for (int i = 0; i < 4; ++i) {
                           Kib<64> a;
                           TEXPANDS(a, i);
                         }
                       }},
                      {"more_than_any_machine_has_on_the_host",
                       Targets{&target::cpu},
                       {},
                       [](Memory&) {
                         Kib<1024> t;
                         TASSIGN(t, 3 * 1024 * 1024);
                         TEXPANDS(t, 1.0f);
                       }},
                      {"all_of_l1_in_one_tile",
                       machines,
                       {},
                       [](Memory& m) {
                         Tile<TileType::Mat, float, 1024, 128, BLayout::ColMajor, 16, 32, SLayout::RowMajor, 512> t;
                         Matrix<float, 16, 32> in(m.table.data());
                         TASSIGN(t, 0);
                         TLOAD(t, in);
                       }},
                      {"a_lookup_at_the_upper_end_of_the_budget",
                       a5_only,
                       {},
                       [](Memory& m) {
                         Gm g(m);
                         Rows8 dst;
                         Index8 idx;
                         TASSIGN(dst, 128 * 1024 - 1024);
                         TASSIGN(idx, 128 * 1024 - 1024 - 32);
                         TLOAD(idx, g.ids);
                         after(PIPE_MTE2, PIPE_V);
                         MGATHER<Coalesce::Row>(dst, g.table, idx);
                         after(PIPE_V, PIPE_MTE3);
                         TSTORE(g.out, dst);
                       }},
                  });

}  // namespace
}  // namespace ptox::corpus
