// SPDX-License-Identifier: Apache-2.0
// Kernels that place tiles where there is no room, or off the 32-byte grid.
#include "bad/parts.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

constexpr std::size_t kib = 1024;
template <int KiB>
using Large = Tile<TileType::Vec, float, KiB, 256>;  // one KiB a row

const Add overflows(bad(), {
                               {"a_tile_that_begins_at_192_kib",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Rows8 a;
                                  TASSIGN(a, 192 * kib);
                                  TEXPANDS(a, 1.0f);
                                }},
                               {"a_tile_whose_last_block_is_past_192_kib",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Rows8 a;
                                  TASSIGN<192 * 1024 - 992>(a);
                                  TEXPANDS(a, 1.0f);
                                }},
                               {"a_tile_larger_than_ub",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Large<193> a;
                                  TEXPANDS(a, 1.0f);
                                }},
                               {"automatic_tiles_that_sum_up_past_192_kib",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Large<100> a, b;
                                  TEXPANDS(a, 1.0f);
                                  TEXPANDS(b, 2.0f);
                                }},
                               {"an_offset_that_fits_a5_alone",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Rows8 a;
                                  TASSIGN(a, 200 * kib);
                                },
                                {.dyn_ub_bytes = 216 * kib}},
                               {"a_tile_that_begins_at_256_kib",
                                machines,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Rows8 a;
                                  TASSIGN(a, 256 * kib);
                                  TEXPANDS(a, 1.0f);
                                }},
                               {"a_tile_whose_last_block_is_past_256_kib",
                                machines,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Rows8 a;
                                  TASSIGN(a, 256 * kib - 992);
                                  TEXPANDS(a, 1.0f);
                                }},
                               {"a_tile_larger_than_any_ub",
                                machines,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Large<257> a;
                                  TEXPANDS(a, 1.0f);
                                }},
                               {"automatic_tiles_that_sum_up_past_256_kib",
                                machines,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Large<90> a, b, c;
                                  TEXPANDS(a, 1.0f);
                                  TEXPANDS(b, 2.0f);
                                  TEXPANDS(c, 3.0f);
                                }},
                               {"a_small_tile_in_the_way_of_a_large_one",
                                machines,
                                {FindingKind::ub_overflow},
                                [](Memory&) {
                                  Rows8 small;
                                  Large<130> large;
                                  TASSIGN(small, 127 * kib);
                                  TEXPANDS(large, 1.0f);
                                }},
                               {"the_ninth_of_eight_buffers",
                                machines,
                                {FindingKind::ub_overflow, {FindingKind::ub_budget, &target::a5}},
                                [](Memory&) {
                                  for (int i = 0; i < 9; ++i) {
                                    Large<32> a;
                                    TASSIGN(a, static_cast<std::size_t>(i) * 32 * kib);
                                  }
                                }},
                               {"a_narrow_nz_tile_gathers_past_ub",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory& m) {
                                  NzMatrix<float, 64, 32> table(m.table.data());
                                  Matrix<std::int32_t, 1, 16> idx_gm(m.idx.data());
                                  Nz<float, 16, 8> dst;
                                  Tile<TileType::Vec, std::int32_t, 1, 16> idx;
                                  TASSIGN(dst, 192 * kib - 512);
                                  TASSIGN(idx, 0);
                                  fetch(idx, idx_gm);
                                  MGATHER<Coalesce::Row>(dst, table, idx);
                                }},
                               {"a_narrow_nz_tile_scatters_from_past_ub",
                                a2a3_only,
                                {FindingKind::ub_overflow},
                                [](Memory& m) {
                                  NzMatrix<float, 64, 32> table(m.out.data());
                                  Matrix<std::int32_t, 1, 16> idx_gm(m.idx.data());
                                  Nz<float, 16, 16> src;
                                  Tile<TileType::Vec, std::int32_t, 1, 16> idx;
                                  TASSIGN(src, 191 * kib);
                                  TASSIGN(idx, 0);
                                  TEXPANDS(src, 1.0f);
                                  fetch(idx, idx_gm);
                                  MSCATTER<Coalesce::Row>(table, src, idx);
                                }},
                           });

