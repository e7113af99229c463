// SPDX-License-Identifier: Apache-2.0
// Kernels that need a flag only because of bytes in global memory.
#include "good/shapes.hpp"

namespace ptox::corpus {
namespace {

using namespace pto;

const Add kernels(good(), {
                              {"a_block_is_loaded_before_another_tile_goes_over_it",
                               everywhere,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b;
                                 TEXPANDS(b, 2.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TLOAD(a, g.out);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, b);
                               }},
                              {"lanes_and_dma_read_a_block_before_it_is_stored_over",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b, dst;
                                 Index8 idx;
                                 TEXPANDS(b, 2.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MGATHER<Coalesce::Row>(dst, g.results, idx);
                                 TLOAD(a, g.out);
                                 after(PIPE_V, PIPE_MTE3, EVENT_ID1);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE(g.out, b);
                               }},
                              {"lanes_scatter_before_the_dma_stores_over_it",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 src, b;
                                 Index8 idx;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(b, 2.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 MSCATTER<Coalesce::Row>(g.results, src, idx);
                                 after(PIPE_V, PIPE_MTE3, EVENT_ID1);
                                 TSTORE(g.out, b);
                               }},
                              {"a_block_is_loaded_before_two_atomics_meet_in_it",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 a, b, src;
                                 Index8 idx;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(b, 2.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 TLOAD(a, g.out);
                                 set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                                 after(PIPE_MTE2, PIPE_MTE3);
                                 TSTORE<AtomicType::AtomicAdd>(g.out, b);
                                 wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                               }},
                              {"a_block_is_stored_before_two_atomics_meet_in_it",
                               a5_only,
                               {},
                               [](Memory& m) {
                                 Gm g(m);
                                 Rows8 b, src;
                                 Index8 idx;
                                 TEXPANDS(src, 1.0f);
                                 TEXPANDS(b, 2.0f);
                                 after(PIPE_V, PIPE_MTE3);
                                 TLOAD(idx, g.ids);
                                 after(PIPE_MTE2, PIPE_V);
                                 TSTORE(g.out, b);
                                 set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
                                 TSTORE<AtomicType::AtomicAdd>(g.out, b);
                                 wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
                                 MSCATTER<Coalesce::Row, ScatterAtomicOp::Add>(g.results, src, idx);
                               }},
                          });

}  // namespace
}  // namespace ptox::corpus
