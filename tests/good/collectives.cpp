// SPDX-License-Identifier: Apache-2.0
// Correct collectives in one process.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"a_scatter_to_four_ranks",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block8 parts[4];
                                 for (int r = 0; r < 4; ++r) parts[r] = Block8(m.out.data() + 256 * r);
                                 comm::ParallelGroup<Block8> group(parts, 4, 0);
                                 Matrix<float, 32, 32> src(m.table.data());
                                 Rows8 staging;
                                 comm::TSCATTER(group, src, staging);
                               }},
                              {"a_scatter_by_two_tiles_in_turn",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block8 parts[4];
                                 for (int r = 0; r < 4; ++r) parts[r] = Block8(m.out.data() + 256 * r);
                                 comm::ParallelGroup<Block8> group(parts, 4, 0);
                                 Matrix<float, 32, 32> src(m.table.data());
                                 Rows4 ping, pong;
                                 comm::TSCATTER(group, src, ping, pong);
                               }},
                              {"a_scatter_in_chunks_that_shrink_at_the_end",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block8 parts[2];
                                 for (int r = 0; r < 2; ++r) parts[r] = Block8(m.out.data() + 256 * r);
                                 comm::ParallelGroup<Block8> group(parts, 2, 1);
                                 Matrix<float, 16, 32> src(m.table.data());
                                 Tile<TileType::Vec, float, 8, 32, BLayout::RowMajor, -1, -1> staging(3, 24);
                                 comm::TSCATTER(group, src, staging);
                               }},
                              {"a_scatter_through_a_tile_larger_than_a_part",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block4 parts[3];
                                 for (int r = 0; r < 3; ++r) parts[r] = Block4(m.out.data() + 128 * r);
                                 comm::ParallelGroup<Block4> group(parts, 3, 0);
                                 Table src(m.table.data());
                                 Rows8 staging;
                                 comm::TSCATTER(group, src, staging);
                               }},
                              {"two_scatters_one_after_the_other",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block8 parts[4], more[4];
                                 for (int r = 0; r < 4; ++r) parts[r] = Block8(m.out.data() + 256 * r);
                                 for (int r = 0; r < 4; ++r) more[r] = Block8(m.out.data() + 256 * (r + 4));
                                 comm::ParallelGroup<Block8> group(parts, 4, 0), second(more, 4, 0);
                                 Matrix<float, 32, 32> src(m.table.data());
                                 Rows8 staging;
                                 comm::TSCATTER(group, src, staging);
                                 comm::TSCATTER(second, src, staging);
                               }},
                              {"what_was_scattered_is_loaded_after_a_barrier",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block8 parts[2];
                                 for (int r = 0; r < 2; ++r) parts[r] = Block8(m.out.data() + 256 * r);
                                 comm::ParallelGroup<Block8> group(parts, 2, 0);
                                 Matrix<float, 16, 32> src(m.table.data());
                                 Rows8 staging, back;
                                 comm::TSCATTER(group, src, staging);
                                 pipe_barrier(PIPE_ALL);
                                 TLOAD(back, parts[1]);
                               }},
                              {"a_group_of_nobody",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Block8 none[1];
                                 comm::ParallelGroup<Block8> group(none, 0, 0);
                                 Table src(m.table.data());
                                 Rows8 staging;
                                 comm::TSCATTER(group, src, staging);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