const Add budgets(bad(), {
                             {"129_kib_without_a_dyn_ub_size",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Rows8 a;
                                TASSIGN(a, 128 * kib);
                                TEXPANDS(a, 1.0f);
                              }},
                             {"one_block_past_128_kib_without_a_dyn_ub_size",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Rows8 a;
                                TASSIGN(a, 127 * kib + 32);
                                TEXPANDS(a, 1.0f);
                              }},
                             {"above_its_dyn_ub_size",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Rows8 a;
                                TASSIGN(a, 200 * kib);
                                TEXPANDS(a, 1.0f);
                              },
                              {.dyn_ub_bytes = 200 * kib}},
                             {"above_a_dyn_ub_size_below_the_default",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Rows8 a;
                                TASSIGN(a, 64 * kib);
                                TEXPANDS(a, 1.0f);
                              },
                              {.dyn_ub_bytes = 64 * kib}},
                             {"a_high_tile_and_little_use",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory& m) {
                                Views g(m);
                                Rows8 low;
                                Index8 high;
                                TASSIGN(low, 0);
                                TASSIGN(high, 220 * kib);
                                TLOAD(low, g.rows);
                                TLOAD(high, g.idx);
                              },
                              {.dyn_ub_bytes = 216 * kib}},
                             {"dyn_ub_size_and_automatic_tiles_past_216_kib",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Large<32> a;
                                TEXPANDS(a, 1.0f);
                              },
                              {.dyn_ub_bytes = 200 * kib}},
                             {"the_largest_dyn_ub_size_and_one_automatic_tile",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Index8 a;
                                TEXPANDS(a, 1);
                              },
                              {.dyn_ub_bytes = 216 * kib}},
                             {"automatic_tiles_alone_past_216_kib",
                              a5_only,
                              {FindingKind::ub_overflow},
                              [](Memory&) {
                                Large<220> a;
                                TEXPANDS(a, 1.0f);
                              }},
                             {"a_dyn_ub_size_past_216_kib",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Rows8 a;
                                TASSIGN(a, 0);
                                TEXPANDS(a, 1.0f);
                              },
                              {.dyn_ub_bytes = 224 * kib}},
                             {"only_the_last_block_reaches_past_the_budget",
                              a5_only,
                              {FindingKind::ub_budget},
                              [](Memory&) {
                                Rows8 a;
                                TASSIGN(a, static_cast<std::size_t>(get_block_idx()) * 64 * kib);
                                TEXPANDS(a, 1.0f);
                              },
                              {.blocks = 3}},
                         });

const Add misaligned(bad(), {
                                {"a_tile_at_byte_16",
                                 machines,
                                 {FindingKind::ub_misaligned, {FindingKind::dma_dropped, &target::a2a3}},
                                 [](Memory& m) {
                                   Views g(m);
                                   Rows8 a;
                                   TASSIGN(a, 16);
                                   TLOAD(a, g.rows);
                                 }},
                                {"an_index_tile_four_bytes_after_another",
                                 machines,
                                 {FindingKind::ub_misaligned, {FindingKind::dma_dropped, &target::a2a3}},
                                 [](Memory& m) {
                                   Views g(m);
                                   Index8 idx;
                                   TASSIGN<0x404>(idx);
                                   TLOAD(idx, g.idx);
                                 }},
                                {"a_tile_after_a_row_of_five_floats",
                                 machines,
                                 {FindingKind::ub_misaligned},
                                 [](Memory&) {
                                   Rows8 a;
                                   TASSIGN(a, 5 * sizeof(float));
                                   TEXPANDS(a, 1.0f);
                                 }},
                                {"every_second_buffer_off_the_grid",
                                 machines,
                                 {FindingKind::ub_misaligned},
                                 [](Memory&) {
                                   Rows8 tiles[2];
                                   for (int i = 0; i < 2; ++i) TASSIGN(tiles[i], i * (1024 + 8));
                                 }},
                                {"a_tile_at_an_odd_byte",
                                 machines,
                                 {FindingKind::ub_misaligned, {FindingKind::dma_dropped, &target::a2a3}},
                                 [](Memory& m) {
                                   Views g(m);
                                   Rows8 a;
                                   TASSIGN(a, 0x1001);
                                   TLOAD(a, g.rows);
                                 }},
                            });

}  // namespace
}  // namespace ptox::corpus
